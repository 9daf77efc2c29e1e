import { Type } from 'typebox';
import {
  ClientId,
  Currency,
  closed,
  IssueId,
  Limit,
  LongCursor,
  MoneySum,
  nullable,
  PlayerId,
  Timestamp,
} from './formats.ts';
import { Bet } from './free-bets.ts';
import type { StaffOperationRows } from './operation-types.ts';

// Players, for support staff. A player is anyone who was ever issued a free bet.

const Count = Type.Integer({ minimum: 0 });

const PlayerSearchRequest = closed({
  client_id: ClientId,
  prefix: Type.String({ ...PlayerId, description: 'The start of the player id; upper and lower case differ.' }),
  limit: Type.Optional(Limit(100, 20)),
  cursor: Type.Optional(LongCursor),
});

const FoundPlayer = closed({ player_id: PlayerId, last_issued_at: Timestamp });

const PlayerSearchResponse = closed({
  players: Type.Array(FoundPlayer, { description: 'The players, ordered by id.' }),
  similar: Type.Array(FoundPlayer, {
    description:
      'A few players whose ids begin with `prefix` in lower case, in upper case, or in lower case after a capital; empty on later pages, ' +
      'and if a player has exactly the id.',
  }),
  next_cursor: nullable(LongCursor),
});

const PlayerGetRequest = closed({ client_id: ClientId, player_id: PlayerId });

const PlayerGetResponse = closed({
  player_id: PlayerId,
  last_issued_at: nullable(
    Type.String({
      ...Timestamp,
      description: 'The time of the latest issue; null if no free bet was ever issued to the player.',
    }),
  ),
  totals: Type.Array(
    closed({
      currency: Currency,
      issued: Type.Integer({ minimum: 0, description: 'The number of free bets in any state.' }),
      cancelled: Count,
      expired: Type.Integer({ minimum: 0, description: 'The number of expired free bets with bets left.' }),
      finished: Type.Integer({
        minimum: 0,
        description: 'The number of free bets whose bets are all used and settled.',
      }),
      open: Type.Integer({
        minimum: 0,
        description: 'The number of free bets that are neither cancelled, expired nor finished.',
      }),
      bets: Type.Integer({ minimum: 0, description: 'The number of bets placed and not rolled back.' }),
      bets_left: Type.Integer({ minimum: 0, description: 'The number of bets left in open free bets.' }),
      staked: MoneySum,
      won: MoneySum,
    }),
  ),
  is_whole: Type.Boolean({
    description: 'False if the player has more than 2,000 free bets; then only the latest 2,000 are counted.',
  }),
});

const FreeBetStoriesRequest = closed({
  client_id: ClientId,
  issue_ids: Type.Array(IssueId, { minItems: 1, maxItems: 50 }),
});

const FreeBetStoriesResponse = closed({
  stories: Type.Array(
    closed({
      issue_id: IssueId,
      bets: Type.Array(Bet, { description: 'The bets, in the order in which they were placed.' }),
      cancellation: nullable(
        closed({
          at: Timestamp,
          by: nullable(Type.String({ description: 'The staff member who cancelled; null if the partner did.' })),
          reason: nullable(Type.String()),
        }),
      ),
    }),
    { description: 'The histories, in the order of the ids. Unknown ids are left out.' },
  ),
});

export const playerOperations = {
  PlayerSearch: {
    tag: 'Players',
    summary: 'Find players by the start of their ids',
    request: PlayerSearchRequest,
    response: PlayerSearchResponse,
    errors: ['partner_not_found'],
  },
  PlayerGet: {
    tag: 'Players',
    summary: 'Read the totals of a player by currency',
    request: PlayerGetRequest,
    response: PlayerGetResponse,
    errors: ['partner_not_found'],
  },
  FreeBetStories: {
    tag: 'Players',
    summary: 'Read the history of free bets: bets and cancellations',
    request: FreeBetStoriesRequest,
    response: FreeBetStoriesResponse,
    errors: ['partner_not_found'],
  },
} as const satisfies Partial<StaffOperationRows>;
