import assert from 'node:assert/strict';
import type { Connection } from '../db/connection.ts';

// Partners, providers, games and offers are few and change seldom. Every server keeps them in memory and watches one
// number that grows with each change.

export async function readReferenceVersion(connection: Connection): Promise<number> {
  const { rows } = await connection.query<{ version: number }>({ text: 'SELECT version FROM reference' });
  assert(rows[0], 'the table reference has its one row');
  return rows[0].version;
}

/** Belongs into every transaction that changes what servers keep in memory. Changes wait here for each other. */
export async function announceChange(connection: Connection): Promise<void> {
  await connection.query({ text: 'UPDATE reference SET version = version + 1' });
}

/** Until the transaction ends, nobody changes what servers keep in memory; servers need not load anything. */
export async function holdChanges(connection: Connection): Promise<void> {
  await connection.query({ text: 'SELECT FROM reference FOR UPDATE' });
}
