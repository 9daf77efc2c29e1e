<?php

// Generated from the contract by "node test/docs/write-tables.ts". Do not edit.

declare(strict_types=1);

namespace Freebets\Model;

use Freebets\Result;

/**
 * @property-read int $part The number of the part. You number the parts from 1 and may send them in any order.
 * @property-read int $item The position of the item in its part, counted from 0 as in `items[0]`.
 * @property-read string $player_id The partner's id of the player: 1 to 128 printable characters, none of Unicode's
 *     format characters, such as a zero-width space.
 * @property-read string|null $currency Currency code, such as `EUR` or `USDT`.
 * @property-read string $issue_id The id of the free bet: a UUID of any version, in upper or lower case; returned in
 *     lower case.
 * @property-read string|null $bet_amount Amount with exactly two decimals, greater than zero, such as `"1.50"`.
 * @property-read int|null $quantity The number of bets in one free bet, shared by the games listed.
 * @property-read array{
 *     code: int,
 *     error: string,
 *     message: string,
 *     details?: list<array{field: string, reason: string, value?: string}>,
 * } $error
 */
final class JobRefusal extends Result
{
    protected const OPTIONAL = ['currency', 'bet_amount', 'quantity'];
}
