<?php

// Generated from the contract by "node test/docs/write-tables.ts". Do not edit.

declare(strict_types=1);

namespace Freebets\Model;

use Freebets\Result;

/**
 * The response of `/FreeBets/Jobs/Refusals`.
 *
 * @property-read list<array{
 *     part: int,
 *     item: int,
 *     player_id: string,
 *     currency?: string,
 *     issue_id: string,
 *     bet_amount?: string,
 *     quantity?: int,
 *     error: array{
 *         code: int,
 *         error: string,
 *         message: string,
 *         details?: list<array{field: string, reason: string, value?: string}>,
 *     },
 * }> $refusals The refused items, in the order in which they were processed.
 * @property-read string|null $next_cursor The `next_cursor` of the previous page.
 */
final class JobRefusalsResponse extends Result
{
}
