import { Type } from 'typebox';
import { Campaign } from './campaigns.ts';
import * as story from './example-story.ts';
import {
  CampaignId,
  ClientId,
  Cursor,
  closed,
  IssueId,
  JobId,
  Limit,
  nullable,
  PlayerId,
  Timestamp,
  Uuid,
} from './formats.ts';
import { Bet, FreeBet } from './free-bets.ts';
import { Job } from './jobs.ts';
import type { OperationRows, StaffOperationRows } from './operation-types.ts';

// What a partner is told. Every change makes an event, in the transaction that makes the change; a partner's events are
// numbered without a gap.

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

export const eventTypes = [...freeBetEventTypes, ...betEventTypes, ...campaignEventTypes, ...jobEventTypes] as const;

const eventSchema = <T extends string, P extends Type.TProperties>(title: string, types: readonly T[], data: P) =>
  closed(
    {
      event_id: Uuid('The event: a UUID of version 7. Equal when the same event is sent again.'),
      sequence: Type.Integer({ minimum: 1, description: 'Counts the events of the partner, without a gap.' }),
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
  events: Type.Array(Event, { description: 'In the order of their `sequence`.' }),
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
    event_id: Type.Optional(Uuid('The event, as its `event_id` says.')),
    issue_id: Type.Optional(IssueId),
    campaign_id: Type.Optional(CampaignId),
    player_id: Type.Optional(PlayerId),
    job_id: Type.Optional(JobId),
    from: Type.Optional(Type.String({ ...Timestamp, description: 'Only what occurred at this time or later.' })),
    until: Type.Optional(Type.String({ ...Timestamp, description: 'Only what occurred before this time.' })),
    limit: Type.Optional(Limit(200, 50)),
    cursor: Type.Optional(Cursor),
  },
  { 'x-not-after': ['from', 'until'] },
);

const EventSearchResponse = closed({
  events: Type.Array(Event, {
    description: 'The latest first. Where few match, a page can be short, or empty, and still have a next one.',
  }),
  next_cursor: nullable(Cursor),
});

export const eventOperations = {
  EventsList: {
    tag: 'Events',
    summary: 'Read what has happened',
    description:
      'The events of this partner in their order, none skipped. Your cursor is the `sequence` and the `event_id` of the ' +
      'last event that you processed: send both as `after` and `after_event_id`. An empty page means that there are no ' +
      'more events yet. Events are kept for a number of days, 90 by default. The newest event is always kept.',
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
    summary: 'Find events, the latest first: of a type, a free bet, a campaign, a player, a job, or one by its id',
    request: EventSearchRequest,
    response: EventSearchResponse,
    errors: ['partner_not_found'],
  },
} as const satisfies Partial<StaffOperationRows>;
