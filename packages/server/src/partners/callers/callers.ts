import { isDeepStrictEqual } from 'node:util';
import type { PoolClient } from 'pg';
import { type ChangeContext, Refused } from '../../audit/change.ts';
import type { Changed } from '../../audit/entry.ts';
import type { Connection } from '../../engine/connection.ts';
import { powerOf, useUpConfirmation } from '../../people/confirmations/confirmations.ts';
import { timeText } from '../../primitives/amounts.ts';
import { whatIsWrongWithAny } from '../../primitives/networks.ts';
import { changeReference } from '../reference/change.ts';
import { findPartner, type Partner } from './sql/partners.ts';
import { findProvider, type Provider } from './sql/providers.ts';
import { type AccessGiven, type CallerKind, setCallerAccess, setCallerDisabled } from './sql/secrets.ts';

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

/** Returns a caller that was just created. Its secret does not expire, so showing it needs a second admin, as a rotation does. */
export async function createdCaller<K extends CallerKind>(
  context: ChangeContext,
  connection: PoolClient,
  owner: Owner<K>,
  secret: string,
) {
  const after = await callerOf(connection, owner);
  const target = { kind: owner.kind, id: '' };
  const confirmed = await useUpConfirmation(connection, context, { target, partners: null, before: null });
  const changed = changedOf(owner, null, { ...recordOf(after), ...secretShown, ...confirmed });
  return { answer: { ...after, secret }, ...chainOf(owner), changed, power: powerOf(confirmed) };
}

/** The scope that the second admin needs: the partner, or all partners for a provider. */
const partnersOf = ({ kind, id }: Owner): number[] | null => (kind === 'partner' ? [Number(id)] : null);

/**
 * Changes an existing caller. Returns the caller after the change together with the result of `work`. If the change needs a second admin,
 * `needsSecond` returns the state before the change that this admin confirms.
 */
export const changeCaller = <K extends CallerKind, T extends object>(
  context: ChangeContext,
  owner: Owner<K>,
  work: (connection: Connection, before: CallerOf[K]) => Promise<T>,
  { recorded = {}, needsSecond }: { recorded?: object; needsSecond?: (before: CallerOf[K]) => object | undefined } = {},
): Promise<CallerOf[K] & T> =>
  changeReference(context, async (connection) => {
    const before = await callerOf(connection, owner);
    const answer = await work(connection, before);
    const after = await callerOf(connection, owner);
    const seen = needsSecond?.(before);
    const target = { kind: owner.kind, id: String(owner.id) };
    const power = seen && { target, partners: partnersOf(owner), before: seen };
    const confirmed = power && (await useUpConfirmation(connection, context, power));
    const changed = changedOf(owner, recordOf(before), { ...recordOf(after), ...recorded, ...confirmed });
    return {
      answer: { ...after, ...answer },
      ...chainOf(owner),
      changed,
      ...(confirmed && { power: powerOf(confirmed) }),
    };
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
