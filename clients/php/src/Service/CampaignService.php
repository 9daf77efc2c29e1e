<?php

// Generated from the contract by "node test/docs/write-tables.ts". Do not edit.

declare(strict_types=1);

namespace Freebets\Service;

use Freebets\CallOptions;
use Freebets\Exception\FreebetsException;
use Freebets\Model\Campaign;
use Freebets\Model\CampaignCreateResponse;
use Freebets\Model\CampaignListResponse;
use Freebets\Model\CampaignWithCounts;
use Freebets\PagedList;
use Freebets\Result;

final class CampaignService extends Service
{
    /**
     * Create a campaign: `/FreeBets/Campaign/Create`.
     *
     * Creates a reusable template for free bets. If you send your own `campaign_id`, you can repeat the call
     * safely; otherwise the service creates one. With `dry_run` nothing is created, and the response also has the
     * maximum liability of the campaign.
     *
     * Fields of the request:
     * - `campaign_id` (optional): The partner's id of the campaign: 1 to 64 printable characters, none of
     *   Unicode's format characters, such as a zero-width space. The client makes one if it is absent.
     * - `name` (required): A display name: 1 to 255 printable characters, none that turns the direction of
     *   writing.
     * - `quantity` (required): The number of bets in one free bet, shared by the games listed. 1 to 1,000.
     * - `valid_from` (required): ISO 8601 in UTC, ending in `Z`, from the years 1970 to 9999; kept to the
     *   millisecond.
     * - `valid_until` (required): ISO 8601 in UTC, ending in `Z`, from the years 1970 to 9999; kept to the
     *   millisecond.
     * - `games` (required): 1 to 500 items, none twice.
     * - `bet_amounts` (required): The amount of one bet in each currency. 1 to 100 items.
     * - `bet_amounts[].currency` (required): Currency code, such as `EUR` or `USDT`. 3 to 10 capitals and digits.
     * - `bet_amounts[].amount` (required): An amount with exactly two decimals, greater than zero, at most 13
     *   digits before the point, such as "1.50".
     * - `duration_min` (optional): Minutes from the activation (the later of issue and `valid_from`) until the
     *   free bet expires. 1 to 525,600.
     * - `config` (optional)
     * - `config.bonus_limit` (optional): The campaign cap: the number of free bets in all; no cap if absent. 1 to
     *   2,147,483,647.
     * - `config.bonus_limit_per_user` (optional): The per-player cap: the number of free bets for one player; no
     *   cap if absent. 1 to 2,147,483,647.
     * - `config.min_coefficient` (optional): Odds or multiplier, at least 1, with up to four decimals, such as
     *   `"1.20"`. A number of at least 1, with up to six digits and four decimals.
     * - `config.max_coefficient` (optional): Odds or multiplier, at least 1, with up to four decimals, such as
     *   `"1.20"`. A number of at least 1, with up to six digits and four decimals.
     * - `dry_run` (optional): If true, the request is decided as a real one would be now, and nothing is changed.
     *
     * Example:
     *
     *     $result = $partner->campaigns->create([
     *         'campaign_id' => 'weekend',
     *         'name' => 'Weekend free bets',
     *         'quantity' => 3,
     *         'valid_from' => '2026-01-01T00:00:00.000Z',
     *         'valid_until' => '2036-01-01T00:00:00.000Z',
     *         'games' => ['lantern-skyline-ascent'],
     *         'bet_amounts' => [
     *             ['currency' => 'EUR', 'amount' => '1.00'],
     *             ['currency' => 'USD', 'amount' => '1.20'],
     *         ],
     *         'duration_min' => 1440,
     *         'config' => [
     *             'bonus_limit' => 5000,
     *             'bonus_limit_per_user' => 2,
     *             'min_coefficient' => '1.20',
     *             'max_coefficient' => '5.00',
     *         ],
     *     ]);
     *
     * @param array{
     *     campaign_id?: string,
     *     name: string,
     *     quantity: int,
     *     valid_from: string,
     *     valid_until: string,
     *     games: list<string>,
     *     bet_amounts: list<array{currency: string, amount: string}>,
     *     duration_min?: int,
     *     config?: array{
     *         bonus_limit?: int,
     *         bonus_limit_per_user?: int,
     *         min_coefficient?: string,
     *         max_coefficient?: string,
     *     },
     *     dry_run?: bool,
     * } $request
     *
     * @throws FreebetsException
     */
    public function create(array $request, ?CallOptions $options = null): CampaignCreateResponse
    {
        return $this->caller->call('campaigns.create', $request, $options, CampaignCreateResponse::class);
    }

    /**
     * Read a campaign: `/FreeBets/Campaign/Get`.
     *
     * Returns the campaign as created, its status, and the counts of its free bets.
     *
     * Fields of the request:
     * - `campaign_id` (required): The partner's id of the campaign: 1 to 64 printable characters, none of
     *   Unicode's format characters, such as a zero-width space.
     *
     * Example:
     *
     *     $result = $partner->campaigns->get(['campaign_id' => 'weekend']);
     *
     * @param array{campaign_id: string} $request
     *
     * @throws FreebetsException
     */
    public function get(array $request, ?CallOptions $options = null): CampaignWithCounts
    {
        return $this->caller->call('campaigns.get', $request, $options, CampaignWithCounts::class);
    }

