import type { Connection } from '../../../engine/connection.ts';
import type { WorldInstant } from '../../../primitives/amounts.ts';
import { accessColumns, type CallerAccess, type SecretsHeld, secretsColumns } from './secrets.ts';

export interface Provider extends CallerAccess, SecretsHeld {
  provider_id: string;
  name: string;
  currencies: string[];
  disabled_at: WorldInstant | null;
  created_at: WorldInstant;
  has_secret: boolean;
}

const selectProviders = `SELECT provider_id, name, currencies, disabled_at, created_at, secret IS NOT NULL AS has_secret,
    ${secretsColumns}, ${accessColumns}
  FROM providers`;

export async function listProviders(connection: Connection): Promise<Provider[]> {
  const { rows } = await connection.query<Provider>({ text: `${selectProviders} ORDER BY position, provider_id` });
  return rows;
}

export async function findProvider(connection: Connection, providerId: string): Promise<Provider | undefined> {
  const { rows } = await connection.query<Provider>({
    text: `${selectProviders} WHERE provider_id = $1`,
    values: [providerId],
  });
  return rows[0];
}

export interface NewProvider {
  providerId: string;
  name: string;
  currencies: readonly string[];
  secret: Buffer | null;
}

/**
 * Returns false if the id or the name is taken. The position is counted in a separate query, because Citus doesn't
 * report a conflict for INSERT … SELECT.
 */
export async function insertProvider(connection: Connection, provider: NewProvider): Promise<boolean> {
  const { rows } = await connection.query<{ count: number }>({ text: 'SELECT count(*) FROM providers' });
  const { rowCount } = await connection.query({
    text: `INSERT INTO providers (provider_id, name, currencies, secret, position)
           VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`,
    values: [provider.providerId, provider.name, provider.currencies, provider.secret, rows[0]?.count],
  });
  return rowCount === 1;
}

export async function updateProviders(
  connection: Connection,
  providers: { providerId: string; currencies: readonly string[] }[],
): Promise<void> {
  for (const [position, { providerId, currencies }] of providers.entries()) {
    await connection.query({
      text: 'UPDATE providers SET currencies = $2, position = $3 WHERE provider_id = $1',
      values: [providerId, currencies, position],
    });
  }
}
