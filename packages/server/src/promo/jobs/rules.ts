import { type FieldError, maxDetails, maxItemsOfJob, type Refusal } from '@freebets/contract';
import type { Cents, Instant } from '../../primitives/amounts.ts';
import { done, idempotently, type Outcome, refuse, withinBudget } from '../../primitives/outcome.ts';
import type {
  AddJobPart,
  CommandResults,
  CreateJob,
  IssueByCampaign,
  IssueDirect,
  RunJobStep,
  StartJob,
} from '../batch/command.ts';
import type { Needs, Rule } from '../batch/needs.ts';
import { changeJob, emitJobEvent, jobPartKey, type WorkingSet } from '../batch/working-set.ts';
import { campaignStatus } from '../campaigns/campaign.ts';
import { issueByCampaign, issueDirect } from '../free-bets/rules.ts';
import { termsRefusal } from '../terms.ts';
import { createdBody, type Job, jobBody, jobStatus, newJob, processedCount, type StoredRefusal } from './job.ts';

export const createJob: Rule<CreateJob, CommandResults['create_job']> = {
  needs: ({ jobId, campaignId }) => ({ jobId, jobQuota: true, ...(campaignId !== null && { campaignId }) }),
  decide(working, command, now) {
    return idempotently(working.jobs.get(command.jobId), command, createdBody, () => {
      const refusal = jobRefusal(working, command, now);
      if (refusal !== null) return { ok: false, ...refusal };
      const { jobs } = working.jobQuota;
      if (jobs >= command.quota.jobs) return refuse('job_quota_reached', [overQuota('jobs', command.quota.jobs, jobs)]);
      working.jobQuota.jobs += 1;
      const shared = command.shared && { ...command.shared, stakeReturned: working.partner.stakeReturned };
      const job = newJob({ ...command, shared, createdAt: now });
      working.jobs.set(job.jobId, job);
      working.changes.newJobs.add(job);
      return done(createdBody(job));
    });
  },
};

const overQuota = (field: 'jobs' | 'bytes', limit: number, used: number, more = ''): FieldError => ({
  field,
  reason: `the limit is ${limit}, your unfinished jobs use ${used}${more}`,
});

/** The refusal that every item would get, even if the job started now; null if there is none. */
function jobRefusal(working: WorkingSet, command: CreateJob, now: Instant): Refusal | null {
  const { campaignId, shared, startAt } = command;
  const begins = Math.max(now, startAt ?? now);
  if (campaignId !== null) {
    const entry = working.campaigns.get(campaignId);
    if (entry === undefined) return { error: 'campaign_not_found' };
    if (entry.state.stoppedAt !== null) return { error: 'campaign_stopped' };
    const { validUntil } = entry.campaign.terms;
    if (now >= validUntil) return { error: 'campaign_ended' };
    return begins < validUntil ? null : startsTooLate('the end of the campaign');
  }
  if (shared === null) return null;
  const terms = { ...shared.terms, validFrom: shared.terms.validFrom ?? now };
  const refusal = termsRefusal(terms, new Map(), working.partner.offer, now);
  if (refusal !== null || begins < terms.validUntil) return refusal;
  return startsTooLate('valid_until');
}

const startsTooLate = (end: string): Refusal => ({
  error: 'invalid_validity',
  details: [{ field: 'start_at', reason: `must be before ${end}` }],
});

export const addJobPart: Rule<AddJobPart, CommandResults['add_job_part']> = {
  needs: ({ jobId, part }) => ({ jobId, jobPart: { jobId, part }, jobQuota: true }),
  decide(working, command) {
    const { jobId, part, items, list, contentHash, directJobFields, quota } = command;
    const job = working.jobs.get(jobId);
    if (job === undefined) return refuse('job_not_found');
    if (job.startedAt !== null || job.stoppedAt !== null) return refuse('job_started');
    const key = jobPartKey(jobId, part);
    const answer = () => ({ job_id: jobId, part, items });
    return idempotently(working.jobParts.get(key), command, answer, () => {
      if (job.shared === null && directJobFields.length > 0)
        return refuse('invalid_request', fieldsOfDirect(directJobFields));
      if (job.items + items > maxItemsOfJob) return refuse('invalid_request', [tooManyItems]);
      const [bytes, used] = [Buffer.byteLength(list), working.jobQuota.bytes];
      if (used + bytes > quota.bytes)
        return refuse('job_quota_reached', [overQuota('bytes', quota.bytes, used, `, and this part takes ${bytes}`)]);
      working.jobQuota.bytes += bytes;
      working.jobParts.set(key, { contentHash });
      working.changes.newJobParts.add({ jobId, part, items, list, contentHash });
      job.parts += 1;
      job.items += items;
      job.bytes += bytes;
      changeJob(working, job);
      return done(answer());
    });
  },
};

const tooManyItems: FieldError = { field: 'items', reason: `would bring the job above ${maxItemsOfJob} items` };

const fieldsOfDirect = (fields: readonly string[]): FieldError[] =>
  fields.map((field) => ({ field, reason: 'is not a field of an item of a job by campaign' }));

export const startJob: Rule<StartJob, CommandResults['start_job']> = {
  needs: ({ jobId }) => ({ jobId, partsOfJobId: jobId }),
  decide(working, command, now) {
    const job = working.jobs.get(command.jobId);
    if (job === undefined) return refuse('job_not_found');
    if (command.mustBeOpen && (job.startedAt !== null || job.stoppedAt !== null)) return refuse('job_started');
    if (command.parts !== job.parts || command.items !== job.items) {
      return refuse('job_incomplete', countMismatch(working, job, command));
    }
    if (job.startedAt === null && job.stoppedAt === null) {
      job.startedAt = now;
      changeJob(working, job);
    }
    return done(jobBody(job, now));
  },
};

