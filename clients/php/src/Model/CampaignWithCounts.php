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
 * @property-read list<array{currency: string, amount: string|null}> $exposure The maximum liability of bets that are
 *     left and of bets that are not settled, including those of expired free bets; `amount` is null without a
 *     `max_coefficient`.
 */
final class CampaignWithCounts extends Campaign
{
}
