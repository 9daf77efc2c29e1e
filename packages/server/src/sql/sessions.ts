import type { Role } from '@freebets/contract';
import { named, type Statement } from '../db/statement.ts';
import type { WorldInstant } from '../domain/amounts.ts';

// Sessions of staff. Who may sign in, and whether a session still holds, is one statement: a role, a scope or an account that
// changed counts from the next request on.

export interface SessionRow {
  session_id: string;
  staff_id: string;
  email: string;
  name: string;
  role: Role;
  /** Null for all. */
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
     s.seen_at, service_now() AS now
   FROM sessions s JOIN staff p USING (staff_id)
   WHERE s.token_hash = $1 AND p.disabled_at IS NULL
     AND s.seen_at > service_now() - $2::int * interval '1 minute'
     AND s.created_at > service_now() - $3::int * interval '1 hour'`,
  ([row]) => row,
);

export interface SessionTimes {
  idleMin: number;
  hours: number;
}

/** Undefined when there is none, or its time is over. */
export const findSession = (tokenHash: Buffer, { idleMin, hours }: SessionTimes): Statement<SessionRow | undefined> =>
  select([tokenHash, idleMin, hours]);

const touch = named('touch_session', 'UPDATE sessions SET seen_at = service_now() WHERE token_hash = $1');

export const touchSession = (tokenHash: Buffer): Statement => touch([tokenHash]);

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