/**
 * Lists both totals and the missing parts, assuming numbers from 1. Skips parts if the job started: some are removed.
 */
function countMismatch(working: WorkingSet, job: Job, { parts, items }: StartJob): FieldError[] {
  const totals = [
    { field: 'parts', reason: `you sent ${parts}, ${job.parts} are here` },
    { field: 'items', reason: `you sent ${items}, ${job.items} are here` },
  ];
  if (job.startedAt !== null || job.stoppedAt !== null) return totals;
  const missing: FieldError[] = [];
  for (let part = 1; part <= parts && missing.length < maxDetails - totals.length; part++) {
    if (!working.jobParts.has(jobPartKey(job.jobId, part)))
      missing.push({ field: 'parts', reason: `part ${part} is missing` });
  }
  return [...totals, ...missing];
}

/** The limit over all items of a step. Beyond it, a refusal has only its first detail. */
const maxStepDetails = 1000;

/**
 * Decides each item with the issue rule and stores the job's progress. A step does nothing unless it is the next step
 * of a running job and its worker holds the lease, so repeated attempts by any server process each item exactly once.
 * While the campaign is paused, no item is processed: the worker keeps the job and tries again.
 */
export const runJobStep: Rule<RunJobStep, CommandResults['run_job_step']> = {
  needs: ({ jobId, commands }) => [{ jobId }, ...commands.flatMap(needsOfItem)],
  decide(working, command, now) {
    const job = working.jobs.get(command.jobId);
    if (job === undefined || !isNext(job, command, now)) return done({ hasRun: false, issued: 0, refused: {} });
    if (isPaused(working, job, now)) {
      job.perSecond = null;
      job.attempts = 1;
      changeJob(working, job);
      return done({ hasRun: true, issued: 0, refused: {} });
    }
    const processed = processedCount(job);
    const budget = { left: maxStepDetails };
    const refused: Record<string, number> = {};
    const refusals: StoredRefusal[] = [];
    for (const [i, item] of command.commands.entries()) {
      const outcome = decideItem(working, item, now);
      if (outcome.ok) continue;
      const { error, details } = withinBudget(outcome, budget);
      refused[error] = (refused[error] ?? 0) + 1;
      const place = [command.part, command.fromItem + i, item.playerId, item.issueId, error] as const;
      refusals.push([...place, details ?? null, item.currency, ...ownTerms(job, item)]);
    }
    const issued = command.commands.length - refusals.length;
    if (refusals.length > 0)
      working.changes.jobRefusals.add({ jobId: job.jobId, carriedOut: processed, list: refusals });
    advance(working, job, command, issued, refused, now);
    return done({ hasRun: true, issued, refused });
  },
};

/** The terms in which the item overrides its job, so that a refused item can be issued again with the same terms. */
function ownTerms({ shared }: Job, item: IssueByCampaign | IssueDirect): [] | [Cents | null, number | null] {
  if (shared === null || item.kind !== 'issue_direct') return [];
  const betAmount = item.betAmount === shared.betAmount ? null : item.betAmount;
  const quantity = item.terms.quantity === shared.terms.quantity ? null : item.terms.quantity;
  return betAmount === null && quantity === null ? [] : [betAmount, quantity];
}

const isNext = (job: Job, { from, holder }: RunJobStep, now: Instant): boolean =>
  jobStatus(job, now) === 'running' && job.leaseHolder === holder && processedCount(job) === from;

function isPaused(working: WorkingSet, { campaignId }: Job, now: Instant): boolean {
  const entry = campaignId === null ? undefined : working.campaigns.get(campaignId);
  return entry !== undefined && campaignStatus(entry.campaign, entry.state, now) === 'paused';
}

function advance(
  working: WorkingSet,
  job: Job,
  { part, fromItem, commands, isLastOfPart, partBytes, perSecond }: RunJobStep,
  issued: number,
  refused: Record<string, number>,
  now: Instant,
): void {
  job.issued += issued;
  const counts: Record<string, number> = { ...job.refused };
  for (const [error, count] of Object.entries(refused)) counts[error] = (counts[error] ?? 0) + count;
  job.refused = counts;
  job.nextItem = isLastOfPart ? 0 : fromItem + commands.length;
  job.perSecond = perSecond;
  // Progress resets the count; this worker's attempt remains.
  job.attempts = 1;
  if (isLastOfPart) {
    working.changes.removedJobParts.add({ jobId: job.jobId, part });
    // A server of an earlier version may have added the part without counting it.
    job.bytes = Math.max(0, job.bytes - partBytes);
  }
  changeJob(working, job);
  if (processedCount(job) < job.items) return;
  job.finishedAt = now;
  job.leaseHolder = null;
  emitJobEvent(working, 'job.finished', job);
}

const needsOfItem = (item: IssueByCampaign | IssueDirect): Needs | Needs[] =>
  item.kind === 'issue_direct' ? issueDirect.needs(item) : issueByCampaign.needs(item);

const decideItem = (working: WorkingSet, item: IssueByCampaign | IssueDirect, now: Instant): Outcome<object> =>
  item.kind === 'issue_direct' ? issueDirect.decide(working, item, now) : issueByCampaign.decide(working, item, now);
