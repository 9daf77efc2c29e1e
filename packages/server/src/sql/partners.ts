import assert from 'node:assert/strict';
import type { Connection } from '../db/connection.ts';
import { ask } from '../db/statement.ts';
import type { WorldInstant } from '../domain/amounts.ts';
import { insertSandboxClock } from './clock.ts';
import { accessColumns, type CallerAccess } from './secrets.ts';

export interface Partner extends CallerAccess {
  client_id: number;
  name: string;
  disabled_at: WorldInstant | null;
  created_at: WorldInstant;
  /** Provider ids offered. */
  offers: string[];
  has_previous_secret: boolean;
  stake_returned: boolean;
  sandbox: boolean;
  webhook: 'on' | 'failing' | 'off' | null;
}

export async function listPartners(connection: Connection): Promise<Partner[]> {
  const { rows } = await connection.query<Partner>({
    text: `SELECT client_id, name, disabled_at, created_at, stake_returned, sandbox, ${accessColumns},
             previous_secret IS NOT NULL AS has_previous_secret,
             (SELECT CASE WHEN off_at IS NOT NULL THEN 'off' WHEN failing_since IS NOT NULL THEN 'failing' ELSE 'on' END
              FROM webhooks w WHERE w.client_id = p.client_id) AS webhook,
             ARRAY(SELECT o.provider_id FROM offers o WHERE o.client_id = p.client_id ORDER BY 1)::text[] AS offers
           FROM partners p ORDER BY client_id`,
  });
  return rows;
}

/** Asked of the database itself, for where a snapshot a moment old is not good enough. */
export async function partnerExists(connection: Connection, clientId: number): Promise<boolean> {
  const { rows } = await connection.query({ text: 'SELECT FROM partners WHERE client_id = $1', values: [clientId] });
  return rows.length > 0;
}

export async function nextClientId(connection: Connection): Promise<number> {
  const { rows } = await connection.query<{ id: number }>({
    text: 'SELECT coalesce(max(client_id), 0)::bigint + 1 AS id FROM partners',
  });
  const [next] = rows;
  assert(next, 'an aggregate has one row');
  return next.id;
}

export interface NewPartner {
  clientId: number;
  name: string;
  secret: Buffer;
  isSandbox: boolean;
}

/** In a transaction: a sandbox and its clock belong together. False when the id is taken. */
export async function insertPartner(connection: Connection, { clientId, name, secret, isSandbox }: NewPartner) {
  const { rowCount } = await connection.query({
    text: 'INSERT INTO partners (client_id, name, secret, sandbox) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING',
    values: [clientId, name, secret, isSandbox],
  });
  if (rowCount === 1 && isSandbox) await ask(connection, insertSandboxClock(clientId));
  return rowCount === 1;
}

export async function replaceOffers(connection: Connection, clientId: number, providerIds: string[]) {
  await connection.query({ text: 'DELETE FROM offers WHERE client_id = $1', values: [clientId] });
  await connection.query({
    text: 'INSERT INTO offers (client_id, provider_id) SELECT $1, unnest($2::text[])',
    values: [clientId, providerIds],
  });
}

export interface PartnerSettings {
  name?: string;
  stakeReturned?: boolean;
}

/** Changes what is given. False when there is no such partner. */
export async function updatePartner(connection: Connection, clientId: number, settings: PartnerSettings) {
  const { rowCount } = await connection.query({
    text: `UPDATE partners SET name = coalesce($2, name), stake_returned = coalesce($3, stake_returned)
           WHERE client_id = $1`,
    values: [clientId, settings.name, settings.stakeReturned],
  });
  return rowCount === 1;
}
