import { Type } from 'typebox';
import { CoefficientConfig, DurationMin, Games, Quantity } from './campaigns.ts';
import type { ErrorName } from './errors.ts';
import * as story from './example-story.ts';
import {
  CampaignId,
  ClientId,
  Coefficient,
  Currency,
  Cursor,
  closed,
  IssueId,
  ItemError,
  JobId,
  Limit,
  Money,
  Nothing,
  nullable,
  PlayerId,
  Timestamp,
  text,
} from './formats.ts';
import { eitherForm } from './free-bets.ts';
import type { OperationRows } from './operation-types.ts';

const maxPartsOfJob = 10_000;
export const maxItemsOfPart = 5000;
export const maxItemsOfJob = 10_000_000;

const JobName = text(255, 'A display name; the free bets of a direct job get it too');
const StartAt = Type.String({
  ...Timestamp,
  description: 'The earliest time at which the job begins after it was started. ISO 8601 in UTC, ending in `Z`.',
});

const created = { client_id: ClientId, job_id: JobId, name: JobName, start_at: Type.Optional(StartAt) };

const shared = {
  bet_amount: Money,
  quantity: Quantity,
  games: Games,
  valid_from: Type.Optional(Timestamp),
  valid_until: Timestamp,
  duration_min: Type.Optional(DurationMin),
  config: Type.Optional(CoefficientConfig),
};

const CreateByCampaign = closed({ ...created, campaign_id: CampaignId }, { title: 'By campaign' });
const CreateDirect = closed({ ...created, ...shared }, { title: 'Direct' });

export type JobCreateRequest = Type.Static<typeof CreateByCampaign> | Type.Static<typeof CreateDirect>;
export const JobCreateRequest = eitherForm<JobCreateRequest>(CreateByCampaign, CreateDirect);

const Part = Type.Integer({
  minimum: 1,
  maximum: maxPartsOfJob,
  description: 'The number of the part. You number the parts from 1 and may send them in any order.',
});

export const JobItem = closed({
  player_id: PlayerId,
  currency: Currency,
  issue_id: Type.Optional(IssueId),
  bet_amount: Type.Optional(Money),
  quantity: Type.Optional(Quantity),
});
export type JobItem = Type.Static<typeof JobItem>;

export const JobAddRequest = closed({
  client_id: ClientId,
  job_id: JobId,
  part: Part,
  // Each item is checked separately, so that the errors of all wrong items are reported with their positions.
  items: Type.Unsafe<JobItem[]>(
    Type.Array(Type.Unknown(), {
      minItems: 1,
      maxItems: maxItemsOfPart,
      'x-items': JobItem,
      description:
        'The players of this part. Only a direct job takes `bet_amount` and `quantity`, in place of the shared ' +
        'ones. If `issue_id` is absent, it is derived from `job_id`, `part` and the position of the item.',
    }),
  ),
});
export type JobAddRequest = Type.Static<typeof JobAddRequest>;

const JobAddResponse = closed({
  job_id: JobId,
  part: Part,
  items: Type.Integer({ minimum: 1, description: 'The number of items in the part.' }),
});

export const JobStartRequest = closed({
  client_id: ClientId,
  job_id: JobId,
  parts: Type.Integer({ minimum: 1, maximum: maxPartsOfJob, description: 'The number of parts that you sent.' }),
  items: Type.Integer({
    minimum: 1,
    maximum: maxItemsOfJob,
    description: 'The number of items that you sent, in all parts.',
  }),
});
export type JobStartRequest = Type.Static<typeof JobStartRequest>;

const jobStatuses = ['open', 'scheduled', 'running', 'finished', 'failed', 'stopped'] as const;
export const JobStatus = Type.Enum(jobStatuses, {
  description:
    '`open` until it is started, then `scheduled` while `start_at` lies ahead; `running` also while it waits for an ' +
    'earlier job of yours. `failed` when the service could not process the next item: `failure` says why.',
});
export type JobStatus = (typeof jobStatuses)[number];

const count = (description: string) => Type.Integer({ minimum: 0, description });

const JobFailure = closed(
  {
    reason: Type.String({ description: 'The reason for the failure, as a sentence.' }),
    part: nullable({
      ...Part,
      description: 'The part that holds the next item; null if the service has no part left.',
    }),
    item: count('The position of the next item in its part, counted from 0 as in `items[0]`.'),
    failed_at: Timestamp,
  },
  { description: 'Why the job failed, and where. `/FreeBets/Jobs/Retry` continues with this item.' },
);

