import { randomUUID } from 'node:crypto';
import type { SignedIn } from '../calls/signed-in.ts';
import type { Connection } from '../engine/connection.ts';
import { ask, type Statement } from '../engine/statement.ts';
import type { MasterKey } from '../primitives/sealing.ts';
import { findSession, insertSession, type SessionTimes, touchSession } from './sql/sessions.ts';
import { hashToken, newToken } from './tokens.ts';

// Only the browser has the token of a session; the database stores its SHA-256.

export interface SessionRules extends SessionTimes {
  isSecondFactorNeeded: boolean;
}

/** All sessions of a person, or only the one with this token. */
export interface EndedSessions {
  staffId?: string;
  token?: string | undefined;
}

/** How stale the stored time of last use may be before it is updated. */
const touchMs = 30_000;

/**
 * Finds the person with this token; undefined if the session is over. Automatic requests, such as a stream, do not
 * count as use.
 */
export async function findSignedIn(
  connection: Connection,
  token: string,
  rules: SessionRules,
  isUse = true,
): Promise<SignedIn | undefined> {
  const tokenHash = hashToken(token);
  const found = await ask(connection, findSession(tokenHash, rules));
  if (found === undefined) return undefined;
  const { session_id, staff_id, email, name, role, partners, second_factor, has_second_factor } = found;
  if (isUse && found.now - found.seen_at > touchMs) await ask(connection, touchSession(tokenHash));
  const isSafe = second_factor || !rules.isSecondFactorNeeded;
  // The person has set up a second factor since, and must sign in with it.
  if (!isSafe && has_second_factor) return undefined;
  return { staff_id, email, name, role, partners, must_set_up_second_factor: !isSafe, sessionId: session_id };
}

export interface SessionStart {
  staffId: string;
  address: string | null;
  userAgent: string | undefined;
  secondFactor: boolean;
}

/** Each sign-in starts a new session and never takes over an existing one. */
export function startSession(
  masterKey: MasterKey,
  { staffId, address, userAgent, secondFactor }: SessionStart,
): { token: string; statement: Statement } {
  const token = newToken(masterKey, 'session');
  const statement = insertSession({
    tokenHash: hashToken(token),
    sessionId: randomUUID(),
    staffId,
    address,
    userAgent: userAgent?.replace(/\p{C}/gu, '').slice(0, 300) ?? null,
    secondFactor,
  });
  return { token, statement };
}
