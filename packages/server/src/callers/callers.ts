import { createSecretKey, type KeyObject } from 'node:crypto';
import type { Connection } from '../db/connection.ts';
import { type Networks, networksOf } from '../networks.ts';
import { type CallerKind, type LiveCaller, liveCallers } from '../sql/secrets.ts';
import { type MasterKey, openSecret, ownerOf } from './secrets.ts';

/** Every caller that may call. A disabled one is not here, as if it did not exist. */
export interface Callers {
  partners: ReadonlyMap<number, Caller>;
  providers: ReadonlyMap<string, Caller>;
}

export interface Caller {
  /** Its live keys, the newest first; none where its secret does not open. */
  keys: KeyObject[];
  /** The signature must cover the time and the path. */
  isStrict: boolean;
  /** From where it may call; undefined for anywhere. */
  allowFrom: Networks | undefined;
}

/** Not one of the stored secrets opens with the master key. */
export class WrongMasterKey extends Error {}

/**
 * A secret that does not open shuts out its owner and nobody else, and `onUnopened` is told whose it is. Only when none
 * opens is the key itself at fault.
 */
export async function loadCallers(
  connection: Connection,
  masterKey: MasterKey,
  onUnopened: (owner: string) => void,
): Promise<Callers> {
  let opened = 0;
  const unopened: string[] = [];
  const load = async (kind: CallerKind) =>
    (await liveCallers(connection, kind)).map((row) => {
      const caller = callerOf(masterKey, ownerOf(kind, row.id), row);
      if (caller.keys.length > 0) opened += 1;
      else unopened.push(ownerOf(kind, row.id));
      return [row.id, caller];
    });
  const partners = new Map((await load('partner')) as [number, Caller][]);
  const providers = new Map((await load('provider')) as [string, Caller][]);
  if (opened === 0 && unopened.length > 0) {
    throw new WrongMasterKey('The stored secrets do not open with this SECRETS_KEY.');
  }
  unopened.forEach(onUnopened);
  return { partners, providers };
}

function callerOf(masterKey: MasterKey, owner: string, row: LiveCaller): Caller {
  const keys = [row.secret, row.previous_secret].flatMap((sealed) => {
    const secret = sealed && openSecret(masterKey, owner, sealed);
    return secret ? [createSecretKey(secret, 'utf8')] : [];
  });
  const allowFrom = row.allow_from === null ? undefined : networksOf(row.allow_from);
  return { keys, isStrict: row.signing === 'strict', allowFrom };
}
