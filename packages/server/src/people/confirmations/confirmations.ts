import assert from 'node:assert/strict';
import { randomUUIDv7 } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Confirmation } from '@freebets/contract';
import type { PoolClient } from 'pg';
import { type ChangeContext, change, type Done, Refused } from '../../audit/change.ts';
import { ask } from '../../engine/statement.ts';
import { findMemberId, lockMember, type Scope } from '../sql/administration.ts';
import type { Power } from './rules.ts';
import {
  countAsOnePerson,
  decideConfirmation,
  getConfirmation,
  insertConfirmation,
  lockConfirmation,
  lockOpenConfirmations,
  mayConfirm,
  openConfirmationsOf,
  setVouchedBy,
  useConfirmation,
  withdrawConfirmation,
} from './sql.ts';

// A change by staff that gives approval rights, shows a secret or makes wins larger needs a second admin. The first
// request finds no confirmation: the change is rolled back, and the request is stored as pending. Once another admin
// has confirmed the request, the requester sends it again, and the transaction of the change uses the confirmation up.
// So a secret is created only then, and shown only to the requester. A confirmation fits only the same request about
// the same state: content is compared, not just the target.
//
// Rows of staff are always locked before rows of confirmations.

/** The confirmation, as the audit record of the change stores it. */
export interface Confirmed {
  confirmation?: { confirmation_id: string; by: string };
}

export const powerOf = ({ confirmation }: Confirmed): { isConfirmed: boolean } => ({
  isConfirmed: confirmation !== undefined,
});

/** Why another account counts as the same person. */
export const samePersonDetail = {
  field: '',
  reason: 'counts as one person with you: one admin alone has invited or promoted you or them',
};

/** The change has no confirmation yet. */
export class ConfirmationMissing extends Refused {
  readonly power: Power;
  constructor(power: Power) {
    super('confirmation_needed');
    this.power = power;
  }
}

/** Uses up the confirmation of this change; throws if it needs one and has none. */
export async function useUpConfirmation(
  connection: PoolClient,
  { by, confirming }: ChangeContext,
  power: Power,
): Promise<Confirmed> {
  if (confirming === undefined) return {};
  const requester = staffIdOf(by);
  await ask(connection, lockOpenConfirmations(requester, by.action));
  const content = { request: confirming.request, before: power.before };
  for (const found of await ask(connection, openConfirmationsOf(requester, by.action))) {
    const { confirmation_id, state, decided_by, request, before } = found;
    if (state !== 'confirmed' || !isSame({ request, before }, content)) continue;
    // A confirmation is void once its admin has lost the rights.
    if (decided_by !== null && !(await ask(connection, mayConfirm(decided_by.staff_id, power.partners)))) continue;
    await ask(connection, useConfirmation(confirmation_id));
    return { confirmation: { confirmation_id, by: decided_by?.email ?? 'cli' } };
  }
  throw new ConfirmationMissing(power);
}

/** Compares as JSON, which omits undefined fields. */
const isSame = (one: object, other: object): boolean =>
  isDeepStrictEqual(JSON.parse(JSON.stringify(one)), JSON.parse(JSON.stringify(other)));

/** Stores the request as pending, unless the same request is pending already. Returns its id. */
export const requestConfirmation = (context: ChangeContext, power: Power): Promise<string> => {
  const { by, confirming } = context;
  assert(confirming, 'only a change by staff needs a confirmation');
  const requestedBy = staffIdOf(by);
  const { request } = confirming;
  return change({ ...context, by: { ...by, action: 'ConfirmationRequest' } }, async (connection) => {
    await ask(connection, lockMember(requestedBy));
    const open = await ask(connection, openConfirmationsOf(requestedBy, by.action));
    const content = { request, before: power.before };
    const known = open.find(
      (each) => each.state === 'pending' && isSame({ request: each.request, before: each.before }, content),
    );
    if (known !== undefined) return { answer: known.confirmation_id, changed: null };
    const confirmationId = randomUUIDv7();
    const reason = by.reason ?? '';
    await ask(
      connection,
      insertConfirmation({ ...power, confirmationId, operation: by.action, request, requestedBy, reason }),
    );
    const found = await ask(connection, getConfirmation(confirmationId));
    assert(found, 'the inserted request is found');
    return { ...doneOf(null, found), answer: confirmationId };
  });
};

export interface DecisionContext extends ChangeContext {
  /** The scope of the deciding admin. Requests outside it look as if they did not exist. */
  scope: Scope;
}

