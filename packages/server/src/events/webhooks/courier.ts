import assert from 'node:assert/strict';
import type { Pool } from 'pg';
import { type Lease, type LeaseTimes, type Run, takeLease } from '../../background/runner.ts';
import { isDatabaseUnavailable, isLostRace } from '../../engine/faults.ts';
import { pause } from '../../engine/repeat.ts';
import type { CampaignDefinitions } from '../../promo/campaigns/sql/definitions.ts';
import {
  type AttemptParts,
  type AttemptResources,
  attempt,
  maxWindow,
  openWindow,
  type Pace,
  type Sockets,
  type WebhookSockets,
} from './attempt.ts';
import type { Sender, SenderSettings } from './post.ts';
import { openReading, openUnrecorded, type Reading } from './reading.ts';
import {
  giveBackWebhook,
  type Leased,
  leaseWebhook,
  type Progress,
  type Recorded,
  recordProgress,
  turnWebhookOff,
  type WorkFound,
} from './sql/courier.ts';

// A courier delivers the events of one partner while it holds the lease of the partner's webhook and has work.
// Its modes:
//
//   STARTING     requests the lease
//   DELIVERING   reads events, attempts them, and records the results
//   FINISHING    starts nothing more; attempts in progress end and are recorded, however long the database takes
//   STOPPING     the same, but leaves results that it can't record at once to the next courier
//   LOST         writes and sends nothing more: another courier has the lease, or a fault occurred
//   ENDED        has closed its connections, and given the lease back if it still held it
//
//   STARTING ───▶ DELIVERING     the lease is granted
//   STARTING ───▶ ENDED          the lease is refused, or the request failed
//   DELIVERING ─▶ FINISHING      no work for some seconds, or the partner is disabled
//   STARTING, DELIVERING, FINISHING ─▶ STOPPING   `stop`
//   DELIVERING, FINISHING, STOPPING ─▶ LOST       a poll or write finds the lease lost, the webhook is off, or a fault
//   FINISHING, STOPPING, LOST ─▶ ENDED
//
// During delivery an event passes through these states:
//
//   in the feed, or due → read → in progress → unrecorded → recorded
//
// `deliver` is the main loop. Reading, attempts and recording run concurrently with it, at most one read and one
// recording at a time, and each notifies the loop when it ends. Only these change the state, all on one thread. After a
// crash between an attempt and its recording, the next courier attempts the event again: delivery is at least once.

type Mode = 'STARTING' | 'DELIVERING' | 'FINISHING' | 'STOPPING' | 'LOST' | 'ENDED';

const transitions: Record<Mode, readonly Mode[]> = {
  STARTING: ['DELIVERING', 'STOPPING', 'ENDED'],
  DELIVERING: ['FINISHING', 'STOPPING', 'LOST'],
  FINISHING: ['STOPPING', 'LOST', 'ENDED'],
  STOPPING: ['LOST', 'ENDED'],
  LOST: ['ENDED'],
  ENDED: [],
};

export interface CourierResources extends AttemptResources {
  /** The pool for the node that has the partner's rows now. */
  pool(): Pool;
  definitions: CampaignDefinitions;
  pace: Pick<Pace, 'mayStart'>;
  sockets: Pick<Sockets, 'join'>;
}

export interface CourierSettings extends Pick<AttemptParts, 'scheduleMs'> {
  allowPrivate: boolean;
  timeoutMs: number;
  userAgent: string;
  lease: LeaseTimes;
  /** The pause between attempts at a failing webhook. */
  slowMs: number;
}

/** The docs promise these times. */
export const courierTimes: Pick<CourierSettings, 'lease' | 'slowMs'> = {
  lease: { lastsMs: 10_000, renewMs: 3000, doubtMs: 4000 },
  slowMs: 1000,
};

export interface Courier extends Run {
  holder: string;
  /** The partner may have new events. */
  committed(): void;
  /**
   * Receives the result of a poll that began at `polledAt`. `found` is undefined if this courier no longer held the
   * lease.
   */
  polled(polledAt: number, found: Pick<WorkFound, 'last_sequence' | 'has_due'> | undefined): void;
  /** Starts no more attempts, and gives the lease back when those in progress have ended, or after a short time. */
  stop(): void;
}

