import assert from 'node:assert/strict';
import type { KeyObject } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import { isDatabaseUnavailable, isLostRace } from '../db/faults.ts';
import { eventBody } from '../domain/event.ts';
import type { CampaignDefinitions } from '../sql/campaign-definitions.ts';
import {
  type DeliveryResult,
  giveBackWebhook,
  leaseWebhook,
  type Progress,
  type Recorded,
  recordProgress,
  turnWebhookOff,
  type WorkFound,
} from '../sql/webhooks.ts';
import type { Pace } from './pace.ts';
import { type Attempt, openSender, type Sender } from './post.ts';
import { openProgress, type Unrecorded } from './progress.ts';
import { type Job, openReading, type Reading } from './reading.ts';
import { delayAfter } from './schedule.ts';
import { signedHeaders } from './signing.ts';

// A courier delivers the events of one partner, as long as it holds the lease of the partner's webhook and there is
// something to do:
//
//   the feed, and what is due → read → under way → unrecorded → written down
//
// `deliver` is its loop. Reading, attempts and recording run beside it, at most one reading and one recording at a time,
// and each wakes the loop when it ends; only these change the state, all on one thread. Between an attempt and its
// recording a crash makes the next courier attempt the event again: at least once, and never lost.

export interface CourierResources {
  pool: Pool;
  definitions: CampaignDefinitions;
  /** The partner's live keys, the newest first; undefined when it is disabled. */
  signingKeysOf(clientId: number): KeyObject[] | undefined;
  pace: Pace;
  observer: DeliveryObserver;
}

export interface DeliveryObserver {
  attempted(result: Ended['result']): void;
  /** For the first attempt of an event: how long after its commit. */
  firstAttempt(elapsedS: number): void;
  /** That was the last attempt of an event. */
  givenUp(): void;
  /** It has failed several times in a row, or works again after that. */
  failing(clientId: number, reason: string): void;
  worksAgain(clientId: number): void;
  turnedOff(clientId: number, reason: string): void;
  fault(error: unknown): void;
}

export interface CourierSettings {
  allowPrivate: boolean;
  timeoutMs: number;
  scheduleMs: readonly number[];
  userAgent: string;
}

export interface Courier {
  holder: string;
  /** There are new events. */
  told(): void;
  /** What a look for work found that began at that time; undefined when the lease was not this courier's any more. */
  looked(lookedAt: number, found: Pick<WorkFound, 'last_sequence' | 'has_due'> | undefined): void;
  /** Takes on nothing more, and gives the lease back once what is under way has ended, or after a short while. */
  stop(): void;
  ended: Promise<void>;
}

const leaseMs = 10_000;
const renewMs = 3000;
/** A courier that could not write for so long sends no more: another may have the lease by the time it can. */
const unrenewedMs = renewMs + 1000;
/** What ends within this time is written down together. */
const recordMs = 50;
/** How long a courier without work keeps its lease and its connections. */
const lingerMs = 5000;
const graceMs = 2000;
const setAsidePatienceMs = 500;
const failingDays = 5;
const dayMs = 24 * 3600 * 1000;
/** Attempts under way at a time: a receiver that keeps up gets more. */
const leastWindow = 16;
const mostWindow = 128;
/** After so many failures in a row a webhook is tried once a second, until it works again. */
const failuresToSlowDown = 8;
const slowMs = 1000;
/** What is older than the lease by more is sent late for other reasons than this server's. */
const replayMs = 60_000;

type Ended = Exclude<Attempt, { result: 'stopped' }>;

interface State {
  clientId: number;
  holder: string;
  resources: CourierResources;
  settings: CourierSettings;
  sender: Sender;
  url: string;
  unrecorded: Unrecorded;
  jobs: Reading;
  underWay: Set<number>;
  isGone: boolean;
  failuresInRow: number;
  window: number;
  startedAt: number;
  recordedAt: number;
  busyAt: number;
  isStopping: boolean;
  leasedAt: number;
  hasLease: boolean;
  reading: Promise<void> | undefined;
  recording: Promise<void> | undefined;
  error: unknown;
  wake(): void;
}

