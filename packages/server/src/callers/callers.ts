import { createSecretKey, type KeyObject } from 'node:crypto';
import type { Connection } from '../sql/connection.ts';
import { type CallerKind, liveSecrets, type SealedSecrets } from '../sql/secrets.ts';
import { openSecret, ownerOf } from './secrets.ts';

/** The live keys of every caller that may call, the newest first. A disabled caller is not here, as if it did not exist. */
export interface Callers {
  partners: ReadonlyMap<number, KeyObject[]>;
  providers: ReadonlyMap<string, KeyObject[]>;
}

export class WrongMasterKey extends Error {}

export async function loadCallers(connection: Connection, masterKey: Buffer): Promise<Callers> {
  const load = async (kind: CallerKind) =>
    (await liveSecrets(connection, kind)).map((row) => [row.id, openKeys(masterKey, ownerOf(kind, row.id), row)]);
  return {
    partners: new Map((await load('partner')) as [number, KeyObject[]][]),
    providers: new Map((await load('provider')) as [string, KeyObject[]][]),
  };
}

function openKeys(masterKey: Buffer, owner: string, row: SealedSecrets): KeyObject[] {
  return [row.secret, row.previous_secret]
    .filter((sealed) => sealed !== null)
    .map((sealed) => {
      try {
        return createSecretKey(openSecret(masterKey, owner, sealed), 'utf8');
      } catch {
        throw new WrongMasterKey(`The secret of ${owner} does not open with this SECRETS_KEY.`);
      }
    });
}