/** Results within this time are recorded together. */
const recordMs = 50;
/** How long a courier without work keeps its lease and connections. */
const lingerMs = 5000;
const graceMs = 2000;
const setAsidePatienceMs = 500;
/** The next courier would probably meet the same fault, so it starts later. */
const faultPauseMs = 1000;
const failingDays = 5;
const dayMs = 24 * 3600 * 1000;
/**
 * Events that are older than the lease by more than this are not measured: their delay has other causes than this
 * server.
 */
const replayMs = 60_000;

/** What exists from the start. The rest of the state exists once the lease is granted. */
interface Life {
  mode: Mode;
  notify(): void;
}

interface State extends AttemptParts {
  life: Life;
  lease: Lease;
  resources: CourierResources;
  sockets: WebhookSockets;
  queue: Reading;
  busyAt: number;
  recordedAt: number;
  reading: Promise<void> | undefined;
  recording: Promise<void> | undefined;
  fault: unknown;
}

function moveTo(life: Life, mode: Mode): void {
  assert(transitions[life.mode].includes(mode), `a courier does not go from ${life.mode} to ${mode}`);
  life.mode = mode;
  life.notify();
}

export function startCourier(
  clientId: number,
  holder: string,
  resources: CourierResources,
  settings: CourierSettings,
): Courier {
  const { pool, observer } = resources;
  const life: Life = { mode: 'STARTING', notify() {} };
  let state: State | undefined;
  const run = async () => {
    const row = {
      take: (holder: string, lastsMs: number) => leaseWebhook(pool(), clientId, holder, lastsMs),
      giveBack: (holder: string) => giveBackWebhook(pool(), clientId, holder),
    };
    // Loaded by the first courier: the sender takes a sixth of a server's start time, and many servers have no webhook.
    const { openSender } = await import('./post.ts');
    const taken = await takeLease(row, holder, settings.lease, () => moveTo(life, 'LOST'));
    if (taken === undefined) return;
    state = openState(clientId, life, resources, settings, taken, openSender);
    if (life.mode === 'STARTING') moveTo(life, 'DELIVERING');
    try {
      await deliver(state);
    } catch (error) {
      state.lease.lose();
      throw error;
    } finally {
      await state.sender.close();
      state.sockets.leave();
      await state.lease.giveBack().catch(observer.fault);
    }
  };
  return {
    holder,
    committed() {
      state?.queue.expectNew();
      life.notify();
    },
    polled(polledAt, found) {
      if (state !== undefined && state.lease.takenAt <= polledAt) notePoll(state, polledAt, found);
    },
    stop() {
      if (transitions[life.mode].includes('STOPPING')) moveTo(life, 'STOPPING');
    },
    ended: run()
      .catch(async (error) => {
        observer.fault(error);
        await pause(faultPauseMs);
      })
      .finally(() => moveTo(life, 'ENDED')),
  };
}

function openState(
  clientId: number,
  life: Life,
  resources: CourierResources,
  settings: CourierSettings,
  { lease, terms: { url, attempted_through } }: { lease: Lease; terms: Leased },
  openSender: (settings: SenderSettings) => Sender,
): State {
  const { allowPrivate, timeoutMs, userAgent, scheduleMs } = settings;
  const sockets = resources.sockets.join();
  const patience = { patienceMs: setAsidePatienceMs, setAsideMs: timeoutMs + settings.lease.lastsMs };
  return {
    clientId,
    life,
    lease,
    resources,
    url,
    scheduleMs,
    observedSince: lease.takenAt - replayMs,
    sender: openSender({ allowPrivate, timeoutMs, userAgent, connections: maxWindow, sockets }),
    sockets,
    window: openWindow(settings.slowMs),
    unrecorded: openUnrecorded(attempted_through, patience),
    queue: openReading(resources, clientId, attempted_through),
    busyAt: lease.takenAt,
    recordedAt: lease.takenAt,
    reading: undefined,
    recording: undefined,
    fault: undefined,
  };
}

function notePoll({ queue, lease, life }: State, polledAt: number, found: Parameters<Courier['polled']>[1]): void {
  const seen = found === undefined ? 'lease is lost' : queue.polled(found.last_sequence, polledAt);
  if (seen === 'lease is lost' || seen === 'events are lost') lease.lose();
  if (found?.has_due) queue.expectDue();
  if (found?.has_due || seen !== 'nothing new') life.notify();
}

