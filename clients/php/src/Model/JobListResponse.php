<?php

// Generated from the contract by "node test/docs/write-tables.ts". Do not edit.

declare(strict_types=1);

namespace Freebets\Model;

use Freebets\Result;

/**
 * The response of `/FreeBets/Jobs/List`.
 *
 * @property-read list<array{
 *     job_id: string,
 *     name: string,
 *     campaign_id: string,
 *     status: 'open'|'scheduled'|'running'|'finished'|'failed'|'stopped',
 *     parts: int,
 *     items: int,
 *     issued: int,
 *     refused: array<string, int>,
 *     remaining: int,
 *     per_second: int|null,
 *     eta: string|null,
 *     created_at: string,
 *     start_at: string|null,
 *     started_at: string|null,
 *     finished_at: string|null,
 *     stopped_at: string|null,
 *     failure: array{reason: string, part: int|null, item: int, failed_at: string}|null,
 * }|array{
 *     job_id: string,
 *     name: string,
 *     bet_amount: string,
 *     quantity: int,
 *     games: list<string>,
 *     valid_from: string|null,
 *     valid_until: string,
 *     duration_min: int|null,
 *     config: array{min_coefficient: string|null, max_coefficient: string|null},
 *     status: 'open'|'scheduled'|'running'|'finished'|'failed'|'stopped',
 *     parts: int,
 *     items: int,
 *     issued: int,
 *     refused: array<string, int>,
 *     remaining: int,
 *     per_second: int|null,
 *     eta: string|null,
 *     created_at: string,
 *     start_at: string|null,
 *     started_at: string|null,
 *     finished_at: string|null,
 *     stopped_at: string|null,
 *     failure: array{reason: string, part: int|null, item: int, failed_at: string}|null,
 * }> $jobs
 * @property-read string|null $next_cursor The `next_cursor` of the previous page.
 */
final class JobListResponse extends Result
{
}
