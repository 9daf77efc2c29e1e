import type { StaffOperationRows } from './operation-types.ts';
import * as players from './players.ts';

export const playerOperations = {
  PlayerSearch: {
    tag: 'Players',
    summary: 'Find players by how their ids begin',
    request: players.PlayerSearchRequest,
    response: players.PlayerSearchResponse,
    errors: ['partner_not_found'],
  },
  PlayerGet: {
    tag: 'Players',
    summary: 'What a player was given, has used and won, by currency',
    request: players.PlayerGetRequest,
    response: players.PlayerGetResponse,
    errors: ['partner_not_found'],
  },
  FreeBetStories: {
    tag: 'Players',
    summary: 'What became of free bets: their bets, and when, by whom and why one was cancelled',
    request: players.FreeBetStoriesRequest,
    response: players.FreeBetStoriesResponse,
    errors: ['partner_not_found'],
  },
} as const satisfies Partial<StaffOperationRows>;
