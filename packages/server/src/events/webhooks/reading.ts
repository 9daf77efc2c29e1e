import assert from 'node:assert/strict';
import type { Pool } from 'pg';
import type { Event } from '../../promo/batch/event.ts';
import type { CampaignDefinitions } from '../../promo/campaigns/sql/definitions.ts';
import { findEvents, findEventsAfter } from '../feed/sql/events.ts';
import { type DeliveryResult, type DueDelivery, findDueDeliveries, type Progress } from './sql/courier.ts';

// What a courier has read but not begun, in two queues: new events of the feed, in order, and deliveries that are due
// for a retry. The queues alternate, so that neither waits for all of the other. One read runs at a time.

export interface PendingDelivery {
  event: Event;
  /** The attempts before this one. */
  attempts: number;
  /** How often the event had been resent by hand when it was read. */
  resent: number;
  /** The time of the commit on this process's clock; for the first attempt only. */
  committedAt: number | undefined;
}

export interface Reading {
  /** There may be more of this kind to read. */
  expectNew(): void;
  expectDue(): void;
  /** Receives the number of the latest event, from a poll that began at `polledAt`. */
  polled(lastSequence: number, polledAt: number): 'nothing new' | 'new' | 'events are lost';
  isWanted(): boolean;
  read(underWay: ReadonlySet<number>): Promise<void>;
  /** Nothing is queued, and nothing new is expected. */
  isEmpty(): boolean;
  hasNext(): boolean;
  next(): PendingDelivery | undefined;
  /** Reports results that were recorded. Their events may be read again when due. */
  recorded(results: DeliveryResult[]): void;
}

interface Source {
  pool(): Pool;
  definitions: CampaignDefinitions;
}

interface State extends Source {
  clientId: number;
  fresh: PendingDelivery[];
  due: PendingDelivery[];
  isDueNext: boolean;
  /** Due deliveries that were read and whose results are not recorded yet. */
  taken: Map<number, DueDelivery>;
  readThrough: number;
  /** The time at which the latest event was read. */
  readAt: number;
  mayHaveNew: boolean;
  mayHaveDue: boolean;
}

const readSize = 256;
const enough = readSize / 4;

export function openReading({ pool, definitions }: Source, clientId: number, readThrough: number): Reading {
  const state: State = {
    pool,
    definitions,
    clientId,
    fresh: [],
    due: [],
    isDueNext: false,
    taken: new Map(),
    readThrough,
    readAt: Number.POSITIVE_INFINITY,
    mayHaveNew: true,
    mayHaveDue: true,
  };
  const hasNext = () => state.fresh.length + state.due.length > 0;
  const isNewWanted = () => state.mayHaveNew && state.fresh.length < enough;
  const isDueWanted = () => state.mayHaveDue && state.due.length < enough;
  return {
    expectNew() {
      state.mayHaveNew = true;
    },
    expectDue() {
      state.mayHaveDue = true;
    },
    polled: (lastSequence, polledAt) => polled(state, lastSequence, polledAt),
    isWanted: () => isNewWanted() || isDueWanted(),
    async read(underWay) {
      if (isNewWanted()) await readNew(state);
      if (isDueWanted()) await readDue(state, underWay);
    },
    isEmpty: () => !hasNext() && !state.mayHaveNew,
    hasNext,
    next: () => next(state),
    recorded(results) {
      for (const { sequence, attempts, resent } of results) {
        const before = state.taken.get(sequence);
        // An event that is recorded twice may have become due and been read in between. Then it is in progress again,
        // and this result belongs to the earlier attempt.
        if (before?.resent === resent && attempts > before.attempts) state.taken.delete(sequence);
      }
    },
  };
}

/** A standby that took over may lack the last events and give their numbers to others. */
function polled(state: State, lastSequence: number, polledAt: number): ReturnType<Reading['polled']> {
  if (lastSequence < state.readThrough && polledAt > state.readAt) return 'events are lost';
  if (lastSequence <= state.readThrough) return 'nothing new';
  state.mayHaveNew = true;
  return 'new';
}

function next(state: State): PendingDelivery | undefined {
  const { fresh, due, isDueNext } = state;
  state.isDueNext = !isDueNext;
  return isDueNext ? (due.shift() ?? fresh.shift()) : (fresh.shift() ?? due.shift());
}