const progress = {
  status: JobStatus,
  parts: count('The number of parts added.'),
  items: count('The number of items added, in all parts.'),
  issued: count('The number of items whose free bet was issued.'),
  refused: Type.Unsafe<Partial<Record<ErrorName, number>>>({
    type: 'object',
    additionalProperties: { type: 'integer', minimum: 1 },
    description: 'The number of refused items for each error; errors without refused items are absent.',
  }),
  remaining: count(
    'The number of items not processed yet. A stopped job never processes them; a failed job does after a ' + 'retry.',
  ),
  per_second: nullable(
    Type.Integer({
      minimum: 0,
      description: 'The recent number of items processed per second; null if the job is not running.',
    }),
  ),
  eta: nullable(
    Type.String({ ...Timestamp, description: 'The estimated end of the job; null if the job is not running.' }),
  ),
  created_at: Timestamp,
  start_at: nullable(Timestamp),
  started_at: nullable(Timestamp),
  finished_at: nullable(Timestamp),
  stopped_at: nullable(Timestamp),
  failure: nullable(JobFailure),
};

const named = { job_id: JobId, name: JobName };

export const Job = Type.Union([
  closed({ ...named, campaign_id: CampaignId, ...progress }, { title: 'By campaign' }),
  closed(
    {
      ...named,
      bet_amount: Money,
      quantity: Quantity,
      games: Games,
      valid_from: nullable(Timestamp),
      valid_until: Timestamp,
      duration_min: nullable(DurationMin),
      config: closed({ min_coefficient: nullable(Coefficient), max_coefficient: nullable(Coefficient) }),
      ...progress,
    },
    { title: 'Direct' },
  ),
]);
export type Job = Type.Static<typeof Job>;

export const JobGetRequest = closed({ client_id: ClientId, job_id: JobId });
export type JobGetRequest = Type.Static<typeof JobGetRequest>;

const JobRetryRequest = JobGetRequest;

const JobStopRequest = JobGetRequest;

export const JobListRequest = closed({
  client_id: ClientId,
  status: Type.Optional(JobStatus),
  campaign_id: Type.Optional(CampaignId),
  limit: Type.Optional(Limit(200, 50)),
  cursor: Type.Optional(Cursor),
});
export type JobListRequest = Type.Static<typeof JobListRequest>;

export const JobListResponse = closed({ jobs: Type.Array(Job), next_cursor: nullable(Cursor) });
export type JobListResponse = Type.Static<typeof JobListResponse>;

export const JobRefusalsRequest = closed({
  client_id: ClientId,
  job_id: JobId,
  limit: Type.Optional(Limit(1000, 100)),
  cursor: Type.Optional(Cursor),
});
export type JobRefusalsRequest = Type.Static<typeof JobRefusalsRequest>;

const JobRefusal = closed({
  part: Part,
  item: count('The position of the item in its part, counted from 0 as in `items[0]`.'),
  player_id: PlayerId,
  currency: Type.Optional(Currency),
  issue_id: IssueId,
  bet_amount: Type.Optional(Money),
  quantity: Type.Optional(Quantity),
  error: ItemError,
});
export type JobRefusal = Type.Static<typeof JobRefusal>;

export const JobRefusalsResponse = closed({
  refusals: Type.Array(JobRefusal, { description: 'The refused items, in the order in which they were processed.' }),
  next_cursor: nullable(Cursor),
});
export type JobRefusalsResponse = Type.Static<typeof JobRefusalsResponse>;

