import { createSecretKey, type KeyObject } from 'node:crypto';
import type { Connection } from '../../engine/connection.ts';
import { type Networks, networksOf } from '../../primitives/networks.ts';
import { type MasterKey, openSecret, ownerOf } from '../../primitives/sealing.ts';
import { type CallerKind, type EnabledCaller, findEnabledCallers } from './sql/secrets.ts';

/** Every enabled caller. Disabled callers are left out, as if they did not exist. */
export interface Callers {
  partners: ReadonlyMap<number, Caller>;
  providers: ReadonlyMap<string, Caller>;
}

export interface Caller {
  /** The valid keys, newest first, without secrets that can't be decrypted. */
  keys: KeyObject[];
  /** The signature must cover the time and the path. */
  isStrict: boolean;
  /** The networks that may call; undefined for any. */
  allowFrom: Networks | undefined;
}

/** A secret that can't be decrypted locks out only its owner, who is passed to `onUnopened`. */
export async function loadCallers(
  connection: Connection,
  masterKey: MasterKey,
  onUnopened: (owner: string) => void,
): Promise<Callers> {
  const partners = (await openCallers(connection, masterKey, 'partner', null, onUnopened)) as Callers['partners'];
  const providers = await loadProviderCallers(connection, masterKey, onUnopened);
  return { partners, providers };
}

/** The enabled ones of these partners. */
export const loadPartnerCallers = async (
  connection: Connection,
  masterKey: MasterKey,
  clientIds: readonly number[],
  onUnopened: (owner: string) => void,
) => (await openCallers(connection, masterKey, 'partner', clientIds, onUnopened)) as Callers['partners'];

export const loadProviderCallers = async (
  connection: Connection,
  masterKey: MasterKey,
  onUnopened: (owner: string) => void,
) => (await openCallers(connection, masterKey, 'provider', null, onUnopened)) as Callers['providers'];

async function openCallers(
  connection: Connection,
  masterKey: MasterKey,
  kind: CallerKind,
  ids: readonly number[] | null,
  onUnopened: (owner: string) => void,
): Promise<ReadonlyMap<number | string, Caller>> {
  const callers = new Map<number | string, Caller>();
  for (const row of await findEnabledCallers(connection, kind, ids)) {
    const owner = ownerOf(kind, row.id);
    const caller = callerOf(masterKey, owner, row);
    // Reported even if the previous secret can be decrypted, because the owner may already sign with the new one.
    if (caller.keys.length < (row.previous_secret === null ? 1 : 2)) onUnopened(owner);
    callers.set(row.id, caller);
  }
  return callers;
}

function callerOf(masterKey: MasterKey, owner: string, row: EnabledCaller): Caller {
  const keys = [row.secret, row.previous_secret].flatMap((sealed) => {
    const secret = sealed && openSecret(masterKey, owner, sealed);
    return secret ? [createSecretKey(secret, 'utf8')] : [];
  });
  const allowFrom = row.allow_from === null ? undefined : networksOf(row.allow_from);
  return { keys, isStrict: row.signing === 'strict', allowFrom };
}
