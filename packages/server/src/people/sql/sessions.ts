import type { Role } from '@freebets/contract';
import { findActiveSessions } from '../../audit/sql.ts';
import type { Connection } from '../../engine/connection.ts';
import { ask, named, type Statement } from '../../engine/statement.ts';
import type { WorldInstant } from '../../primitives/amounts.ts';

// Sessions of staff. One statement reads the session with the current role, scope and state of its account, so a change
// takes effect with the next request.

export interface SessionRow {
  session_id: string;
  staff_id: string;
  email: string;
  name: string;
  role: Role;
  /** Null for all partners. */
  partners: number[] | null;
  second_factor: boolean;
  has_second_factor: boolean;
  seen_at: WorldInstant;
  now: WorldInstant;
}

const select = named<SessionRow, SessionRow | undefined>(
  'find_session',
  `SELECT s.session_id, s.staff_id, p.email, p.name, p.role, s.second_factor, p.totp_since IS NOT NULL AS has_second_factor,
     CASE WHEN NOT p.all_partners THEN
       ARRAY(SELECT client_id FROM staff_partners o WHERE o.staff_id = s.staff_id ORDER BY 1) END AS partners,
     s.seen_at, world_now() AS now
   FROM sessions s JOIN staff p USING (staff_id)
   WHERE s.token_hash = $1 AND p.disabled_at IS NULL
     AND s.seen_at > world_now() - $2::int * interval '1 minute'
     AND s.created_at > world_now() - $3::int * interval '1 hour'`,
  ([row]) => row,
);

export interface SessionTimes {
  idleMin: number;
  hours: number;
}

/** Undefined if the session is unknown or expired. */
export const findSession = (tokenHash: Buffer, { idleMin, hours }: SessionTimes): Statement<SessionRow | undefined> =>
  select([tokenHash, idleMin, hours]);

const selectOpen = named<{ token_hash: Buffer }, Buffer[]>(
  'find_open_tokens',
  `(SELECT token_hash FROM invitations WHERE used_at IS NULL ORDER BY created_at DESC LIMIT $1)
   UNION ALL (SELECT token_hash FROM sessions ORDER BY created_at DESC LIMIT $1)`,
  (rows) => rows.map(({ token_hash }) => token_hash),
);

/** The hashes of the newest unused invitations and of the newest sessions, up to `limit` of each. */
export const findOpenTokens = (limit: number): Statement<Buffer[]> => selectOpen([limit]);

const touch = named('touch_session', 'UPDATE sessions SET seen_at = world_now() WHERE token_hash = $1');

export const touchSession = (tokenHash: Buffer): Statement => touch([tokenHash]);

/** Whether this session still exists. */
export const isSessionActive = async (connection: Connection, sessionId: string): Promise<boolean> =>
  (await ask(connection, findActiveSessions([sessionId]))).size > 0;

export interface NewSession {
  tokenHash: Buffer;
  sessionId: string;
  staffId: string;
  address: string | null;
  userAgent: string | null;
  secondFactor: boolean;
}

const insert = named(
  'insert_session',
  `INSERT INTO sessions (token_hash, session_id, staff_id, address, user_agent, second_factor)
   VALUES ($1, $2, $3, $4, $5, $6)`,
);

export const insertSession = (session: NewSession): Statement =>
  insert([
    session.tokenHash,
    session.sessionId,
    session.staffId,
    session.address,
    session.userAgent,
    session.secondFactor,
  ]);

export interface ListedSession {
  session_id: string;
  created_at: WorldInstant;
  seen_at: WorldInstant;
  address: string | null;
  user_agent: string | null;
}

const holds = `seen_at > world_now() - $2::int * interval '1 minute' AND created_at > world_now() - $3::int * interval '1 hour'`;

const list = named<ListedSession>(
  'list_sessions',
  `SELECT session_id, created_at, seen_at, address, user_agent FROM sessions WHERE staff_id = $1 AND ${holds}
   ORDER BY seen_at DESC, session_id`,
);

/** The valid sessions of a person. */
export const listSessions = (staffId: string, { idleMin, hours }: SessionTimes): Statement<ListedSession[]> =>
  list([staffId, idleMin, hours]);

const endOne = named<{ session_id: string }, boolean>(
  'end_session',
  'DELETE FROM sessions WHERE staff_id = $1 AND session_id = $2 RETURNING session_id',
  (rows) => rows.length === 1,
);

/** Returns false if the person has no such session. */
export const endSession = (staffId: string, sessionId: string): Statement<boolean> => endOne([staffId, sessionId]);

const endAll = named<{ session_id: string }, number>(
  'end_sessions',
  'DELETE FROM sessions WHERE staff_id = $1 AND token_hash IS DISTINCT FROM $2 RETURNING session_id',
  (rows) => rows.length,
);

/** Ends all sessions of a person, except the one with this token if given. Returns how many it ended. */
export const endSessions = (staffId: string, exceptTokenHash: Buffer | null = null): Statement<number> =>
  endAll([staffId, exceptTokenHash]);

const remove = named('remove_session', 'DELETE FROM sessions WHERE token_hash = $1');

/** Removes the session of any person. */
export const removeSession = (tokenHash: Buffer): Statement => remove([tokenHash]);

const renew = named<{ session_id: string }, boolean>(
  'renew_session',
  `UPDATE sessions SET token_hash = $2, seen_at = world_now(), second_factor = second_factor OR $3
   WHERE token_hash = $1 RETURNING session_id`,
  (rows) => rows.length === 1,
);

/** Gives the session a new token, and a second factor if given. Returns false if the session is gone. */
export const renewSession = (tokenHash: Buffer, newTokenHash: Buffer, secondFactor: boolean): Statement<boolean> =>
  renew([tokenHash, newTokenHash, secondFactor]);

const removeExpired = named<{ session_id: string }, number>(
  'remove_sessions_over',
  `DELETE FROM sessions WHERE ($1::uuid IS NULL OR staff_id = $1) AND NOT (${holds}) RETURNING session_id`,
  (rows) => rows.length,
);

/** Removes the expired sessions of a person, or of everyone. */
export const removeExpiredSessions = (staffId: string | null, { idleMin, hours }: SessionTimes): Statement<number> =>
  removeExpired([staffId, idleMin, hours]);
