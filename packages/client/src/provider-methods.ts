// Made from the contract by "node test/docs/write-tables.ts": change it there.

import type {
  RoundsAvailableResponse,
  RoundsBetResponse,
  RoundsOpenResponse,
  RoundsSettleResponse,
} from './answers.ts';
import type { CallOptions, WithRequestId } from './caller.ts';
import type { List } from './lists.ts';
import type {
  RoundsAvailableRequest,
  RoundsBetRequest,
  RoundsGetRequest,
  RoundsOpenRequest,
  RoundsRollbackRequest,
  RoundsSettleRequest,
} from './requests.ts';
import type { RoundBet } from './things.ts';

/** A method for each operation of a provider. */
export interface ProviderMethods {
  rounds: {
    /**
     * Find the free bets a player can use: `/Rounds/Available`. Returns the free bets that the player can use in
     * this game now. The first expires soonest.
     * @example
     * const response = await provider.rounds.available({
     *   client_id: 1,
     *   player_id: 'player-7',
     *   game_id: 'lantern-skyline-ascent',
     *   currency: 'EUR',
     * });
     */
    available(request: RoundsAvailableRequest, options?: CallOptions): Promise<WithRequestId<RoundsAvailableResponse>>;
    /**
     * Place a bet with a free bet: `/Rounds/Bet`. Uses one bet of a free bet. For fixed odds, send the
     * `coefficient` here; it must be within the limits. For a crash game, send it with the settlement.
     * @throws {NotFoundError} `free_bet_not_found`
     * @throws {ConflictError} `game_not_covered`, `free_bet_cancelled`, `free_bet_not_started`,
     * `free_bet_used_up`, `free_bet_expired`, `coefficient_out_of_range`, `bet_rolled_back`, `id_reused`
     * @example
     * const response = await provider.rounds.bet({
     *   client_id: 1,
     *   bet_id: '9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e11',
     *   issue_id: '9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e01',
     *   player_id: 'player-7',
     *   game_id: 'lantern-skyline-ascent',
     * });
     */
    bet(request: RoundsBetRequest, options?: CallOptions): Promise<WithRequestId<RoundsBetResponse>>;
    /**
     * Settle a bet: `/Rounds/Settle`. Settles a bet as won or lost, for good. A bet placed with odds wins at
     * these odds. Otherwise the `coefficient` sent here must reach the minimum, and is lowered to the maximum if
     * it is higher. The stake is not returned, unless the partner is configured so.
     * @throws {NotFoundError} `bet_not_found`
     * @throws {ConflictError} `bet_rolled_back`, `bet_already_settled`, `coefficient_out_of_range`
     * @example
     * const response = await provider.rounds.settle({
     *   client_id: 1,
     *   bet_id: '9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e11',
     *   result: 'won',
     *   coefficient: '2.35',
     * });
     */
    settle(request: RoundsSettleRequest, options?: CallOptions): Promise<WithRequestId<RoundsSettleResponse>>;
    /**
     * Roll a bet back: `/Rounds/Rollback`. Cancels the bet. The free bet can use it again until it expires. If
     * the bet is not known yet, it is refused when it arrives later.
     * @throws {ConflictError} `bet_already_settled`
     * @example
     * await provider.rounds.rollback({ client_id: 1, bet_id: '9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e13' });
     */
    rollback(request: RoundsRollbackRequest, options?: CallOptions): Promise<WithRequestId<object>>;
    /**
     * Read a bet: `/Rounds/Get`. Returns the state of your bet. If the bet was rolled back before it arrived,
     * all other fields are null.
     * @throws {NotFoundError} `bet_not_found`
     * @example
     * const response = await provider.rounds.get({ client_id: 1, bet_id: '9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e11' });
     */
    get(request: RoundsGetRequest, options?: CallOptions): Promise<WithRequestId<RoundBet>>;
    /**
     * List the open bets: `/Rounds/Open`. Returns your bets on free bets of this partner that are neither
     * settled nor rolled back, oldest first. Continue with `next_cursor` until it is null.
     * @example
     * for await (const bet of provider.rounds.open({ client_id: 1, placed_until: '2027-01-02T19:05:00.000Z', limit: 50 }))
     *   console.log(bet);
     */
    open(request: RoundsOpenRequest, options?: CallOptions): List<RoundsOpenResponse, RoundBet>;
  };
}

/** The request and the response of each operation, by its name. */
export interface ProviderCalls {
  RoundsAvailable: [request: RoundsAvailableRequest, response: RoundsAvailableResponse];
  RoundsBet: [request: RoundsBetRequest, response: RoundsBetResponse];
  RoundsSettle: [request: RoundsSettleRequest, response: RoundsSettleResponse];
  RoundsRollback: [request: RoundsRollbackRequest, response: object];
  RoundsGet: [request: RoundsGetRequest, response: RoundBet];
  RoundsOpen: [request: RoundsOpenRequest, response: RoundsOpenResponse];
}
