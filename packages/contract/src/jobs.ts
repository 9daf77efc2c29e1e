import { CoefficientConfig, DurationMin, Games, Quantity } from './campaigns.ts';
import { type ErrorName, ItemError } from './errors.ts';
import {
  CampaignId,
  ClientId,
  Coefficient,
  Currency,
  Cursor,
  closed,
  IssueId,
  JobId,
  Limit,
  Money,
  nullable,
  PlayerId,
  Timestamp,
  text,
} from './formats.ts';
import { eitherForm } from './free-bets.ts';
import { Type } from './type.ts';

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
  // Each is checked by itself, so that what is wrong is named with its position, whatever else is wrong.
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

export const JobAddResponse = closed({
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

export const JobRetryRequest = JobGetRequest;

export const JobStopRequest = JobGetRequest;

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
