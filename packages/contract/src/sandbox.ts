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
import { Type } from './type.ts';

// What a sandbox can do beside all that partners can: move its clock, and play rounds without a game provider.

export const SandboxClockGetRequest = closed({ client_id: ClientId });
export type SandboxClockGetRequest = Type.Static<typeof SandboxClockGetRequest>;

export const SandboxClockSetRequest = closed({ client_id: ClientId, now: Timestamp });
export type SandboxClockSetRequest = Type.Static<typeof SandboxClockSetRequest>;

export const SandboxClock = closed({
  now: Timestamp,
  offset_s: Type.Integer({ description: 'How many seconds later than in the world it is for this sandbox.' }),
});
export type SandboxClock = Type.Static<typeof SandboxClock>;

const round = { client_id: ClientId, issue_id: IssueId, game_id: Type.Optional(GameId) };
const results = ['won', 'lost', 'rolled_back'];
const Won = closed({ ...round, result: only(['won'], results), coefficient: Coefficient }, { title: 'Won' });
const NotWon = closed({ ...round, result: only(['lost', 'rolled_back'], results) }, { title: 'Lost or rolled back' });

export type SandboxRoundRequest = Type.Static<typeof Won> | (Type.Static<typeof NotWon> & { coefficient?: undefined });

/** A coefficient comes with a win, and only with a win. */
export const SandboxRoundRequest = Type.Unsafe<SandboxRoundRequest>({
  type: 'object',
  if: { properties: { result: { const: 'won' } }, required: ['result'] },
  // biome-ignore lint/suspicious/noThenProperty: `then` is the keyword of JSON Schema.
  then: Won,
  else: NotWon,
});

export const ClockPreviewRequest = SandboxClockSetRequest;

const Many = closed({
  count: Type.Integer({ minimum: 0, description: 'At most 10,000.' }),
  is_more: Type.Boolean({ description: 'Not all were looked at: there may be more than are counted.' }),
});

export const ClockPreviewResponse = closed({
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
    { description: 'Those with bets left whose time comes on the way, and the first ten of them.' },
  ),
  campaigns: closed(
    {
      begin: Many,
      end: Many,
      next: Type.Array(
        closed({ campaign_id: CampaignId, name: Type.String(), what: Type.Enum(['begins', 'ends']), at: Timestamp }),
      ),
    },
    { description: 'Those that begin or end on the way and are not stopped, and the first ten of these.' },
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
        'Those scheduled for a time on the way, unless the partner is disabled; those that have then been open for seven days and do not wait for approval; and the first ten of these.',
    },
  ),
});
