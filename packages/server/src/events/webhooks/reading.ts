import assert from 'node:assert/strict';
import type { Pool } from 'pg';
import type { Event } from '../../promo/batch/event.ts';
import type { CampaignDefinitions } from '../../promo/campaigns/sql/definitions.ts';
import { findEvents, findEventsAfter } from '../feed/sql/events.ts';
import { type DueDelivery, findDueDeliveries } from './sql/deliveries.ts';
import type { DeliveryResult } from './sql/progress.ts';

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
