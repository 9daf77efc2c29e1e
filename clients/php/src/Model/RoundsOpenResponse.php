<?php

// Generated from the contract by "node test/docs/write-tables.ts". Do not edit.

declare(strict_types=1);

namespace Freebets\Model;

use Freebets\Result;

/**
 * The response of `/Rounds/Open`.
 *
 * @property-read list<array{
 *     bet_id: string,
 *     status: 'placed'|'won'|'lost'|'rolled_back',
 *     issue_id: string|null,
 *     player_id: string|null,
 *     game_id: string|null,
 *     currency: string|null,
 *     amount: string|null,
 *     coefficient: string|null,
 *     win_amount: string|null,
 *     placed_at: string|null,
 *     settled_at: string|null,
 * }> $bets The bets that are placed and not settled, oldest first.
 * @property-read string|null $next_cursor The `next_cursor` of the previous page.
 */
final class RoundsOpenResponse extends Result
{
}
