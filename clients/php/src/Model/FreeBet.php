<?php

// Generated from the contract by "node test/docs/write-tables.ts". Do not edit.

declare(strict_types=1);

namespace Freebets\Model;

use Freebets\Result;

/**
 * @property-read string $issue_id The id of the free bet: a UUID of any version, in upper or lower case; returned in
 *     lower case.
 * @property-read string|null $campaign_id The partner's id of the campaign: 1 to 64 printable characters, none of
 *     Unicode's format characters, such as a zero-width space.
 * @property-read 'issued'|'active'|'in_use'|'finished'|'cancelled'|'expired' $status `issued` until `valid_from`,
 *     then `active`; `in_use` while it has a bet that was not rolled back.
 * @property-read string $player_id The partner's id of the player: 1 to 128 printable characters, none of Unicode's
 *     format characters, such as a zero-width space.
 * @property-read string $currency Currency code, such as `EUR` or `USDT`.
 * @property-read string $bet_amount Amount with exactly two decimals, greater than zero, such as `"1.50"`.
 * @property-read int $quantity The number of bets in one free bet, shared by the games listed.
 * @property-read int $remaining The number of bets left.
 * @property-read list<string> $games
 * @property-read array{min_coefficient: string|null, max_coefficient: string|null} $config
 * @property-read string $valid_from ISO 8601 in UTC, ending in `Z`, from the years 1970 to 9999; kept to the
 *     millisecond.
 * @property-read string $valid_until ISO 8601 in UTC, ending in `Z`, from the years 1970 to 9999; kept to the
 *     millisecond.
 * @property-read string $expires_at ISO 8601 in UTC, ending in `Z`, from the years 1970 to 9999; kept to the
 *     millisecond.
 * @property-read string $issued_at ISO 8601 in UTC, ending in `Z`, from the years 1970 to 9999; kept to the
 *     millisecond.
 */
class FreeBet extends Result
{
}
