import assert from 'node:assert/strict';
import type { Pool } from 'pg';
import { type BackgroundWork, repeat } from '../background/repeat.ts';
import { createSignal, type Signal } from '../background/signal.ts';
import { severConnections } from './connection.ts';

// Watches whether the database answers, so that requests are refused at once instead of waiting for a time-out while it
// is unavailable, and taken again as soon as it is back. One probe is under way at a time. One that has no answer for too
// long counts as unavailable, even though it may still come back; half as long later it is given up, and with it
// whatever the other connections wait for. One that cannot be written to, such as a standby, counts as unavailable as well.
//
// The time-outs are our own, not the driver's: a timer that comes late says that this process was busy, not the database,
// and then the answer may be there already, unread.

export interface DatabaseHealth extends BackgroundWork {
  isUp(): boolean;
  /** Whether it is up, each time that this changes. */
  changed: Pick<Signal<[isUp: boolean]>, 'subscribe'>;
}

export interface HealthObserver {
  /** Nothing has come from the database for so long that its connections are not worth waiting for. */
  onLost(): void;
  onFault(error: unknown): void;
}

const intervalMs = 200;
const latenessMs = 100;
const leastPatienceMs = 800;

/**
 * Begins with the first answer: to connect may take a busy machine longer than an answer may. Who lets requests wait for longer than
 * usual has so much more patience with the database too.
 */
export async function watchDatabase(
  pool: Pool,
  deadlineMs: number,
  { onLost, onFault }: HealthObserver,
): Promise<DatabaseHealth> {
  const changed = createSignal<[isUp: boolean]>();
  const patienceMs = Math.max(leastPatienceMs, 0.16 * deadlineMs);
  let isUp = await readIsWritable(pool).catch(() => false);

  const probe = async (signal: AbortSignal) => {
    const found = (answers: boolean) => {
      if (signal.aborted || answers === isUp) return;
      isUp = answers;
      changed.emit(isUp);
    };
    const cancelPatience = afterBusyTimes(patienceMs, () => found(false));
    const cancelLoss = afterBusyTimes(1.5 * patienceMs, () => {
      severConnections(pool);
      if (!signal.aborted) onLost();
    });
    const isWritable = await readIsWritable(pool).catch(() => false);
    cancelPatience();
    cancelLoss();
    found(isWritable);
  };
  const { stop } = repeat(probe, { pauseMs: intervalMs, onFault });
  return { isUp: () => isUp, changed, stop };
}

async function readIsWritable(pool: Pool): Promise<boolean> {
  const { rows } = await pool.query<{ writable: boolean }>(
    `SELECT current_setting('transaction_read_only') = 'off' AS writable`,
  );
  assert(rows[0], 'a SELECT without FROM has one row');
  return rows[0].writable;
}

/**
 * Runs the work after so long, not counting times in which this process could not have read an answer: what has come by then is
 * read first.
 */
function afterBusyTimes(ms: number, work: () => void): () => void {
  let timer: NodeJS.Timeout;
  let last: NodeJS.Immediate | undefined;
  const start = () => {
    const due = performance.now() + ms;
    timer = setTimeout(() => {
      if (performance.now() > due + latenessMs) start();
      else last = setImmediate(work);
    }, ms);
  };
  start();
  return () => {
    clearTimeout(timer);
    clearImmediate(last);
  };
}
