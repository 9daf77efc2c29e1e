import type { Pool } from 'pg';
import { change, Refused, withoutSession } from '../../audit/change.ts';
import type { Handlers, StaffCall } from '../../calls/call.ts';
import type { FairQueue } from '../../calls/fair-queue.ts';
import { type SignedIn, signedIn } from '../../calls/signed-in.ts';
import { ask } from '../../engine/statement.ts';
import { formatInstant } from '../../primitives/amounts.ts';
import { subjectOfAddress } from '../../primitives/networks.ts';
import { done, type Outcome, refuse } from '../../primitives/outcome.ts';
import type { MasterKey } from '../../primitives/sealing.ts';
import { isBlocked } from '../attempt.ts';
import { type EndedSessions, findSignedIn, type SessionRules } from '../sessions.ts';
import {
  acceptInvitation,
  type Browser,
  invitedBy,
  type SignInResult,
  type SignInServices,
  signIn,
} from '../sign-in.ts';
import { endSession, endSessions, listSessions } from '../sql/sessions.ts';
import { hashToken, type TokenCheck } from '../tokens.ts';
import type { AnonymousCallers } from '../turns.ts';
import { beginSignOn, type SingleSignOnServices } from './single-sign-on.ts';

type Names =
  | 'SignIn'
  | 'SessionGet'
  | 'SessionList'
  | 'SessionEnd'
  | 'SignOut'
  | 'InvitationGet'
  | 'InvitationAccept'
  | 'SsoBegin';

export interface SessionServices {
  consolePool: Pool;
  sessionRules: SessionRules;
  /** Emitted when sessions may have ended. */
  sessionsEnded: { emit(ended: EndedSessions): void };
}

/** What sign-in and every check of a password or a code need. */
export interface AccountServices extends SessionServices {
  masterKey: MasterKey;
  tokens: TokenCheck;
  anonymous: AnonymousCallers;
  /** For checks of passwords, by address. */
  signInTurns: FairQueue;
}

export const sessionHandlers: Handlers<Names, AccountServices & SingleSignOnServices> = {
  async SignIn(call, body) {
    // An attempt that is refused anyway must not take a turn.
    if (await isBlocked(signInServices(call), { email: body.email, by: call.by })) return refuse('sign_in_failed');
    return signInResponse(call, await inTurn(call, () => signIn(signInServices(call), browserOf(call), body)));
  },

  async SessionGet({ person }) {
    return done(shown(signedIn(person)));
  },

  async SessionList(call) {
    return done({ sessions: await sessionsOf(call, signedIn(call.person).staff_id) });
  },

  async SessionEnd(call, { session_id, all_others = false }) {
    if ((session_id === undefined) !== all_others) {
      return refuse('invalid_request', [{ field: 'session_id', reason: 'must be given, or all_others, and not both' }]);
    }
    return done({
      ended: session_id === undefined ? await endOthers(call) : await endOne(call, session_id),
    });
  },

  async SignOut(call) {
    await endOne(call, signedIn(call.person).sessionId);
    return done({});
  },

  async InvitationGet(call, { token }) {
    const invited = await invitedBy(signInServices(call), token);
    if (invited === undefined) return refuse('invitation_not_valid');
    const { staff_id: _, ...invitation } = invited;
    return done(invitation);
  },

  async InvitationAccept(call, body) {
    const invited = await invitedBy(signInServices(call), body.token);
    if (invited === undefined) return refuse('invitation_not_valid');
    const outcome = await inTurn(call, () => acceptInvitation(signInServices(call), browserOf(call), body));
    // Accepting an invitation does not sign in a person with a second factor, but it ends their sessions.
    const isCodeNeeded = !outcome.ok && outcome.error === 'code_needed';
    if (isCodeNeeded) call.services.sessionsEnded.emit({ staffId: invited.staff_id });
    return signInResponse(call, outcome);
  },

  async SsoBegin({ services, by, cookies }, body) {
    const outcome = await beginSignOn(services, by, cookies, body);
    return outcome.ok ? done({ location: outcome.value }) : outcome;
  },
};

