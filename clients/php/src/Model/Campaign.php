<?php

// Generated from the contract by "node test/docs/write-tables.ts". Do not edit.

declare(strict_types=1);

namespace Freebets\Model;

use Freebets\Result;

/**
 * @property-read string $campaign_id The partner's id of the campaign: 1 to 64 printable characters, none of
 *     Unicode's format characters, such as a zero-width space.
 * @property-read string $name A display name: 1 to 255 printable characters, none that turns the direction of
 *     writing.
 * @property-read int $quantity The number of bets in one free bet, shared by the games listed.
 * @property-read string $valid_from ISO 8601 in UTC, ending in `Z`, from the years 1970 to 9999; kept to the
 *     millisecond.
 * @property-read string $valid_until ISO 8601 in UTC, ending in `Z`, from the years 1970 to 9999; kept to the
 *     millisecond.
 * @property-read list<string> $games
 * @property-read list<array{currency: string, amount: string}> $bet_amounts The amount of one bet in each currency.
 * @property-read int|null $duration_min Minutes from the activation (the later of issue and `valid_from`) until the
 *     free bet expires.
 * @property-read bool $stake_returned Whether a win returns the stake too: the setting of the partner when the
 *     campaign was created.
 * @property-read array{
 *     bonus_limit: int|null,
 *     bonus_limit_per_user: int|null,
 *     min_coefficient: string|null,
 *     max_coefficient: string|null,
 * } $config
 * @property-read 'scheduled'|'active'|'exhausted'|'paused'|'ended'|'stopped' $status `exhausted` while `bonus_limit`
 *     is reached; `paused` until it is resumed; `stopped` for good.
 * @property-read string $created_at ISO 8601 in UTC, ending in `Z`, from the years 1970 to 9999; kept to the
 *     millisecond.
 * @property-read string|null $stopped_at ISO 8601 in UTC, ending in `Z`, from the years 1970 to 9999; kept to the
 *     millisecond.
 * @property-read string|null $paused_at ISO 8601 in UTC, ending in `Z`, from the years 1970 to 9999; kept to the
 *     millisecond.
 * @property-read string|null $limits_changed_at ISO 8601 in UTC, ending in `Z`, from the years 1970 to 9999; kept to
 *     the millisecond.
 */
class Campaign extends Result
{
}
