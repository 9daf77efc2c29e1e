<?php

// Generated from the contract by "node test/docs/write-tables.ts". Do not edit.

declare(strict_types=1);

namespace Freebets\Model;

use Freebets\Result;

/**
 * The response of `/FreeBets/Campaign/Create`.
 *
 * @property-read string $campaign_id The partner's id of the campaign: 1 to 64 printable characters, none of
 *     Unicode's format characters, such as a zero-width space.
 * @property-read true|null $dry_run Only in the response to a dry run: nothing was changed.
 * @property-read list<array{currency: string, amount: string|null}>|null $max_exposure Only in the response to a dry
 *     run: the maximum liability of the campaign; `amount` is null without a `bonus_limit` or a `max_coefficient`.
 */
final class CampaignCreateResponse extends Result
{
    protected const OPTIONAL = ['dry_run', 'max_exposure'];
}
