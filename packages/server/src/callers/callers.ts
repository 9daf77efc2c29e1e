import { createSecretKey, type KeyObject } from 'node:crypto';
import type { Connection } from '../db/connection.ts';
import { type CallerKind, liveSecrets, type SealedSecrets } from '../sql/secrets.ts';
import { openSecret, ownerOf } from './secrets.ts';

/** The live keys of every caller that may call, the newest first. A disabled caller is not here, as if it did not exist. */
export interface Callers {
  partners: ReadonlyMap<number, KeyObject[]>;
  providers: ReadonlyMap<string, KeyObject[]>;
}

/** Not one of the stored secrets opens with the master key. */
export class WrongMasterKey extends Error {}

/**
 * A secret that does not open shuts out its owner and nobody else, and `onUnopened` is told whose it is. Only when none
 * opens is the key itself at fault.
 */
export async function loadCallers(
  connection: Connection,
  masterKey: Buffer,
  onUnopened: (owner: string) => void,
): Promise<Callers> {
  let opened = 0;
  const unopened: string[] = [];
  const load = async (kind: CallerKind) =>
    (await liveSecrets(connection, kind)).map((row) => {
      const keys = openKeys(masterKey, ownerOf(kind, row.id), row);
      if (keys.length > 0) opened += 1;
      else unopened.push(ownerOf(kind, row.id));
      return [row.id, keys];
    });
  const partners = new Map((await load('partner')) as [number, KeyObject[]][]);
  const providers = new Map((await load('provider')) as [string, KeyObject[]][]);
  if (opened === 0 && unopened.length > 0) {
    throw new WrongMasterKey('The stored secrets do not open with this SECRETS_KEY.');
  }
  unopened.forEach(onUnopened);
  return { partners, providers };
}

function openKeys(masterKey: Buffer, owner: string, row: SealedSecrets): KeyObject[] {
  return [row.secret, row.previous_secret].flatMap((sealed) => {
    const secret = sealed && openSecret(masterKey, owner, sealed);
    return secret ? [createSecretKey(secret, 'utf8')] : [];
  });
}
