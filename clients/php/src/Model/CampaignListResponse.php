<?php

// Generated from the contract by "node test/docs/write-tables.ts". Do not edit.

declare(strict_types=1);

namespace Freebets\Model;

use Freebets\Result;

/**
 * The response of `/FreeBets/Campaign/List`.
 *
 * @property-read list<array{
 *     campaign_id: string,
 *     name: string,
 *     quantity: int,
 *     valid_from: string,
 *     valid_until: string,
 *     games: list<string>,
 *     bet_amounts: list<array{currency: string, amount: string}>,
 *     duration_min: int|null,
 *     stake_returned: bool,
 *     config: array{
 *         bonus_limit: int|null,
 *         bonus_limit_per_user: int|null,
 *         min_coefficient: string|null,
 *         max_coefficient: string|null,
 *     },
 *     status: 'scheduled'|'active'|'exhausted'|'paused'|'ended'|'stopped',
 *     created_at: string,
 *     stopped_at: string|null,
 *     paused_at: string|null,
 *     limits_changed_at: string|null,
 *     counts: array{
 *         issued: int,
 *         cancelled: int,
 *         expired: int,
 *         finished: int,
 *         bets_placed: int,
 *     },
 *     winnings: list<array{currency: string, amount: string}>,
 *     exposure: list<array{currency: string, amount: string|null}>,
 * }> $campaigns
 * @property-read string|null $next_cursor The `next_cursor` of the previous page.
 */
final class CampaignListResponse extends Result
{
}
