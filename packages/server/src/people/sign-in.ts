import type { PoolClient } from 'pg';
import type { Attribution } from '../audit/entry.ts';
import type { SignedIn } from '../calls/signed-in.ts';
import { ask } from '../engine/statement.ts';
import { inTransaction } from '../engine/transaction.ts';
import { done, type Outcome, refuse } from '../primitives/outcome.ts';
import { type AttemptContext, type AttemptServices, attempt, useCode } from './attempt.ts';
import { record, recordRefused } from './failure-count.ts';
import { subjectOfEmail } from './failures.ts';
import { passwordProblem } from './password-rules.ts';
import { hashPassword } from './passwords.ts';
import { findSignedIn, type SessionRules, startSession } from './sessions.ts';
import { findInvitation, type Invitation, useInvitation } from './sql/invitations.ts';
import { endSessions, removeExpiredSessions, removeSession } from './sql/sessions.ts';
import { clearFailures, holdFailures } from './sql/sign-in-failures.ts';
import { unbindSingleSignOn } from './sql/single-sign-on.ts';
import { type Account, emailKey, lockAccount, setPassword, setStaffName } from './sql/staff.ts';
import { hashToken, type TokenCheck } from './tokens.ts';

// Sign-in with a password, and acceptance of an invitation.

export interface SignInServices extends AttemptServices {
  sessionRules: SessionRules;
  tokens: TokenCheck;
}

/** The browser that the request came from, and the session that it had. */
export interface Browser {
  by: Attribution;
  userAgent: string | undefined;
  token: string | undefined;
}

export interface SignInResult {
  person: SignedIn;
  token: string;
}

export async function signIn(
  services: SignInServices,
  browser: Browser,
  { email, password, code }: { email: string; password: string; code?: string },
): Promise<Outcome<SignInResult>> {
  const by: Attribution = { ...browser.by, actor: { kind: 'unknown', email: emailKey(email) } };
  const check = async (context: AttemptContext) => {
    if (context.account.totp_secret === null) return 'right';
    return code === undefined ? 'code_needed' : useCode(context, code);
  };
  return attempt(services, { email, by, password, check }, async ({ connection, account }) => {
    await ask(connection, clearFailures(subjectOfEmail(email)));
    const opened = await openSession(services, connection, browser, account, account.totp_secret !== null);
    const { sessionId, staff_id, role, must_set_up_second_factor } = opened.person;
    return done({
      answer: opened,
      actor: { kind: 'staff', staff_id, email: account.email, role },
      changed: {
        target: { kind: 'account', id: emailKey(email) },
        before: null,
        after: { session_id: sessionId, second_factor: account.totp_secret !== null, must_set_up_second_factor },
      },
    });
  });
}

/** Starts a new session and removes the browser's earlier one. */
export async function openSession(
  { sessionRules, masterKey }: SignInServices,
  connection: AttemptContext['connection'],
  { by, userAgent, token: old }: Browser,
  { staff_id }: Account,
  secondFactor: boolean,
): Promise<SignInResult> {
  await ask(connection, removeExpiredSessions(staff_id, sessionRules));
  if (old !== undefined) await ask(connection, removeSession(hashToken(old)));
  const { token, statement } = startSession(masterKey, {
    staffId: staff_id,
    address: by.address,
    userAgent,
    secondFactor,
  });
  await ask(connection, statement);
  const person = await findSignedIn(connection, token, sessionRules);
  if (person === undefined) throw new Error('a session that was begun is not there');
  return { person, token };
}

/** Rejects a forged token without a query. */
export const invitedBy = async ({ pool, tokens }: SignInServices, token: string): Promise<Invitation | undefined> =>
  tokens.isGenuine('invitation', token) ? ask(pool, findInvitation(hashToken(token))) : undefined;

/** Uses the invitation up, so that only one record is written. */
async function refuseDuplicate(connection: PoolClient, by: Attribution, { staff_id, email }: Account) {
  const target = { kind: 'staff', id: staff_id };
  await record(connection, {
    ...by,
    actor: { kind: 'unknown', email },
    target,
    before: null,
    after: { failed: 'address_taken' },
  });
  return refuse('invitation_not_valid');
}

/** A person who already has a second factor must then sign in with it. */
export async function acceptInvitation(
  services: SignInServices,
  browser: Browser,
  { token, name, password }: { token: string; name?: string; password: string },
): Promise<Outcome<SignInResult>> {
  const invited = await invitedBy(services, token);
  if (invited === undefined || invited.sso) return refuse('invitation_not_valid');
  const { staff_id, email } = invited;
  const wrong = passwordProblem(password, { email, name: name ?? invited.name });
  if (wrong !== undefined) return refuse('invalid_request', [{ field: 'password', reason: wrong }]);
  const hashed = await hashPassword(password);
  return inTransaction(services.pool, async (connection) => {
    const subject = subjectOfEmail(email);
    const failed = await holdFailures(connection, [subject]);
    const account = await ask(connection, lockAccount(staff_id));
    if (account === undefined) return refuse('invitation_not_valid');
    if ((await ask(connection, useInvitation(hashToken(token)))) === undefined) return refuse('invitation_not_valid');
    if (account.is_duplicate) return refuseDuplicate(connection, browser.by, account);
    await ask(connection, clearFailures(subject));
    await ask(connection, setPassword(staff_id, hashed));
    // From now on the password is the only way to sign in.
    await ask(connection, unbindSingleSignOn(staff_id));
    if (name !== undefined) await ask(connection, setStaffName(staff_id, name));
    const ended = await ask(connection, endSessions(staff_id));
    await record(connection, {
      ...browser.by,
      actor: { kind: 'staff', staff_id, email: account.email, role: account.role },
      target: { kind: 'staff', id: staff_id },
      before: { name: account.name },
      after: { name: name ?? account.name, password: 'set', sessions_ended: ended },
    });
    await recordRefused(connection, failed);
    if (account.totp_secret !== null) return refuse('code_needed');
    return done(await openSession(services, connection, browser, account, false));
  });
}
