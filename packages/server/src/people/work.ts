import type { Pool } from 'pg';
import { inSteps, type RoundResources, startRounds } from '../background/runner.ts';
import type { BackgroundWork } from '../engine/repeat.ts';
import { ask } from '../engine/statement.ts';
import { inTransaction } from '../engine/transaction.ts';
import { removeOldConfirmations } from './confirmations/sql.ts';
import { recordRefused } from './failure-count.ts';
import { maxRememberedMs } from './failures.ts';
import { removeOldInvitations } from './sql/invitations.ts';
import { removeExpiredSessions, type SessionTimes } from './sql/sessions.ts';
import { removeOldFailures } from './sql/sign-in-failures.ts';

// Removes expired sessions, sign-in failures that no longer count, invitations that can't be used any more, and
// requests for confirmation after 30 days. None of them has any effect by then. Several servers may do this at the same
// time: the second one finds nothing left to remove.

/** Rows per transaction: few enough that sign-ins, which wait for the audit chain meanwhile, hardly notice. */
const stepSize = 100;

const removeFailures = (pool: Pool): Promise<number> =>
  inTransaction(pool, async (connection) => {
    const removed = await ask(connection, removeOldFailures(maxRememberedMs, stepSize));
    await recordRefused(connection, removed);
    return removed.length;
  });

export function startStaffRemoval(
  resources: RoundResources & { pool: Pool },
  { pauseMs, ...times }: SessionTimes & { pauseMs: number },
): BackgroundWork {
  const { pool } = resources;
  return startRounds(resources, pauseMs, async (signal) => {
    await ask(pool, removeExpiredSessions(null, times));
    await ask(pool, removeOldInvitations());
    await ask(pool, removeOldConfirmations());
    await inSteps(resources, signal, async () => (await removeFailures(pool)) === stepSize);
  });
}
