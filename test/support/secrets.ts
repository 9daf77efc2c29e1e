import type pg from 'pg';
import { ownerOf, sealSecret } from '../../packages/server/src/primitives/sealing.ts';
import type { ServerEnvironment } from './database.ts';

/** Sets the secret of a partner. Servers load it at their start or with the next change. */
export async function setSecret(sql: pg.Pool, env: ServerEnvironment, clientId: number, secret: string): Promise<void> {
  const masterKey = Buffer.from(env.SECRETS_KEY ?? '', 'base64');
  const sealed = sealSecret([masterKey], ownerOf('partner', clientId), secret);
  await sql.query(
    `INSERT INTO partners (client_id, name, secret) VALUES ($1, $2, $3)
     ON CONFLICT (client_id) DO UPDATE SET secret = $3`,
    [clientId, `Partner ${clientId}`, sealed],
  );
}
