import assert from 'node:assert/strict';
import { insertEventHead, insertSandboxClock } from '../../../engine/clock.ts';
import type { Connection } from '../../../engine/connection.ts';
import { ask } from '../../../engine/statement.ts';
import type { WorldInstant } from '../../../primitives/amounts.ts';
import { accessColumns, type CallerAccess, type SecretsHeld, secretsColumns } from './secrets.ts';

export interface Partner extends CallerAccess, SecretsHeld {
  client_id: number;
  name: string;
  disabled_at: WorldInstant | null;
  created_at: WorldInstant;
  /** Provider ids offered. */
  offers: string[];
  stake_returned: boolean;
  sandbox: boolean;
  webhook: 'on' | 'failing' | 'off' | null;
}

const selectPartners = `SELECT p.client_id, name, disabled_at, created_at, stake_returned, sandbox, ${accessColumns},
    ${secretsColumns},
    CASE WHEN w.off_at IS NOT NULL THEN 'off' WHEN w.failing_since IS NOT NULL THEN 'failing' WHEN w.client_id IS NOT NULL THEN 'on' END
      AS webhook,
    ARRAY(SELECT o.provider_id FROM offers o WHERE o.client_id = p.client_id ORDER BY 1)::text[] AS offers
  FROM partners p LEFT JOIN webhooks w ON w.client_id = p.client_id`;

export async function listPartners(connection: Connection): Promise<Partner[]> {
  const { rows } = await connection.query<Partner>({ text: `${selectPartners} ORDER BY p.client_id` });
  return rows;
}

export async function findPartner(connection: Connection, clientId: number): Promise<Partner | undefined> {
  const { rows } = await connection.query<Partner>({
    text: `${selectPartners} WHERE p.client_id = $1`,
    values: [clientId],
  });
  return rows[0];
}

/** The fields of a partner that the catalogue and the rules need. */
export interface PartnerTerms {
  /** Provider ids offered. */
  offers: readonly string[];
  stakeReturned: boolean;
  isSandbox: boolean;
}

interface PartnerTermsRow {
  client_id: number;
  stake_returned: boolean;
  sandbox: boolean;
  offers: string | null;
}

/** Reads these partners, or all if null. Partners with the same terms share one object. */
export async function readPartnerTerms(
  connection: Connection,
  clientIds: readonly number[] | null,
): Promise<Map<number, PartnerTerms>> {
  const { rows } = await connection.query<PartnerTermsRow>({
    text: `SELECT client_id, stake_returned, sandbox, o.offers FROM partners
           LEFT JOIN (SELECT client_id, string_agg(provider_id, ' ' ORDER BY provider_id) AS offers FROM offers
                      ${clientIds === null ? '' : 'WHERE client_id = ANY ($1)'} GROUP BY client_id) o USING (client_id)
           ${clientIds === null ? '' : 'WHERE client_id = ANY ($1)'}`,
    values: clientIds === null ? [] : [clientIds],
  });
  const shared = new Map<string, PartnerTerms>();
  return new Map(
    rows.map(({ client_id, stake_returned: stakeReturned, sandbox: isSandbox, offers }) => {
      const key = `${stakeReturned} ${isSandbox} ${offers}`;
      const terms = shared.get(key) ?? { offers: offers?.split(' ') ?? [], stakeReturned, isSandbox };
      shared.set(key, terms);
      return [client_id, terms];
    }),
  );
}

export interface PartnerQuery {
  /** Part of the name, case-insensitive, or a prefix of the id; null for all. */
  search: string | null;
  /** Only these; null for all. */
  within: readonly number[] | null;
  /** The page starts after this id; 0 for the first page. */
  after: number;
  limit: number;
}

export async function searchPartners(
  connection: Connection,
  { search, within, after, limit }: PartnerQuery,
): Promise<Partner[]> {
  const { rows } = await connection.query<Partner>({
    text: `${selectPartners}
           WHERE p.client_id > $1 AND ($2::int[] IS NULL OR p.client_id = ANY ($2))
             AND ($3::text IS NULL OR strpos(lower(name), lower($3)) > 0 OR starts_with(p.client_id::text, $3))
           ORDER BY p.client_id LIMIT $4`,
    values: [after, within, search, limit],
  });
  return rows;
}

/**
 * Blocks other changes of partner settings that servers don't cache until the transaction ends. Inserts that refer to
 * the partner continue. Returns false if the partner does not exist.
 */
export async function lockPartner(connection: Connection, clientId: number): Promise<boolean> {
  const { rows } = await connection.query({
    text: 'SELECT FROM partners WHERE client_id = $1 FOR NO KEY UPDATE',
    values: [clientId],
  });
  return rows.length > 0;
}

/** Asks the database, for callers that can't use the slightly older cached state. */
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

/**
 * Call this in a transaction: it also inserts the event head and a sandbox's clock. Returns false if the id is taken.
 */
export async function insertPartner(connection: Connection, { clientId, name, secret, isSandbox }: NewPartner) {
  const { rowCount } = await connection.query({
    text: 'INSERT INTO partners (client_id, name, secret, sandbox) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING',
    values: [clientId, name, secret, isSandbox],
  });
  if (rowCount !== 1) return false;
  await ask(connection, insertEventHead(clientId));
  if (isSandbox) await ask(connection, insertSandboxClock(clientId));
  return true;
}

export async function replaceOffers(connection: Connection, clientId: number, providerIds: string[]) {
  await connection.query({ text: 'DELETE FROM offers WHERE client_id = $1', values: [clientId] });
  await connection.query({
    text: 'INSERT INTO offers (client_id, provider_id) SELECT $1, unnest($2::text[])',
    values: [clientId, providerIds],
  });
}

export interface PartnerSettings {
  name?: string | undefined;
  stakeReturned?: boolean | undefined;
}

/** Changes only the given fields. */
export async function savePartnerSettings(connection: Connection, clientId: number, settings: PartnerSettings) {
  await connection.query({
    text: `UPDATE partners SET name = coalesce($2, name), stake_returned = coalesce($3, stake_returned)
           WHERE client_id = $1`,
    values: [clientId, settings.name, settings.stakeReturned],
  });
}
