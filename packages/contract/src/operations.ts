import type { Static, TSchema } from 'typebox';
import { auditOperations } from './audit.ts';
import { campaignStaffOperations } from './campaign-staff-operations.ts';
import * as campaigns from './campaigns.ts';
import { catalogueOperations } from './catalogue-operations.ts';
import { confirmationOperations } from './confirmations.ts';
import { draftOperations } from './drafts.ts';
import type { ErrorName } from './errors.ts';
import { eventStaffOperations } from './event-staff-operations.ts';
import * as events from './events.ts';
import { examples } from './examples.ts';
import * as freeBets from './free-bets.ts';
import * as games from './games.ts';
import { jobOperations } from './job-operations.ts';
import {
  type OperationRow,
  type OperationRows,
  type StaffOperationRow,
  type StaffOperationRows,
  termErrors,
} from './operation-types.ts';
import { overviewOperations } from './overview.ts';
import { partnerOperations } from './partners.ts';
import {
  type OperationName,
  type OperationPath,
  paths,
  type StaffOperationName,
  type StaffOperationPath,
  staffPaths,
} from './paths.ts';
import { sessionOperations } from './people.ts';
import { playerOperations } from './players.ts';
import { reportOperations } from './reports.ts';
import { roundOperations } from './round-operations.ts';
import { sandboxOperations } from './sandbox-operations.ts';
import { sandboxStaffOperations } from './sandbox-staff-operations.ts';
import { staffAdminOperations } from './staff.ts';
import { systemOperations } from './system.ts';
import { webhookOperations } from './webhooks.ts';

// The two tables of operations. The server loops over them, and the OpenAPI document is made from the first.

const campaignIssueErrors: ErrorName[] = [
  'campaign_not_found',
  'campaign_stopped',
  'campaign_ended',
  'campaign_paused',
  'bonus_limit_reached',
  'bonus_limit_per_user_reached',
];

