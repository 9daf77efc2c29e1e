<?php

// Generated from the contract by "node test/docs/write-tables.ts". Do not edit.

declare(strict_types=1);

namespace Freebets\Model;

use Freebets\Result;

/**
 * The response of `/FreeBets/Cancel/Batch`.
 *
 * @property-read list<array{
 *     issue_id: string,
 * }|array{
 *     issue_id: string,
 *     error: array{
 *         code: int,
 *         error: string,
 *         message: string,
 *         details?: list<array{field: string, reason: string, value?: string}>,
 *     },
 * }> $results The results in the order of the ids.
 */
final class CancelBatchResponse extends Result
{
}
