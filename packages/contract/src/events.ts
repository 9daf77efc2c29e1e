import { Type } from 'typebox';
import { Campaign, type CampaignGetResponse } from './campaigns.ts';
import * as story from './example-story.ts';
import {
  asRead,
  CampaignId,
  ClientId,
  Cursor,
  closed,
  DryRun,
  IssueId,
  JobId,
  Limit,
  nullable,
  PlayerId,
  Timestamp,
  text,
  Uuid,
  WasDryRun,
} from './formats.ts';
import { Bet, FreeBet } from './free-bets.ts';
import { Job } from './jobs.ts';
import type { OperationRows, StaffOperationRows } from './operation-types.ts';
import { PartnerId } from './partners.ts';
import type { Least } from './roles.ts';

// The events of a partner, numbered without gaps. Every change emits an event in its own transaction.

export const freeBetEventTypes = [
  'freebet.issued',
  'freebet.finished',
  'freebet.cancelled',
  'freebet.expired',
] as const;
export const betEventTypes = ['freebet.used', 'freebet.settled', 'freebet.rolled_back'] as const;
export const campaignEventTypes = [
  'campaign.created',
  'campaign.exhausted',
  'campaign.stopped',
  'campaign.paused',
  'campaign.resumed',
  'campaign.limits_changed',
] as const;
const jobEventTypes = ['job.finished', 'job.failed', 'job.stopped'] as const;

export type FreeBetEventType = (typeof freeBetEventTypes)[number];
export type BetEventType = (typeof betEventTypes)[number];
export type CampaignEventType = (typeof campaignEventTypes)[number];
export type JobEventType = (typeof jobEventTypes)[number];

const eventTypes = [...freeBetEventTypes, ...betEventTypes, ...campaignEventTypes, ...jobEventTypes] as const;

const eventSchema = <T extends string, P extends Type.TProperties>(title: string, types: readonly T[], data: P) =>
  closed(
    {
      event_id: Uuid('The id of the event: a UUID of version 7. It stays the same when the event is sent again.'),
      sequence: Type.Integer({
        minimum: 1,
        description: "The number of the event in the partner's feed, without gaps.",
      }),
      type: Type.Enum([...types]),
      occurred_at: Timestamp,
      client_id: ClientId,
      data: closed(data),
    },
    { title },
  );

export const Event = Type.Union([
  eventSchema('Of a free bet', freeBetEventTypes, { free_bet: FreeBet }),
  eventSchema('Of a bet', betEventTypes, { free_bet: FreeBet, bet: Bet }),
  eventSchema('Of a campaign', campaignEventTypes, { campaign: Campaign }),
  eventSchema('Of a job', jobEventTypes, { job: Job }),
]);
export type Event = Type.Static<typeof Event>;

export const EventsListRequest = closed({
  client_id: ClientId,
  after: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      default: 0,
      description:
        'The `sequence` of the last event that you processed; 0 to begin. Refused if it is ahead of the last event.',
    }),
  ),
  after_event_id: Type.Optional(
    Uuid(
      'The `event_id` of the event at `after`; not allowed when `after` is 0. With it, a cursor from before a restore is refused with `feed_changed`.',
    ),
  ),
  limit: Type.Optional(Limit(1000, 100)),
});
export type EventsListRequest = Type.Static<typeof EventsListRequest>;

export const EventsListResponse = closed({
  events: Type.Array(Event, { description: 'The events, in the order of their `sequence`.' }),
  last_sequence: Type.Integer({
    minimum: 0,
    description: 'The `sequence` of the last event on this page, or `after` if the page is empty: the next `after`.',
  }),
  oldest_sequence: Type.Integer({
    minimum: 1,
    description: 'The `sequence` of the oldest event that is kept, or of the next event if there is none.',
  }),
});
export type EventsListResponse = Type.Static<typeof EventsListResponse>;

const EventSearchRequest = closed(
  {
    client_id: ClientId,
    type: Type.Optional(Type.Enum([...eventTypes])),
    event_id: Type.Optional(Uuid('The id of the event.')),
    issue_id: Type.Optional(IssueId),
    campaign_id: Type.Optional(CampaignId),
    player_id: Type.Optional(PlayerId),
    job_id: Type.Optional(JobId),
    from: Type.Optional(Type.String({ ...Timestamp, description: 'Only events that occurred at this time or later.' })),
    until: Type.Optional(Type.String({ ...Timestamp, description: 'Only events that occurred before this time.' })),
    limit: Type.Optional(Limit(200, 50)),
    cursor: Type.Optional(Cursor),
  },
  { 'x-not-after': ['from', 'until'] },
);

