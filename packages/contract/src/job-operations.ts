import * as campaigns from './campaigns.ts';
import { examples } from './examples.ts';
import * as jobs from './jobs.ts';
import type { OperationRows } from './operation-types.ts';

export const jobOperations = {
  JobCreate: {
    tag: 'Jobs',
    summary: 'Create a job',
    description:
      'A list of players who are all to get a free bet: from a campaign (`campaign_id`), or directly, with the parameters ' +
      'they share. Its players are added in parts, and nothing is issued before it is started. A job that is left open for ' +
      'seven days is removed.',
    request: jobs.JobCreateRequest,
    response: jobs.Job,
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
    example: examples.JobCreate,
  },
  JobAdd: {
    tag: 'Jobs',
    summary: 'Add a part to a job',
    description:
      'Up to 5000 items a part, 10 000 parts and 10 000 000 items a job. A part sent again with the same items gives the ' +
      'same answer; with other items it is refused.',
    request: jobs.JobAddRequest,
    response: jobs.JobAddResponse,
    errors: ['job_not_found', 'job_started', 'job_quota_reached', 'id_reused'],
    example: examples.JobAdd,
  },
  JobStart: {
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
    tag: 'Jobs',
    summary: 'Read a job',
    description: 'The job and its progress.',
    request: jobs.JobGetRequest,
    response: jobs.Job,
    errors: ['job_not_found'],
    example: examples.JobGet,
  },
  JobList: {
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
    tag: 'Jobs',
    summary: 'Read which items were refused',
    description:
      'Every item of the job that was refused so far, with the error that an issue would have got. A page may hold fewer ' +
      'than `limit` and still have a `next_cursor`: go on until it is null. While the job runs, that means that there are ' +
      'no more so far: wait until it is finished or stopped.',
    request: jobs.JobRefusalsRequest,
    response: jobs.JobRefusalsResponse,
    errors: ['job_not_found'],
    example: examples.JobRefusals,
  },
  JobRetry: {
    tag: 'Jobs',
    summary: 'Retry a failed job',
    description:
      'Continues a failed job with the item that it failed at; free bets issued before stay counted. Returns the job. ' +
      'A job that has not failed is returned unchanged, so the call can be repeated safely.',
    request: jobs.JobRetryRequest,
    response: jobs.Job,
    errors: ['job_not_found'],
    example: examples.JobRetry,
  },
  JobStop: {
    tag: 'Jobs',
    summary: 'Stop a job',
    description:
      'Items that are not issued yet never will be. Free bets already issued stay valid. A failed job can be stopped too.',
    request: jobs.JobStopRequest,
    response: campaigns.Nothing,
    errors: ['job_not_found'],
    example: examples.JobStop,
  },
} as const satisfies Partial<OperationRows>;
