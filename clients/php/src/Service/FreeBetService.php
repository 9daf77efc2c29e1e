<?php

// Generated from the contract by "node test/docs/write-tables.ts". Do not edit.

declare(strict_types=1);

namespace Freebets\Service;

use Freebets\CallOptions;
use Freebets\Exception\FreebetsException;
use Freebets\Model\CancelBatchResponse;
use Freebets\Model\FreeBet;
use Freebets\Model\FreeBetListResponse;
use Freebets\Model\FreeBetWithBets;
use Freebets\Model\IssueBatchResponse;
use Freebets\Model\IssueResponse;
use Freebets\PagedList;
use Freebets\Result;

final class FreeBetService extends Service
{
    /**
     * Issue a free bet: `/FreeBets/Issue`.
     *
     * Issues from a campaign (`campaign_id`), or directly with all parameters in the request. If you send your own
     * `issue_id`, a repeated request returns the first response again instead of issuing a second free bet. With
     * `dry_run` nothing is issued.
     *
     * Fields of the request:
     * - `issue_id` (optional): The id of the free bet: a UUID of any version, in upper or lower case; returned in
     *   lower case. The client makes one if it is absent.
     * - `campaign_id` (required in the form “By campaign”): The partner's id of the campaign: 1 to 64 printable
     *   characters, none of Unicode's format characters, such as a zero-width space.
     * - `player_id` (required): The partner's id of the player: 1 to 128 printable characters, none of Unicode's
     *   format characters, such as a zero-width space.
     * - `currency` (required): Currency code, such as `EUR` or `USDT`. 3 to 10 capitals and digits.
     * - `dry_run` (optional): If true, the request is decided as a real one would be now, and nothing is changed.
     * - `bet_amount` (required in the form “Direct”): An amount with exactly two decimals, greater than zero, at
     *   most 13 digits before the point, such as "1.50".
     * - `quantity` (required in the form “Direct”): The number of bets in one free bet, shared by the games
     *   listed. 1 to 1,000.
     * - `games` (required in the form “Direct”): 1 to 500 items, none twice.
     * - `valid_until` (required in the form “Direct”): ISO 8601 in UTC, ending in `Z`, from the years 1970 to
     *   9999; kept to the millisecond.
     * - `name` (optional in the form “Direct”): A display name: 1 to 255 printable characters, none that turns the
     *   direction of writing.
     * - `valid_from` (optional in the form “Direct”): ISO 8601 in UTC, ending in `Z`, from the years 1970 to 9999;
     *   kept to the millisecond.
     * - `duration_min` (optional in the form “Direct”): Minutes from the activation (the later of issue and
     *   `valid_from`) until the free bet expires. 1 to 525,600.
     * - `config` (optional in the form “Direct”)
     * - `config.min_coefficient` (optional): Odds or multiplier, at least 1, with up to four decimals, such as
     *   `"1.20"`. A number of at least 1, with up to six digits and four decimals.
     * - `config.max_coefficient` (optional): Odds or multiplier, at least 1, with up to four decimals, such as
     *   `"1.20"`. A number of at least 1, with up to six digits and four decimals.
     *
     * Example:
     *
     *     $result = $partner->freeBets->issue([
     *         'issue_id' => '9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e01',
     *         'campaign_id' => 'weekend',
     *         'player_id' => 'player-7',
     *         'currency' => 'EUR',
     *     ]);
     *
     * @param array{
     *     issue_id?: string,
     *     campaign_id: string,
     *     player_id: string,
     *     currency: string,
     *     dry_run?: bool,
     * }|array{
     *     issue_id?: string,
     *     player_id: string,
     *     currency: string,
     *     bet_amount: string,
     *     quantity: int,
     *     games: list<string>,
     *     valid_until: string,
     *     name?: string,
     *     valid_from?: string,
     *     duration_min?: int,
     *     config?: array{min_coefficient?: string, max_coefficient?: string},
     *     dry_run?: bool,
     * } $request
     *
     * @throws FreebetsException
     */
    public function issue(array $request, ?CallOptions $options = null): IssueResponse
    {
        return $this->caller->call('freeBets.issue', $request, $options, IssueResponse::class);
    }

