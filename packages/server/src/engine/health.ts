import assert from 'node:assert/strict';
import type { Pool } from 'pg';
import { createSignal, type Signal } from '../primitives/signal.ts';
import { askAnew, type Connection, severConnections } from './connection.ts';
import { causeOf, isShutOut } from './faults.ts';
import { type BackgroundWork, pause, repeat } from './repeat.ts';

// Watches whether the database answers, so that requests are refused at once instead of waiting for a time-out while it
// is unavailable, and taken again as soon as it is back. One probe is under way at a time. One that has no answer for too
// long counts as unavailable, even though it may still come back; half as long later it is given up, and with it
// whatever the other connections wait for. One that cannot be written to, such as a standby, counts as unavailable as well.
//
// A connection that is open stays so when its password, its role or its database lets nobody in any more. So another is tried about once a
// minute, beside it, and where that is not let in this one is given up. That it comes to nothing for another reason is none.
//
// The time-outs are our own, not the driver's: a timer that comes late says that this process was busy, not the database,
// and then the answer may be there already, unread.

export interface DatabaseHealth extends BackgroundWork {
  isUp(): boolean;
  /** Why it is not up. */
  fault(): Error | undefined;
  /** Whether it is up, each time that this changes. */
  changed: Pick<Signal<[isUp: boolean]>, 'subscribe'>;
}

export interface HealthObserver {
  /** Nothing has come from the database for so long that its connections are not worth waiting for. */
  onLost(): void;
  /** Also where it is unavailable for another reason than before. */
  onFault(error: unknown): void;
}

const intervalMs = 200;
const latenessMs = 100;
const leastPatienceMs = 800;
/** And up to half as long in addition, so that servers which started together do not connect together. */
const renewalMs = 48_000;

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
  let fault = await faultOf(pool);
  const isUp = () => fault === undefined;

  const probe = async (signal: AbortSignal) => {
    const found = (next: Error | undefined) => {
      if (signal.aborted) return;
      const wasUp = isUp();
      fault = next;
      if (wasUp !== isUp()) changed.emit(isUp());
    };
    const cancelPatience = afterBusyTimes(patienceMs, () =>
      found(fault ?? new Error(`no answer for ${patienceMs} ms`)),
    );
    const cancelLoss = afterBusyTimes(1.5 * patienceMs, () => {
      severConnections(pool);
      if (!signal.aborted) onLost();
    });
    const next = await faultOf(pool);
    cancelPatience();
    cancelLoss();
    if (next && fault && causeOf(next).code !== causeOf(fault).code) onFault(next);
    found(next);
  };
  const renew = async (signal: AbortSignal) => {
    await pause(renewalMs * (1 + 0.5 * Math.random()), signal);
    if (signal.aborted || !isUp()) return;
    const next = await askAnew(pool, signal, faultOf).catch((error: Error) => error);
    if (!signal.aborted && next && isShutOut(next)) severConnections(pool);
  };
  const works = [repeat(probe, { pauseMs: intervalMs, onFault }), repeat(renew, { pauseMs: 0, onFault })];
  return {
    isUp,
    fault: () => fault,
    changed,
    async stop() {
      await Promise.all(works.map((work) => work.stop()));
    },
  };
}

/** Why it cannot be written to; nothing where it can. */
async function faultOf(connection: Connection): Promise<Error | undefined> {
  try {
    const { rows } = await connection.query<{ writable: boolean }>({
      text: `SELECT current_setting('transaction_read_only') = 'off' AS writable`,
    });
    assert(rows[0], 'a SELECT without FROM has one row');
    return rows[0].writable ? undefined : Object.assign(new Error('it only lets itself be read'), { code: '25006' });
  } catch (error) {
    return error as Error;
  }
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
