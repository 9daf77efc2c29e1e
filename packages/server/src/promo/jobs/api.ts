import {
  itemError,
  type JobAddRequest,
  type JobCreateRequest,
  JobId,
  type JobItem,
  type JobRefusal,
  maxDetails,
  maxItemsOfPart,
  type RequestOf,
  type ResponseOf,
} from '@freebets/contract';
import type { Pool } from 'pg';
import type { Batch, Handlers } from '../../calls/call.ts';
import { cursorsOf, isCount, pageCursorsOf, pageWanted } from '../../calls/cursor.ts';
import { type FairQueue, readInTurn } from '../../calls/fair-queue.ts';
import { fittingPage } from '../../engine/page.ts';
import { ask } from '../../engine/statement.ts';
import { formatMoney, parseInstant, parseMoney } from '../../primitives/amounts.ts';
import { done, type Outcome, refuse } from '../../primitives/outcome.ts';
import { type CommandOf, contentHash } from '../batch/command.ts';
import { directTerms } from '../free-bets/api.ts';
import { type SubmitServices, submitCommand, submitInTurn } from '../submit.ts';
import { type JobQuota, jobBody, jobBytes, type StoredItem, type StoredRefusal } from './job.ts';
import { getJob, jobOfRow, listJobs } from './sql/jobs.ts';
import { findJobRefusals, type RefusalKey } from './sql/refusals.ts';

type Name = 'JobCreate' | 'JobAdd' | 'JobStart' | 'JobGet' | 'JobList' | 'JobRefusals' | 'JobRetry' | 'JobStop';

interface JobServices extends SubmitServices {
  /** The limits for the unfinished jobs of a partner. */
  jobQuota: JobQuota;
  /** For adding parts: one may be a mebibyte, and takes longer than other commands. */
  partTurns: FairQueue;
}

const jobCursors = pageCursorsOf(JobId);
const refusalCursors = cursorsOf<RefusalKey>({ carriedOut: isCount, position: isCount });

export const jobHandlers: Handlers<Name, JobServices> = {
  JobCreate: (call, body) => submitCommand(call, body, createJobCommand(body, call.services.jobQuota)),

  JobAdd(call, body) {
    const { partTurns, jobQuota } = call.services;
    return submitInTurn(call, partTurns, body, () => addJobPartCommand(body, jobQuota));
  },

  JobStart: (call, body) => submitCommand(call, body, startJobCommand(body)),

  JobGet: (call, { client_id, job_id }) =>
    readInTurn(call, client_id, async (pool) => {
      const found = await ask(pool, getJob(client_id, job_id));
      return found === undefined ? refuse('job_not_found') : done(jobBody(found.job, found.now));
    }),

  JobList: (call, body) => readInTurn(call, body.client_id, (pool) => readJobs(pool, body)),
  JobRefusals: (call, body) => readInTurn(call, body.client_id, (pool) => readRefusals(pool, body)),
  JobRetry: (call, body) => submitCommand(call, body, { kind: 'retry_job', jobId: body.job_id }),
  JobStop: (call, body) => submitCommand(call, body, { kind: 'stop_job', jobId: body.job_id }),
};

export const jobBatches = {
  JobAdd: { items: maxItemsOfPart, hasRoom: ({ partTurns }, { caller }) => partTurns.hasRoom(caller) },
} satisfies Record<string, Batch<Pick<JobServices, 'partTurns'>>>;

function createJobCommand(request: JobCreateRequest, quota: JobQuota): CommandOf<'create_job'> {
  const isDirect = !('campaign_id' in request);
  const content = {
    name: request.name,
    campaignId: isDirect ? null : request.campaign_id,
    shared: isDirect ? { betAmount: parseMoney(request.bet_amount), terms: directTerms(request) } : null,
    startAt: request.start_at === undefined ? null : parseInstant(request.start_at),
  };
  const hash = contentHash(Object.values(content));
  return { kind: 'create_job', jobId: request.job_id, ...content, quota, contentHash: hash };
}

export const startJobCommand = ({ job_id, parts, items }: RequestOf<'JobStart'>): CommandOf<'start_job'> => ({
  kind: 'start_job',
  jobId: job_id,
  parts,
  items,
});

/** Turns the items into text at once, because commands that wait in a lane should be small. */
function addJobPartCommand(request: JobAddRequest, quota: JobQuota): CommandOf<'add_job_part'> {
  const { part, items } = request;
  const kept = items.map(storedItem);
  const directJobFields = items.flatMap((item, i) =>
    (['bet_amount', 'quantity'] as const)
      .filter((name) => item[name] !== undefined)
      .map((name) => `items[${i}].${name}`),
  );
  return {
    kind: 'add_job_part',
    quota,
    jobId: request.job_id,
    part,
    items: items.length,
    list: JSON.stringify(kept),
    directJobFields: directJobFields.slice(0, maxDetails),
    contentHash: contentHash(kept),
  };
}

const storedItem = ({ player_id, currency, issue_id, bet_amount, quantity }: JobItem): StoredItem => [
  player_id,
  currency,
  issue_id ?? null,
  bet_amount === undefined ? null : parseMoney(bet_amount),
  quantity ?? null,
];

async function readJobs(pool: Pool, body: RequestOf<'JobList'>): Promise<Outcome<ResponseOf<'JobList'>>> {
  const wanted = pageWanted(body, [undefined, undefined], jobCursors);
  const page = await ask(pool, listJobs(body.client_id, body.campaign_id ?? null, wanted));
  const found = page.items.map(({ key, value }) => ({ key, value: jobOfRow(value) }));
  const { items, next } = fittingPage({ ...page, items: found }, jobBytes);
  return done({ jobs: items.map(({ value }) => jobBody(value, page.now)), next_cursor: jobCursors.write(next) });
}

async function readRefusals(
  pool: Pool,
  { client_id, job_id, limit = 100, cursor }: RequestOf<'JobRefusals'>,
): Promise<Outcome<ResponseOf<'JobRefusals'>>> {
  const from = refusalCursors.read(cursor) ?? { carriedOut: 0, position: 0 };
  const page = await ask(pool, findJobRefusals(client_id, job_id, limit, from));
  if (page === undefined) return refuse('job_not_found');
  return done({ refusals: page.refusals.map(refusalBody), next_cursor: refusalCursors.write(page.next) });
}

const refusalBody = (kept: StoredRefusal): JobRefusal => {
  const [part, item, player_id, issue_id, error, details, currency, betAmount, quantity] = kept;
  return {
    part,
    item,
    player_id,
    ...(currency !== undefined && { currency }),
    issue_id,
    ...(betAmount != null && { bet_amount: formatMoney(betAmount) }),
    ...(quantity != null && { quantity }),
    error: itemError(details == null ? { error } : { error, details }),
  };
};
