import type { PoolClient } from 'pg';
import type { Attribution } from '../audit/entry.ts';
import { isLostRace } from '../engine/faults.ts';
import { ask } from '../engine/statement.ts';
import { inTransaction } from '../engine/transaction.ts';
import { subjectOfAddress } from '../primitives/networks.ts';
import { done, type Outcome, refuse } from '../primitives/outcome.ts';
import { countFailure, record, recordRefused, refuseIfBlocked } from './failure-count.ts';
import type { Identity, OpenIdProvider } from './openid.ts';
import { type Browser, invitedBy, openSession, type SignInResult, type SignInServices } from './sign-in.ts';
import { findInvitation, useInvitation } from './sql/invitations.ts';
import { endSessions } from './sql/sessions.ts';
import { countRefused, findFailures, holdFailures } from './sql/sign-in-failures.ts';
import {
  bindSubject,
  findStaffOfSubject,
  insertSsoAttempt,
  type SsoAttempt,
  takeSsoAttempt,
} from './sql/single-sign-on.ts';
import { type Account, lockAccount } from './sql/staff.ts';
import { hashToken } from './tokens.ts';

// Single sign-on. A person is found by issuer and subject, which accepting an invitation binds to the account. The
// e-mail address is never used, because the provider may give it to another person. Failures are counted for the
// network address and recorded, as with passwords. Returns that match no sign-in of their browser are recorded only as
// a count.

export interface SsoServices extends SignInServices {
  provider: OpenIdProvider;
  /** The URL that the provider redirects the browser to. */
  redirectUri: string;
  /** Reports a fault of the provider, or in its response, to the operators. */
  onFault(fault: Error): void;
}

export interface SsoStart {
  by: Attribution;
  /** The value of the browser's cookie. */
  browserToken: string;
  returnTo: string;
  invitation: string | undefined;
}

/** Returns the URL that the browser is redirected to. */
export async function beginSso(services: SsoServices, start: SsoStart): Promise<Outcome<string>> {
  const { by, browserToken, returnTo, invitation } = start;
  if (invitation !== undefined) {
    if (!services.tokens.isGenuine('invitation', invitation)) return refuse('invitation_not_valid');
    const invited = await invitedBy(services, invitation);
    if (!invited?.sso) return fail(services, by, 'invitation_not_valid', 'invitation');
  }
  const begun = await services.provider.begin(services.redirectUri).catch(services.onFault);
  if (begun === undefined) return refuse('sso_unavailable');
  const attempt = {
    stateHash: hashToken(begun.state),
    browserHash: hashToken(browserToken),
    nonce: begun.nonce,
    verifier: begun.verifier,
    return_to: returnTo,
    invitation_hash: invitation === undefined ? null : hashToken(invitation),
    address: subjectOfAddress(by.address),
  };
  for (const statement of insertSsoAttempt(attempt)) await ask(services.pool, statement);
  return done(begun.url);
}

export interface SsoReturn {
  /** The query that the browser came back with. */
  query: URLSearchParams;
  browserToken: string | undefined;
}

export interface SsoResult extends SignInResult {
  returnTo: string;
}

export async function finishSso(
  services: SsoServices,
  browser: Browser,
  { query, browserToken = '' }: SsoReturn,
): Promise<Outcome<SsoResult>> {
  const { by } = browser;
  const state = query.get('state') ?? '';
  const begun = await ask(services.pool, takeSsoAttempt(hashToken(state), hashToken(browserToken)));
  if (begun === undefined) {
    // Any page can send a browser here with an invented state, so this is not counted as a failure of the address. A
    // valid state can't be guessed.
    await ask(services.pool, countRefused(subjectOfAddress(by.address)));
    return refuse('sso_failed');
  }
  const address = new URL(services.redirectUri);
  address.search = query.toString();
  const { nonce, verifier } = begun;
  const identity = await services.provider.finish(address, { state, nonce, verifier }).catch((error) => {
    services.onFault(error);
    return ssoErrorOf(error);
  });
  if (typeof identity === 'string') return fail(services, by, identity, 'provider');
  const outcome = await signInAs(services, browser, begun, identity).catch((error) => {
    // Another account was bound to the subject at the same moment. The retry finds that account.
    if (isLostRace(error)) return signInAs(services, browser, begun, identity);
    throw error;
  });
  return 'ok' in outcome ? outcome : fail(services, by, outcome.error, outcome.why, identity);
}

