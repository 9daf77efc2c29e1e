<?php

// Generated from the contract by "node test/docs/write-tables.ts". Do not edit.

declare(strict_types=1);

namespace Freebets\Model;

use Freebets\Result;

/**
 * The response of `/Sandbox/Clock/Get`.
 *
 * @property-read string $now ISO 8601 in UTC, ending in `Z`, from the years 1970 to 9999; kept to the millisecond.
 * @property-read int $offset_s The number of seconds that the sandbox clock is ahead of the real time.
 */
final class SandboxClockGetResponse extends Result
{
}
