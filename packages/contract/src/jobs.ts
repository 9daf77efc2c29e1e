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

const JobName = text(255, 'A name for people; the free bets of a direct job have it too');
const StartAt = Type.String({
  ...Timestamp,
  description:
    'The job begins at this time, or when it is started, whichever is later. ISO 8601 in UTC, ending in `Z`.',
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
  description: 'The number of the part, counted by you from 1 on; sent in any order.',
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
        'Players of this job. `bet_amount` and `quantity` only in a direct job, in place of the shared ones. Without ' +
        '`issue_id` one is made from `job_id`, `part` and the position of the item, always the same.',
    }),
  ),
});
export type JobAddRequest = Type.Static<typeof JobAddRequest>;

const JobAddResponse = closed({
  job_id: JobId,
  part: Part,
  items: Type.Integer({ minimum: 1, description: 'How many items the part holds.' }),
});

export const JobStartRequest = closed({
  client_id: ClientId,
  job_id: JobId,
  parts: Type.Integer({ minimum: 1, maximum: maxPartsOfJob, description: 'How many parts you sent.' }),
  items: Type.Integer({ minimum: 1, maximum: maxItemsOfJob, description: 'How many items you sent, in all parts.' }),
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
    reason: Type.String({ description: 'Why the job failed, for people.' }),
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
  parts: count('Parts added.'),
  items: count('Items added, in all parts.'),
  issued: count('Items whose free bet is issued.'),
  refused: Type.Unsafe<Partial<Record<ErrorName, number>>>({
    type: 'object',
    additionalProperties: { type: 'integer', minimum: 1 },
    description: 'How many items were refused with each error; an error that refused none is absent.',
  }),
  remaining: count(
    'Items not carried out yet; those of a stopped job never will be, those of a failed job after a retry.',
  ),
  per_second: nullable(
    Type.Integer({ minimum: 0, description: 'Items carried out in a second, lately; while it runs.' }),
  ),
  eta: nullable(Type.String({ ...Timestamp, description: 'When it is likely to be finished; while it runs.' })),
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
  refusals: Type.Array(JobRefusal, { description: 'In the order in which the items were carried out.' }),
  next_cursor: nullable(Cursor),
});
export type JobRefusalsResponse = Type.Static<typeof JobRefusalsResponse>;

export const jobOperations = {
  JobCreate: {
    tag: 'Jobs',
    summary: 'Create a job',
    description:
      'A list of players who are all to get a free bet: from a campaign (`campaign_id`), or directly, with the parameters ' +
      'they share. Its players are added in parts, and nothing is issued before it is started. A job that is left open for ' +
      'seven days is removed.',
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
      'Up to 5000 items a part, 10 000 parts and 10 000 000 items a job. A part sent again with the same items gives the ' +
      'same answer; with other items it is refused.',
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
      'Issues in the background from now on, or from `start_at`. Say how many parts and items you sent, so that nothing ' +
      'that went missing on the way stays unnoticed. Two jobs of yours run one after the other, in the order of their start.',
    request: JobStartRequest,
    response: Job,
    errors: ['job_not_found', 'job_incomplete'],
    example: { request: { client_id: 1, job_id: story.jobId, parts: 1, items: 2 }, response: story.startedJob },
  },
  JobGet: {
    tag: 'Jobs',
    summary: 'Read a job',
    description: 'The job and its progress.',
    request: JobGetRequest,
    response: Job,
    errors: ['job_not_found'],
    example: { request: { client_id: 1, job_id: story.jobId }, response: story.finishedJob },
  },
  JobList: {
    tag: 'Jobs',
    summary: 'List jobs',
    description:
      'Newest first. A page may hold fewer than `limit`, even none, and still have a `next_cursor`: go on until it is null.',
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
    summary: 'Read which items were refused',
    description:
      'Every item of the job that was refused so far, with the error that an issue would have got. A page may hold fewer ' +
      'than `limit` and still have a `next_cursor`: go on until it is null. While the job runs, that means that there are ' +
      'no more so far: wait until it is finished or stopped.',
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
      'Items that are not issued yet never will be. Free bets already issued stay valid. A failed job can be stopped too.',
    request: JobStopRequest,
    response: Nothing,
    errors: ['job_not_found'],
    example: { request: { client_id: 1, job_id: story.jobId }, response: {} },
  },
} as const satisfies Partial<OperationRows>;
