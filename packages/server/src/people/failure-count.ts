import type { PoolClient } from 'pg';
import type { AuditEntry } from '../audit/entry.ts';
import { insertAudit, noPartner } from '../audit/sql.ts';
import type { Connection } from '../engine/connection.ts';
import { ask } from '../engine/statement.ts';
import { inOneTrip } from '../engine/transaction.ts';
import { failuresOf, isRefused, newRestriction, targetOf } from './failures.ts';
import { countRefused, type Failed, setFailures, setRefusedRecorded } from './sql/sign-in-failures.ts';

// Each failed attempt is counted and recorded. Attempts that are refused without a check are only counted, so that a
// flood of them can't fill the audit log. The count is recorded with the next attempt that is checked, or when the row
// is removed.

/** Adds an audit record to the transaction, after all rows are locked. */
export const record = (connection: PoolClient, entry: AuditEntry) =>
  inOneTrip(connection, insertAudit(noPartner, entry));

/** Whether earlier failures refuse another attempt without a check. If so, counts it for one of the subjects. */
export async function refuseIfBlocked(connection: Connection, failed: readonly Failed[]): Promise<boolean> {
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
    const begins = newRestriction(each, each.failures);
    if (begins === undefined) continue;
    await record(connection, { ...entry, target: targetOf(each), before: null, after: { [begins]: true } });
  }
}

/** Records the counts of refused attempts. The caller has locked the rows. */
export async function recordRefused(connection: PoolClient, failed: readonly Pick<Failed, 'subject' | 'refused'>[]) {
  const unrecorded = failed.filter(({ refused }) => refused > 0);
  if (unrecorded.length === 0) return;
  // One round trip, because other sign-ins wait for the end of the audit chain meanwhile.
  await inOneTrip(connection, [
    setRefusedRecorded(unrecorded.map(({ subject }) => subject)),
    ...unrecorded.flatMap((each) => insertAudit(noPartner, entryOfRefused(each))),
  ]);
}

function entryOfRefused(failed: Pick<Failed, 'subject' | 'refused'>): AuditEntry {
  const target = targetOf(failed);
  // The refused attempts were other requests, perhaps from other addresses.
  const origin = { address: target.kind === 'address' ? target.id : null, requestId: null, reason: null };
  const actor = { kind: 'unknown', email: target.kind === 'account' ? target.id : '' } as const;
  return { ...origin, actor, action: 'SignIn', target, before: null, after: { refused: failed.refused } };
}