export function startCourier(
  clientId: number,
  holder: string,
  resources: CourierResources,
  settings: CourierSettings,
): Courier {
  let state: State | undefined;
  let isStopping = false;
  const run = async () => {
    const leased = await leaseWebhook(resources.pool, clientId, holder, leaseMs);
    if (leased === undefined) return;
    state = newState(clientId, holder, resources, settings, leased.url, leased.attempted_through);
    state.isStopping = isStopping;
    try {
      await deliver(state);
    } finally {
      await state.sender.close();
      await giveBackWebhook(resources.pool, clientId, holder).catch(resources.observer.fault);
    }
  };
  return {
    holder,
    told() {
      state?.jobs.expectNew();
      state?.wake();
    },
    looked(lookedAt, found) {
      if (state !== undefined && state.leasedAt <= lookedAt) look(state, lookedAt, found);
    },
    stop() {
      isStopping = true;
      if (state === undefined) return;
      state.isStopping = true;
      state.wake();
    },
    ended: run().catch(async (error) => {
      resources.observer.fault(error);
      // The next courier would most likely meet the same, so not at once.
      await delay(slowMs, undefined, { ref: false });
    }),
  };
}

function newState(
  clientId: number,
  holder: string,
  resources: CourierResources,
  settings: CourierSettings,
  url: string,
  attemptedThrough: number,
): State {
  const { allowPrivate, timeoutMs, userAgent } = settings;
  const patience = { patienceMs: setAsidePatienceMs, setAsideMs: timeoutMs + leaseMs };
  const now = performance.now();
  return {
    clientId,
    holder,
    resources,
    settings,
    sender: openSender({ allowPrivate, timeoutMs, userAgent, connections: mostWindow }),
    url,
    unrecorded: openProgress(attemptedThrough, patience),
    jobs: openReading(resources, clientId, attemptedThrough),
    underWay: new Set(),
    isGone: false,
    failuresInRow: 0,
    window: leastWindow,
    startedAt: 0,
    recordedAt: now,
    busyAt: now,
    isStopping: false,
    leasedAt: now,
    hasLease: true,
    reading: undefined,
    recording: undefined,
    error: undefined,
    wake() {},
  };
}

function look(state: State, lookedAt: number, found: Parameters<Courier['looked']>[1]): void {
  const seen = found === undefined ? 'lease is lost' : state.jobs.looked(found.last_sequence, lookedAt);
  if (seen === 'lease is lost' || seen === 'events are lost') state.hasLease = false;
  if (found?.has_due) state.jobs.expectDue();
  if (found?.has_due || seen !== 'nothing new') state.wake();
}

/** Until there is nothing to do, or the lease is lost. */
async function deliver(state: State): Promise<void> {
  while (mayGoOn(state)) {
    if (state.jobs.isWanted()) state.reading ??= beside(state, 'reading', state.jobs.read(state.underWay));
    startAttempts(state);
    if (isRecordDue(state)) state.recording ??= beside(state, 'recording', record(state));
    await activity(state);
  }
  const graceUntil = performance.now() + graceMs;
  while (state.hasLease && state.underWay.size > 0 && performance.now() < graceUntil) await activity(state);
  await Promise.all([state.reading, state.recording]);
  if (state.hasLease && !state.unrecorded.isEmpty()) await record(state);
  if (state.error !== undefined) throw state.error;
}

function mayGoOn(state: State): boolean {
  if (state.isStopping || !state.hasLease || state.resources.signingKeysOf(state.clientId) === undefined) return false;
  const now = performance.now();
  if (!isIdle(state)) state.busyAt = now;
  return now - state.busyAt < lingerMs;
}

const isIdle = ({ jobs, underWay, unrecorded }: State) => underWay.size === 0 && jobs.isEmpty() && unrecorded.isEmpty();

/** Resolves when something has ended or come, and at the latest in time for the next thing to do. */
function activity(state: State): Promise<void> {
  const idleUntil = Math.min(state.recordedAt + renewMs, state.busyAt + lingerMs);
  const restMs = isIdle(state) ? Math.max(idleUntil - performance.now(), recordMs) : recordMs;
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, restMs).unref();
    state.wake = () => {
      state.wake = () => {};
      clearTimeout(timer);
      // After the present turn of the event loop, so that everything it brings is seen together.
      setImmediate(resolve);
    };
  });
}

async function beside(state: State, what: 'reading' | 'recording', work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!isDatabaseUnavailable(error)) fail(state, error);
  } finally {
    state[what] = undefined;
    state.wake();
  }
}

/** Nothing more may be written: it could count as attempted what was not. */
function fail(state: State, error: unknown): void {
  state.error ??= error;
  state.hasLease = false;
}

function startAttempts(state: State): void {
  const { underWay, resources } = state;
  const now = performance.now();
  if (state.isGone || now - state.recordedAt > unrenewedMs) return;
  const isSlow = state.failuresInRow >= failuresToSlowDown;
  if (isSlow && now < state.startedAt + slowMs) return;
  const window = isSlow ? 1 : state.window;
  while (underWay.size < window && state.jobs.hasNext()) {
    // Asked last, because it takes from what all webhooks share. One attempt at a time every webhook may always have.
    if (!resources.pace.mayStart() && underWay.size > 0) return;
    const job = state.jobs.next();
    assert(job);
    state.startedAt = now;
    void attempt(state, job)
      .catch((error) => fail(state, error))
      .finally(() => state.wake());
  }
}

