import { isDeepStrictEqual } from 'node:util';
import type { PoolClient } from 'pg';
import { type ChangeContext, Refused } from '../../audit/change.ts';
import type { Changed } from '../../audit/entry.ts';
import type { Connection } from '../../engine/connection.ts';
import { powerOf, useUpConfirmation } from '../../people/confirmations/confirmations.ts';
import { timeText } from '../../primitives/amounts.ts';
import { networksError } from '../../primitives/networks.ts';
import { changeReference } from '../reference/change.ts';
import { findPartner, type Partner } from './sql/partners.ts';
import { findProvider, type Provider } from './sql/providers.ts';
import { type AccessGiven, type CallerKind, setCallerAccess, setCallerDisabled } from './sql/secrets.ts';

// Changes of callers. Partners and game providers are both callers: they have secrets, can be disabled, and may need
// strict signing or calls from certain networks.

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

/** Throws if the caller does not exist. */
async function requireCaller<K extends CallerKind>(
  connection: Connection,
  { kind, id }: Owner<K>,
): Promise<CallerOf[K]> {
  const found = await finders[kind](connection, id);
  if (found === undefined) throw new Refused(`${kind}_not_found`);
  return found;
}

/**
 * The caller in the audit log, without webhook health, which changes by itself, and secrets, which `secretShown`
 * covers.
 */
function recordOf<K extends CallerKind>(caller: CallerOf[K]): object {
  const { webhook: _, secrets_version: __, created_at, disabled_at, ...state } = { webhook: null, ...caller };
  return { ...state, created_at: timeText(created_at), disabled_at: timeText(disabled_at) };
}

/** Recorded instead of a new secret, which its creator has seen. */
export const secretShown = { secret_shown: true };

const changedOf = (owner: Owner, before: object | null, after: object): Changed | null =>
  isDeepStrictEqual(before, after) ? null : { target: { kind: owner.kind, id: String(owner.id) }, before, after };

/** The partner whose audit chain gets the record; changes of providers belong to no partner. */
const auditScopeOf = ({ kind, id }: Owner) => (kind === 'partner' ? { clientId: Number(id) } : { isCatalogue: true });

/**
 * Returns a new caller. Showing its secret needs a second admin, like a rotation, because the secret does not expire.
 */
export async function createdCaller<K extends CallerKind>(
  context: ChangeContext,
  connection: PoolClient,
  owner: Owner<K>,
  secret: string,
) {
  const after = await requireCaller(connection, owner);
  const target = { kind: owner.kind, id: '' };
  const confirmed = await useUpConfirmation(connection, context, { target, partners: null, before: null });
  const changed = changedOf(owner, null, { ...recordOf(after), ...secretShown, ...confirmed });
  return { answer: { ...after, secret }, ...auditScopeOf(owner), changed, power: powerOf(confirmed) };
}

/** The scope that the second admin needs: the partner, or all partners for a provider. */
const partnersOf = ({ kind, id }: Owner): number[] | null => (kind === 'partner' ? [Number(id)] : null);

/**
 * Changes an existing caller. Returns the changed caller together with the result of `work`. If the change needs a
 * second admin, `needsSecond` returns the state before the change, which this admin confirms.
 */
export const changeCaller = <K extends CallerKind, T extends object>(
  context: ChangeContext,
  owner: Owner<K>,
  work: (connection: Connection, before: CallerOf[K]) => Promise<T>,
  { recorded = {}, needsSecond }: { recorded?: object; needsSecond?: (before: CallerOf[K]) => object | undefined } = {},
): Promise<CallerOf[K] & T> =>
  changeReference(context, async (connection) => {
    const before = await requireCaller(connection, owner);
    const answer = await work(connection, before);
    const after = await requireCaller(connection, owner);
    const seen = needsSecond?.(before);
    const target = { kind: owner.kind, id: String(owner.id) };
    const power = seen && { target, partners: partnersOf(owner), before: seen };
    const confirmed = power && (await useUpConfirmation(connection, context, power));
    const changed = changedOf(owner, recordOf(before), { ...recordOf(after), ...recorded, ...confirmed });
    return {
      answer: { ...after, ...answer },
      ...auditScopeOf(owner),
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

/** Throws if a network is invalid. */
export async function setAccess(connection: Connection, { kind, id }: Owner, access: AccessGiven): Promise<void> {
  const wrong = networksError(access.allow_from ?? []);
  if (wrong !== undefined) throw new Refused('invalid_request', [{ field: 'allow_from', reason: wrong }]);
  await setCallerAccess(connection, kind, id, access);
}
