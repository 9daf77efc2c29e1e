<?php

// Generated from the contract by "node test/docs/write-tables.ts". Do not edit.

declare(strict_types=1);

namespace Freebets\Model;

use Freebets\Result;

/**
 * The response of `/Rounds/Bet`.
 *
 * @property-read string $bet_id The provider's id of the bet: a UUID of any version, in upper or lower case;
 *     returned in lower case.
 * @property-read string $issue_id The id of the free bet: a UUID of any version, in upper or lower case; returned in
 *     lower case.
 * @property-read string $currency Currency code, such as `EUR` or `USDT`.
 * @property-read string $amount Amount with exactly two decimals, greater than zero, such as `"1.50"`.
 * @property-read int $remaining The number of bets left.
 * @property-read string|null $min_coefficient Odds or multiplier, at least 1, with up to four decimals, such as
 *     `"1.20"`.
 * @property-read string|null $max_coefficient Odds or multiplier, at least 1, with up to four decimals, such as
 *     `"1.20"`.
 */
final class RoundsBetResponse extends Result
{
}