const rows = {
  CampaignCreate: {
    tag: 'Promo',
    summary: 'Create a campaign',
    description:
      'Creates a reusable template for free bets. With a `campaign_id` of your own the call can be repeated safely; ' +
      'without one the service makes one. With `dry_run` nothing is created, and the answer also tells the most that the ' +
      'campaign could ever win.',
    staffDryRunOnly: true,
    request: campaigns.CampaignCreateRequest,
    response: campaigns.CampaignCreateResponse,
    errors: [...termErrors, 'id_reused'],
    example: examples.CampaignCreate,
  },
  CampaignGet: {
    tag: 'Promo',
    summary: 'Read a campaign',
    description: 'The campaign as created, its status, and what has become of its free bets.',
    request: campaigns.CampaignGetRequest,
    response: campaigns.CampaignGetResponse,
    errors: ['campaign_not_found'],
    example: examples.CampaignGet,
  },
  CampaignList: {
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
    tag: 'Promo',
    summary: 'Stop a campaign',
    description: 'No more issues from this campaign, for good. Free bets already issued live on.',
    request: campaigns.CampaignStopRequest,
    response: campaigns.Nothing,
    errors: ['campaign_not_found'],
    example: examples.CampaignStop,
  },
  CampaignPause: {
    tag: 'Promo',
    summary: 'Pause a campaign',
    description:
      'No more issues from this campaign until it is resumed. Free bets already issued live on. A campaign that was ' +
      'stopped or has ended stays as it is.',
    request: campaigns.CampaignPauseRequest,
    response: campaigns.Nothing,
    errors: ['campaign_not_found'],
    example: examples.CampaignPause,
  },
  CampaignResume: {
    tag: 'Promo',
    summary: 'Resume a campaign',
    description: 'Issues from a paused campaign again. A campaign that was stopped or has ended stays as it is.',
    request: campaigns.CampaignPauseRequest,
    response: campaigns.Nothing,
    errors: ['campaign_not_found'],
    example: examples.CampaignResume,
  },
  CampaignLimits: {
    tag: 'Promo',
    summary: 'Change the limits of a campaign',
    description:
      'Both limits as they hold from then on. Lower than what was given is allowed: nothing is taken back, and nothing more ' +
      'is given.',
    request: campaigns.CampaignLimitsRequest,
    response: campaigns.Campaign,
    errors: ['campaign_not_found'],
    example: examples.CampaignLimits,
  },
  Issue: {
    tag: 'Promo',
    summary: 'Issue a free bet',
    description:
      'By campaign (`campaign_id`), or directly with every parameter in the request. Send an `issue_id` of your own, ' +
      'and a repeated request gives the first answer again instead of a second free bet. With `dry_run` nothing is issued.',
    request: freeBets.IssueRequest,
    response: freeBets.IssueResponse,
    errors: [...termErrors, ...campaignIssueErrors, 'id_reused'],
    example: examples.Issue,
  },
  IssueBatch: {
    tag: 'Promo',
    summary: 'Issue many free bets',
    description:
      'Up to 1000 issue requests in one call. Each succeeds or fails by itself, with the errors of Issue. With `dry_run` ' +
      'they are decided one after the other, and nothing is issued.',
    request: freeBets.IssueBatchRequest,
    response: freeBets.IssueBatchResponse,
    errors: [],
    example: examples.IssueBatch,
  },
  Cancel: {
    tag: 'Promo',
    summary: 'Cancel an unused free bet',
    description:
      'Only a free bet that no bet stands against can be cancelled. Its place in the limits is free again. With `dry_run` ' +
      'nothing is cancelled.',
    request: freeBets.FreeBetCancelRequest,
    response: freeBets.FreeBetCancelResponse,
    errors: ['free_bet_not_found', 'free_bet_expired', 'free_bet_already_used'],
    example: examples.Cancel,
  },
  CancelBatch: {
    tag: 'Promo',
    summary: 'Cancel many free bets',
    description: 'Up to 1000 in one call. Each is cancelled or refused by itself, with the errors of Cancel.',
    request: freeBets.CancelBatchRequest,
    response: freeBets.CancelBatchResponse,
    errors: [],
    example: examples.CancelBatch,
  },
  FreeBetGet: {
    tag: 'Promo',
    summary: 'Read a free bet',
    description: 'The free bet as it is now, with its bets.',
    request: freeBets.FreeBetGetRequest,
    response: freeBets.FreeBetGetResponse,
    errors: ['free_bet_not_found'],
    example: examples.FreeBetGet,
  },
  FreeBetList: {
    tag: 'Promo',
    summary: 'List free bets',
    description:
      'Newest first. A page may hold fewer than `limit`, even none, and still have a `next_cursor`: go on until it is null.',
    request: freeBets.FreeBetListRequest,
    response: freeBets.FreeBetListResponse,
    errors: [],
    example: examples.FreeBetList,
  },
  ...jobOperations,
  GameList: {
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
    tag: 'Events',
    summary: 'Read what has happened',
    description:
      'The events of this partner in their order, none skipped. Your cursor is the `sequence` and the `event_id` of the ' +
      'last event that you processed: send both as `after` and `after_event_id`. An empty page means that there are no ' +
      'more events yet. Events are kept for a number of days, 90 by default. The newest event is always kept.',
    request: events.EventsListRequest,
    response: events.EventsListResponse,
    errors: ['feed_changed', 'events_removed'],
    example: examples.EventsList,
  },
  ...roundOperations,
  ...sandboxOperations,
} as const satisfies OperationRows;

const staffRows = {
  ...sessionOperations,
  ...staffAdminOperations,
  ...partnerOperations,
  ...webhookOperations,
  ...reportOperations,
  ...catalogueOperations,
  ...draftOperations,
  ...confirmationOperations,
  ...auditOperations,
  ...systemOperations,
  ...overviewOperations,
  ...campaignStaffOperations,
  ...eventStaffOperations,
  ...playerOperations,
  ...sandboxStaffOperations,
} as const satisfies StaffOperationRows;

/** Adds to each row its entry of paths.ts, in the order of paths.ts. */
const withPaths = <P extends Record<string, object>, R extends Record<keyof P, object>>(paths: P, rows: R) =>
  Object.fromEntries(Object.entries(paths).map(([name, path]) => [name, { ...path, ...rows[name as keyof P] }])) as {
    [N in keyof P]: P[N] & R[N];
  };

export type Operation = OperationPath & OperationRow;
export type StaffOperation = StaffOperationPath & StaffOperationRow;

/** The operations of partners and game providers. Staff call some of them too, see paths.ts. */
export const operations = withPaths(paths, rows);
/** The operations that only staff call. */
export const staffOperations = withPaths(staffPaths, staffRows);

export type RequestOf<N extends OperationName> = Static<(typeof operations)[N]['request']>;
export type ResponseOf<N extends OperationName> = Static<(typeof operations)[N]['response']>;

type StaffResponse<N extends StaffOperationName> = (typeof staffOperations)[N]['response'];
export type StaffRequestOf<N extends StaffOperationName> = Static<(typeof staffOperations)[N]['request']>;
/** Never for a file. */
export type StaffResponseOf<N extends StaffOperationName> =
  StaffResponse<N> extends { file: string } ? never : Static<Extract<StaffResponse<N>, TSchema>>;
