<?php

// Generated from the contract by "node test/docs/write-tables.ts". Do not edit.

declare(strict_types=1);

namespace Freebets\Model;

use Freebets\Result;

/**
 * The response of `/FreeBets/List`.
 *
 * @property-read list<array{
 *     issue_id: string,
 *     campaign_id: string|null,
 *     status: 'issued'|'active'|'in_use'|'finished'|'cancelled'|'expired',
 *     player_id: string,
 *     currency: string,
 *     bet_amount: string,
 *     quantity: int,
 *     remaining: int,
 *     games: list<string>,
 *     config: array{min_coefficient: string|null, max_coefficient: string|null},
 *     valid_from: string,
 *     valid_until: string,
 *     expires_at: string,
 *     issued_at: string,
 * }> $free_bets
 * @property-read string|null $next_cursor The `next_cursor` of the previous page.
 */
final class FreeBetListResponse extends Result
{
}
