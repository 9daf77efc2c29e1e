<?php

// Generated from the contract by "node test/docs/write-tables.ts". Do not edit.

declare(strict_types=1);

namespace Freebets\Model;

/**
 * @property-read array{
 *     issued: int,
 *     cancelled: int,
 *     expired: int,
 *     finished: int,
 *     bets_placed: int,
 * } $counts
 * @property-read list<array{currency: string, amount: string}> $winnings
 * @property-read list<array{currency: string, amount: string|null}> $exposure What bets that are left and bets that
 *     are not settled could win at most, the latter also of free bets that have expired; `amount` is null where no
 *     `max_coefficient` bounds it.
 */
final class CampaignWithCounts extends Campaign
{
}