async function deliver(state: State): Promise<void> {
  while (shouldContinue(state)) {
    if (state.queue.isWanted())
      state.reading ??= runConcurrently(state, 'reading', state.queue.read(state.window.underWay));
    startAttempts(state);
    if (isRecordDue(state)) state.recording ??= runConcurrently(state, 'recording', record(state));
    await nextActivity(state);
  }
  await finish(state);
}

async function finish(state: State): Promise<void> {
  const { lease, window, unrecorded } = state;
  const graceUntil = performance.now() + graceMs;
  while (lease.isHeld() && window.underWay.size > 0 && performance.now() < graceUntil) await nextActivity(state);
  await Promise.all([state.reading, state.recording]);
  if (lease.isHeld() && !unrecorded.isEmpty()) await record(state);
  if (state.fault !== undefined) throw state.fault;
}

function shouldContinue(state: State): boolean {
  const { life, clientId, resources } = state;
  if (life.mode !== 'DELIVERING') return false;
  const now = performance.now();
  if (!isIdle(state)) state.busyAt = now;
  const isEnabled = resources.signerOf(clientId) !== undefined;
  if (isEnabled && now - state.busyAt < lingerMs) return true;
  moveTo(life, 'FINISHING');
  return false;
}

const isIdle = ({ queue, window, unrecorded }: State) =>
  window.underWay.size === 0 && queue.isEmpty() && unrecorded.isEmpty();

/** Resolves when something has ended or arrived, or when the next action is due. */
function nextActivity(state: State): Promise<void> {
  const { life, lease, busyAt } = state;
  const idleMs = Math.min(lease.renewalInMs(), busyAt + lingerMs - performance.now());
  const restMs = isIdle(state) ? Math.max(idleMs, recordMs) : recordMs;
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, restMs).unref();
    life.notify = () => {
      life.notify = () => {};
      clearTimeout(timer);
      // Waits for the current turn of the event loop, so that everything that arrives in it is handled together.
      setImmediate(resolve);
    };
  });
}

async function runConcurrently(state: State, what: 'reading' | 'recording', work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!isDatabaseUnavailable(error)) fail(state, error);
  } finally {
    state[what] = undefined;
    state.life.notify();
  }
}

/** Stops all writes: they could mark events as attempted that were not. */
function fail(state: State, error: unknown): void {
  state.fault ??= error;
  state.lease.lose();
}

function startAttempts(state: State): void {
  const { window, sender, queue, lease, life, resources } = state;
  // After so long without a write, another courier may have taken the lease.
  if (lease.isDoubtful()) return;
  while (window.hasRoom() && sender.hasRoom() && queue.hasNext()) {
    // Checked last, because it uses up an allowance that all webhooks share. Each webhook may always make one attempt
    // at a time.
    if (!resources.pace.mayStart() && window.underWay.size > 0) return;
    const pending = queue.next();
    assert(pending);
    void attempt(state, pending)
      .catch((error) => fail(state, error))
      .finally(() => life.notify());
  }
}

function isRecordDue({ lease, unrecorded, recordedAt }: State): boolean {
  return lease.renewalInMs() <= 0 || (performance.now() - recordedAt >= recordMs && unrecorded.hasReady());
}

/** While the database is unavailable, results are kept in memory, so that received events are not sent again. */
async function record(state: State): Promise<void> {
  const { clientId, life, lease } = state;
  const { pool, observer } = state.resources;
  const progress = state.unrecorded.collect();
  const recorded = await lease.renew(
    (holder, lastsMs) => recordProgress(pool(), clientId, holder, progress, lastsMs),
    (error) => isLostRace(error) || (isDatabaseUnavailable(error) && life.mode !== 'STOPPING'),
  );
  if (recorded === undefined) return;
  state.recordedAt = performance.now();
  state.queue.recorded(progress.results);
  const reason = reasonToTurnOff(state, progress, recorded);
  if (reason === undefined || !(await turnWebhookOff(pool(), clientId, reason, lease.holder))) return;
  lease.lose();
  observer.turnedOff(clientId, reason);
}

function reasonToTurnOff(
  { window }: State,
  { hasFailed, hasReceived }: Progress,
  { failing_since, world_now }: Recorded,
) {
  if (window.isGone()) return 'it answered 410';
  const isFailing = hasFailed && !hasReceived && failing_since !== null;
  return isFailing && world_now - failing_since >= failingDays * dayMs
    ? `it has failed for ${failingDays} days`
    : undefined;
}
