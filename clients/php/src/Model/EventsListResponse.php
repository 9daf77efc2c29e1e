<?php

// Generated from the contract by "node test/docs/write-tables.ts". Do not edit.

declare(strict_types=1);

namespace Freebets\Model;

use Freebets\Result;

/**
 * The response of `/Events/List`.
 *
 * @property-read list<array{
 *     event_id: string,
 *     sequence: int,
 *     type: 'freebet.issued'|'freebet.finished'|'freebet.cancelled'|'freebet.expired',
 *     occurred_at: string,
 *     client_id: int,
 *     data: array{
 *         free_bet: array{
 *             issue_id: string,
 *             campaign_id: string|null,
 *             status: 'issued'|'active'|'in_use'|'finished'|'cancelled'|'expired',
 *             player_id: string,
 *             currency: string,
 *             bet_amount: string,
 *             quantity: int,
 *             remaining: int,
 *             games: list<string>,
 *             config: array{
 *                 min_coefficient: string|null,
 *                 max_coefficient: string|null,
 *             },
 *             valid_from: string,
 *             valid_until: string,
 *             expires_at: string,
 *             issued_at: string,
 *         },
 *     },
 * }|array{
 *     event_id: string,
 *     sequence: int,
 *     type: 'freebet.used'|'freebet.settled'|'freebet.rolled_back',
 *     occurred_at: string,
 *     client_id: int,
 *     data: array{
 *         free_bet: array{
 *             issue_id: string,
 *             campaign_id: string|null,
 *             status: 'issued'|'active'|'in_use'|'finished'|'cancelled'|'expired',
 *             player_id: string,
 *             currency: string,
 *             bet_amount: string,
 *             quantity: int,
 *             remaining: int,
 *             games: list<string>,
 *             config: array{
 *                 min_coefficient: string|null,
 *                 max_coefficient: string|null,
 *             },
 *             valid_from: string,
 *             valid_until: string,
 *             expires_at: string,
 *             issued_at: string,
 *         },
 *         bet: array{
 *             bet_id: string,
 *             game_id: string,
 *             status: 'placed'|'won'|'lost'|'rolled_back',
 *             coefficient: string|null,
 *             win_amount: string|null,
 *             placed_at: string,
 *             settled_at: string|null,
 *         },
 *     },
 * }|array{
 *     event_id: string,
 *     sequence: int,
 *     type: string,
 *     occurred_at: string,
 *     client_id: int,
 *     data: array{
 *         campaign: array{
 *             campaign_id: string,
 *             name: string,
 *             quantity: int,
 *             valid_from: string,
 *             valid_until: string,
 *             games: list<string>,
 *             bet_amounts: list<array{currency: string, amount: string}>,
 *             duration_min: int|null,
 *             stake_returned: bool,
 *             config: array{
 *                 bonus_limit: int|null,
 *                 bonus_limit_per_user: int|null,
 *                 min_coefficient: string|null,
 *                 max_coefficient: string|null,
 *             },
 *             status: 'scheduled'|'active'|'exhausted'|'paused'|'ended'|'stopped',
 *             created_at: string,
 *             stopped_at: string|null,
 *             paused_at: string|null,
 *             limits_changed_at: string|null,
 *         },
 *     },
 * }|array{
 *     event_id: string,
 *     sequence: int,
 *     type: 'job.finished'|'job.failed'|'job.stopped',
 *     occurred_at: string,
 *     client_id: int,
 *     data: array{
 *         job: array{
 *             job_id: string,
 *             name: string,
 *             campaign_id: string,
 *             status: 'open'|'scheduled'|'running'|'finished'|'failed'|'stopped',
 *             parts: int,
 *             items: int,
 *             issued: int,
 *             refused: array<string, int>,
 *             remaining: int,
 *             per_second: int|null,
 *             eta: string|null,
 *             created_at: string,
 *             start_at: string|null,
 *             started_at: string|null,
 *             finished_at: string|null,
 *             stopped_at: string|null,
 *             failure: array{
 *                 reason: string,
 *                 part: int|null,
 *                 item: int,
 *                 failed_at: string,
 *             }|null,
 *         }|array{
 *             job_id: string,
 *             name: string,
 *             bet_amount: string,
 *             quantity: int,
 *             games: list<string>,
 *             valid_from: string|null,
 *             valid_until: string,
 *             duration_min: int|null,
 *             config: array{
 *                 min_coefficient: string|null,
 *                 max_coefficient: string|null,
 *             },
 *             status: 'open'|'scheduled'|'running'|'finished'|'failed'|'stopped',
 *             parts: int,
 *             items: int,
 *             issued: int,
 *             refused: array<string, int>,
 *             remaining: int,
 *             per_second: int|null,
 *             eta: string|null,
 *             created_at: string,
 *             start_at: string|null,
 *             started_at: string|null,
 *             finished_at: string|null,
 *             stopped_at: string|null,
 *             failure: array{
 *                 reason: string,
 *                 part: int|null,
 *                 item: int,
 *                 failed_at: string,
 *             }|null,
 *         },
 *     },
 * }> $events The events, in the order of their `sequence`.
 * @property-read int $last_sequence The `sequence` of the last event on this page, or `after` if the page is empty:
 *     the next `after`.
 * @property-read int $oldest_sequence The `sequence` of the oldest event that is kept, or of the next event if there
 *     is none.
 */
final class EventsListResponse extends Result
{
}
