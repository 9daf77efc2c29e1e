<?php

// Generated from the contract by "node test/docs/write-tables.ts". Do not edit.

declare(strict_types=1);

namespace Freebets\Model;

use Freebets\Result;

/**
 * The response of `/Rounds/Settle`.
 *
 * @property-read string $bet_id The provider's id of the bet: a UUID of any version, in upper or lower case;
 *     returned in lower case.
 * @property-read 'won'|'lost' $result
 * @property-read string|null $coefficient Odds or multiplier, at least 1, with up to four decimals, such as
 *     `"1.20"`.
 * @property-read string $win_amount Amount with two decimals.
 * @property-read string $currency Currency code, such as `EUR` or `USDT`.
 */
final class RoundsSettleResponse extends Result
{
}
