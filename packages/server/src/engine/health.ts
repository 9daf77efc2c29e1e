import assert from 'node:assert/strict';
import type { Pool } from 'pg';
import { createSignal, type Signal } from '../primitives/signal.ts';
import { type Connection, queryOnNewConnection, severConnections } from './connection.ts';
import { causeOf, isAccessRevoked } from './faults.ts';
import { type BackgroundWork, pause, repeat } from './repeat.ts';

// Probes the database, so that requests fail at once while it is unavailable instead of waiting for a timeout, and are
// accepted again as soon as it is back. One probe runs at a time. If a probe has no response within the patience, the
// database counts as unavailable. After half as long again, every connection is destroyed. A database that is
// read-only, such as a standby, counts as unavailable too.
//
// Open connections survive a changed password and a role or database that no longer allows logins. So about once a
// minute a second connection is opened, and if the database rejects it, the first ones are destroyed. Other failures
// are ignored.
//
// The timeouts are not the driver's: if a timer fires late, this process was busy, not the database, and the response
// may have arrived unread.

export interface DatabaseHealth extends BackgroundWork {
  isUp(): boolean;
  /** Why the database is unavailable. */
  fault(): Error | undefined;
  /** Emitted when the database becomes available or unavailable. */
  changed: Pick<Signal<[isUp: boolean]>, 'subscribe'>;
}

export interface HealthObserver {
  /** The database has not responded for so long that its connections count as lost. */
  onLost(): void;
  /** A probe failed unexpectedly, or the database is unavailable for another reason than before. */
  onFault(error: unknown): void;
}

const intervalMs = 200;
const latenessMs = 100;
const leastPatienceMs = 800;
/** With up to 50 % jitter, so that servers which started together don't connect together. */
const renewalMs = 48_000;

/**
 * Waits for the first response without the patience limit, because connecting can take longer than a response on a busy
 * host. A longer request deadline also makes the probe more patient.
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
    const cancelPatience = timeoutUnlessBusy(patienceMs, () =>
      found(fault ?? new Error(`no answer for ${patienceMs} ms`)),
    );
    const cancelLoss = timeoutUnlessBusy(1.5 * patienceMs, () => {
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
    const next = await queryOnNewConnection(pool, signal, faultOf).catch((error: Error) => error);
    if (!signal.aborted && next && isAccessRevoked(next)) severConnections(pool);
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

/** Why the database can't be written to; undefined if it can. */
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
 * Runs the work after `ms`. Starts again if this process was too busy to read a response, and reads responses that have
 * arrived before it runs the work.
 */
function timeoutUnlessBusy(ms: number, work: () => void): () => void {
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
