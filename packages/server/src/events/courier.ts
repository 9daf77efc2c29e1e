import type { KeyObject } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import { type Event, eventBody } from '../domain/event.ts';
import type { CampaignDefinitions } from '../sql/campaign-definitions.ts';
import { findDueDeliveries } from '../sql/deliveries.ts';
import { findEvents, findEventsAfter } from '../sql/events.ts';
import { isDatabaseAway } from '../sql/faults.ts';
import {
  type DeliveryResult,
  leaseWebhook,
  type Progress,
  type Recorded,
  recordProgress,
  turnWebhookOff,
} from '../sql/webhooks.ts';
import type { Pace } from './pace.ts';
import { type Attempt, openSender, type Sender } from './post.ts';
import { openProgress, type Unrecorded } from './progress.ts';
import { delayAfter } from './schedule.ts';
import { signedHeaders } from './signing.ts';

// A courier delivers the events of one partner, as long as it holds the lease of the partner's webhook and there is
// something to do:
//
//   the feed, and what is due → queue → under way → unrecorded → written down
//
// `deliver` is its loop. Reading, attempts and recording run beside it, at most one reading and one recording at a time,
// and each wakes the loop when it ends; only these change the state, all on one thread. Between an attempt and its
// recording a crash makes the next courier attempt the event again: at least once, and never lost.

export interface CourierResources {
  pool: Pool;
  definitions: CampaignDefinitions;
  /** The partner's live keys, the newest first; undefined when it is disabled. */
  keysOf(clientId: number): KeyObject[] | undefined;
  pace: Pace;
  observer: DeliveryObserver;
}

export interface DeliveryObserver {
  attempted(result: Attempt['result']): void;
  /** For the first attempt of an event: how long after its commit. */
  firstAttempt(elapsedS: number): void;
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
  /** There are events up to this number, or deliveries that are due. */
  nudge(work: { through?: number; isDue?: boolean }): void;
  /** Takes on nothing more, and gives the lease back once what is under way has ended, or after a short while. */
  stop(): void;
  /** The lease was not this server's any more when it was looked for, at that time: the webhook was turned off, or set anew. */
  leaseIsGone(lookedAt: number): void;
  ended: Promise<void>;
}

const leaseMs = 10_000;
const renewMs = 3000;
/** What ends within this time is written down together. */
const recordMs = 50;
/** How long a courier without work keeps its lease and its connections. */
const lingerMs = 5000;
const graceMs = 2000;
const setAsidePatienceMs = 500;
const failingDays = 5;
const dayMs = 24 * 3600 * 1000;
const readSize = 256;
const dueSize = 32;
/** Attempts under way at a time: a receiver that keeps up gets more. */
const leastWindow = 16;
const mostWindow = 128;
/** After so many failures in a row a webhook is tried once a second, until it works again. */
const failuresToSlowDown = 8;
const slowMs = 1000;

interface Job {
  event: Event;
  /** Before this one. */
  attempts: number;
  /** When it was committed, on the clock of this process; for the first attempt only. */
  committedAt: number | undefined;
}

interface State {
  clientId: number;
  holder: string;
  resources: CourierResources;
  settings: CourierSettings;
  sender: Sender;
  url: string;
  unrecorded: Unrecorded;
  queue: Job[];
  underWay: Set<number>;
  /** Deliveries taken on because they were due, until that is written down; with the attempts made before. */
  takenAgain: Map<number, number>;
  readThrough: number;
  mayHaveNew: boolean;
  mayHaveDue: boolean;
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
    }
  };
  return {
    nudge({ through, isDue = false }) {
      if (state === undefined) return;
      if (through === undefined ? !isDue : through > state.readThrough) state.mayHaveNew = true;
      if (isDue) state.mayHaveDue = true;
      state.wake();
    },
    stop() {
      isStopping = true;
      if (state === undefined) return;
      state.isStopping = true;
      state.wake();
    },
    leaseIsGone(lookedAt) {
      if (state === undefined || state.leasedAt > lookedAt) return;
      state.hasLease = false;
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
    queue: [],
    underWay: new Set(),
    takenAgain: new Map(),
    readThrough: attemptedThrough,
    mayHaveNew: true,
    mayHaveDue: true,
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

/** Until there is nothing to do, or the lease is lost. */
async function deliver(state: State): Promise<void> {
  while (mayGoOn(state)) {
    if (isReadDue(state)) state.reading ??= beside(state, 'reading', read(state));
    startAttempts(state);
    if (isRecordDue(state)) state.recording ??= beside(state, 'recording', record(state, leaseMs));
    await activity(state);
  }
  if (!state.hasLease) return;
  const graceUntil = performance.now() + graceMs;
  while (state.underWay.size > 0 && performance.now() < graceUntil) await activity(state);
  await Promise.all([state.reading, state.recording]);
  if (state.hasLease) await record(state, 0);
}

function mayGoOn(state: State): boolean {
  if (state.error !== undefined) throw state.error;
  if (state.isStopping || !state.hasLease || state.resources.keysOf(state.clientId) === undefined) return false;
  const now = performance.now();
  const isIdle = state.queue.length + state.underWay.size === 0 && !state.mayHaveNew && state.unrecorded.isEmpty();
  if (!isIdle) state.busyAt = now;
  return now - state.busyAt < lingerMs;
}

/** Resolves when something has ended or come, and at the latest in time for the next thing to do. */
function activity(state: State): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, recordMs).unref();
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
    if (!isDatabaseAway(error)) state.error = error;
  } finally {
    state[what] = undefined;
    state.wake();
  }
}

