import type { Static, TSchema } from 'typebox';
import * as campaigns from './campaigns.ts';
import type { ErrorName } from './errors.ts';
import * as events from './events.ts';
import { examples } from './examples.ts';
import * as freeBets from './free-bets.ts';
import * as games from './games.ts';
import * as jobs from './jobs.ts';
import { type Caller, type OperationName, paths } from './paths.ts';
import * as rounds from './rounds.ts';
import * as sandbox from './sandbox.ts';

// The table of operations: what paths.ts says of each, and all the rest. The server loops over it, and the OpenAPI document
// is made from it. A row that is missing here or there, or stands under another's path, is an error of types.

export interface Operation {
  path: string;
  tag: 'Promo' | 'Jobs' | 'Game catalogue' | 'Events' | 'Rounds' | 'Sandbox';
  caller: Caller;
  summary: string;
  description: string;
  request: TSchema;
  response: TSchema;
  /** Beside the errors that every operation can answer. */
  errors: ErrorName[];
  example: { request: unknown; response: unknown };
}

/** What every operation can answer, whatever it does. */
export const commonErrors: ErrorName[] = [
  'invalid_request',
  'forbidden',
  'unknown_operation',
  'method_not_allowed',
  'body_too_large',
  'not_json',
  'too_many_requests',
  'internal_error',
  'unavailable',
];

const termErrors: ErrorName[] = [
  'invalid_validity',
  'game_not_available',
  'game_without_free_bets',
  'currency_not_allowed',
];
const campaignIssueErrors: ErrorName[] = [
  'campaign_not_found',
  'campaign_stopped',
  'campaign_ended',
  'bonus_limit_reached',
  'bonus_limit_per_user_reached',
];