    /**
     * Issue many free bets: `/FreeBets/Issue/Batch`.
     *
     * Takes up to 1,000 issue requests. Each succeeds or fails on its own, with the errors of Issue. With
     * `dry_run` they are decided one after the other, and nothing is issued.
     *
     * Fields of the request:
     * - `items` (required): Issue requests without `client_id`. Each is checked on its own: an invalid item fails
     *   no other item, unless it exceeds a limit of the whole body. 1 to 1,000 items.
     * - `items[].issue_id` (optional): The id of the free bet: a UUID of any version, in upper or lower case;
     *   returned in lower case. The client makes one if it is absent.
     * - `items[].campaign_id` (required in the form “By campaign”): The partner's id of the campaign: 1 to 64
     *   printable characters, none of Unicode's format characters, such as a zero-width space.
     * - `items[].player_id` (required): The partner's id of the player: 1 to 128 printable characters, none of
     *   Unicode's format characters, such as a zero-width space.
     * - `items[].currency` (required): Currency code, such as `EUR` or `USDT`. 3 to 10 capitals and digits.
     * - `items[].bet_amount` (required in the form “Direct”): An amount with exactly two decimals, greater than
     *   zero, at most 13 digits before the point, such as "1.50".
     * - `items[].quantity` (required in the form “Direct”): The number of bets in one free bet, shared by the
     *   games listed. 1 to 1,000.
     * - `items[].games` (required in the form “Direct”): 1 to 500 items, none twice.
     * - `items[].valid_until` (required in the form “Direct”): ISO 8601 in UTC, ending in `Z`, from the years 1970
     *   to 9999; kept to the millisecond.
     * - `items[].name` (optional in the form “Direct”): A display name: 1 to 255 printable characters, none that
     *   turns the direction of writing.
     * - `items[].valid_from` (optional in the form “Direct”): ISO 8601 in UTC, ending in `Z`, from the years 1970
     *   to 9999; kept to the millisecond.
     * - `items[].duration_min` (optional in the form “Direct”): Minutes from the activation (the later of issue
     *   and `valid_from`) until the free bet expires. 1 to 525,600.
     * - `items[].config` (optional in the form “Direct”)
     * - `items[].config.min_coefficient` (optional): Odds or multiplier, at least 1, with up to four decimals,
     *   such as `"1.20"`. A number of at least 1, with up to six digits and four decimals.
     * - `items[].config.max_coefficient` (optional): Odds or multiplier, at least 1, with up to four decimals,
     *   such as `"1.20"`. A number of at least 1, with up to six digits and four decimals.
     * - `dry_run` (optional): If true, the request is decided as a real one would be now, and nothing is changed.
     *
     * Example:
     *
     *     $result = $partner->freeBets->issueBatch([
     *         'items' => [
     *             [
     *                 'issue_id' => '9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e03',
     *                 'campaign_id' => 'weekend',
     *                 'player_id' => 'player-9',
     *                 'currency' => 'EUR',
     *             ],
     *             [
     *                 'campaign_id' => 'gone',
     *                 'player_id' => 'player-9',
     *                 'currency' => 'EUR',
     *             ],
     *         ],
     *     ]);
     *
     * @param array{
     *     items: list<array{
     *         issue_id?: string,
     *         campaign_id: string,
     *         player_id: string,
     *         currency: string,
     *     }|array{
     *         issue_id?: string,
     *         player_id: string,
     *         currency: string,
     *         bet_amount: string,
     *         quantity: int,
     *         games: list<string>,
     *         valid_until: string,
     *         name?: string,
     *         valid_from?: string,
     *         duration_min?: int,
     *         config?: array{min_coefficient?: string, max_coefficient?: string},
     *     }>,
     *     dry_run?: bool,
     * } $request
     *
     * @throws FreebetsException
     */
    public function issueBatch(array $request, ?CallOptions $options = null): IssueBatchResponse
    {
        return $this->caller->call('freeBets.issueBatch', $request, $options, IssueBatchResponse::class);
    }

