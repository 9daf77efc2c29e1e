import type { Handlers, StaffCall } from '../../calls/call.ts';
import { type ChangeServices, changeContextOf } from '../../calls/changes.ts';
import { signedIn } from '../../calls/signed-in.ts';
import { ask } from '../../engine/statement.ts';
import { done, refuse } from '../../primitives/outcome.ts';
import {
  ConfirmationMissing,
  confirmRequest,
  type DecisionContext,
  refuseRequest,
  requestConfirmation,
  withdrawRequest,
} from './confirmations.ts';
import { countWaitingConfirmations, listConfirmations, type Viewer } from './sql.ts';

type Names =
  | 'ConfirmationList'
  | 'ConfirmationConfirm'
  | 'ConfirmationRefuse'
  | 'ConfirmationWithdraw'
  | 'ConfirmationsWaiting';

/** Stores the request if its change needs a second admin who has not confirmed it yet. */
export const requestingConfirmation = <T>(call: StaffCall<ChangeServices>, carriedOut: Promise<T>) =>
  carriedOut.catch(async (error: unknown) => {
    if (!(error instanceof ConfirmationMissing)) throw error;
    const confirmationId = await requestConfirmation(changeContextOf(call), error.power);
    return refuse('confirmation_needed', [{ field: 'confirmation_id', reason: confirmationId }]);
  });

function contextOf(call: StaffCall<ChangeServices>): DecisionContext {
  return { ...changeContextOf(call), scope: signedIn(call.person).partners };
}

function viewerOf({ person }: StaffCall<unknown>): Viewer {
  const { staff_id: staffId, partners: scope } = signedIn(person);
  return { staffId, scope };
}

export const confirmationHandlers: Handlers<Names, ChangeServices> = {
  async ConfirmationList(call, { open = false, target, limit = 50 }) {
    const asked = listConfirmations(viewerOf(call), { isOpen: open, target, limit });
    return done({ confirmations: await ask(call.services.consolePool, asked) });
  },

  async ConfirmationConfirm(call, { confirmation_id }) {
    return done(await confirmRequest(contextOf(call), confirmation_id));
  },

  async ConfirmationRefuse(call, { confirmation_id }) {
    return done(await refuseRequest(contextOf(call), confirmation_id));
  },

  async ConfirmationWithdraw(call, { confirmation_id }) {
    return done(await withdrawRequest(contextOf(call), confirmation_id));
  },

  async ConfirmationsWaiting(call) {
    const asked = countWaitingConfirmations(viewerOf(call));
    return done({ for_me: await ask(call.services.consolePool, asked) });
  },
};
