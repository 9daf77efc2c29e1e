import { FreebetsError, type Sent } from '@freebets/client';
import type { JobBody, RequestOf } from '@freebets/contract';
import type { Config } from '../ops/config.ts';
import { parseInstant } from '../primitives/amounts.ts';
import { Failure } from '../primitives/failure.ts';
import { type Arguments, command, type Terminal } from './command.ts';
import { type DryRunResult, dryRun, dryRunSummary, hasOtherList, isNamedByList } from './job-dry-run.ts';
import { formatOf, type ListFormat, type ListOptions } from './job-list.ts';
import { type CheckedList, checkedItems, checkList } from './job-list-check.ts';
import {
  formatCount,
  jobSummary,
  type Progress,
  type Reporter,
  refusedCount,
  reporterFor,
  requireSeparateFile,
  writeRefusals,
} from './job-progress.ts';
import { type JobOptions, requestOf } from './job-request.ts';
import { asPartner, type CallOptions, type PartnerCalls } from './server-calls.ts';

// Issues free bets to the players of a list. Reads the list twice: first to check every line, then to send it if all
// lines are valid. After an interruption, the same command resumes.

interface IssueOptions extends CallOptions, JobOptions {
  file: string;
  format?: ListFormat;
  ignoreColumns?: boolean;
  dryRun?: boolean;
  wait?: boolean;
  refusals?: string;
}

type Given = Arguments<[], IssueOptions>;
type JobRequest = RequestOf<'JobCreate'>;

interface Issuing {
  options: IssueOptions;
  list: ListOptions;
  calls: PartnerCalls;
  request: JobRequest;
  checked: CheckedList;
  report: Reporter;
  stopped: AbortSignal;
}

type Result = { stage: string; job: JobBody; refusals_file?: string } | DryRunResult;

/** The exit code when items were refused: a retry would not issue them either. */
const someRefused = 3;

export const issue = command({
  run: issueList,
  show: (result: Result) => {
    if (result.stage === 'dry_run') return dryRunSummary(result as DryRunResult).join('\n');
    const { job, refusals_file: file } = result as Exclude<Result, DryRunResult>;
    return [jobSummary(job), ...(file === undefined ? [] : [`Refused items are in ${file}.`])].join('\n');
  },
  exitCode: (result: Result) => {
    if ('job' in result) return result.job.status === 'finished' && refusedCount(result.job) > 0 ? someRefused : 0;
    return result.refused.length > 0 ? someRefused : 0;
  },
});

async function issueList(config: Config, { options }: Given, terminal: Terminal): Promise<Result> {
  const list: ListOptions = {
    path: options.file,
    format: formatOf(options.file, options.format),
    currency: options.currency,
    ignoresColumns: options.ignoreColumns === true,
    isDirect: options.campaign === undefined,
  };
  if (options.refusals !== undefined) await requireSeparateFile(options.refusals, options.file);
  const stopped = terminal.stopSignal();
  const report = reporterFor(terminal, options.json === true);
  try {
    return await asPartner(config, options, stopped, async (calls) => {
      requestOf(calls.clientId, options);
      const { isOver, isPaused, end } = await readSource(calls, options);
      if (!isOver) requireTimeLeft(options, end);
      const checked = await checkList(list, stopped);
      const request = requestOf(calls.clientId, options, checked.sha256);
      if (isOver) await requireStarted(calls, request, options.campaign);
      reportChecked(report, options.file, checked);
      const issuing = { options, list, calls, request, checked, report, stopped };
      if (options.dryRun) return await dryRun(issuing);
      if (isPaused) report.print('paused', { campaign_id: options.campaign }, pausedSentence(options.campaign));
      return await sendAndFollow(issuing);
    });
  } finally {
    report.end();
  }
}

/** Calls the server before reading a long list, so that an unreachable server is reported early. */
async function readSource({ interactive, clientId }: PartnerCalls, { campaign: campaignId, validUntil }: JobOptions) {
  if (campaignId === undefined) {
    await interactive.jobs.list({ limit: 1 });
    return { isOver: false, isPaused: false, end: validUntil };
  }
  const { status, valid_until } = await interactive.campaigns
    .get({ campaign_id: campaignId })
    .catch((error: FreebetsError) => {
      throw error.name === 'campaign_not_found'
        ? new Failure(`Partner ${clientId} has no campaign ${campaignId}.`)
        : error;
    });
  return { isOver: status === 'stopped' || status === 'ended', isPaused: status === 'paused', end: valid_until };
}

const pausedSentence = (campaignId: string | undefined): string =>
  `Campaign ${campaignId} is paused: the remaining items wait until it resumes.`;

/** A dry run decides by the current time, so it would not catch this. */
function requireTimeLeft({ startAt, campaign }: JobOptions, end: string | undefined): void {
  if (startAt === undefined || end === undefined || parseInstant(startAt) < parseInstant(end)) return;
  const name = campaign === undefined ? '--valid-until' : 'the end of the campaign';
  throw new Failure(`--start-at must be before ${name}, ${end}: otherwise nothing can be issued.`);
}

/** An ended campaign issues nothing more, but the command can still show a job that was started before. */
async function requireStarted(
  { interactive }: PartnerCalls,
  request: JobRequest,
  campaignId: string | undefined,
): Promise<void> {
  const status = await interactive.jobs.get({ job_id: request.job_id }).then(
    (job) => job.status,
    (error: FreebetsError) => {
      if (error.name === 'job_not_found') return 'open';
      throw error;
    },
  );
  if (status === 'open') throw new Failure(`Campaign ${campaignId} has ended: it can't issue free bets.`);
}

