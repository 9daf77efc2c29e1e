<?php

// Generated from the contract by "node test/docs/write-tables.ts". Do not edit.

declare(strict_types=1);

namespace Freebets\Model;

use Freebets\Result;

/**
 * @property-read string $job_id The job, as the partner names it: a UUID of any version, in any case; answered in
 *     lower case.
 * @property-read string $name A name for people; the free bets of a direct job have it too: 1 to 255 printable
 *     characters, none that turns the direction of writing.
 * @property-read string|null $campaign_id The campaign, as the partner names it: 1 to 64 printable characters, none
 *     of Unicode's format characters, such as a zero-width space.
 * @property-read string $status `open` until it is started, then `scheduled` while `start_at` lies ahead; `running`
 *     also while it waits for an earlier job of yours. `failed` when the service could not process the next item:
 *     `failure` says why. One of `open`, `scheduled`, `running`, `finished`, `failed`, `stopped`, `open`,
 *     `scheduled`, `running`, `finished`, `failed`, `stopped`.
 * @property-read int $parts Parts added.
 * @property-read int $items Items added, in all parts.
 * @property-read int $issued Items whose free bet is issued.
 * @property-read array<string, int> $refused How many items were refused with each error; an error that refused none
 *     is absent.
 * @property-read int $remaining Items not carried out yet; those of a stopped job never will be, those of a failed
 *     job after a retry.
 * @property-read int|null $per_second Items carried out in a second, lately; while it runs.
 * @property-read string|null $eta When it is likely to be finished; while it runs.
 * @property-read string $created_at ISO 8601 in UTC, ending in `Z`, from the years 1970 to 9999; kept to the
 *     millisecond.
 * @property-read string|null $start_at ISO 8601 in UTC, ending in `Z`, from the years 1970 to 9999; kept to the
 *     millisecond.
 * @property-read string|null $started_at ISO 8601 in UTC, ending in `Z`, from the years 1970 to 9999; kept to the
 *     millisecond.
 * @property-read string|null $finished_at ISO 8601 in UTC, ending in `Z`, from the years 1970 to 9999; kept to the
 *     millisecond.
 * @property-read string|null $stopped_at ISO 8601 in UTC, ending in `Z`, from the years 1970 to 9999; kept to the
 *     millisecond.
 * @property-read array{reason: string, part: int|null, item: int, failed_at: string}|null $failure Why the job
 *     failed, and where. `/FreeBets/Jobs/Retry` continues with this item.
 * @property-read string|null $bet_amount Amount with exactly two decimals, greater than zero, such as `"1.50"`.
 * @property-read int|null $quantity How many bets one free bet gives its player, shared over the games listed.
 * @property-read list<string>|null $games
 * @property-read string|null|null $valid_from ISO 8601 in UTC, ending in `Z`, from the years 1970 to 9999; kept to
 *     the millisecond.
 * @property-read string|null $valid_until ISO 8601 in UTC, ending in `Z`, from the years 1970 to 9999; kept to the
 *     millisecond.
 * @property-read int|null|null $duration_min Minutes from the activation (the later of issue and `valid_from`) until
 *     the free bet expires.
 * @property-read array{min_coefficient: string|null, max_coefficient: string|null}|null $config
 */
final class Job extends Result
{
    protected const OPTIONAL = [
        'campaign_id',
        'bet_amount',
        'quantity',
        'games',
        'valid_from',
        'valid_until',
        'duration_min',
        'config',
    ];
}
