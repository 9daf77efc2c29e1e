import type { Handlers, StaffCall } from '../../calls/call.ts';
import { signedIn } from '../../calls/signed-in.ts';
import { done } from '../../primitives/outcome.ts';
import { beginSetUp, changePassword, confirmSetUp, type OwnSession, renewRecoveryCodes } from '../own-account.ts';
import { type AccountServices, inTurn, signInServices } from './sessions.ts';

type Names = 'PasswordChange' | 'SecondFactorBegin' | 'SecondFactorConfirm' | 'RecoveryCodes';

export const accountHandlers: Handlers<Names, AccountServices> = {
  async PasswordChange(call, body) {
    const outcome = await inTurn(call, () => changePassword(signInServices(call), ownOf(call), body));
    if (!outcome.ok) return outcome;
    renewed(call, outcome.value.token);
    return done({ ended: outcome.value.ended });
  },

  SecondFactorBegin(call, body) {
    return inTurn(call, () => beginSetUp(signInServices(call), ownOf(call), body));
  },

  async SecondFactorConfirm(call, { code }) {
    const outcome = await inTurn(call, () => confirmSetUp(signInServices(call), ownOf(call), code));
    if (!outcome.ok) return outcome;
    const { token, recovery_codes } = outcome.value;
    renewed(call, token);
    return done({ recovery_codes });
  },

  RecoveryCodes(call, { code }) {
    return inTurn(call, () => renewRecoveryCodes(signInServices(call), ownOf(call), code));
  },
};

/** Gives the browser the new token. The change has ended the other sessions. */
function renewed({ services, person, setSession }: StaffCall<AccountServices>, token: string): void {
  setSession(token);
  services.sessionsEnded.emit({ staffId: signedIn(person).staff_id });
}

const ownOf = ({ person, token = '', by }: StaffCall<unknown>): OwnSession => ({ person: signedIn(person), token, by });
