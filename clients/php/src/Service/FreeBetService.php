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
     * By campaign (`campaign_id`), or directly with every parameter in the request. Send an `issue_id` of your
     * own, and a repeated request gives the first answer again instead of a second free bet. With `dry_run`
     * nothing is issued.
     *
     * Fields of the request:
     * - `issue_id` (optional): The free bet: a UUID of any version, in any case; answered in lower case. The
     *   client makes one if it is absent.
     * - `campaign_id` (required in the form “By campaign”): The campaign, as the partner names it: 1 to 64
     *   printable characters, none of Unicode's format characters, such as a zero-width space.
     * - `player_id` (required): The player, as the partner names them: 1 to 128 printable characters, none of
     *   Unicode's format characters, such as a zero-width space.
     * - `currency` (required): Currency code, such as `EUR` or `USDT`. 3 to 10 capitals and digits.
     * - `dry_run` (optional): Decides as the real request would be decided now, and changes nothing.
     * - `bet_amount` (required in the form “Direct”): Amount with exactly two decimals, greater than zero, such as
     *   `"1.50"`. An amount with exactly two decimals, greater than zero, at most 13 digits before the point.
     * - `quantity` (required in the form “Direct”): How many bets one free bet gives its player, shared over the
     *   games listed. 1 to 1,000.
     * - `games` (required in the form “Direct”): 1 to 500 items, none twice.
     * - `valid_until` (required in the form “Direct”): ISO 8601 in UTC, ending in `Z`, from the years 1970 to
     *   9999; kept to the millisecond.
     * - `name` (optional in the form “Direct”): A name for people: 1 to 255 printable characters, none that turns
     *   the direction of writing.
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
     * Up to 1000 issue requests in one call. Each succeeds or fails by itself, with the errors of Issue. With
     * `dry_run` they are decided one after the other, and nothing is issued.
     *
     * Fields of the request:
     * - `items` (required): Issue requests without `client_id`. Each is checked by itself: one bad item never
     *   fails another, unless it breaks a bound of the body as a whole. 1 to 1,000 items.
     * - `items[].issue_id` (optional): The free bet: a UUID of any version, in any case; answered in lower case.
     *   The client makes one if it is absent.
     * - `items[].campaign_id` (required in the form “By campaign”): The campaign, as the partner names it: 1 to 64
     *   printable characters, none of Unicode's format characters, such as a zero-width space.
     * - `items[].player_id` (required): The player, as the partner names them: 1 to 128 printable characters, none
     *   of Unicode's format characters, such as a zero-width space.
     * - `items[].currency` (required): Currency code, such as `EUR` or `USDT`. 3 to 10 capitals and digits.
     * - `items[].bet_amount` (required in the form “Direct”): Amount with exactly two decimals, greater than zero,
     *   such as `"1.50"`. An amount with exactly two decimals, greater than zero, at most 13 digits before the
     *   point.
     * - `items[].quantity` (required in the form “Direct”): How many bets one free bet gives its player, shared
     *   over the games listed. 1 to 1,000.
     * - `items[].games` (required in the form “Direct”): 1 to 500 items, none twice.
     * - `items[].valid_until` (required in the form “Direct”): ISO 8601 in UTC, ending in `Z`, from the years 1970
     *   to 9999; kept to the millisecond.
     * - `items[].name` (optional in the form “Direct”): A name for people: 1 to 255 printable characters, none
     *   that turns the direction of writing.
     * - `items[].valid_from` (optional in the form “Direct”): ISO 8601 in UTC, ending in `Z`, from the years 1970
     *   to 9999; kept to the millisecond.
     * - `items[].duration_min` (optional in the form “Direct”): Minutes from the activation (the later of issue
     *   and `valid_from`) until the free bet expires. 1 to 525,600.
     * - `items[].config` (optional in the form “Direct”)
     * - `items[].config.min_coefficient` (optional): Odds or multiplier, at least 1, with up to four decimals,
     *   such as `"1.20"`. A number of at least 1, with up to six digits and four decimals.
     * - `items[].config.max_coefficient` (optional): Odds or multiplier, at least 1, with up to four decimals,
     *   such as `"1.20"`. A number of at least 1, with up to six digits and four decimals.
     * - `dry_run` (optional): Decides as the real request would be decided now, and changes nothing.
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
     * Only a free bet that no bet stands against can be cancelled. Its place in the limits is free again. With
     * `dry_run` nothing is cancelled.
     *
     * Fields of the request:
     * - `issue_id` (required): The free bet: a UUID of any version, in any case; answered in lower case.
     * - `dry_run` (optional): Decides as the real request would be decided now, and changes nothing.
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
     * Up to 1000 in one call. Each is cancelled or refused by itself, with the errors of Cancel.
     *
     * Fields of the request:
     * - `issue_ids` (required): The free bets; one may be named twice. 1 to 1,000 items.
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
     * The free bet as it is now, with its bets.
     *
     * Fields of the request:
     * - `issue_id` (required): The free bet: a UUID of any version, in any case; answered in lower case.
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
     * Newest first. A page may hold fewer than `limit`, even none, and still have a `next_cursor`: go on until it
     * is null.
     *
     * Fields of the request:
     * - `player_id` (optional): The player, as the partner names them: 1 to 128 printable characters, none of
     *   Unicode's format characters, such as a zero-width space.
     * - `campaign_id` (optional): The campaign, as the partner names it: 1 to 64 printable characters, none of
     *   Unicode's format characters, such as a zero-width space.
     * - `status` (optional): `issued` until `valid_from`, then `active`; `in_use` while a bet stands.
     * - `issued_from` (optional): Only what was issued at this time or later. A time in UTC, such as
     *   2027-01-31T12:00:00Z.
     * - `issued_until` (optional): Only what was issued before this time. A time in UTC, such as
     *   2027-01-31T12:00:00Z.
     * - `limit` (optional): How many at most; 50 when absent. 1 to 200.
     * - `cursor` (optional): The `next_cursor` of the page before. The next_cursor of the page before.
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
