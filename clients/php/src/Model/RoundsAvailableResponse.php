<?php

// Generated from the contract by "node test/docs/write-tables.ts". Do not edit.

declare(strict_types=1);

namespace Freebets\Model;

use Freebets\Result;

/**
 * The response of `/Rounds/Available`.
 *
 * @property-read list<array{
 *     issue_id: string,
 *     currency: string,
 *     amount: string,
 *     remaining: int,
 *     min_coefficient: string|null,
 *     max_coefficient: string|null,
 *     expires_at: string,
 * }> $free_bets The free bets that can be used in the game now; the first expires soonest.
 */
final class RoundsAvailableResponse extends Result
{
}