async function readNew(state: State): Promise<void> {
  const { pool, definitions, clientId } = state;
  state.mayHaveNew = false;
  const { events, isCut, worldNow } = await findEventsAfter(pool(), definitions, clientId, state.readThrough, readSize);
  const last = events.at(-1);
  if (last === undefined || worldNow === undefined) return;
  const readAt = performance.now();
  for (const event of events) {
    state.fresh.push({ event, attempts: 0, resent: 0, committedAt: readAt - (worldNow - event.writtenAt) });
  }
  Object.assign(state, { readThrough: last.sequence, readAt });
  if (isCut || events.length >= readSize) state.mayHaveNew = true;
}

async function readDue(state: State, underWay: ReadonlySet<number>): Promise<void> {
  const { pool, definitions, clientId, taken } = state;
  state.mayHaveDue = false;
  const room = readSize - state.due.length;
  // Collected before the query: results that are recorded while it runs may still be due in its result.
  const known = [...new Set([...underWay, ...taken.keys()])];
  const found = await findDueDeliveries(pool(), clientId, known, room);
  if (found.length === 0) return;
  const deliveries = new Map(found.map((delivery) => [delivery.sequence, delivery]));
  for (const event of await findEvents(pool(), definitions, clientId, [...deliveries.keys()])) {
    const delivery = deliveries.get(event.sequence);
    assert(delivery, 'only requested deliveries are found');
    taken.set(event.sequence, delivery);
    state.due.push({ event, attempts: delivery.attempts, resent: delivery.resent, committedAt: undefined });
  }
  // Retention has just removed the found events that could not be read. It will remove their deliveries soon.
  if (found.length >= room && state.due.length > 0) state.mayHaveDue = true;
}

// Results that a courier has not recorded yet. Events are begun in the order of the feed and end in any order. All
// events up to the first unfinished one count as attempted, so a single number stores the courier's progress. A long
// attempt must not hold up this number, or a crash would repeat all later attempts. So a long attempt is set aside: it
// is recorded like a failure, due for a retry later than it can last, and its result overwrites that.

export interface Unrecorded {
  /** An attempt of the next event of the feed begins. */
  begin(sequence: number): void;
  /** `result` is recorded if it needs a row. Only an event received at the first attempt needs none. */
  end(sequence: number, hasReceived: boolean, result: DeliveryResult): void;
  isEmpty(): boolean;
  /** Whether `collect` would return anything to record. */
  hasReady(): boolean;
  collect(): Progress;
}

export interface SetAsideTimes {
  /** Attempts that take longer are set aside. */
  patienceMs: number;
  /** The retry time of a set-aside attempt, in case its result is never recorded. */
  setAsideMs: number;
}

export function openUnrecorded(attemptedThrough: number, { patienceMs, setAsideMs }: SetAsideTimes): Unrecorded {
  const begun: { sequence: number; at: number }[] = [];
  const ended = new Set<number>();
  let results: DeliveryResult[] = [];
  let recorded = attemptedThrough;
  let through = attemptedThrough;
  let hasReceived = false;
  let hasFailed = false;

  const setAside = (sequence: number) => {
    results.push({ sequence, state: 'waiting', attempts: 0, resent: 0, delayMs: setAsideMs, outcome: 'under way' });
  };

  const advance = () => {
    const patientUntil = performance.now() - patienceMs;
    let count = 0;
    for (const { sequence, at } of begun) {
      if (!ended.delete(sequence)) {
        if (at > patientUntil) break;
        setAside(sequence);
      }
      through = sequence;
      count += 1;
    }
    begun.splice(0, count);
  };

  return {
    begin(sequence) {
      begun.push({ sequence, at: performance.now() });
    },
    end(sequence, isReceipt, result) {
      const isFirst = sequence > through;
      if (isFirst) ended.add(sequence);
      if (!isFirst || !isReceipt) results.push(result);
      if (isReceipt) hasReceived = true;
      else hasFailed = true;
    },
    isEmpty() {
      advance();
      return through === recorded && results.length === 0;
    },
    hasReady() {
      advance();
      return through > recorded || results.some(({ sequence }) => sequence <= through);
    },
    collect() {
      advance();
      // Results past the progress number wait for it: an event may have a row only if it counts as attempted.
      const ready = results.filter(({ sequence }) => sequence <= through);
      results = results.filter(({ sequence }) => sequence > through);
      const attempted = { attemptedFrom: recorded + 1, attemptedThrough: through };
      const progress = { ...attempted, results: latest(ready), hasReceived, hasFailed };
      recorded = through;
      hasReceived = hasFailed = false;
      return progress;
    },
  };
}

/**
 * At most one write per row and statement, and in the order of sequence numbers, as all writers use, to avoid
 * deadlocks.
 */
const latest = (results: DeliveryResult[]): DeliveryResult[] =>
  [...new Map(results.map((result) => [result.sequence, result])).values()].sort((a, b) => a.sequence - b.sequence);