async function attempt(state: State, job: Job): Promise<void> {
  const { sender, resources, unrecorded, underWay } = state;
  const { sequence, eventId } = job.event;
  const keys = resources.signingKeysOf(state.clientId);
  assert(keys, 'without keys a courier does not go on');
  underWay.add(sequence);
  if (job.committedAt !== undefined) {
    unrecorded.begin(sequence);
    const elapsedMs = performance.now() - job.committedAt;
    if (job.committedAt > state.leasedAt - replayMs) resources.observer.firstAttempt(elapsedMs / 1000);
  }
  const body = JSON.stringify(eventBody(state.clientId, job.event));
  const ended = await sender.post(state.url, signedHeaders(keys, eventId, body, Date.now()), body);
  underWay.delete(sequence);
  if (ended.result === 'stopped') return;
  note(state, ended);
  const result = resultOf(state.settings, job, ended);
  unrecorded.end(sequence, ended.result === 'received', result);
  resources.observer.attempted(ended.result);
  if (result.state === 'failed') resources.observer.givenUp();
}

function note(state: State, attempt: Ended): void {
  const { clientId, resources } = state;
  if (attempt.result === 'received') {
    if (state.failuresInRow >= failuresToSlowDown) resources.observer.worksAgain(clientId);
    state.failuresInRow = 0;
    state.window = Math.min(mostWindow, state.window + 1);
  } else {
    state.failuresInRow += 1;
    state.window = Math.max(leastWindow, Math.floor(state.window / 2));
    if (state.failuresInRow === failuresToSlowDown) resources.observer.failing(clientId, reasonOf(attempt));
    if (attempt.result === 'gone') state.isGone = true;
  }
}

const reasonOf = (attempt: Exclude<Ended, { result: 'received' }>): string =>
  attempt.result === 'gone' ? 'answered 410' : attempt.reason;

function resultOf({ scheduleMs }: CourierSettings, job: Job, attempt: Ended): DeliveryResult {
  const attempts = job.attempts + 1;
  const common = { sequence: job.event.sequence, attempts, resent: job.resent };
  if (attempt.result === 'received') {
    return { ...common, state: 'received', delayMs: 0, outcome: `answered ${attempt.status}` };
  }
  const retryAfterMs = attempt.result === 'failed' ? (attempt.retryAfterMs ?? 0) : 0;
  const delayMs = delayAfter(scheduleMs, attempts, retryAfterMs, Math.random());
  const outcome = reasonOf(attempt);
  return delayMs === undefined
    ? { ...common, state: 'failed', delayMs: 0, outcome }
    : { ...common, state: 'waiting', delayMs, outcome };
}

function isRecordDue({ recordedAt, unrecorded }: State): boolean {
  const elapsedMs = performance.now() - recordedAt;
  return elapsedMs >= renewMs || (elapsedMs >= recordMs && !unrecorded.isEmpty());
}

async function record(state: State): Promise<void> {
  const { clientId, holder, resources } = state;
  const progress = state.unrecorded.collect();
  const recorded = await recordForSure(state, progress);
  if (recorded === undefined) {
    state.hasLease = false;
    return;
  }
  state.recordedAt = performance.now();
  state.jobs.recorded(progress.results);
  const reason = whyOff(state, progress, recorded);
  if (reason === undefined || !(await turnWebhookOff(resources.pool, clientId, reason, holder))) return;
  state.hasLease = false;
  resources.observer.turnedOff(clientId, reason);
}

/** While the database is away nothing is forgotten: what was received need not be sent again. */
async function recordForSure(state: State, progress: Progress): Promise<Recorded | undefined> {
  for (;;) {
    try {
      return await recordProgress(state.resources.pool, state.clientId, state.holder, progress, leaseMs);
    } catch (error) {
      const mayTryAgain = isLostRace(error) || (isDatabaseUnavailable(error) && !state.isStopping);
      if (!mayTryAgain || !state.hasLease) {
        // Nothing more may be written: it would count as attempted what stood here, and the failures among it be lost.
        state.hasLease = false;
        throw error;
      }
      await delay(200, undefined, { ref: false });
    }
  }
}

function whyOff(state: State, { hasFailed, hasReceived }: Progress, { failing_since, now }: Recorded) {
  if (state.isGone) return 'it answered 410';
  const isFailing = hasFailed && !hasReceived && failing_since !== null;
  return isFailing && now - failing_since >= failingDays * dayMs ? `it has failed for ${failingDays} days` : undefined;
}
