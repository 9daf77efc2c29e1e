import type { Connection } from '../../../engine/connection.ts';

// The columns that partners and providers share as callers: sealed secrets, whether they are disabled, and the
// requirements for their calls. Each kind has its own table.

export type CallerKind = 'partner' | 'provider';

export interface CallerAccess {
  /** Strict: the signature must cover the time and the path. */
  signing: 'plain' | 'strict';
  /** Networks; null for any. */
  allow_from: string[] | null;
}

/** Absent fields stay unchanged. */
export interface AccessGiven {
  signing?: CallerAccess['signing'] | undefined;
  allow_from?: CallerAccess['allow_from'] | undefined;
}

export interface EnabledCaller extends CallerAccess {
  id: number | string;
  secret: Buffer | null;
  previous_secret: Buffer | null;
}

/** Which secrets a caller has, without revealing them. */
export interface SecretsHeld {
  has_previous_secret: boolean;
  /** Changes whenever a secret is created, retired or re-encrypted. */
  secrets_version: string;
}

/** Valid for a row of either table. */
export const secretsColumns = `previous_secret IS NOT NULL AS has_previous_secret,
    left(encode(sha256(coalesce(secret, '') || coalesce(previous_secret, '')), 'hex'), 16) AS secrets_version`;

/** Valid for a row of either table. */
export const accessColumns = 'signing, allow_from::text[] AS allow_from';

const tables = {
  partner: { name: 'partners', id: 'client_id', live: 'disabled_at IS NULL' },
  provider: { name: 'providers', id: 'provider_id', live: 'secret IS NOT NULL AND disabled_at IS NULL' },
};

/** The enabled callers among these ids, or all if null. */
export async function findEnabledCallers(
  connection: Connection,
  kind: CallerKind,
  ids: readonly number[] | null = null,
): Promise<EnabledCaller[]> {
  const { name, id, live } = tables[kind];
  const among = ids === null ? '' : `AND ${id} = ANY ($1)`;
  const { rows } = await connection.query<EnabledCaller>({
    text: `SELECT ${id} AS id, secret, previous_secret, ${accessColumns} FROM ${name} WHERE ${live} ${among}`,
    values: ids === null ? [] : [ids],
  });
  return rows;
}

/** Changes only the given fields. */
export async function setCallerAccess(
  connection: Connection,
  kind: CallerKind,
  callerId: number | string,
  { signing, allow_from }: AccessGiven,
): Promise<void> {
  const { name, id } = tables[kind];
  await connection.query({
    text: `UPDATE ${name} SET signing = coalesce($2, signing), allow_from = CASE WHEN $3 THEN $4::text[]::cidr[] ELSE allow_from END
           WHERE ${id} = $1`,
    values: [callerId, signing, allow_from !== undefined, allow_from],
  });
}

/** The current secret; undefined if the caller does not exist. */
export async function findSecret(connection: Connection, kind: CallerKind, callerId: number | string) {
  const { name, id } = tables[kind];
  const { rows } = await connection.query<{ secret: Buffer | null }>({
    text: `SELECT secret FROM ${name} WHERE ${id} = $1`,
    values: [callerId],
  });
  return rows[0]?.secret;
}

/** The current secret becomes the previous one, which stays valid until it is retired or the next rotation. */
export async function rotateSecret(
  connection: Connection,
  kind: CallerKind,
  callerId: number | string,
  sealed: Buffer,
) {
  const { name, id } = tables[kind];
  const { rowCount } = await connection.query({
    text: `UPDATE ${name} SET previous_secret = secret, secret = $2 WHERE ${id} = $1`,
    values: [callerId, sealed],
  });
  return rowCount === 1;
}

export async function retirePreviousSecret(connection: Connection, kind: CallerKind, callerId: number | string) {
  const { name, id } = tables[kind];
  const { rowCount } = await connection.query({
    text: `UPDATE ${name} SET previous_secret = NULL WHERE ${id} = $1`,
    values: [callerId],
  });
  return rowCount === 1;
}

/** Returns false if the caller does not exist. */
export async function setCallerDisabled(
  connection: Connection,
  kind: CallerKind,
  callerId: number | string,
  disabled: boolean,
): Promise<boolean> {
  const { name, id } = tables[kind];
  const { rowCount } = await connection.query({
    text: `UPDATE ${name} SET disabled_at = ${disabled ? 'least(disabled_at, world_now())' : 'NULL'} WHERE ${id} = $1`,
    values: [callerId],
  });
  return rowCount === 1;
}
