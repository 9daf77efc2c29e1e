import type { Pool } from 'pg';

// The audit records of changes.

export interface RecordRow {
  client_id: number;
  sequence: number;
  actor: { kind: string; staff_id?: string };
  action: string;
  reason: string | null;
  address: string | null;
  target: { kind: string; id: string };
  // biome-ignore lint/suspicious/noExplicitAny: a record is looked into by tests.
  before: any;
  // biome-ignore lint/suspicious/noExplicitAny: a record is looked into by tests.
  after: any;
}

/** All records, oldest first. */
export async function recordsOf(sql: Pool): Promise<RecordRow[]> {
  const { rows } = await sql.query(
    'SELECT client_id, sequence::int, record FROM audit ORDER BY at, client_id, sequence',
  );
  return rows.map(({ client_id, sequence, record }) => ({ client_id, sequence, ...JSON.parse(record) }));
}

/** The records that `work` adds. */
export async function recordedBy(sql: Pool, work: () => Promise<unknown>): Promise<RecordRow[]> {
  const keyOf = ({ client_id, sequence }: RecordRow) => `${client_id} ${sequence}`;
  const before = new Set((await recordsOf(sql)).map(keyOf));
  await work();
  return (await recordsOf(sql)).filter((row) => !before.has(keyOf(row)));
}

/** Blocks new records until the returned function is called. */
export async function refuseRecords(sql: Pool): Promise<() => Promise<unknown>> {
  await sql.query('ALTER TABLE audit ADD CONSTRAINT audit_refused CHECK (false) NOT VALID');
  return () => sql.query('ALTER TABLE audit DROP CONSTRAINT audit_refused');
}