function reportChecked(report: Reporter, file: string, { items, parts, sha256 }: CheckedList): void {
  const players = `${formatCount(items)} ${items === 1 ? 'player' : 'players'}`;
  const size = `${players}, ${parts === 1 ? 'one part' : `${formatCount(parts)} parts`}`;
  report.print('checked', { items, parts, sha256 }, `${file}: all lines are valid (${size}).`);
}

async function sendAndFollow(issuing: Issuing): Promise<Result> {
  const { options, calls, request, report, checked, stopped } = issuing;
  const job = await send(issuing);
  report.end();
  if (job.status !== 'stopped' && job.items !== checked.items) throw listMismatch(request.job_id);
  const isFollowed = options.wait === true || options.refusals !== undefined;
  const latest = isFollowed ? await follow(issuing, job) : job;
  report.end();
  const { refusals: path } = options;
  if (path !== undefined) {
    const refusals = calls.persistent.jobs.refusals({ job_id: request.job_id });
    await writeRefusals(path, refusals, stopped, checked.lineOf).catch((error) => {
      throw stopped.aborted ? new Failure(`Stopped before ${path} was written. ${jobSummary(latest)}`) : error;
    });
  }
  if (latest.status === 'stopped' || latest.status === 'failed') throw new Failure(jobSummary(latest));
  return { stage: latest.status, job: latest, ...(path !== undefined && { refusals_file: path }) };
}

const listMismatch = (jobId: string): Failure =>
  new Failure(`Job ${jobId} exists with another list: use another --job-id.`);

async function reportExisting(issuing: Issuing, job: JobBody): Promise<void> {
  const { options, report } = issuing;
  const { job_id, status } = job;
  if (status !== 'stopped' && (await hasOtherList(issuing, job))) throw listMismatch(job_id);
  const found = isNamedByList(options)
    ? `This list was sent before, as job ${job_id}. To issue it again`
    : `Job ${job_id} was started before with the same number of players, so nothing was sent. To issue this list again`;
  report.print('found', { job }, `${found}, use another --job-id.`);
}

async function send(issuing: Issuing): Promise<JobBody> {
  const { list, calls, request, checked, report, stopped } = issuing;
  const { job_id } = request;
  const begunAt = performance.now();
  let sent = 0;
  let job: JobBody;
  try {
    const onSent = ({ items: done }: Sent) => {
      if (sent === 0) report.print('created', { job_id }, `Sending the list as job ${job_id}.`);
      sent = done;
      const perSecond = Math.round(done / ((performance.now() - begunAt) / 1000));
      report.progress('sending', 'Sent', { done, total: checked.items, perSecond });
    };
    job = await calls.persistent.jobs.run(checkedItems(list, checked), request, { onSent }).catch((error) => {
      // The job was stopped or failed: print what it has issued so far.
      if (error.name === 'job_started' || error.name === 'job_failed') return calls.persistent.jobs.get({ job_id });
      throw error;
    });
  } catch (error) {
    report.end();
    if (stopped.aborted) throw interrupted(job_id, sent, checked.items);
    if (!(error instanceof FreebetsError)) throw error;
    // Only the start was left. The error of the last attempt says nothing about the attempts before it.
    if (error.mayHaveHappened && sent === checked.items)
      report.print('broken_off', { job_id }, `Interrupted. ${mayBeStarted(job_id)} ${resumeHint}`);
    else if (error.isRetryable && sent > 0) report.print('broken_off', { job_id }, `Interrupted. ${resumeHint}`);
    throw error.name === 'id_reused' ? jobMismatch(job_id) : error;
  }
  if (sent === 0) {
    await reportExisting(issuing, job).catch((error) => {
      throw stopped.aborted ? new Failure(`Stopped. ${jobSummary(job)}`) : error;
    });
  }
  return job;
}

const resumeHint = 'To continue, run the same command again.';
const showHint = (jobId: string): string => `check it with "freebets job show ${jobId}".`;
const mayBeStarted = (jobId: string, when = ''): string => `The job may have been started${when}: ${showHint(jobId)}`;

/**
 * Nothing sent: an earlier run may have started the job. Partly sent: another process that sends the same list may
 * start it. All sent: the start request may have reached the server.
 */
function interrupted(jobId: string, sent: number, items: number): Failure {
  if (sent > 0 && sent < items) {
    return new Failure(
      `Stopped before the whole list was sent. Nothing is issued, unless another process has started the job: ${showHint(jobId)} ${resumeHint}`,
    );
  }
  return new Failure(`Stopped. ${mayBeStarted(jobId, sent === 0 ? ' before' : '')} ${resumeHint}`);
}

const jobMismatch = (jobId: string): Failure =>
  new Failure(`Job ${jobId} exists with another list, name or start time: use the original ones, or another --job-id.`);

async function follow({ calls, report, stopped }: Issuing, { job_id }: JobBody): Promise<JobBody> {
  let isAnnounced = false;
  const onProgress = (job: JobBody) => {
    if (job.status === 'scheduled' && !isAnnounced) {
      report.print('scheduled', { job }, `The job begins at ${job.start_at}.`);
      isAnnounced = true;
    }
    if (job.status === 'running' || job.status === 'finished') report.progress('running', 'Done', progressOf(job));
  };
  try {
    return await calls.persistent.jobs.wait({ job_id }, { onProgress, signal: stopped });
  } catch (error) {
    report.end();
    if (!stopped.aborted) throw error;
    throw new Failure(
      `The job continues on the server: check it with "freebets job show ${job_id}", or end it with "freebets job stop ${job_id}".`,
    );
  }
}

const progressOf = (job: JobBody): Progress => ({
  done: job.items - job.remaining,
  total: job.items,
  refused: refusedCount(job),
  perSecond: job.per_second,
});