export const jobOperations = {
  JobCreate: {
    tag: 'Jobs',
    summary: 'Create a job',
    description:
      'Creates a job that issues a free bet to each player of a list: from a campaign (`campaign_id`), or ' +
      'directly with shared parameters. Add the players in parts, then start the job. Nothing is issued before ' +
      'that. A job that stays open for seven days is removed.',
    request: JobCreateRequest,
    response: Job,
    errors: [
      'campaign_not_found',
      'campaign_stopped',
      'campaign_ended',
      'invalid_validity',
      'game_not_available',
      'game_without_free_bets',
      'job_quota_reached',
      'id_reused',
    ],
    example: {
      summary: 'By campaign',
      request: { client_id: 1, ...story.newJob },
      response: story.openJob,
    },
    secondExample: {
      summary: 'Direct',
      request: { client_id: 1, ...story.directJob, start_at: '2027-01-03T09:00:00Z' },
      response: {
        ...story.directJob,
        valid_from: null,
        duration_min: null,
        config: { min_coefficient: null, max_coefficient: null },
        status: 'open',
        ...story.notStarted,
        start_at: '2027-01-03T09:00:00.000Z',
      },
    },
  },
  JobAdd: {
    tag: 'Jobs',
    summary: 'Add a part to a job',
    description:
      'Takes up to 5,000 items per part, and 10,000 parts and 10,000,000 items per job. If you send a part ' +
      'again with the same items, it returns the same response; with other items it is refused.',
    request: JobAddRequest,
    response: JobAddResponse,
    errors: ['job_not_found', 'job_started', 'job_quota_reached', 'id_reused'],
    example: {
      request: {
        client_id: 1,
        job_id: story.jobId,
        part: 1,
        items: [
          { player_id: 'player-10', currency: 'EUR' },
          { player_id: 'player-11', currency: 'GBP' },
        ],
      },
      response: { job_id: story.jobId, part: 1, items: 2 },
    },
  },
  JobStart: {
    tag: 'Jobs',
    summary: 'Start a job',
    description:
      'Issues in the background from now on, or from `start_at`. Send the numbers of parts and items that you ' +
      'added, so that the service notices lost parts. Your jobs run one after the other, in the order in which ' +
      'they were started.',
    request: JobStartRequest,
    response: Job,
    errors: ['job_not_found', 'job_incomplete'],
    example: { request: { client_id: 1, job_id: story.jobId, parts: 1, items: 2 }, response: story.startedJob },
  },
  JobGet: {
    tag: 'Jobs',
    summary: 'Read a job',
    description: 'Returns the job and its progress.',
    request: JobGetRequest,
    response: Job,
    errors: ['job_not_found'],
    example: { request: { client_id: 1, job_id: story.jobId }, response: story.finishedJob },
  },
  JobList: {
    tag: 'Jobs',
    summary: 'List jobs',
    description:
      'Returns the newest first. A page may have fewer items than `limit`, or none, and still have a ' +
      '`next_cursor`: continue until it is null.',
    request: JobListRequest,
    response: JobListResponse,
    errors: [],
    example: {
      request: { client_id: 1, status: 'finished', limit: 50 },
      response: { jobs: [story.finishedJob], next_cursor: null },
    },
  },
  JobRefusals: {
    tag: 'Jobs',
    summary: 'List the refused items',
    description:
      'Returns every item that was refused so far, with the error that Issue would have returned. A page may ' +
      'have fewer items than `limit` and still have a `next_cursor`: continue until it is null. While the job ' +
      'runs, null means that there are no more refused items yet.',
    request: JobRefusalsRequest,
    response: JobRefusalsResponse,
    errors: ['job_not_found'],
    example: {
      request: { client_id: 1, job_id: story.jobId },
      response: {
        refusals: [
          {
            part: 1,
            item: 1,
            player_id: 'player-11',
            currency: 'GBP',
            issue_id: '5d0e6f3a-92b1-8c47-a1d8-33f0c6f1b7a4',
            error: {
              code: 154,
              error: 'currency_not_allowed',
              message: 'The currency is not available here.',
              details: [{ field: 'currency', reason: 'is not a currency of the campaign' }],
            },
          },
        ],
        next_cursor: null,
      },
    },
  },
  JobRetry: {
    tag: 'Jobs',
    summary: 'Retry a failed job',
    description:
      'Continues a failed job with the item that it failed at; free bets issued before stay counted. Returns the job. ' +
      'A job that has not failed is returned unchanged, so the call can be repeated safely.',
    request: JobRetryRequest,
    response: Job,
    errors: ['job_not_found'],
    example: { request: { client_id: 1, job_id: story.jobId }, response: story.startedJob },
  },
  JobStop: {
    tag: 'Jobs',
    summary: 'Stop a job',
    description:
      'Stops the job for good: the remaining items are never issued. Free bets already issued stay valid. A ' +
      'failed job can be stopped too.',
    request: JobStopRequest,
    response: Nothing,
    errors: ['job_not_found'],
    example: { request: { client_id: 1, job_id: story.jobId }, response: {} },
  },
} as const satisfies Partial<OperationRows>;
