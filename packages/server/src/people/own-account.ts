import type { Attribution, Changed } from '../audit/entry.ts';
import type { SignedIn } from '../calls/signed-in.ts';
import type { Connection } from '../engine/connection.ts';
import { ask } from '../engine/statement.ts';
import { inOneTrip, inTransaction } from '../engine/transaction.ts';
import { done, type Outcome, refuse } from '../primitives/outcome.ts';
import { openSecret, sealSecret } from '../primitives/sealing.ts';
import { type AttemptContext, type AttemptServices, attempt, type Checked, useCode } from './attempt.ts';
import { record } from './failure-count.ts';
import { passwordProblem } from './password-rules.ts';
import { hashPassword } from './passwords.ts';
import { hashRecoveryCode, newRecoveryCodes } from './recovery-codes.ts';
import { newTotpSecret, ownerOfTotp, stepOfCode, totpUri } from './second-factor.ts';
import { removeInvitations } from './sql/invitations.ts';
import { endSessions, isSessionActive, renewSession } from './sql/sessions.ts';
import { beginSecondFactor, confirmSecondFactor, lockAccount, replaceRecoveryCodes, setPassword } from './sql/staff.ts';
import { hashToken, newToken } from './tokens.ts';

// Changes to the caller's own account. A session alone does not authorise them: it may have been left open, or stolen.
// A change to the password or second factor ends all other sessions and gives this one a new token.

export interface OwnSession {
  person: SignedIn;
  /** The token of the session that makes the request. */
  token: string;
  by: Attribution;
}

const right = async (): Promise<Checked> => 'right';

const changedOf = ({ person }: OwnSession, after: object): Changed => ({
  target: { kind: 'staff', id: person.staff_id },
  before: null,
  after,
});

/** Gives this session a new token and ends the others. Returns undefined if this session has ended meanwhile. */
async function renewAndEndOthers(
  { connection, masterKey }: AttemptContext,
  { person, token }: OwnSession,
  secondFactor: boolean,
) {
  const renewed = newToken(masterKey, 'session');
  if (!(await ask(connection, renewSession(hashToken(token), hashToken(renewed), secondFactor)))) return undefined;
  return { token: renewed, ended: await ask(connection, endSessions(person.staff_id, hashToken(renewed))) };
}

export async function changePassword(
  services: AttemptServices,
  own: OwnSession,
  { password, new_password }: { password: string; new_password: string },
): Promise<Outcome<{ token: string; ended: number }>> {
  const { person, by } = own;
  const wrong = password === new_password ? 'must be another than before' : passwordProblem(new_password, person);
  if (wrong !== undefined) return refuse('invalid_request', [{ field: 'new_password', reason: wrong }]);
  const hashed = await hashPassword(new_password);
  return attempt(services, { email: person.email, by, password, check: right }, async (context) => {
    const renewed = await renewAndEndOthers(context, own, false);
    if (renewed === undefined) return refuse('not_signed_in');
    await ask(context.connection, setPassword(person.staff_id, hashed));
    // An earlier link can't set another password either.
    await ask(context.connection, removeInvitations(person.staff_id));
    const changed = changedOf(own, { password: 'changed', sessions_ended: renewed.ended });
    return done({ answer: renewed, actor: by.actor, changed });
  });
}

/** Checked again, because the session may have ended while the transaction waited for locks. */
const isSignedIn = (connection: Connection, { person }: OwnSession): Promise<boolean> =>
  isSessionActive(connection, person.sessionId);

/** To add a first second factor, a session is enough. */
export async function beginSetUp(
  services: AttemptServices,
  own: OwnSession,
  { password, code }: { password?: string; code?: string },
): Promise<Outcome<{ secret: string; uri: string }>> {
  const { person, by } = own;
  const secret = newTotpSecret();
  const answer = { secret, uri: totpUri(person.email, secret) };
  const sealed = sealSecret(services.masterKey, ownerOfTotp(person.staff_id), secret);
  const changed = changedOf(own, { second_factor: 'begun' });
  if (password !== undefined || code !== undefined) {
    // A stolen password must not be enough to remove the second factor.
    const check = async (context: AttemptContext): Promise<Checked> => {
      if (code !== undefined) return useCode(context, code);
      return context.account.totp_secret === null ? 'right' : 'code_needed';
    };
    return attempt(services, { email: person.email, by, password, check }, async ({ connection }) => {
      if (!(await isSignedIn(connection, own))) return refuse('not_signed_in');
      await ask(connection, beginSecondFactor(person.staff_id, sealed));
      return done({ answer, actor: by.actor, changed });
    });
  }
  return inTransaction(services.pool, async (connection) => {
    const account = await ask(connection, lockAccount(person.staff_id));
    if (account === undefined || !(await isSignedIn(connection, own))) return refuse('not_signed_in');
    if (account.totp_secret !== null) return refuse('code_needed');
    await ask(connection, beginSecondFactor(person.staff_id, sealed));
    await record(connection, { ...by, ...changed });
    return done(answer);
  });
}

export interface NewRecoveryCodes {
  recovery_codes: string[];
}

export async function confirmSetUp(
  services: AttemptServices,
  own: OwnSession,
  code: string,
): Promise<Outcome<NewRecoveryCodes & { token: string }>> {
  const { person, by } = own;
  let step: number | undefined;
  const check = async ({ account, masterKey, now }: AttemptContext): Promise<Checked> => {
    const sealed = account.totp_next;
    const secret = sealed === null ? undefined : openSecret(masterKey, ownerOfTotp(person.staff_id), sealed);
    step = secret === undefined ? undefined : stepOfCode(secret, code.replace(/ /g, ''), now);
    return step === undefined ? 'wrong' : 'right';
  };
  return attempt(services, { email: person.email, by, check }, async (context) => {
    const renewed = await renewAndEndOthers(context, own, true);
    if (renewed === undefined || step === undefined) return refuse('not_signed_in');
    await ask(context.connection, confirmSecondFactor(person.staff_id, step));
    const recovery_codes = await storeRecoveryCodes(context);
    const changed = changedOf(own, { second_factor: 'set up', sessions_ended: renewed.ended });
    return done({ answer: { recovery_codes, token: renewed.token }, actor: by.actor, changed });
  });
}

export const renewRecoveryCodes = (
  services: AttemptServices,
  own: OwnSession,
  code: string,
): Promise<Outcome<NewRecoveryCodes>> =>
  attempt(
    services,
    { email: own.person.email, by: own.by, check: (context) => useCode(context, code) },
    async (context) => {
      if (!(await isSignedIn(context.connection, own))) return refuse('not_signed_in');
      const recovery_codes = await storeRecoveryCodes(context);
      const changed = changedOf(own, { recovery_codes: 'replaced' });
      return done({ answer: { recovery_codes }, actor: own.by.actor, changed });
    },
  );

async function storeRecoveryCodes({ connection, account }: AttemptContext): Promise<string[]> {
  const codes = newRecoveryCodes();
  await inOneTrip(connection, replaceRecoveryCodes(account.staff_id, codes.map(hashRecoveryCode)));
  return codes;
}
