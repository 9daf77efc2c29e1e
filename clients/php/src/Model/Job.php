<?php

// Generated from the contract by "node test/docs/write-tables.ts". Do not edit.

declare(strict_types=1);

namespace Freebets\Model;

use Freebets\Result;

/**
 * @property-read string $job_id The partner's id of the job: a UUID of any version, in upper or lower case; returned
 *     in lower case.
 * @property-read string $name A display name; the free bets of a direct job get it too: 1 to 255 printable
 *     characters, none that turns the direction of writing.
 * @property-read string|null $campaign_id The partner's id of the campaign: 1 to 64 printable characters, none of
 *     Unicode's format characters, such as a zero-width space.
 * @property-read string $status `open` until it is started, then `scheduled` while `start_at` lies ahead; `running`
 *     also while it waits for an earlier job of yours. `failed` when the service could not process the next item:
 *     `failure` says why. One of `open`, `scheduled`, `running`, `finished`, `failed`, `stopped`, `open`,
 *     `scheduled`, `running`, `finished`, `failed`, `stopped`.
 * @property-read int $parts The number of parts added.
 * @property-read int $items The number of items added, in all parts.
 * @property-read int $issued The number of items whose free bet was issued.
 * @property-read array<string, int> $refused The number of refused items for each error; errors without refused
 *     items are absent.
 * @property-read int $remaining The number of items not processed yet. A stopped job never processes them; a failed
 *     job does after a retry.
 * @property-read int|null $per_second The recent number of items processed per second; null if the job is not
 *     running.
 * @property-read string|null $eta The estimated end of the job; null if the job is not running.
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
 * @property-read int|null $quantity The number of bets in one free bet, shared by the games listed.
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
