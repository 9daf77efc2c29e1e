import { readWorldNow } from '../../engine/clock.ts';
import type { Connection } from '../../engine/connection.ts';
import { ask, named, type Statement } from '../../engine/statement.ts';
import type { WorldInstant } from '../../primitives/amounts.ts';

// Counts of recent failed sign-ins per account and address. They are in the database, so that all servers count
// together.

/** For an account, by the claimed e-mail address, or for a network address. */
export interface Failed {
  subject: string;
  failures: number;
  failed_at: WorldInstant;
  now: WorldInstant;
  /** How many attempts were refused without a check and are not recorded yet. */
  refused: number;
}

const find = named<Failed>(
  'find_sign_in_failures',
  `SELECT subject, failures, failed_at, refused, world_now() AS now FROM sign_in_failures WHERE subject = ANY ($1::text[])`,
);

/** Returns the subjects that have failures. */
export const findFailures = (subjects: readonly string[]): Statement<Failed[]> => find([subjects]);

const hold = named<Omit<Failed, 'now'>>(
  'hold_sign_in_failures',
  `INSERT INTO sign_in_failures AS f (subject, failures, failed_at)
   VALUES ($1, 0, world_now())
   ON CONFLICT (subject) DO UPDATE SET failures = f.failures
   RETURNING subject, failures, failed_at, refused`,
);

/** Locks the rows until the transaction ends. They are sorted, so that all transactions lock in the same order. */
export async function holdFailures(connection: Connection, subjects: readonly string[]): Promise<Failed[]> {
  const held: Omit<Failed, 'now'>[] = [];
  for (const subject of [...new Set(subjects)].sort()) held.push(...(await ask(connection, hold([subject]))));
  // A separate statement: on many machines, RETURNING of a distributed write must not call world_now().
  const now = await ask(connection, readWorldNow());
  return held.map((each) => ({ ...each, now }));
}

const update = named(
  'set_sign_in_failures',
  'UPDATE sign_in_failures SET failures = $2, failed_at = world_now() WHERE subject = $1',
);

export const setFailures = (subject: string, failures: number): Statement => update([subject, failures]);

const addRefused = named(
  'add_refused_sign_in',
  `INSERT INTO sign_in_failures AS f (subject, failures, failed_at, refused) VALUES ($1, 0, world_now(), 1)
   ON CONFLICT (subject) DO UPDATE SET refused = f.refused + 1`,
);

/** Counts a refusal that is no failure of the subject: it was not checked, or anyone could have caused it. */
export const countRefused = (subject: string): Statement => addRefused([subject]);

const setRecorded = named(
  'set_refused_sign_ins_recorded',
  'UPDATE sign_in_failures SET refused = 0 WHERE subject = ANY ($1::text[])',
);

/** Resets the counts after recording them. */
export const setRefusedRecorded = (subjects: readonly string[]): Statement => setRecorded([subjects]);

const clear = named('clear_sign_in_failures', 'DELETE FROM sign_in_failures WHERE subject = $1');

export const clearFailures = (subject: string): Statement => clear([subject]);

const removeOld = named<Pick<Failed, 'subject' | 'refused'>>(
  'remove_old_sign_in_failures',
  `DELETE FROM sign_in_failures WHERE subject IN (
     SELECT subject FROM sign_in_failures WHERE failed_at < world_now() - $1::bigint * interval '1 millisecond'
     LIMIT $2 FOR UPDATE SKIP LOCKED)
   RETURNING subject, refused`,
);

/** Removes at most `limit` rows, and returns them. */
export const removeOldFailures = (
  olderThanMs: number,
  limit: number,
): Statement<Pick<Failed, 'subject' | 'refused'>[]> => removeOld([olderThanMs, limit]);
