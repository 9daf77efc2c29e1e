<?php

// Generated from the contract by "node test/docs/write-tables.ts". Do not edit.

declare(strict_types=1);

namespace Freebets\Model;

/**
 * @property-read list<array{
 *     bet_id: string,
 *     game_id: string,
 *     status: 'placed'|'won'|'lost'|'rolled_back',
 *     coefficient: string|null,
 *     win_amount: string|null,
 *     placed_at: string,
 *     settled_at: string|null,
 * }> $bets
 */
final class FreeBetWithBets extends FreeBet
{
}
