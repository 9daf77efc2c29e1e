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
  nullable,
  only,
  PlayerId,
  ProviderId,
  Timestamp,
  Until,
} from './formats.ts';
import { Type } from './type.ts';

// What game providers call: they spend free bets in their rounds.

const OnBehalfOf = Type.Integer({ ...ClientId, description: 'The partner whose player plays.' });

const remaining = Type.Integer({ minimum: 0, maximum: 1000, description: 'How many bets are left.' });
const limits = { min_coefficient: nullable(Coefficient), max_coefficient: nullable(Coefficient) };

export const AvailableRequest = closed({
  provider_id: ProviderId,
  client_id: OnBehalfOf,
  player_id: PlayerId,
  game_id: GameId,
  currency: Currency,
});
export type AvailableRequest = Type.Static<typeof AvailableRequest>;

/** What a provider needs to know of a free bet to bet with it. */
const usable = { issue_id: IssueId, currency: Currency, amount: Money, remaining, ...limits };

const AvailableFreeBet = closed({ ...usable, expires_at: Timestamp });

export const AvailableResponse = closed({
  free_bets: Type.Array(AvailableFreeBet, { description: 'Usable in that game now, the soonest to expire first.' }),
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

export const BetResponse = closed({ bet_id: BetId, ...usable });
export type BetAnswer = Type.Static<typeof BetResponse>;

const settle = { provider_id: ProviderId, client_id: OnBehalfOf, bet_id: BetId };
const results = ['won', 'lost'] as const;
const Won = closed({ ...settle, result: only(['won'], results), coefficient: Coefficient }, { title: 'Won' });
const Lost = closed({ ...settle, result: only(['lost'], results) }, { title: 'Lost' });

export type SettleRequest = Type.Static<typeof Won> | (Type.Static<typeof Lost> & { coefficient?: undefined });

/** A coefficient comes with a win, and only with a win. */
export const SettleRequest = Type.Unsafe<SettleRequest>({
  type: 'object',
  if: { properties: { result: { const: 'lost' } }, required: ['result'] },
  // biome-ignore lint/suspicious/noThenProperty: `then` is the keyword of JSON Schema.
  then: Lost,
  else: Won,
});

export const SettleResponse = closed({
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

export const RoundsGetRequest = RollbackRequest;
export const RoundsGetResponse = RoundBet;

export const RoundsOpenRequest = closed({
  provider_id: ProviderId,
  client_id: OnBehalfOf,
  placed_until: Type.Optional(Until('placed')),
  limit: Type.Optional(Limit(200, 50)),
  cursor: Type.Optional(Cursor),
});

export const RoundsOpenResponse = closed({
  bets: Type.Array(RoundBet, { description: 'Placed and not settled, the oldest first.' }),
  next_cursor: nullable(Cursor),
});