    /**
     * List campaigns: `/FreeBets/Campaign/List`.
     *
     * Returns the newest first. A page may have fewer items than `limit`, or none, and still have a `next_cursor`:
     * continue until it is null.
     *
     * Fields of the request:
     * - `status` (optional): `exhausted` while `bonus_limit` is reached; `paused` until it is resumed; `stopped`
     *   for good.
     * - `created_from` (optional): Only items that were created at this time or later. A time in UTC, such as
     *   2027-01-31T12:00:00Z.
     * - `created_until` (optional): Only items that were created before this time. A time in UTC, such as
     *   2027-01-31T12:00:00Z.
     * - `limit` (optional): How many at most; 50 when absent. 1 to 200.
     * - `cursor` (optional): The `next_cursor` of the previous page. The next_cursor of the previous page.
     *
     * Example:
     *
     *     foreach ($partner->campaigns->list(['status' => 'active', 'limit' => 50]) as $item) {
     *         // …
     *     }
     *
     * @param array{
     *     status?: 'scheduled'|'active'|'exhausted'|'paused'|'ended'|'stopped',
     *     created_from?: string,
     *     created_until?: string,
     *     limit?: int,
     *     cursor?: string,
     * } $request
     * @return PagedList<CampaignWithCounts, CampaignListResponse>
     *
     * @throws FreebetsException
     */
    public function list(array $request = [], ?CallOptions $options = null): PagedList
    {
        return new PagedList(
            $this->caller,
            'campaigns.list',
            $request,
            $options,
            CampaignListResponse::class,
            CampaignWithCounts::class,
        );
    }

    /**
     * Stop a campaign: `/FreeBets/Campaign/Stop`.
     *
     * Stops issuing from this campaign for good. Free bets already issued stay valid.
     *
     * Fields of the request:
     * - `campaign_id` (required): The partner's id of the campaign: 1 to 64 printable characters, none of
     *   Unicode's format characters, such as a zero-width space.
     *
     * Example:
     *
     *     $result = $partner->campaigns->stop(['campaign_id' => 'weekend']);
     *
     * @param array{campaign_id: string} $request
     *
     * @throws FreebetsException
     */
    public function stop(array $request, ?CallOptions $options = null): Result
    {
        return $this->caller->call('campaigns.stop', $request, $options, Result::class);
    }

    /**
     * Pause a campaign: `/FreeBets/Campaign/Pause`.
     *
     * Stops issuing from this campaign until it is resumed. Free bets already issued stay valid. A campaign that
     * was stopped or has ended doesn't change.
     *
     * Fields of the request:
     * - `campaign_id` (required): The partner's id of the campaign: 1 to 64 printable characters, none of
     *   Unicode's format characters, such as a zero-width space.
     *
     * Example:
     *
     *     $result = $partner->campaigns->pause(['campaign_id' => 'weekend']);
     *
     * @param array{campaign_id: string} $request
     *
     * @throws FreebetsException
     */
    public function pause(array $request, ?CallOptions $options = null): Result
    {
        return $this->caller->call('campaigns.pause', $request, $options, Result::class);
    }

    /**
     * Resume a campaign: `/FreeBets/Campaign/Resume`.
     *
     * Allows issuing from a paused campaign again. A campaign that was stopped or has ended doesn't change.
     *
     * Fields of the request:
     * - `campaign_id` (required): The partner's id of the campaign: 1 to 64 printable characters, none of
     *   Unicode's format characters, such as a zero-width space.
     *
     * Example:
     *
     *     $result = $partner->campaigns->resume(['campaign_id' => 'weekend']);
     *
     * @param array{campaign_id: string} $request
     *
     * @throws FreebetsException
     */
    public function resume(array $request, ?CallOptions $options = null): Result
    {
        return $this->caller->call('campaigns.resume', $request, $options, Result::class);
    }

    /**
     * Change the limits of a campaign: `/FreeBets/Campaign/Limits`.
     *
     * Sets both limits. A limit may be below the number already issued: free bets already issued stay valid, and
     * no more are issued.
     *
     * Fields of the request:
     * - `campaign_id` (required): The partner's id of the campaign: 1 to 64 printable characters, none of
     *   Unicode's format characters, such as a zero-width space.
     * - `bonus_limit` (required): The campaign cap: the number of free bets in all; null for no cap. 1 to
     *   2,147,483,647.
     * - `bonus_limit_per_user` (required): The per-player cap: the number of free bets for one player; null for no
     *   cap. 1 to 2,147,483,647.
     *
     * Example:
     *
     *     $result = $partner->campaigns->limits([
     *         'campaign_id' => 'weekend',
     *         'bonus_limit' => 8000,
     *         'bonus_limit_per_user' => null,
     *     ]);
     *
     * @param array{
     *     campaign_id: string,
     *     bonus_limit: int|null,
     *     bonus_limit_per_user: int|null,
     * } $request
     *
     * @throws FreebetsException
     */
    public function limits(array $request, ?CallOptions $options = null): Campaign
    {
        return $this->caller->call('campaigns.limits', $request, $options, Campaign::class);
    }
}
