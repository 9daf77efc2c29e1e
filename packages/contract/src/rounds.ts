import { Type } from 'typebox';
import * as story from './example-story.ts';
import {
  BetId,
  ClientId,
  Coefficient,
  Currency,
  Cursor,
  closed,
  GameId,
  IssueId,
  Limit,
  Money,
  MoneySum,
  Nothing,
  nullable,
  only,
  PlayerId,
  ProviderId,
  Timestamp,
  Until,
} from './formats.ts';
import type { OperationRows } from './operation-types.ts';

// Operations of game providers, which use free bets in rounds.

const OnBehalfOf = Type.Integer({ ...ClientId, description: 'The partner of the player.' });

const remaining = Type.Integer({ minimum: 0, maximum: 1000, description: 'The number of bets left.' });
const limits = { min_coefficient: nullable(Coefficient), max_coefficient: nullable(Coefficient) };

export const AvailableRequest = closed({
  provider_id: ProviderId,
  client_id: OnBehalfOf,
  player_id: PlayerId,
  game_id: GameId,
  currency: Currency,
});
export type AvailableRequest = Type.Static<typeof AvailableRequest>;

/** The data of a free bet that a game provider needs to place a bet. */
const usable = { issue_id: IssueId, currency: Currency, amount: Money, remaining, ...limits };

const AvailableFreeBet = closed({ ...usable, expires_at: Timestamp });

export const AvailableResponse = closed({
  free_bets: Type.Array(AvailableFreeBet, {
    description: 'The free bets that can be used in the game now; the first expires soonest.',
  }),
});
export type AvailableResponse = Type.Static<typeof AvailableResponse>;

export const BetRequest = closed({
  provider_id: ProviderId,
  client_id: OnBehalfOf,
  bet_id: BetId,
  issue_id: IssueId,
  player_id: PlayerId,
  game_id: GameId,
  coefficient: Type.Optional(Coefficient),
});
export type BetRequest = Type.Static<typeof BetRequest>;

const BetResponse = closed({ bet_id: BetId, ...usable });
export type BetAnswer = Type.Static<typeof BetResponse>;

const settle = { provider_id: ProviderId, client_id: OnBehalfOf, bet_id: BetId };
const results = ['won', 'lost'] as const;
const Won = closed({ ...settle, result: only(['won'], results), coefficient: Coefficient }, { title: 'Won' });
const Lost = closed({ ...settle, result: only(['lost'], results) }, { title: 'Lost' });

export type SettleRequest = Type.Static<typeof Won> | (Type.Static<typeof Lost> & { coefficient?: undefined });

/** Requires a coefficient for a win, and forbids it otherwise. */
export const SettleRequest = Type.Unsafe<SettleRequest>({
  type: 'object',
  if: { properties: { result: { const: 'lost' } }, required: ['result'] },
  // biome-ignore lint/suspicious/noThenProperty: `then` is the keyword of JSON Schema.
  then: Lost,
  else: Won,
});

const SettleResponse = closed({
  bet_id: BetId,
  result: Type.Enum(results),
  coefficient: nullable(Coefficient),
  win_amount: MoneySum,
  currency: Currency,
});
export type SettleAnswer = Type.Static<typeof SettleResponse>;

export const RollbackRequest = closed({ provider_id: ProviderId, client_id: OnBehalfOf, bet_id: BetId });
export type RollbackRequest = Type.Static<typeof RollbackRequest>;

const RoundBet = closed({
  bet_id: BetId,
  status: Type.Enum(['placed', 'won', 'lost', 'rolled_back']),
  issue_id: nullable(IssueId),
  player_id: nullable(PlayerId),
  game_id: nullable(GameId),
  currency: nullable(Currency),
  amount: nullable(Money),
  coefficient: nullable(Coefficient),
  win_amount: nullable(MoneySum),
  placed_at: nullable(Timestamp),
  settled_at: nullable(Timestamp),
});
export type RoundBet = Type.Static<typeof RoundBet>;

const RoundsGetRequest = RollbackRequest;
const RoundsGetResponse = RoundBet;

const RoundsOpenRequest = closed({
  provider_id: ProviderId,
  client_id: OnBehalfOf,
  placed_until: Type.Optional(Until('placed')),
  limit: Type.Optional(Limit(200, 50)),
  cursor: Type.Optional(Cursor),
});

