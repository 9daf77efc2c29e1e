import type { PoolClient } from 'pg';
import type { AuditEntry } from '../audit/entry.ts';
import { insertAudit, noPartner } from '../audit/sql.ts';
import type { Connection } from '../engine/connection.ts';
import { ask } from '../engine/statement.ts';
import { inOneTrip } from '../engine/transaction.ts';
import { failuresOf, isRefused, targetOf, whatBegins } from './failures.ts';
import { countRefused, type Failed, setFailures, setRefusedRecorded } from './sql/sign-in-failures.ts';

// What fails is counted and recorded, each by itself. What is refused without being checked may be any number, and nobody may fill
// the record with it: it is counted, and recorded as a number with the next attempt that is checked, or when the count is removed.

/** In the transaction of what it is about, behind all rows that it locks. */
export const record = (connection: PoolClient, entry: AuditEntry) =>
  inOneTrip(connection, insertAudit(noPartner, entry));

/** Whether there were too many failures for another attempt to be checked; it is counted then, with one of them. */
export async function refuseUnchecked(connection: Connection, failed: readonly Failed[]): Promise<boolean> {
  const refusing = failed.filter(isRefused);
  const counted = refusing.find((each) => targetOf(each).kind === 'account') ?? refusing[0];
  if (counted === undefined) return false;
  await ask(connection, countRefused(counted.subject));
  return true;
}

export async function countFailure(connection: PoolClient, failed: readonly Failed[], entry: AuditEntry) {
  const counts = failed.map((each) => ({ ...each, failures: failuresOf(each) + 1 }));
  for (const { subject, failures } of counts) await ask(connection, setFailures(subject, failures));
  await record(connection, entry);
  for (const each of counts) {
    const begins = whatBegins(each, each.failures);
    if (begins === undefined) continue;
    await record(connection, { ...entry, target: targetOf(each), before: null, after: { [begins]: true } });
  }
}

/** Of rows that are held, before the transaction ends. */
export async function recordRefused(connection: PoolClient, failed: readonly Pick<Failed, 'subject' | 'refused'>[]) {
  const unrecorded = failed.filter(({ refused }) => refused > 0);
  if (unrecorded.length === 0) return;
  // In one round trip: whoever signs in waits for the end of the record meanwhile.
  await inOneTrip(connection, [
    setRefusedRecorded(unrecorded.map(({ subject }) => subject)),
    ...unrecorded.flatMap((each) => insertAudit(noPartner, entryOfRefused(each))),
  ]);
}

function entryOfRefused(failed: Pick<Failed, 'subject' | 'refused'>): AuditEntry {
  const target = targetOf(failed);
  // They came at other times and perhaps from elsewhere than the request that has them recorded.
  const whoever = { address: target.kind === 'address' ? target.id : null, requestId: null, reason: null };
  const actor = { kind: 'unknown', email: target.kind === 'account' ? target.id : '' } as const;
  return { ...whoever, actor, action: 'SignIn', target, before: null, after: { refused: failed.refused } };
}