/** Finds the person to whom the session belongs. */
export async function findStaff(services: SessionLookup, token: string, isUse: boolean): Promise<Outcome<SignedIn>> {
  const { tokens, consolePool, sessionRules, sessionTurns } = services;
  if (!tokens.isGenuine('session', token)) return refuse('not_signed_in');
  const find = async () => ({ person: await findSignedIn(consolePool, token, sessionRules, isUse) });
  const looked = await sessionTurns.take(token, find);
  if (looked === undefined) return refuse('unavailable');
  return looked.person === undefined ? refuse('not_signed_in') : done(looked.person);
}

export interface SessionLookup extends Pick<SessionServices, 'consolePool' | 'sessionRules'> {
  tokens: TokenCheck;
  /** For lookups of sessions, by session. */
  sessionTurns: FairQueue;
}

/** The sessions of a person. */
export async function sessionsOf({ services, person }: StaffCall<SessionServices>, staffId: string) {
  const { sessionId } = signedIn(person);
  const sessions = await ask(services.consolePool, listSessions(staffId, services.sessionRules));
  return sessions.map(({ session_id, created_at, seen_at, address, user_agent }) => ({
    session_id,
    since: formatInstant(created_at),
    last_seen: formatInstant(seen_at),
    address,
    browser: user_agent,
    current: session_id === sessionId,
  }));
}

function shown({ sessionId: _, ...person }: SignedIn) {
  return person;
}

export const signInServices = ({ services, person, by }: StaffCall<AccountServices>): SignInServices => ({
  pool: person === undefined ? services.anonymous.connectionsFor(by.address) : services.consolePool,
  tokens: services.tokens,
  masterKey: services.masterKey,
  sessionRules: services.sessionRules,
});

const browserOf = ({ by, headers, token }: StaffCall<unknown>): Browser => ({
  by,
  userAgent: headers['user-agent'],
  token,
});

/** Waits for a turn, because checking a password computes its hash. */
export const inTurn = async <T>(
  { services, by }: StaffCall<AccountServices>,
  attempt: () => Promise<Outcome<T>>,
): Promise<Outcome<T>> =>
  (await services.signInTurns.take(subjectOfAddress(by.address), attempt)) ?? refuse('unavailable');

/** Replaces the browser's earlier session. */
function signInResponse({ services, token, setSession }: StaffCall<SessionServices>, outcome: Outcome<SignInResult>) {
  if (!outcome.ok) return outcome;
  setSession(outcome.value.token);
  services.sessionsEnded.emit({ staffId: outcome.value.person.staff_id, token });
  return done(shown(outcome.value.person));
}

async function endOne(
  { services, by, person, setSession }: StaffCall<SessionServices>,
  sessionId: string,
): Promise<number> {
  const { staff_id, sessionId: current } = signedIn(person);
  const context = { pool: services.consolePool, by };
  await change(sessionId === current ? withoutSession(context) : context, async (connection) => {
    if (!(await ask(connection, endSession(staff_id, sessionId)))) throw new Refused('session_not_found');
    const changed = { target: { kind: 'session', id: sessionId }, before: null, after: { ended: true } };
    return { answer: undefined, changed };
  });
  if (sessionId === current) setSession(null);
  services.sessionsEnded.emit({ staffId: staff_id });
  return 1;
}

async function endOthers({ services, by, person, token = '' }: StaffCall<SessionServices>): Promise<number> {
  const { staff_id } = signedIn(person);
  const ended = await change({ pool: services.consolePool, by }, async (connection) => {
    const answer = await ask(connection, endSessions(staff_id, hashToken(token)));
    return {
      answer,
      changed: { target: { kind: 'staff', id: staff_id }, before: null, after: { sessions_ended: answer } },
    };
  });
  services.sessionsEnded.emit({ staffId: staff_id });
  return ended;
}