    /**
     * Cancel an unused free bet: `/FreeBets/Cancel`.
     *
     * Cancels a free bet that has no bets, apart from bets that were rolled back. It no longer counts towards the
     * campaign cap and the per-player cap. With `dry_run` nothing is cancelled.
     *
     * Fields of the request:
     * - `issue_id` (required): The id of the free bet: a UUID of any version, in upper or lower case; returned in
     *   lower case.
     * - `dry_run` (optional): If true, the request is decided as a real one would be now, and nothing is changed.
     *
     * Example:
     *
     *     $result = $partner->freeBets->cancel(['issue_id' => '9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e03']);
     *
     * @param array{issue_id: string, dry_run?: bool} $request
     *
     * @throws FreebetsException
     */
    public function cancel(array $request, ?CallOptions $options = null): Result
    {
        return $this->caller->call('freeBets.cancel', $request, $options, Result::class);
    }

    /**
     * Cancel many free bets: `/FreeBets/Cancel/Batch`.
     *
     * Takes up to 1,000 ids. Each free bet is cancelled or refused on its own, with the errors of Cancel.
     *
     * Fields of the request:
     * - `issue_ids` (required): The ids of the free bets. An id may be repeated. 1 to 1,000 items.
     *
     * Example:
     *
     *     $result = $partner->freeBets->cancelBatch([
     *         'issue_ids' => [
     *             '9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e03',
     *             '9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e04',
     *         ],
     *     ]);
     *
     * @param array{issue_ids: list<string>} $request
     *
     * @throws FreebetsException
     */
    public function cancelBatch(array $request, ?CallOptions $options = null): CancelBatchResponse
    {
        return $this->caller->call('freeBets.cancelBatch', $request, $options, CancelBatchResponse::class);
    }

    /**
     * Read a free bet: `/FreeBets/Get`.
     *
     * Returns the current state of the free bet, with its bets.
     *
     * Fields of the request:
     * - `issue_id` (required): The id of the free bet: a UUID of any version, in upper or lower case; returned in
     *   lower case.
     *
     * Example:
     *
     *     $result = $partner->freeBets->get(['issue_id' => '9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e01']);
     *
     * @param array{issue_id: string} $request
     *
     * @throws FreebetsException
     */
    public function get(array $request, ?CallOptions $options = null): FreeBetWithBets
    {
        return $this->caller->call('freeBets.get', $request, $options, FreeBetWithBets::class);
    }

    /**
     * List free bets: `/FreeBets/List`.
     *
     * Returns the newest first. A page may have fewer items than `limit`, or none, and still have a `next_cursor`:
     * continue until it is null.
     *
     * Fields of the request:
     * - `player_id` (optional): The partner's id of the player: 1 to 128 printable characters, none of Unicode's
     *   format characters, such as a zero-width space.
     * - `campaign_id` (optional): The partner's id of the campaign: 1 to 64 printable characters, none of
     *   Unicode's format characters, such as a zero-width space.
     * - `status` (optional): `issued` until `valid_from`, then `active`; `in_use` while it has a bet that was not
     *   rolled back.
     * - `issued_from` (optional): Only items that were issued at this time or later. A time in UTC, such as
     *   2027-01-31T12:00:00Z.
     * - `issued_until` (optional): Only items that were issued before this time. A time in UTC, such as
     *   2027-01-31T12:00:00Z.
     * - `limit` (optional): How many at most; 50 when absent. 1 to 200.
     * - `cursor` (optional): The `next_cursor` of the previous page. The next_cursor of the previous page.
     *
     * Example:
     *
     *     foreach ($partner->freeBets->list(['player_id' => 'player-7']) as $item) {
     *         // …
     *     }
     *
     * @param array{
     *     player_id?: string,
     *     campaign_id?: string,
     *     status?: 'issued'|'active'|'in_use'|'finished'|'cancelled'|'expired',
     *     issued_from?: string,
     *     issued_until?: string,
     *     limit?: int,
     *     cursor?: string,
     * } $request
     * @return PagedList<FreeBet, FreeBetListResponse>
     *
     * @throws FreebetsException
     */
    public function list(array $request = [], ?CallOptions $options = null): PagedList
    {
        return new PagedList(
            $this->caller,
            'freeBets.list',
            $request,
            $options,
            FreeBetListResponse::class,
            FreeBet::class,
        );
    }
}