const RoundsOpenResponse = closed({
  bets: Type.Array(RoundBet, { description: 'The bets that are placed and not settled, oldest first.' }),
  next_cursor: nullable(Cursor),
});

export const roundOperations = {
  RoundsAvailable: {
    tag: 'Rounds',
    summary: 'Find the free bets a player can use',
    description: 'Returns the free bets that the player can use in this game now. The first expires soonest.',
    request: AvailableRequest,
    response: AvailableResponse,
    errors: [],
    example: {
      request: { ...story.round, player_id: 'player-7', game_id: 'lantern-skyline-ascent', currency: 'EUR' },
      response: {
        free_bets: [{ ...story.stake, remaining: 3, ...story.limits, expires_at: '2027-01-03T18:00:00.000Z' }],
      },
    },
  },
  RoundsBet: {
    tag: 'Rounds',
    summary: 'Place a bet with a free bet',
    description:
      'Uses one bet of a free bet. For fixed odds, send the `coefficient` here; it must be within the limits. ' +
      'For a crash game, send it with the settlement.',
    request: BetRequest,
    response: BetResponse,
    errors: [
      'free_bet_not_found',
      'game_not_covered',
      'free_bet_cancelled',
      'free_bet_not_started',
      'free_bet_used_up',
      'free_bet_expired',
      'coefficient_out_of_range',
      'bet_rolled_back',
      'id_reused',
    ],
    example: {
      summary: 'Crash game',
      request: { ...story.round, bet_id: story.betId, ...story.play },
      response: { bet_id: story.betId, ...story.stake, remaining: 2, ...story.limits },
    },
    secondExample: {
      summary: 'Fixed odds',
      request: { ...story.round, bet_id: story.lostBetId, ...story.play, coefficient: '2.10' },
      response: { bet_id: story.lostBetId, ...story.stake, remaining: 1, ...story.limits },
    },
  },
  RoundsSettle: {
    tag: 'Rounds',
    summary: 'Settle a bet',
    description:
      'Settles a bet as won or lost, for good. A bet placed with odds wins at these odds. Otherwise the ' +
      '`coefficient` sent here must reach the minimum, and is lowered to the maximum if it is higher. The ' +
      'stake is not returned, unless the partner is configured so.',
    request: SettleRequest,
    response: SettleResponse,
    errors: ['bet_not_found', 'bet_rolled_back', 'bet_already_settled', 'coefficient_out_of_range'],
    example: {
      summary: 'Won',
      request: { ...story.round, bet_id: story.betId, result: 'won', coefficient: '2.35' },
      response: { bet_id: story.betId, result: 'won', coefficient: '2.35', win_amount: '1.35', currency: 'EUR' },
    },
    secondExample: {
      summary: 'Lost',
      request: { ...story.round, bet_id: story.lostBetId, result: 'lost' },
      response: { bet_id: story.lostBetId, result: 'lost', coefficient: null, win_amount: '0.00', currency: 'EUR' },
    },
  },
  RoundsRollback: {
    tag: 'Rounds',
    summary: 'Roll a bet back',
    description:
      'Cancels the bet. The free bet can use it again until it expires. If the bet is not known yet, it is ' +
      'refused when it arrives later.',
    request: RollbackRequest,
    response: Nothing,
    errors: ['bet_already_settled'],
    example: { request: { ...story.round, bet_id: story.voidBetId }, response: {} },
  },
  RoundsGet: {
    tag: 'Rounds',
    summary: 'Read a bet',
    description:
      'Returns the state of your bet. If the bet was rolled back before it arrived, all other fields are null.',
    request: RoundsGetRequest,
    response: RoundsGetResponse,
    errors: ['bet_not_found'],
    example: {
      request: { ...story.round, bet_id: story.betId },
      response: {
        ...story.roundBet,
        status: 'won',
        coefficient: '2.35',
        win_amount: '1.35',
        settled_at: story.bet.settled_at,
      },
    },
  },
  RoundsOpen: {
    tag: 'Rounds',
    summary: 'List the open bets',
    description:
      'Returns your bets on free bets of this partner that are neither settled nor rolled back, oldest first. ' +
      'Continue with `next_cursor` until it is null.',
    request: RoundsOpenRequest,
    response: RoundsOpenResponse,
    errors: [],
    example: {
      request: { ...story.round, placed_until: '2027-01-02T19:05:00.000Z', limit: 50 },
      response: { bets: [story.roundBet], next_cursor: null },
    },
  },
} as const satisfies Partial<OperationRows>;
