import type { Pool } from 'pg';
import { type BackgroundWork, pause, repeat } from '../engine/repeat.ts';
import { ask } from '../engine/statement.ts';
import { inTransaction } from '../engine/transaction.ts';
import { removeOldConfirmations } from './confirmations/sql.ts';
import { recordRefused } from './failure-count.ts';
import { longestRememberedMs } from './failures.ts';
import { removeOldInvitations } from './sql/invitations.ts';
import { removeSessionsOver, type SessionTimes } from './sql/sessions.ts';
import { removeOldFailures } from './sql/sign-in-failures.ts';

// Removes expired sessions, sign-in failures that no longer count, invitations that can't be used any more, and requests for
// confirmation after 30 days. None of them has any effect by then. Several servers may do this at the same time: the second one
// finds nothing left to remove.

export interface StaffRemovalResources {
  pool: Pool;
  isDatabaseUp(): boolean;
  onFault(error: unknown): void;
}

/** In one transaction: few enough that whoever signs in, and is recorded, too, hardly waits. */
const stepSize = 100;
const breathMs = 50;

const removeFailures = (pool: Pool): Promise<number> =>
  inTransaction(pool, async (connection) => {
    const removed = await ask(connection, removeOldFailures(longestRememberedMs, stepSize));
    await recordRefused(connection, removed);
    return removed.length;
  });

export function startStaffRemoval(
  { pool, isDatabaseUp, onFault }: StaffRemovalResources,
  { pauseMs, ...times }: SessionTimes & { pauseMs: number },
): BackgroundWork {
  const removeAll = async (signal: AbortSignal) => {
    if (!isDatabaseUp()) return;
    await ask(pool, removeSessionsOver(null, times));
    await ask(pool, removeOldInvitations());
    await ask(pool, removeOldConfirmations());
    while (!signal.aborted && isDatabaseUp()) {
      if ((await removeFailures(pool)) < stepSize) return;
      await pause(breathMs, signal);
    }
  };
  return repeat(removeAll, { pauseMs, onFault });
}