export const operations = {
  CampaignCreate: {
    ...paths.CampaignCreate,
    tag: 'Promo',
    summary: 'Create a campaign',
    description:
      'Creates a reusable template for free bets. With a `campaign_id` of your own the call can be repeated safely; ' +
      'without one the service makes one.',
    request: campaigns.CampaignCreateRequest,
    response: campaigns.CampaignCreateResponse,
    errors: [...termErrors, 'id_reused'],
    example: examples.CampaignCreate,
  },
  CampaignGet: {
    ...paths.CampaignGet,
    tag: 'Promo',
    summary: 'Read a campaign',
    description: 'The campaign as created, its status, and what has become of its free bets.',
    request: campaigns.CampaignGetRequest,
    response: campaigns.CampaignGetResponse,
    errors: ['campaign_not_found'],
    example: examples.CampaignGet,
  },
  CampaignList: {
    ...paths.CampaignList,
    tag: 'Promo',
    summary: 'List campaigns',
    description:
      'Newest first. A page may hold fewer than `limit`, even none, and still have a `next_cursor`: go on until it is null.',
    request: campaigns.CampaignListRequest,
    response: campaigns.CampaignListResponse,
    errors: [],
    example: examples.CampaignList,
  },
  CampaignStop: {
    ...paths.CampaignStop,
    tag: 'Promo',
    summary: 'Stop a campaign',
    description: 'No more issues from this campaign, for good. Free bets already issued live on.',
    request: campaigns.CampaignStopRequest,
    response: campaigns.Nothing,
    errors: ['campaign_not_found'],
    example: examples.CampaignStop,
  },
  Issue: {
    ...paths.Issue,
    tag: 'Promo',
    summary: 'Issue a free bet',
    description:
      'By campaign (`campaign_id`), or directly with every parameter in the request. Send an `issue_id` of your own, ' +
      'and a repeated request gives the first answer again instead of a second free bet.',
    request: freeBets.IssueRequest,
    response: freeBets.FreeBet,
    errors: [...termErrors, ...campaignIssueErrors, 'id_reused'],
    example: examples.Issue,
  },
  IssueBatch: {
    ...paths.IssueBatch,
    tag: 'Promo',
    summary: 'Issue many free bets',
    description: 'Up to 1000 issue requests in one call. Each succeeds or fails by itself, with the errors of Issue.',
    request: freeBets.IssueBatchRequest,
    response: freeBets.IssueBatchResponse,
    errors: [],
    example: examples.IssueBatch,
  },
  Cancel: {
    ...paths.Cancel,
    tag: 'Promo',
    summary: 'Cancel an unused free bet',
    description: 'Only a free bet that no bet stands against can be cancelled. Its place in the limits is free again.',
    request: freeBets.FreeBetCancelRequest,
    response: campaigns.Nothing,
    errors: ['free_bet_not_found', 'free_bet_expired', 'free_bet_already_used'],
    example: examples.Cancel,
  },
  FreeBetGet: {
    ...paths.FreeBetGet,
    tag: 'Promo',
    summary: 'Read a free bet',
    description: 'The free bet as it is now, with its bets.',
    request: freeBets.FreeBetGetRequest,
    response: freeBets.FreeBetGetResponse,
    errors: ['free_bet_not_found'],
    example: examples.FreeBetGet,
  },
  FreeBetList: {
    ...paths.FreeBetList,
    tag: 'Promo',
    summary: 'List free bets',
    description:
      'Newest first. A page may hold fewer than `limit`, even none, and still have a `next_cursor`: go on until it is null.',
    request: freeBets.FreeBetListRequest,
    response: freeBets.FreeBetListResponse,
    errors: [],
    example: examples.FreeBetList,
  },
  JobCreate: {
    ...paths.JobCreate,
    tag: 'Jobs',
    summary: 'Create a job',
    description:
      'A list of players who are all to get a free bet: from a campaign (`campaign_id`), or directly, with the parameters ' +
      'they share. Its players are added in parts, and nothing is issued before it is started. A job that is left open for ' +
      'seven days is removed.',
    request: jobs.JobCreateRequest,
    response: jobs.Job,
    errors: ['campaign_not_found', 'invalid_validity', 'game_not_available', 'game_without_free_bets', 'id_reused'],
    example: examples.JobCreate,
  },
  JobAdd: {
    ...paths.JobAdd,
    tag: 'Jobs',
    summary: 'Add a part to a job',
    description:
      'Up to 5000 items a part, 10 000 parts and 10 000 000 items a job. A part sent again with the same items gives the ' +
      'same answer; with other items it is refused.',
    request: jobs.JobAddRequest,
    response: jobs.JobAddResponse,
    errors: ['job_not_found', 'job_started', 'id_reused'],
    example: examples.JobAdd,
  },
  JobStart: {
    ...paths.JobStart,
    tag: 'Jobs',
    summary: 'Start a job',
    description:
      'Issues in the background from now on, or from `start_at`. Say how many parts and items you sent, so that nothing ' +
      'that went missing on the way stays unnoticed. Two jobs of yours run one after the other, in the order of their start.',
    request: jobs.JobStartRequest,
    response: jobs.Job,
    errors: ['job_not_found', 'job_incomplete'],
    example: examples.JobStart,
  },
  JobGet: {
    ...paths.JobGet,
    tag: 'Jobs',
    summary: 'Read a job',
    description: 'The job and its progress.',
    request: jobs.JobGetRequest,
    response: jobs.Job,
    errors: ['job_not_found'],
    example: examples.JobGet,
  },
  JobList: {
    ...paths.JobList,
    tag: 'Jobs',
    summary: 'List jobs',
    description:
      'Newest first. A page may hold fewer than `limit`, even none, and still have a `next_cursor`: go on until it is null.',
    request: jobs.JobListRequest,
    response: jobs.JobListResponse,
    errors: [],
    example: examples.JobList,
  },
  JobRefusals: {
    ...paths.JobRefusals,
    tag: 'Jobs',
    summary: 'Read which items were refused',
    description:
      'Every item of the job that was refused so far, with the error that an issue would have got. A page may hold fewer ' +
      'than `limit` and still have a `next_cursor`: go on until it is null.',
    request: jobs.JobRefusalsRequest,
    response: jobs.JobRefusalsResponse,
    errors: ['job_not_found'],
    example: examples.JobRefusals,
  },
  JobStop: {
    ...paths.JobStop,
    tag: 'Jobs',
    summary: 'Stop a job',
    description: 'What is not issued yet never will be. Free bets already issued live on.',
    request: jobs.JobStopRequest,
    response: campaigns.Nothing,
    errors: ['job_not_found'],
    example: examples.JobStop,
  },
  GameList: {
    ...paths.GameList,
    tag: 'Game catalogue',
    summary: 'List the games',
    description:
      'The games offered to this partner. Compressed when you accept it; send the `ETag` back as `If-None-Match` and ' +
      'an unchanged list is answered with 304 and no body.',
    request: games.GameListRequest,
    response: games.GameListResponse,
    errors: [],
    example: examples.GameList,
  },
  EventsList: {
    ...paths.EventsList,
    tag: 'Events',
    summary: 'Read what has happened',
    description:
      'The events of this partner in their order, none skipped. Send the `last_sequence` of each answer as the next ' +
      '`after`; an answer without events means that there are no more yet. Events are kept for a number of days, 90 ' +
      'unless it is set otherwise; reading then begins with the oldest that is left.',
    request: events.EventsListRequest,
    response: events.EventsListResponse,
    errors: [],
    example: examples.EventsList,
  },
  RoundsAvailable: {
    ...paths.RoundsAvailable,
    tag: 'Rounds',
    summary: 'Find the free bets a player can use',
    description: 'The free bets of a player that can be used in this game now, the soonest to expire first.',
    request: rounds.AvailableRequest,
    response: rounds.AvailableResponse,
    errors: [],
    example: examples.RoundsAvailable,
  },
  RoundsBet: {
    ...paths.RoundsBet,
    tag: 'Rounds',
    summary: 'Place a bet with a free bet',
    description:
      'Uses one bet of a free bet. With fixed odds the `coefficient` comes here and must lie within the limits; in a crash ' +
      'game it comes with the settlement.',
    request: rounds.BetRequest,
    response: rounds.BetResponse,
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
    example: examples.RoundsBet,
  },
  RoundsSettle: {
    ...paths.RoundsSettle,
    tag: 'Rounds',
    summary: 'Settle a bet',
    description:
      'Won or lost, once and for all. A bet placed with odds is won at these odds. Without, the `coefficient` given here ' +
      'must reach the minimum, and above the maximum the maximum is applied. The stake of a free bet is not returned, ' +
      'unless the partner is set up so.',
    request: rounds.SettleRequest,
    response: rounds.SettleResponse,
    errors: ['bet_not_found', 'bet_rolled_back', 'bet_already_settled', 'coefficient_out_of_range'],
    example: examples.RoundsSettle,
  },
  RoundsRollback: {
    ...paths.RoundsRollback,
    tag: 'Rounds',
    summary: 'Take a bet back',
    description:
      'The bet never happened, and its free bet can be used again while it lasts. A bet that is not known yet is refused ' +
      'when it arrives later.',
    request: rounds.RollbackRequest,
    response: campaigns.Nothing,
    errors: ['bet_already_settled'],
    example: examples.RoundsRollback,
  },
  SandboxClockGet: {
    ...paths.SandboxClockGet,
    tag: 'Sandbox',
    summary: 'Read the clock of a sandbox',
    description: 'What time it is for this partner, and by how much that is later than in the world.',
    request: sandbox.SandboxClockGetRequest,
    response: sandbox.SandboxClock,
    errors: ['not_a_sandbox'],
    example: examples.SandboxClockGet,
  },
  SandboxClockSet: {
    ...paths.SandboxClockSet,
    tag: 'Sandbox',
    summary: 'Set the clock of a sandbox',
    description:
      'Forward only, by at most two years at a time, and never past 2100. From then on the clock runs on from there. Whatever ' +
      'time decides for this partner follows at once, and what has expired on the way is told within two seconds, in its order.',
    request: sandbox.SandboxClockSetRequest,
    response: sandbox.SandboxClock,
    errors: ['not_a_sandbox'],
    example: examples.SandboxClockSet,
  },
  SandboxRound: {
    ...paths.SandboxRound,
    tag: 'Sandbox',
    summary: 'Play a round',
    description:
      'One round of the provider of the game, as `/Rounds/Bet` and then `/Rounds/Settle` or `/Rounds/Rollback` would do it, in ' +
      'the first game of the free bet unless another is named. The `coefficient` of a win comes at the end of the round, as in a ' +
      'crash game. Every call plays a round of its own: a repeated one plays another.',
    request: sandbox.SandboxRoundRequest,
    response: freeBets.FreeBetGetResponse,
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
    example: examples.SandboxRound,
  },
} as const satisfies { [N in OperationName]: Operation & (typeof paths)[N] };

export type RequestOf<N extends OperationName> = Static<(typeof operations)[N]['request']>;
export type ResponseOf<N extends OperationName> = Static<(typeof operations)[N]['response']>;