const EventSearchResponse = closed({
  events: Type.Array(Event, {
    description: 'Latest first. If few events match, a page can be short or empty and still have a next page.',
  }),
  next_cursor: nullable(Cursor),
});

export const eventOperations = {
  EventsList: {
    tag: 'Events',
    summary: 'Read events',
    description:
      'Returns the events of the partner in order, without gaps. Your cursor is the `sequence` and the ' +
      '`event_id` of the last event that you processed: send them as `after` and `after_event_id`. An empty ' +
      'page means that there are no more events yet. Events are kept for a number of days, 90 by default. The ' +
      'newest event is always kept.',
    request: EventsListRequest,
    response: EventsListResponse,
    errors: ['feed_changed', 'events_removed'],
    example: {
      request: { client_id: 1, after: 7, after_event_id: '01941f29-7b9c-7c3d-9f21-3a5b0c7d9e42', limit: 100 },
      response: { events: [story.exampleEvent], last_sequence: 8, oldest_sequence: 1 },
    },
  },
} as const satisfies Partial<OperationRows>;

export const eventStaffOperations = {
  EventSearch: {
    tag: 'Webhooks',
    summary: 'Find events by type, free bet, campaign, player, job or id, latest first',
    request: EventSearchRequest,
    response: EventSearchResponse,
    errors: ['partner_not_found'],
  },
} as const satisfies Partial<StaffOperationRows>;

// Webhooks and delivery results, for staff.

const Sequence = (description: string) => Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description });
const Count = Type.Integer({ minimum: 0 });

const OneWebhook = closed({ client_id: PartnerId });

const Webhook = closed({
  client_id: PartnerId,
  url: Type.String(),
  set_at: Timestamp,
  off_at: nullable(Timestamp),
  off_reason: nullable(Type.String()),
  failing_since: nullable(Timestamp),
  last_attempt_at: nullable(Timestamp),
  attempted_through: Type.Integer({ description: 'The number up to which every event has been tried.' }),
  last_sequence: Type.Integer({ description: "The number of the partner's latest event; 0 if there is none." }),
  oldest_kept: Type.Integer({ description: 'The number of the oldest event that is kept.' }),
  next_sequence: Type.Integer({ description: 'The number of the next event to send, apart from retries.' }),
  waiting: Type.Integer({
    description: 'The number of events that are not delivered yet, including events that wait for a retry.',
  }),
  failed: Type.Integer({ description: 'The number of events whose delivery was given up.' }),
});

const read = {
  as_read: asRead({
    url: Type.Optional(nullable(text(2048, 'The previous address; null if there was no webhook'))),
    off_at: Type.Optional(nullable(Timestamp)),
  }),
};

const WebhookSetRequest = closed({
  client_id: PartnerId,
  url: Type.String({
    minLength: 1,
    maxLength: 4096,
    description: 'The address for the events, with https:// or http://.',
  }),
  from: Type.Optional(
    Sequence(
      'The number of the first event to send. If absent, an existing webhook continues where it stopped, and a ' +
        'new one starts with the next event.',
    ),
  ),
  ...read,
});

const WebhookEndRequest = closed({ client_id: PartnerId, ...read });

const WebhookRemoveResponse = closed({
  client_id: PartnerId,
  url: Type.String(),
  waiting: Count,
  received: Count,
  failed: Count,
});

const states = ['waiting', 'received', 'failed'] as const;
const filter = {
  state: Type.Optional(Type.Enum([...states])),
  type: Type.Optional(Type.Enum([...eventTypes])),
  from: Type.Optional(Sequence('The lowest number of an event.')),
  to: Type.Optional(Sequence('The highest number of an event.')),
};

const DeliveryListRequest = closed({
  client_id: PartnerId,
  ...filter,
  limit: Type.Optional(Limit(200, 50)),
  cursor: Type.Optional(Cursor),
});

