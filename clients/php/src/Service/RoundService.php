<?php

// Generated from the contract by "node test/docs/write-tables.ts". Do not edit.

declare(strict_types=1);

namespace Freebets\Service;

use Freebets\CallOptions;
use Freebets\Exception\FreebetsException;
use Freebets\Model\RoundBet;
use Freebets\Model\RoundsAvailableResponse;
use Freebets\Model\RoundsBetResponse;
use Freebets\Model\RoundsOpenResponse;
use Freebets\Model\RoundsSettleResponse;
use Freebets\PagedList;
use Freebets\Result;

final class RoundService extends Service
{
    /**
     * Find the free bets a player can use: `/Rounds/Available`.
     *
     * Returns the free bets that the player can use in this game now. The first expires soonest.
     *
     * Fields of the request:
     * - `client_id` (required): The partner of the player. 1 to 2,147,483,647.
     * - `player_id` (required): The partner's id of the player: 1 to 128 printable characters, none of Unicode's
     *   format characters, such as a zero-width space.
     * - `game_id` (required): The `id` of the game in the game list: 1 to 128 printable characters, none of
     *   Unicode's format characters, such as a zero-width space.
     * - `currency` (required): Currency code, such as `EUR` or `USDT`. 3 to 10 capitals and digits.
     *
     * Example:
     *
     *     $result = $provider->rounds->available([
     *         'client_id' => 1,
     *         'player_id' => 'player-7',
     *         'game_id' => 'lantern-skyline-ascent',
     *         'currency' => 'EUR',
     *     ]);
     *
     * @param array{client_id: int, player_id: string, game_id: string, currency: string} $request
     *
     * @throws FreebetsException
     */
    public function available(array $request, ?CallOptions $options = null): RoundsAvailableResponse
    {
        return $this->caller->call('rounds.available', $request, $options, RoundsAvailableResponse::class);
    }

    /**
     * Place a bet with a free bet: `/Rounds/Bet`.
     *
     * Uses one bet of a free bet. For fixed odds, send the `coefficient` here; it must be within the limits. For a
     * crash game, send it with the settlement.
     *
     * Fields of the request:
     * - `client_id` (required): The partner of the player. 1 to 2,147,483,647.
     * - `bet_id` (required): The provider's id of the bet: a UUID of any version, in upper or lower case; returned
     *   in lower case.
     * - `issue_id` (required): The id of the free bet: a UUID of any version, in upper or lower case; returned in
     *   lower case.
     * - `player_id` (required): The partner's id of the player: 1 to 128 printable characters, none of Unicode's
     *   format characters, such as a zero-width space.
     * - `game_id` (required): The `id` of the game in the game list: 1 to 128 printable characters, none of
     *   Unicode's format characters, such as a zero-width space.
     * - `coefficient` (optional): Odds or multiplier, at least 1, with up to four decimals, such as `"1.20"`. A
     *   number of at least 1, with up to six digits and four decimals.
     *
     * Example:
     *
     *     $result = $provider->rounds->bet([
     *         'client_id' => 1,
     *         'bet_id' => '9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e11',
     *         'issue_id' => '9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e01',
     *         'player_id' => 'player-7',
     *         'game_id' => 'lantern-skyline-ascent',
     *     ]);
     *
     * @param array{
     *     client_id: int,
     *     bet_id: string,
     *     issue_id: string,
     *     player_id: string,
     *     game_id: string,
     *     coefficient?: string,
     * } $request
     *
     * @throws FreebetsException
     */
    public function bet(array $request, ?CallOptions $options = null): RoundsBetResponse
    {
        return $this->caller->call('rounds.bet', $request, $options, RoundsBetResponse::class);
    }

