import assert from 'node:assert/strict';
import type { Pool } from 'pg';
import type { Event } from '../../promo/batch/event.ts';
import type { CampaignDefinitions } from '../../promo/campaigns/sql/definitions.ts';
import { findEvents, findEventsAfter } from '../feed/sql/events.ts';
import { type DeliveryResult, type DueDelivery, findDueDeliveries, type Progress } from './sql/courier.ts';

// What a courier has read and not begun yet, in two queues: fresh events of the feed, in their order, and deliveries that
// are due again. They take turns, so that neither waits for the whole of the other. One read runs at a time.

export interface PendingDelivery {
  event: Event;
  /** Before this one. */
  attempts: number;
  /** How often it had been sent again by hand, when it was read. */
  resent: number;
  /** When it was committed, on the clock of this process; for the first attempt only. */
  committedAt: number | undefined;
}

export interface Reading {
  /** Something of the kind may be there to read. */
  expectNew(): void;
  expectDue(): void;
  /** The number of the latest event, as a poll found it that began at that time. */
  polled(lastSequence: number, polledAt: number): 'nothing new' | 'new' | 'events are lost';
  isWanted(): boolean;
  read(underWay: ReadonlySet<number>): Promise<void>;
  /** Nothing is left, and nothing new is expected. */
  isEmpty(): boolean;
  hasNext(): boolean;
  next(): PendingDelivery | undefined;
  /** These are written down, and may be read again when they are due. */
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
  /** Deliveries read because they were due, until what became of them is written down. */
  taken: Map<number, DueDelivery>;
  readThrough: number;
  /** When the latest event was read. */
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
        // What was written down twice may be due, and read, in between: it is under way, and this is the attempt before.
        if (before?.resent === resent && attempts > before.attempts) state.taken.delete(sequence);
      }
    },
  };
}

/** A standby that has taken over may lack the last events, and give their numbers to others. */
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
  // Before the database is asked: what is written down while it answers may still be due in its answer.
  const known = [...new Set([...underWay, ...taken.keys()])];
  const found = await findDueDeliveries(pool(), clientId, known, room);
  if (found.length === 0) return;
  const deliveries = new Map(found.map((delivery) => [delivery.sequence, delivery]));
  for (const event of await findEvents(pool(), definitions, clientId, [...deliveries.keys()])) {
    const delivery = deliveries.get(event.sequence);
    assert(delivery, 'only what was asked for is found');
    taken.set(event.sequence, delivery);
    state.due.push({ event, attempts: delivery.attempts, resent: delivery.resent, committedAt: undefined });
  }
  // Those that were found and not read have just been removed, being too old, and their deliveries soon will be.
  if (found.length >= room && state.due.length > 0) state.mayHaveDue = true;
}

// What a courier has done and not yet written down. Events are taken from the feed in order and end in any order; those at
// the front that have ended count as attempted, so that one number tells how far the courier has come. An attempt that
// takes long must not hold up the rest, or a crash would repeat them all: it is set aside, written down like a failure that
// is to be tried again later than it can last, and written over when it ends.

export interface Unrecorded {
  /** The next event of the feed is attempted. */
  begin(sequence: number): void;
  /** `result` says what to write down if it needs a row of its own, as everything does but a receipt at first attempt. */
  end(sequence: number, hasReceived: boolean, result: DeliveryResult): void;
  isEmpty(): boolean;
  collect(): Progress;
}

export interface Patience {
  /** An attempt under way for longer is set aside. */
  patienceMs: number;
  /** Until it is tried again if nothing more is heard of it. */
  setAsideMs: number;
}

export function openProgress(attemptedThrough: number, { patienceMs, setAsideMs }: Patience): Unrecorded {
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

  const moveOn = () => {
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
      moveOn();
      return through === recorded && results.length === 0;
    },
    collect() {
      moveOn();
      // What failed beyond the front waits for it: an event has a row only when it counts as attempted.
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

/** One row is written once in a statement, and in the order of their numbers, as by everybody. */
const latest = (results: DeliveryResult[]): DeliveryResult[] =>
  [...new Map(results.map((result) => [result.sequence, result])).values()].sort((a, b) => a.sequence - b.sequence);
