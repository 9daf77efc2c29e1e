<?php

// Generated from the contract by "node test/docs/write-tables.ts". Do not edit.

declare(strict_types=1);

namespace Freebets\Model;

use Freebets\Result;

/**
 * The response of `/FreeBets/Jobs/Add`.
 *
 * @property-read string $job_id The partner's id of the job: a UUID of any version, in upper or lower case; returned
 *     in lower case.
 * @property-read int $part The number of the part. You number the parts from 1 and may send them in any order.
 * @property-read int $items The number of items in the part.
 */
final class JobAddResponse extends Result
{
}
