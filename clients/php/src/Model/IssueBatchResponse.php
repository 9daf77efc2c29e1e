<?php

// Generated from the contract by "node test/docs/write-tables.ts". Do not edit.

declare(strict_types=1);

namespace Freebets\Model;

use Freebets\Result;

/**
 * The response of `/FreeBets/Issue/Batch`.
 *
 * @property-read list<array{
 *     issue_id: string,
 *     campaign_id: string|null,
 *     status: 'issued'|'active'|'in_use'|'finished'|'cancelled'|'expired',
 *     player_id: string,
 *     currency: string,
 *     bet_amount: string,
 *     quantity: int,
 *     remaining: int,
 *     games: list<string>,
 *     config: array{min_coefficient: string|null, max_coefficient: string|null},
 *     valid_from: string,
 *     valid_until: string,
 *     expires_at: string,
 *     issued_at: string,
 * }|array{
 *     issue_id: string,
 *     campaign_id: string|null,
 *     status: 'issued'|'active'|'in_use'|'finished'|'cancelled'|'expired',
 *     player_id: string,
 *     currency: string,
 *     bet_amount: string,
 *     quantity: int,
 *     remaining: int,
 *     config: array{min_coefficient: string|null, max_coefficient: string|null},
 *     valid_from: string,
 *     valid_until: string,
 *     expires_at: string,
 *     issued_at: string,
 * }|array{
 *     issue_id: string|null,
 *     error: array{
 *         code: int,
 *         error: string,
 *         message: string,
 *         details?: list<array{field: string, reason: string, value?: string}>,
 *     },
 * }> $results
 * @property-read true|null $dry_run Only in the response to a dry run: nothing was changed.
 */
final class IssueBatchResponse extends Result
{
    protected const OPTIONAL = ['dry_run'];
}
