import { FreebetsError, jobRunnerOf, type Sent } from '@freebets/client';
import type { JobBody, JobItem, JobRefusal, RequestOf } from '@freebets/contract';
import { CallError, type CallName, type CallRequest, call, isTransient } from '../../api/call.ts';
import { cut } from '../../ui/words.ts';

// Uploads a list with the client's job runner, like partners do: in parts, some in parallel, continuing interrupted
// uploads.

const attempts = 5;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** A full part leaves little room in the request body, so its reason is cut. */
const reasonOfPart = 200;

/** Retries after connection errors, because every call is idempotent. */
async function callWithRetry<N extends CallName>(name: N, body: CallRequest<N>, signal: AbortSignal) {
  for (let attempt = 1; ; attempt++) {
    signal.throwIfAborted();
    try {
      return await call(name, body, signal);
    } catch (error) {
      if (!isTransient(error) || attempt === attempts) throw error;
    }
    await pause(250 * 2 ** attempt);
  }
}

export interface Sending {
  job: RequestOf<'JobCreate'>;
  items: JobItem[];
  reason: string;
  signal: AbortSignal;
  onSent(sent: Sent): void;
}

/** The list of the latest upload that is not confirmed to be complete. */
let unconfirmed: { jobId: string; items: JobItem[] } | undefined;

const isUnconfirmed = (jobId: string, items: JobItem[]): boolean =>
  unconfirmed?.jobId === jobId &&
  unconfirmed.items.length === items.length &&
  unconfirmed.items.every((item, i) => JSON.stringify(item) === JSON.stringify(items[i]));

/**
 * The service does not keep the items of a started job, so another list under its ID would look as if it had been sent.
 */
const startedBefore = (): CallError =>
  new CallError(409, {
    error: 'job_started',
    message:
      'This bulk award has already started, possibly with other players. Nothing was uploaded now. To issue this list too, create a new bulk award.',
  });

export async function sendList({ job, items, reason, signal, onSent }: Sending): Promise<JobBody> {
  let isSent = false;
  const onPart = (sent: Sent) => {
    isSent = true;
    unconfirmed = { jobId: job.job_id, items };
    onSent(sent);
  };
  const started = await runList({ job, items, reason, signal, onSent: onPart });
  if (!isSent && started.status !== 'stopped' && !isUnconfirmed(job.job_id, items)) throw startedBefore();
  unconfirmed = undefined;
  return started;
}

/** The service refused because the job was started, or the client found the job stopped or failed. */
const isAlreadyStarted = (error: unknown): boolean =>
  error instanceof CallError
    ? error.error === 'job_started'
    : error instanceof FreebetsError && ['job_started', 'job_failed'].includes(error.name);

async function runList({ job, items, reason, signal, onSent }: Sending): Promise<JobBody> {
  const { client_id, ...rest } = job;
  const reasonOf = (name: string) => (name === 'JobAdd' ? cut(reason, reasonOfPart) : reason);
  const runner = jobRunnerOf((name, request) => {
    if (name === 'JobStart' && !('campaign_id' in job)) return submitStart(client_id, request as Start, reason, signal);
    const why = name === 'JobGet' ? {} : { reason: reasonOf(name) };
    return callWithRetry(name, { ...request, client_id, ...why } as never, signal);
  });
  try {
    return (await runner.run(items, rest, { onSent })) as JobBody;
  } catch (error) {
    // Someone else started or stopped it, or it failed.
    if (!isAlreadyStarted(error)) throw error;
    return callWithRetry('JobGet', { client_id, job_id: job.job_id }, signal);
  }
}

type Start = { job_id: string } & Record<string, unknown>;

/** A bulk award with its own terms is started by a draft with the job's ID, so a retry uses the same draft. */
async function submitStart(client_id: number, content: Start, reason: string, signal: AbortSignal): Promise<JobBody> {
  const draft_id = content.job_id;
  const draft = await callWithRetry('DraftSave', { client_id, draft_id, kind: 'job', content }, signal);
  if (draft.state === 'open') {
    await callWithRetry('DraftSubmit', { client_id, draft_id, revision: draft.revision, reason }, signal);
  }
  return callWithRetry('JobGet', { client_id, job_id: content.job_id }, signal);
}

export async function allRefusals(clientId: number, jobId: string): Promise<JobRefusal[]> {
  const found: JobRefusal[] = [];
  const asked = { client_id: clientId, job_id: jobId, limit: 1000 };
  let page = await call('JobRefusals', asked);
  for (;;) {
    found.push(...page.refusals);
    if (page.next_cursor === null) return found;
    page = await call('JobRefusals', { ...asked, cursor: page.next_cursor });
  }
}