export const confirmRequest = (context: DecisionContext, confirmationId: string): Promise<Confirmation> =>
  changeRequest(context, confirmationId, async (connection, before, decider) => {
    if (before.state === 'confirmed' && before.decided_by?.staff_id === decider) return;
    if (before.state !== 'pending') throw notOpen(before);
    const { requested_by, partners } = before;
    if (!(await ask(connection, mayConfirm(requested_by.staff_id, partners))))
      throw new Refused('requester_not_allowed');
    if (decider !== null && (await ask(connection, countAsOnePerson(decider, requested_by.staff_id)))) {
      throw new Refused('own_confirmation', [samePersonDetail]);
    }
    await ask(connection, decideConfirmation(confirmationId, 'confirmed', decider, context.by.reason));
  });

export const refuseRequest = (context: DecisionContext, confirmationId: string): Promise<Confirmation> =>
  changeRequest(context, confirmationId, async (connection, before, decider) => {
    if (before.state === 'refused' && before.decided_by?.staff_id === decider) return;
    if (before.state !== 'pending') throw notOpen(before);
    await ask(connection, decideConfirmation(confirmationId, 'refused', decider, context.by.reason));
  });

export const withdrawRequest = (context: DecisionContext, confirmationId: string): Promise<Confirmation> =>
  change(context, async (connection) => {
    const before = await lockedRequest(connection, context, confirmationId);
    if (before.requested_by.staff_id !== staffIdOf(context.by)) throw new Refused('confirmation_not_found');
    if (before.state === 'withdrawn') return { answer: before, changed: null };
    if (before.state !== 'pending' && before.state !== 'confirmed') throw notOpen(before);
    await ask(connection, withdrawConfirmation(confirmationId));
    return doneOf(before, await requestOf(connection, confirmationId));
  });

/**
 * Decides on the request of another person. The decider is null for the command line, which may decide on every
 * request.
 */
const changeRequest = (
  context: DecisionContext,
  confirmationId: string,
  decide: (connection: PoolClient, before: Confirmation, decider: string | null) => Promise<void>,
): Promise<Confirmation> =>
  change(context, async (connection) => {
    const before = await lockedRequest(connection, context, confirmationId);
    const decider = context.by.actor.kind === 'cli' ? null : staffIdOf(context.by);
    if (before.requested_by.staff_id === decider) throw new Refused('own_confirmation');
    await decide(connection, before, decider);
    // Checked again under the locks: the admin may have lost the rights while waiting for them.
    if (decider !== null && !(await ask(connection, mayConfirm(decider, before.partners)))) {
      throw new Refused('not_allowed');
    }
    return doneOf(before, await requestOf(connection, confirmationId));
  });

async function requestOf(connection: PoolClient, confirmationId: string): Promise<Confirmation> {
  const found = await ask(connection, getConfirmation(confirmationId));
  if (found === undefined) throw new Refused('confirmation_not_found');
  return found;
}

async function lockedRequest(
  connection: PoolClient,
  { scope, by }: DecisionContext,
  confirmationId: string,
): Promise<Confirmation> {
  const { requested_by, partners } = await requestOf(connection, confirmationId);
  const isOwn = by.actor.kind === 'staff' && by.actor.staff_id === requested_by.staff_id;
  const isVisible = scope === null || (partners?.every((id) => scope.includes(id)) ?? false);
  if (!isOwn && !isVisible) throw new Refused('confirmation_not_found');
  await ask(connection, lockMember(requested_by.staff_id));
  await ask(connection, lockConfirmation(confirmationId));
  return requestOf(connection, confirmationId);
}

/** Confirms a person from the command line, who then no longer counts as one person with the admin who let them in. */
export const vouchFor = (context: ChangeContext, email: string): Promise<{ email: string } | undefined> =>
  change(context, async (connection) => {
    const staffId = await ask(connection, findMemberId(email));
    if (staffId === undefined) return { answer: undefined, changed: null };
    await ask(connection, lockMember(staffId));
    await ask(connection, setVouchedBy(staffId, null));
    return {
      answer: { email },
      changed: { target: { kind: 'staff', id: staffId }, before: null, after: { confirmed_by: 'cli' } },
    };
  });

const notOpen = ({ state }: Confirmation): Refused =>
  new Refused('confirmation_not_open', [{ field: 'state', reason: `is ${state}` }]);

function staffIdOf({ actor }: ChangeContext['by']): string {
  assert(actor.kind === 'staff', 'a request for confirmation belongs to a member of staff');
  return actor.staff_id;
}

/** Requests about a partner are recorded in the partner's audit chain. */
function doneOf(before: Confirmation | null, after: Confirmation): Done<Confirmation> {
  const { confirmation_id, operation, target } = after;
  const { kind, id } = target;
  return {
    answer: after,
    ...(kind === 'partner' && id !== '' && after.before !== null && { clientId: Number(id) }),
    changed: isDeepStrictEqual(before, after)
      ? null
      : {
          target: { kind: 'confirmation', id: confirmation_id },
          before: before && { state: before.state },
          after: { state: after.state, operation, target, request: after.request, before: after.before },
        },
  };
}
