import type { Role } from '@freebets/contract';

// Who changes something, and what the audit log records about it. A command of a staff member carries its attribution
// through the lane, and the batch that runs it writes the audit entry.

/** `unknown` has not proved to be the person with this e-mail address. */
export type Actor =
  | { kind: 'staff'; staff_id: string; email: string; role: Role }
  | { kind: 'unknown'; email: string }
  | { kind: 'cli' };

/** On whose behalf a change is made, and why. */
export interface Attribution {
  actor: Actor;
  /** The name of the operation, also if a command of the terminal does it. */
  action: string;
  /** The IP address of the caller; null if there is no caller. */
  address: string | null;
  requestId: string | null;
  reason: string | null;
  /** The session of the request, if any. A change fails if the session has ended. It is not recorded. */
  sessionId?: string | undefined;
}

/** The changed object. */
export interface Target {
  kind: string;
  id: string;
}

export interface Changed {
  target: Target;
  before: unknown;
  after: unknown;
}

export interface AuditEntry extends Attribution, Changed {}

/** The exact text that is stored and hashed. */
export const auditText = ({ actor, action, address, requestId, reason, target, before, after }: AuditEntry): string =>
  JSON.stringify({ actor, action, address, request_id: requestId, reason, target, before, after });
