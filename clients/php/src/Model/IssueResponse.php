<?php

// Generated from the contract by "node test/docs/write-tables.ts". Do not edit.

declare(strict_types=1);

namespace Freebets\Model;

/**
 * The response of `/FreeBets/Issue`.
 *
 * @property-read true|null $dry_run Only in the response to a dry run: nothing was changed.
 */
final class IssueResponse extends FreeBet
{
    protected const OPTIONAL = ['dry_run'];
}
