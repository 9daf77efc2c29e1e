import { Type } from 'typebox';
import * as story from './example-story.ts';
import {
  CampaignId,
  ClientId,
  Coefficient,
  closed,
  GameId,
  IssueId,
  JobId,
  nullable,
  only,
  Timestamp,
} from './formats.ts';
import { FreeBetGetResponse } from './free-bets.ts';
import type { OperationRows, StaffOperationRows } from './operation-types.ts';

// Additional operations of sandboxes: moving the clock, and playing rounds without a game provider.

export const SandboxClockGetRequest = closed({ client_id: ClientId });
export type SandboxClockGetRequest = Type.Static<typeof SandboxClockGetRequest>;

export const SandboxClockSetRequest = closed({ client_id: ClientId, now: Timestamp });
export type SandboxClockSetRequest = Type.Static<typeof SandboxClockSetRequest>;

export const SandboxClock = closed({
  now: Timestamp,
  offset_s: Type.Integer({ description: 'The number of seconds that the sandbox clock is ahead of the real time.' }),
});
export type SandboxClock = Type.Static<typeof SandboxClock>;

const round = { client_id: ClientId, issue_id: IssueId, game_id: Type.Optional(GameId) };
const results = ['won', 'lost', 'rolled_back'];
const Won = closed({ ...round, result: only(['won'], results), coefficient: Coefficient }, { title: 'Won' });
const NotWon = closed({ ...round, result: only(['lost', 'rolled_back'], results) }, { title: 'Lost or rolled back' });

export type SandboxRoundRequest = Type.Static<typeof Won> | (Type.Static<typeof NotWon> & { coefficient?: undefined });

/** Requires a coefficient for a win, and forbids it otherwise. */
export const SandboxRoundRequest = Type.Unsafe<SandboxRoundRequest>({
  type: 'object',
  if: { properties: { result: { const: 'won' } }, required: ['result'] },
  // biome-ignore lint/suspicious/noThenProperty: `then` is the keyword of JSON Schema.
  then: Won,
  else: NotWon,
});

const ClockPreviewRequest = SandboxClockSetRequest;

const Many = closed({
  count: Type.Integer({ minimum: 0, description: 'At most 10,000.' }),
  is_more: Type.Boolean({ description: 'True if the count is incomplete, because not all were examined.' }),
});

const ClockPreviewResponse = closed({
  now: Timestamp,
  to: Timestamp,
  free_bets: closed(
    {
      expire: Many,
      next: Type.Array(
        closed({
          issue_id: IssueId,
          player_id: Type.String(),
          campaign_id: nullable(CampaignId),
          expires_at: Timestamp,
        }),
      ),
    },
    { description: 'The free bets with bets left that would expire, and the first ten of them.' },
  ),
  campaigns: closed(
    {
      begin: Many,
      end: Many,
      next: Type.Array(
        closed({ campaign_id: CampaignId, name: Type.String(), what: Type.Enum(['begins', 'ends']), at: Timestamp }),
      ),
    },
    { description: 'The campaigns that would begin or end and are not stopped, and the first ten of them.' },
  ),
  jobs: closed(
    {
      begin: Many,
      removed: Many,
      next: Type.Array(
        closed({ job_id: JobId, name: Type.String(), what: Type.Enum(['begins', 'removed']), at: Timestamp }),
      ),
    },
    {
      description:
        'The jobs that would begin, unless the partner is disabled; the jobs that would then have been open for ' +
        "seven days and don't wait for approval; and the first ten of each.",
    },
  ),
});

export const sandboxOperations = {
  SandboxClockGet: {
    tag: 'Sandbox',
    summary: 'Read the clock of a sandbox',
    description: 'Returns the time of this partner, and how far it is ahead of the real time.',
    request: SandboxClockGetRequest,
    response: SandboxClock,
    errors: ['not_a_sandbox'],
    example: { request: { client_id: 1 }, response: story.sandboxClock },
  },
  SandboxClockSet: {
    tag: 'Sandbox',
    summary: 'Set the clock of a sandbox',
    description:
      'Moves the clock forward, by at most two years at a time, and never past 2100. The clock continues from ' +
      'there. Everything that depends on time follows at once. Expiry events are emitted within two seconds, ' +
      'in order.',
    request: SandboxClockSetRequest,
    response: SandboxClock,
    errors: ['not_a_sandbox'],
    example: { request: { client_id: 1, now: story.sandboxClock.now }, response: story.sandboxClock },
  },
  SandboxRound: {
    tag: 'Sandbox',
    summary: 'Play a round',
    description:
      'Plays one round as the game provider would, with `/Rounds/Bet` and then `/Rounds/Settle` or ' +
      '`/Rounds/Rollback`. The game is the first one of the free bet if `game_id` is absent. The `coefficient` ' +
      'of a win applies at the end of the round, as in a crash game. Every call plays a new round, also a ' +
      'repeated one.',
    request: SandboxRoundRequest,
    response: FreeBetGetResponse,
    errors: [
      'not_a_sandbox',
      'free_bet_not_found',
      'game_not_covered',
      'free_bet_cancelled',
      'free_bet_not_started',
      'free_bet_used_up',
      'free_bet_expired',
      'coefficient_out_of_range',
    ],
    example: {
      request: { client_id: 1, issue_id: story.directIssueId, result: 'won', coefficient: '2.00' },
      response: { ...story.directFreeBet, status: 'finished', remaining: 0, bets: [story.sandboxBet] },
    },
  },
} as const satisfies Partial<OperationRows>;

export const sandboxStaffOperations = {
  ClockPreview: {
    tag: 'Campaigns',
    summary: 'Preview the effects of setting the clock of a sandbox',
    request: ClockPreviewRequest,
    response: ClockPreviewResponse,
    errors: ['partner_not_found', 'not_a_sandbox'],
  },
} as const satisfies Partial<StaffOperationRows>;
