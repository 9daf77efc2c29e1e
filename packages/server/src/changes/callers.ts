import { isDeepStrictEqual } from 'node:util';
import type { Connection } from '../db/connection.ts';
import { timeText } from '../domain/amounts.ts';
import type { Changed } from '../domain/audit.ts';
import { whatIsWrongWithAny } from '../networks.ts';
import { findPartner, type Partner } from '../sql/partners.ts';
import { findProvider, type Provider } from '../sql/providers.ts';
import { type AccessGiven, type CallerKind, setCallerAccess, setCallerDisabled } from '../sql/secrets.ts';
import { type ChangeContext, changeReference, Refused } from './change.ts';

// What partners and providers have in common: each is a caller, with secrets, that may be disabled, and whose calls may have to
// be signed strictly or to come from some networks.

export type CallerOf = { partner: Partner; provider: Provider };
export type CallerId = { partner: number; provider: string };

export interface Owner<K extends CallerKind = CallerKind> {
  kind: K;
  id: CallerId[K];
}

const finders: { [K in CallerKind]: (connection: Connection, id: CallerId[K]) => Promise<CallerOf[K] | undefined> } = {
  partner: findPartner,
  provider: findProvider,
};

/** Throws where there is none. */
async function callerOf<K extends CallerKind>(connection: Connection, { kind, id }: Owner<K>): Promise<CallerOf[K]> {
  const found = await finders[kind](connection, id);
  if (found === undefined) throw new Refused(`${kind}_not_found`);
  return found;
}

/** What is recorded of a caller. How its webhook is doing changes by itself; that a secret was made is said in words. */
function recordOf<K extends CallerKind>(caller: CallerOf[K]): object {
  const { webhook: _, secrets_version: __, created_at, disabled_at, ...state } = { webhook: null, ...caller };
  return { ...state, created_at: timeText(created_at), disabled_at: timeText(disabled_at) };
}

/** That a secret was made, and that whoever made it has seen it: in the record, instead of the secret. */
export const secretShown = { secret_shown: true };

const changedOf = (owner: Owner, before: object | null, after: object): Changed | null =>
  isDeepStrictEqual(before, after) ? null : { target: { kind: owner.kind, id: String(owner.id) }, before, after };

/** The partner to whose record it belongs; that of providers is nobody's. */
const chainOf = ({ kind, id }: Owner) => (kind === 'partner' ? { clientId: Number(id) } : { isCatalogue: true });

/** Of a caller that was just made. */
export async function createdCaller<K extends CallerKind>(connection: Connection, owner: Owner<K>, secret: string) {
  const after = await callerOf(connection, owner);
  const changed = changedOf(owner, null, { ...recordOf(after), ...secretShown });
  return { answer: { ...after, secret }, ...chainOf(owner), changed };
}

/** Changes a caller that is there; what `work` answers comes back beside the caller as it then is. */
export const changeCaller = <K extends CallerKind, T extends object>(
  context: ChangeContext,
  owner: Owner<K>,
  work: (connection: Connection, before: CallerOf[K]) => Promise<T>,
  recorded: object = {},
): Promise<CallerOf[K] & T> =>
  changeReference(context, async (connection) => {
    const before = await callerOf(connection, owner);
    const answer = await work(connection, before);
    const after = await callerOf(connection, owner);
    const changed = changedOf(owner, recordOf(before), { ...recordOf(after), ...recorded });
    return { answer: { ...after, ...answer }, ...chainOf(owner), changed };
  });

export const setDisabled = <K extends CallerKind>(
  context: ChangeContext,
  owner: Owner<K>,
  isDisabled: boolean,
): Promise<CallerOf[K]> =>
  changeCaller(context, owner, async (connection) => {
    await setCallerDisabled(connection, owner.kind, owner.id, isDisabled);
    return {};
  });

/** Throws where a network is none. */
export async function setAccess(connection: Connection, { kind, id }: Owner, access: AccessGiven): Promise<void> {
  const wrong = whatIsWrongWithAny(access.allow_from ?? []);
  if (wrong !== undefined) throw new Refused('invalid_request', [{ field: 'allow_from', reason: wrong }]);
  await setCallerAccess(connection, kind, id, access);
}