const signInAs = (
  services: SsoServices,
  browser: Browser,
  begun: SsoAttempt,
  identity: Identity,
): Promise<Outcome<SsoResult> | SsoRefusal> =>
  inTransaction(services.pool, async (connection) => {
    const found = await accountOf(connection, begun, identity);
    if ('error' in found) return found;
    const opened = await openSession(services, connection, browser, found, true);
    await record(connection, entryOf(browser.by, found, identity, begun, opened));
    return done({ ...opened, returnTo: begun.return_to });
  });

type SsoError = 'sso_failed' | 'sso_refused' | 'sso_unavailable' | 'sso_unknown' | 'invitation_not_valid';

interface SsoRefusal {
  error: SsoError;
  why: string;
}

/** An invitation binds the subject to its account; without one, the subject must already be bound. */
async function accountOf(
  connection: PoolClient,
  { invitation_hash }: SsoAttempt,
  { issuer, subject }: Identity,
): Promise<Account | SsoRefusal> {
  const bound = findStaffOfSubject(issuer, subject);
  const known = await ask(connection, bound);
  if (invitation_hash === null) {
    const account = known === undefined ? undefined : await ask(connection, lockAccount(known));
    // Another transaction may have ended the binding while this one waited for the lock.
    const isBound = known !== undefined && (await ask(connection, bound)) === known;
    return isBound && account ? account : { error: 'sso_unknown', why: isBound ? 'disabled' : 'no_account' };
  }
  const invited = await ask(connection, findInvitation(invitation_hash));
  const account = invited?.sso ? await ask(connection, lockAccount(invited.staff_id)) : undefined;
  if (account === undefined) return { error: 'invitation_not_valid', why: 'invitation' };
  // A subject can be bound to one account only.
  if (known !== undefined && known !== account.staff_id) return { error: 'sso_unknown', why: 'bound_to_another' };
  if ((await ask(connection, useInvitation(invitation_hash))) === undefined) {
    return { error: 'invitation_not_valid', why: 'invitation' };
  }
  if (account.is_duplicate) return { error: 'invitation_not_valid', why: 'address_taken' };
  await ask(connection, bindSubject(account.staff_id, issuer, subject));
  await ask(connection, endSessions(account.staff_id));
  return account;
}

function entryOf(
  by: Attribution,
  { staff_id, email, role }: Account,
  { issuer, subject, email: emailThere }: Identity,
  { invitation_hash }: SsoAttempt,
  { person }: SignInResult,
) {
  const bound = invitation_hash !== null && { bound: { issuer, subject, email: emailThere } };
  return {
    ...by,
    actor: { kind: 'staff', staff_id, email, role } as const,
    target: { kind: 'staff', id: staff_id },
    before: null,
    after: { session_id: person.sessionId, issuer, ...bound },
  };
}

const downCodes = new Set(['OAUTH_TIMEOUT', 'OAUTH_ABORT', 'OAUTH_RESPONSE_IS_NOT_CONFORM']);

/** Maps an error that the provider reported, or a failed check of its response, to a refusal. */
function ssoErrorOf(error: Error & { code?: string }): SsoError {
  if (error.name === 'AuthorizationResponseError') return 'sso_refused';
  return error instanceof TypeError || downCodes.has(error.code ?? '') ? 'sso_unavailable' : 'sso_failed';
}

/** Records and counts the failure, unless the address already has too many. */
async function fail(
  { pool }: SsoServices,
  by: Attribution,
  error: SsoError,
  why: string,
  identity?: Identity,
): Promise<Outcome<never>> {
  const subjects = [subjectOfAddress(by.address)];
  if (await refuseIfBlocked(pool, await ask(pool, findFailures(subjects)))) return refuse(error);
  return inTransaction(pool, async (connection) => {
    const failed = await holdFailures(connection, subjects);
    if (await refuseIfBlocked(connection, failed)) return refuse(error);
    const actor = { kind: 'unknown', email: identity?.email ?? '' } as const;
    const target = { kind: 'account', id: identity ? `${identity.issuer} ${identity.subject}` : '' };
    await countFailure(connection, failed, { ...by, actor, target, before: null, after: { failed: why } });
    await recordRefused(connection, failed);
    return refuse(error);
  });
}
