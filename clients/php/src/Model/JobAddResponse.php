<?php

// Generated from the contract by "node test/docs/write-tables.ts". Do not edit.

declare(strict_types=1);

namespace Freebets\Model;

use Freebets\Result;

/**
 * The response of `/FreeBets/Jobs/Add`.
 *
 * @property-read string $job_id The job, as the partner names it: a UUID of any version, in any case; answered in
 *     lower case.
 * @property-read int $part The number of the part, counted by you from 1 on; sent in any order.
 * @property-read int $items How many items the part holds.
 */
final class JobAddResponse extends Result
{
}