const Delivery = closed({
  sequence: Sequence('The number of the event.'),
  event_id: nullable(Uuid('The event; null if it is no longer kept.')),
  type: nullable(Type.Enum([...eventTypes])),
  state: Type.Enum([...states, 'not_sent']),
  attempts: Count,
  attempted_at: nullable(Timestamp),
  next_attempt_at: nullable(Timestamp),
  answer_status: nullable(
    Type.Integer({ description: 'The status of the response to the latest attempt; null without a response.' }),
  ),
  outcome: nullable(Type.String({ description: 'The result of the latest attempt, as a sentence.' })),
});

const DeliveryListResponse = closed({
  deliveries: Type.Array(Delivery, {
    description: 'Latest first. If few events match, a page can be short or empty and still have a next page.',
  }),
  next_cursor: nullable(Type.String()),
});

const DeliveryResendRequest = closed({
  client_id: PartnerId,
  sequences: Type.Optional(
    Type.Array(Sequence('The number of an event.'), { minItems: 1, maxItems: 10_000, uniqueItems: true }),
  ),
  ...filter,
  dry_run: Type.Optional(DryRun),
});

const DeliveryResendResponse = closed({
  client_id: PartnerId,
  matched: Type.Integer({
    description: 'The number of events that will be sent again, or would be sent in a dry run.',
  }),
  is_on: Type.Boolean({ description: 'If the webhook is off, the events wait until it is set again.' }),
  dry_run: Type.Optional(WasDryRun),
});

const tag = 'Webhooks';

export const webhookOperations = {
  WebhookGet: {
    tag,
    summary: 'Read a webhook and the state of its deliveries',
    request: OneWebhook,
    response: Webhook,
    errors: ['partner_not_found', 'webhook_not_found'],
  },
  WebhookSet: {
    tag,
    summary: 'Set the webhook of a partner',
    request: WebhookSetRequest,
    response: Webhook,
    errors: ['partner_not_found', 'changed_meanwhile'],
  },
  WebhookOff: {
    tag,
    summary: 'Turn a webhook off; its events wait',
    request: WebhookEndRequest,
    response: Webhook,
    errors: ['partner_not_found', 'webhook_not_found', 'changed_meanwhile'],
  },
  WebhookRemove: {
    tag,
    summary: 'Remove a webhook and its delivery results',
    request: WebhookEndRequest,
    response: WebhookRemoveResponse,
    errors: ['partner_not_found', 'webhook_not_found', 'changed_meanwhile'],
  },
  DeliveryList: {
    tag,
    summary: 'List the delivery result of each event',
    request: DeliveryListRequest,
    response: DeliveryListResponse,
    errors: ['partner_not_found', 'webhook_not_found'],
  },
  DeliveryResend: {
    tag,
    summary: 'Resend events by number, or all that match',
    request: DeliveryResendRequest,
    response: DeliveryResendResponse,
    errors: ['partner_not_found', 'webhook_not_found'],
  },
} as const satisfies Partial<StaffOperationRows>;

// The live stream of the console, as server-sent events: a GET with the session cookie, and with `?client_id=` for a
// single partner. A client that reconnects with `Last-Event-ID` first receives `reset`.

export const live = { path: '/Live', staff: ['viewer'] } as const satisfies { path: string; staff: Least };

/** The content of the messages, by name. */
export interface LiveMessages {
  /** Events of a partner: how many, and the newest ones in brief. */
  happened: { client_id: number; count: number; events: LiveEvent[] };
  /** Current figures of campaigns with new events, at most every second. */
  figures: { client_id: number; campaigns: LiveFigures[] };
  /** Changes by staff or the command line. `client_id` is null for changes without a partner. */
  changed: { client_id: number | null; changes: LiveChange[] };
  /** Messages were missed: the client must reload everything that it shows. */
  reset: Record<never, never>;
  /** Sent at the start and every 15 seconds without other messages. */
  ping: Record<never, never>;
}

export interface LiveEvent {
  sequence: number;
  type: Event['type'];
  occurred_at: string;
  campaign_id: string | null;
  issue_id: string | null;
  player_id: string | null;
  job_id: string | null;
}

export type LiveFigures = Pick<CampaignGetResponse, 'campaign_id' | 'status' | 'counts' | 'winnings' | 'exposure'>;

export interface LiveChange {
  at: string;
  action: string;
  target: { kind: string; id: string };
}