    /**
     * Settle a bet: `/Rounds/Settle`.
     *
     * Settles a bet as won or lost, for good. A bet placed with odds wins at these odds. Otherwise the
     * `coefficient` sent here must reach the minimum, and is lowered to the maximum if it is higher. The stake is
     * not returned, unless the partner is configured so.
     *
     * Fields of the request:
     * - `client_id` (required): The partner of the player. 1 to 2,147,483,647.
     * - `bet_id` (required): The provider's id of the bet: a UUID of any version, in upper or lower case; returned
     *   in lower case.
     * - `result` (required)
     * - `coefficient` (required in the form “Won”): Odds or multiplier, at least 1, with up to four decimals, such
     *   as `"1.20"`. A number of at least 1, with up to six digits and four decimals.
     *
     * Example:
     *
     *     $result = $provider->rounds->settle([
     *         'client_id' => 1,
     *         'bet_id' => '9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e11',
     *         'result' => 'won',
     *         'coefficient' => '2.35',
     *     ]);
     *
     * @param array{
     *     client_id: int,
     *     bet_id: string,
     *     result: 'lost',
     * }|array{
     *     client_id: int,
     *     bet_id: string,
     *     result: 'won',
     *     coefficient: string,
     * } $request
     *
     * @throws FreebetsException
     */
    public function settle(array $request, ?CallOptions $options = null): RoundsSettleResponse
    {
        return $this->caller->call('rounds.settle', $request, $options, RoundsSettleResponse::class);
    }

    /**
     * Roll a bet back: `/Rounds/Rollback`.
     *
     * Cancels the bet. The free bet can use it again until it expires. If the bet is not known yet, it is refused
     * when it arrives later.
     *
     * Fields of the request:
     * - `client_id` (required): The partner of the player. 1 to 2,147,483,647.
     * - `bet_id` (required): The provider's id of the bet: a UUID of any version, in upper or lower case; returned
     *   in lower case.
     *
     * Example:
     *
     *     $result = $provider->rounds->rollback([
     *         'client_id' => 1,
     *         'bet_id' => '9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e13',
     *     ]);
     *
     * @param array{client_id: int, bet_id: string} $request
     *
     * @throws FreebetsException
     */
    public function rollback(array $request, ?CallOptions $options = null): Result
    {
        return $this->caller->call('rounds.rollback', $request, $options, Result::class);
    }

    /**
     * Read a bet: `/Rounds/Get`.
     *
     * Returns the state of your bet. If the bet was rolled back before it arrived, all other fields are null.
     *
     * Fields of the request:
     * - `client_id` (required): The partner of the player. 1 to 2,147,483,647.
     * - `bet_id` (required): The provider's id of the bet: a UUID of any version, in upper or lower case; returned
     *   in lower case.
     *
     * Example:
     *
     *     $result = $provider->rounds->get([
     *         'client_id' => 1,
     *         'bet_id' => '9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e11',
     *     ]);
     *
     * @param array{client_id: int, bet_id: string} $request
     *
     * @throws FreebetsException
     */
    public function get(array $request, ?CallOptions $options = null): RoundBet
    {
        return $this->caller->call('rounds.get', $request, $options, RoundBet::class);
    }

    /**
     * List the open bets: `/Rounds/Open`.
     *
     * Returns your bets on free bets of this partner that are neither settled nor rolled back, oldest first.
     * Continue with `next_cursor` until it is null.
     *
     * Fields of the request:
     * - `client_id` (required): The partner of the player. 1 to 2,147,483,647.
     * - `placed_until` (optional): Only items that were placed before this time. A time in UTC, such as
     *   2027-01-31T12:00:00Z.
     * - `limit` (optional): How many at most; 50 when absent. 1 to 200.
     * - `cursor` (optional): The `next_cursor` of the previous page. The next_cursor of the previous page.
     *
     * Example:
     *
     *     foreach ($provider->rounds->open([
     *         'client_id' => 1,
     *         'placed_until' => '2027-01-02T19:05:00.000Z',
     *         'limit' => 50,
     *     ]) as $item) {
     *         // …
     *     }
     *
     * @param array{client_id: int, placed_until?: string, limit?: int, cursor?: string} $request
     * @return PagedList<RoundBet, RoundsOpenResponse>
     *
     * @throws FreebetsException
     */
    public function open(array $request, ?CallOptions $options = null): PagedList
    {
        return new PagedList(
            $this->caller,
            'rounds.open',
            $request,
            $options,
            RoundsOpenResponse::class,
            RoundBet::class,
        );
    }
}
