import type { Connection } from '../../engine/connection.ts';

// Everything encrypted with the master key: two columns in each of three tables. The second column holds the secret
// that is about to be retired or activated. Webhook events are signed with the partners' secrets, so webhooks have
// none.

export const sealedTables = {
  partner: { name: 'partners', id: 'client_id', type: 'integer', columns: ['secret', 'previous_secret'] },
  provider: { name: 'providers', id: 'provider_id', type: 'text', columns: ['secret', 'previous_secret'] },
  staff: { name: 'staff', id: 'staff_id', type: 'uuid', columns: ['totp_secret', 'totp_next'] },
} as const;

export type SealedKind = keyof typeof sealedTables;

/** The stored bytes; null if there is no secret. */
export type Sealed = [Buffer | null, Buffer | null];

export interface SealedRow {
  id: string;
  sealed: Sealed;
}

/** The next rows after an id, or the first rows. */
export const readSealed = (connection: Connection, kind: SealedKind, after: string | null, limit: number) =>
  selectSealed(connection, kind, after, limit, '');

/** Like `readSealed`, and locks the rows until the transaction ends. */
export const lockSealed = (connection: Connection, kind: SealedKind, after: string | null, limit: number) =>
  selectSealed(connection, kind, after, limit, 'FOR NO KEY UPDATE');

async function selectSealed(
  connection: Connection,
  kind: SealedKind,
  after: string | null,
  limit: number,
  lock: '' | 'FOR NO KEY UPDATE',
) {
  const { name, id, type, columns } = sealedTables[kind];
  const [first, second] = columns;
  const { rows } = await connection.query<{ id: string; first: Buffer | null; second: Buffer | null }>({
    text: `SELECT ${id}::text AS id, ${first} AS first, ${second} AS second FROM ${name}
           WHERE ($1::${type} IS NULL OR ${id} > $1) AND (${first} IS NOT NULL OR ${second} IS NOT NULL)
           ORDER BY ${name}.${id} LIMIT $2 ${lock}`,
    values: [after, limit],
  });
  return rows.map((row): SealedRow => ({ id: row.id, sealed: [row.first, row.second] }));
}

export async function replaceSealed(connection: Connection, kind: SealedKind, { id: rowId, sealed }: SealedRow) {
  const { name, id, columns } = sealedTables[kind];
  await connection.query({
    text: `UPDATE ${name} SET ${columns[0]} = $2, ${columns[1]} = $3 WHERE ${id} = $1`,
    values: [rowId, ...sealed],
  });
}
