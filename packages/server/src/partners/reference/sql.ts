import assert from 'node:assert/strict';
import type { Connection } from '../../engine/connection.ts';
import { ask, named } from '../../engine/statement.ts';

// Partners, providers, games and offers change rarely. Every server keeps them in memory and polls one version number
// that grows with each change. If it has grown, the server reads what changed.

export async function readReferenceVersion(connection: Connection): Promise<number> {
  const { rows } = await connection.query<{ version: number }>({ text: 'SELECT version FROM reference' });
  assert(rows[0], 'the table reference has its one row');
  return rows[0].version;
}

/**
 * Call this first in every transaction that changes data servers keep in memory: changes wait here. Returns the
 * version.
 */
export async function announceChange(connection: Connection): Promise<number> {
  const { rows } = await connection.query<{ version: number }>({
    text: 'UPDATE reference SET version = version + 1 RETURNING version',
  });
  assert(rows[0], 'the table reference has its one row');
  return rows[0].version;
}

/** The number of changes kept. A server that missed more loads everything. */
const maxChanges = 1000;

const insert = named('insert_reference_change', 'INSERT INTO reference_changes (version, client_id) VALUES ($1, $2)');
const removeOld = named('remove_reference_changes', 'DELETE FROM reference_changes WHERE version <= $1::bigint - $2');

/**
 * Records what a version changed: one partner or, with null, the catalogue. For versions without it servers load all.
 */
export async function recordChange(connection: Connection, version: number, clientId: number | null): Promise<void> {
  await ask(connection, insert([version, clientId]));
  await ask(connection, removeOld([version, maxChanges]));
}

export interface ReferenceChanges {
  version: number;
  clientIds: number[];
  /** Whether providers or games changed. */
  isCatalogue: boolean;
  /** Some versions have no record, so everything must be loaded. */
  isAll: boolean;
}

interface ChangesRow {
  version: number;
  known: number;
  client_ids: number[];
  is_catalogue: boolean;
}

const selectSince = named(
  'reference_changes_since',
  `SELECT r.version, count(c.version)::int AS known, coalesce(bool_or(c.client_id IS NULL AND c.version IS NOT NULL), false) AS is_catalogue,
     coalesce(array_agg(DISTINCT c.client_id) FILTER (WHERE c.client_id IS NOT NULL), '{}') AS client_ids
   FROM reference r LEFT JOIN reference_changes c ON c.version > $1 AND c.version <= r.version GROUP BY r.version`,
  ([row]: ChangesRow[]) => row,
);

export async function readChangesSince(connection: Connection, since: number): Promise<ReferenceChanges> {
  const row = await ask(connection, selectSince([since]));
  assert(row, 'the table reference has its one row');
  const { version, known, client_ids, is_catalogue } = row;
  return { version, clientIds: client_ids, isCatalogue: is_catalogue, isAll: known !== version - since };
}

/** Blocks changes of data that servers keep in memory until the transaction ends. Servers don't reload anything. */
export async function blockReferenceChanges(connection: Connection): Promise<void> {
  await connection.query({ text: 'SELECT FROM reference FOR UPDATE' });
}
