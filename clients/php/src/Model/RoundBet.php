<?php

// Generated from the contract by "node test/docs/write-tables.ts". Do not edit.

declare(strict_types=1);

namespace Freebets\Model;

use Freebets\Result;

/**
 * @property-read string $bet_id The provider's id of the bet: a UUID of any version, in upper or lower case;
 *     returned in lower case.
 * @property-read 'placed'|'won'|'lost'|'rolled_back' $status
 * @property-read string|null $issue_id The id of the free bet: a UUID of any version, in upper or lower case;
 *     returned in lower case.
 * @property-read string|null $player_id The partner's id of the player: 1 to 128 printable characters, none of
 *     Unicode's format characters, such as a zero-width space.
 * @property-read string|null $game_id The `id` of the game in the game list: 1 to 128 printable characters, none of
 *     Unicode's format characters, such as a zero-width space.
 * @property-read string|null $currency Currency code, such as `EUR` or `USDT`.
 * @property-read string|null $amount Amount with exactly two decimals, greater than zero, such as `"1.50"`.
 * @property-read string|null $coefficient Odds or multiplier, at least 1, with up to four decimals, such as
 *     `"1.20"`.
 * @property-read string|null $win_amount Amount with two decimals.
 * @property-read string|null $placed_at ISO 8601 in UTC, ending in `Z`, from the years 1970 to 9999; kept to the
 *     millisecond.
 * @property-read string|null $settled_at ISO 8601 in UTC, ending in `Z`, from the years 1970 to 9999; kept to the
 *     millisecond.
 */
final class RoundBet extends Result
{
}
