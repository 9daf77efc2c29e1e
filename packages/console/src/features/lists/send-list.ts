import { FreebetsError, jobRunnerOf, type Sent } from '@freebets/client';
import type { JobBody, JobItem, JobRefusal, RequestOf } from '@freebets/contract';
import { type Asked, CallError, type CallName, call, mayPass } from '../../api/call.ts';
import { cut } from '../../ui/words.ts';

// A list is handed over by the same code that partners use: in parts, a few at a time, and again where it was broken off.

const attempts = 5;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** A part leaves little room in the body for anything else. */
const reasonOfPart = 200;

/** Every call is idempotent, so what failed by the connection is sent again. */
async function insist<N extends CallName>(name: N, body: Asked<N>, signal: AbortSignal) {
  for (let attempt = 1; ; attempt++) {
    signal.throwIfAborted();
    try {
      return await call(name, body, signal);
    } catch (error) {
      if (!mayPass(error) || attempt === attempts) throw error;
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

/** The list of which something was last sent here, and not all is known to have come. */
let underWay: { jobId: string; items: JobItem[] } | undefined;

const isUnderWay = (jobId: string, items: JobItem[]): boolean =>
  underWay?.jobId === jobId &&
  underWay.items.length === items.length &&
  underWay.items.every((item, i) => JSON.stringify(item) === JSON.stringify(items[i]));

/** The service keeps no list that is started, so another one in its place would pass for it. */
const startedBefore = (): CallError =>
  new CallError(409, {
    error: 'job_started',
    message:
      'The list is started already, perhaps with other players: nothing was sent now. To give this one too, begin a new list.',
  });

export async function sendList({ job, items, reason, signal, onSent }: Sending): Promise<JobBody> {
  let isSent = false;
  const onPart = (sent: Sent) => {
    isSent = true;
    underWay = { jobId: job.job_id, items };
    onSent(sent);
  };
  const started = await runList({ job, items, reason, signal, onSent: onPart });
  if (!isSent && started.status !== 'stopped' && !isUnderWay(job.job_id, items)) throw startedBefore();
  underWay = undefined;
  return started;
}

/** Either the service refused because the job was started, or the client found the job stopped or failed. */
const isOfStarted = (error: unknown): boolean =>
  error instanceof CallError
    ? error.error === 'job_started'
    : error instanceof FreebetsError && ['job_started', 'job_failed'].includes(error.name);

async function runList({ job, items, reason, signal, onSent }: Sending): Promise<JobBody> {
  const { client_id, ...rest } = job;
  const reasonOf = (name: string) => (name === 'JobAdd' ? cut(reason, reasonOfPart) : reason);
  const runner = jobRunnerOf((name, request) => {
    if (name === 'JobStart' && !('campaign_id' in job)) return submitStart(client_id, request as Start, reason, signal);
    const why = name === 'JobGet' ? {} : { reason: reasonOf(name) };
    return insist(name, { ...request, client_id, ...why } as never, signal);
  });
  try {
    return (await runner.run(items, rest, { onSent })) as JobBody;
  } catch (error) {
    // Someone else has started or stopped it meanwhile, or it failed.
    if (!isOfStarted(error)) throw error;
    return insist('JobGet', { client_id, job_id: job.job_id }, signal);
  }
}

type Start = { job_id: string } & Record<string, unknown>;

/** A list with terms of its own is started by a draft, which has its id: sent again, it is the same one. */
async function submitStart(client_id: number, content: Start, reason: string, signal: AbortSignal): Promise<JobBody> {
  const draft_id = content.job_id;
  const draft = await insist('DraftSave', { client_id, draft_id, kind: 'job', content }, signal);
  if (draft.state === 'open') {
    await insist('DraftSubmit', { client_id, draft_id, revision: draft.revision, reason }, signal);
  }
  return insist('JobGet', { client_id, job_id: content.job_id }, signal);
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
