import type { Connection } from '../db/connection.ts';

// Partners, providers, games and offers are few and change seldom. Every server keeps them in memory and watches one
// number that grows with each change.

export async function readReferenceVersion(connection: Connection): Promise<number> {
  const { rows } = await connection.query<{ version: number }>({ text: 'SELECT version FROM reference' });
  return rows[0]?.version ?? 0;
}

/** Belongs into every transaction that changes what servers keep in memory. Changes wait here for each other. */
export async function announceChange(connection: Connection): Promise<void> {
  await connection.query({ text: 'UPDATE reference SET version = version + 1' });
}
