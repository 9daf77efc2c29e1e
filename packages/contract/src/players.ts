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
  prefix: Type.String({ ...PlayerId, description: 'How the id of the player begins, in just this case.' }),
  limit: Type.Optional(Limit(100, 20)),
  cursor: Type.Optional(LongCursor),
});

const FoundPlayer = closed({ player_id: PlayerId, last_issued_at: Timestamp });

const PlayerSearchResponse = closed({
  players: Type.Array(FoundPlayer, { description: 'In the order of their ids.' }),
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
    Type.String({ ...Timestamp, description: 'Null for a player who was never given a free bet.' }),
  ),
  totals: Type.Array(
    closed({
      currency: Currency,
      issued: Type.Integer({ minimum: 0, description: 'Free bets, whatever has become of them.' }),
      cancelled: Count,
      expired: Type.Integer({ minimum: 0, description: 'With bets left.' }),
      finished: Type.Integer({ minimum: 0, description: 'Every bet used and settled.' }),
      open: Type.Integer({ minimum: 0, description: 'Neither cancelled, nor expired, nor finished.' }),
      bets: Type.Integer({ minimum: 0, description: 'That stand.' }),
      bets_left: Type.Integer({ minimum: 0, description: 'In the open ones.' }),
      staked: MoneySum,
      won: MoneySum,
    }),
  ),
  is_whole: Type.Boolean({
    description: 'False where the player has so many that only the latest 2,000 are added up.',
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
      bets: Type.Array(Bet, { description: 'In the order in which they were placed.' }),
      cancellation: nullable(
        closed({
          at: Timestamp,
          by: nullable(Type.String({ description: 'Who of the staff; null where the partner did it.' })),
          reason: nullable(Type.String()),
        }),
      ),
    }),
    { description: 'In the order of the ids; one that is not there is left out.' },
  ),
});

export const playerOperations = {
  PlayerSearch: {
    tag: 'Players',
    summary: 'Find players by how their ids begin',
    request: PlayerSearchRequest,
    response: PlayerSearchResponse,
    errors: ['partner_not_found'],
  },
  PlayerGet: {
    tag: 'Players',
    summary: 'What a player was given, has used and won, by currency',
    request: PlayerGetRequest,
    response: PlayerGetResponse,
    errors: ['partner_not_found'],
  },
  FreeBetStories: {
    tag: 'Players',
    summary: 'History of free bets: their bets, and when, by whom and why one was cancelled',
    request: FreeBetStoriesRequest,
    response: FreeBetStoriesResponse,
    errors: ['partner_not_found'],
  },
} as const satisfies Partial<StaffOperationRows>;