const isNewWanted = ({ mayHaveNew, queue }: State) => mayHaveNew && queue.length < readSize / 4;
const isReadDue = (state: State) => isNewWanted(state) || (state.mayHaveDue && state.queue.length < readSize);

async function read(state: State): Promise<void> {
  const { clientId, queue } = state;
  const { pool, definitions } = state.resources;
  if (isNewWanted(state)) {
    state.mayHaveNew = false;
    const { events, now } = await findEventsAfter(pool, definitions, clientId, state.readThrough, readSize);
    const readAt = performance.now();
    for (const event of events) queue.push({ event, attempts: 0, committedAt: readAt - (now - event.occurredAt) });
    state.readThrough = events.at(-1)?.sequence ?? state.readThrough;
    if (events.length >= readSize) state.mayHaveNew = true;
  }
  if (!state.mayHaveDue || queue.length >= readSize) return;
  state.mayHaveDue = false;
  // Before the database is asked: what is written down while it answers may still be due in its answer.
  const known = new Set([...state.underWay, ...state.takenAgain.keys()]);
  const due = await findDueDeliveries(pool, clientId, dueSize);
  const attempts = new Map(due.map((delivery) => [delivery.sequence, delivery.attempts]));
  for (const sequence of known) attempts.delete(sequence);
  if (attempts.size === 0) return;
  for (const event of await findEvents(pool, definitions, clientId, [...attempts.keys()])) {
    const before = attempts.get(event.sequence) ?? 0;
    state.takenAgain.set(event.sequence, before);
    queue.push({ event, attempts: before, committedAt: undefined });
  }
}

function startAttempts(state: State): void {
  const isSlow = state.failuresInRow >= failuresToSlowDown;
  const window = isSlow ? 1 : state.window;
  while (state.queue.length > 0 && state.underWay.size < window) {
    if (isSlow && performance.now() < state.startedAt + slowMs) return;
    // Asked last, because it takes from what all webhooks share.
    const job = state.resources.pace.mayStart() ? state.queue.shift() : undefined;
    if (job === undefined) return;
    state.startedAt = performance.now();
    void attempt(state, job)
      .catch((error) => {
        state.error = error;
      })
      .finally(() => state.wake());
  }
}

async function attempt(state: State, job: Job): Promise<void> {
  const { sender, resources, unrecorded, underWay } = state;
  const { sequence, eventId } = job.event;
  const keys = resources.keysOf(state.clientId);
  if (keys === undefined) return;
  underWay.add(sequence);
  if (job.committedAt !== undefined) {
    unrecorded.begin(sequence);
    resources.observer.firstAttempt((performance.now() - job.committedAt) / 1000);
  }
  const body = JSON.stringify(eventBody(state.clientId, job.event));
  const result = await sender.post(state.url, signedHeaders(keys, eventId, body, Date.now()), body);
  underWay.delete(sequence);
  resources.observer.attempted(result.result);
  note(state, result);
  unrecorded.end(sequence, result.result === 'received', resultOf(state.settings, job, result));
}

function note(state: State, attempt: Attempt): void {
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

const reasonOf = (attempt: Exclude<Attempt, { result: 'received' }>): string =>
  attempt.result === 'gone' ? 'answered 410' : attempt.reason;

function resultOf({ scheduleMs }: CourierSettings, job: Job, attempt: Attempt): DeliveryResult {
  const attempts = job.attempts + 1;
  const common = { sequence: job.event.sequence, attempts };
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

async function record(state: State, newLeaseMs: number): Promise<void> {
  const { clientId, holder, resources } = state;
  const progress = state.unrecorded.collect(newLeaseMs);
  const recorded = await recordForSure(state, progress);
  state.recordedAt = performance.now();
  if (recorded === undefined) {
    state.hasLease = false;
    return;
  }
  for (const { sequence, attempts } of progress.results) {
    if (attempts > (state.takenAgain.get(sequence) ?? 0)) state.takenAgain.delete(sequence);
  }
  const reason = whyOff(state, progress, recorded);
  if (reason === undefined || !(await turnWebhookOff(resources.pool, clientId, reason, holder))) return;
  state.hasLease = false;
  resources.observer.turnedOff(clientId, reason);
}

/** While the database is away nothing is forgotten: what was received need not be sent again. */
async function recordForSure(state: State, progress: Progress): Promise<Recorded | undefined> {
  for (;;) {
    try {
      return await recordProgress(state.resources.pool, state.clientId, state.holder, progress);
    } catch (error) {
      if (!isDatabaseAway(error) || state.isStopping) {
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
