import type { Role } from '@freebets/contract';

// Who changes something, and what is recorded of it. A command that somebody of the staff gives carries this through its lane,
// and the batch that carries it out writes it down.

/** Unknown: whoever did not prove to be the one with this address. */
export type Actor =
  | { kind: 'staff'; staff_id: string; email: string; role: Role }
  | { kind: 'unknown'; email: string }
  | { kind: 'cli' };

/** On whose behalf a change is made, and why. */
export interface Attribution {
  actor: Actor;
  /** The word for what is done: the name of the operation, also where a command of the terminal does it. */
  action: string;
  /** From where; null where nobody called. */
  address: string | null;
  requestId: string | null;
  reason: string | null;
  /** The session that asks, where one does: nothing is done for one that has ended by then. It is not recorded. */
  sessionId?: string | undefined;
}

/** What is changed, by its kind and its id. */
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

/** Byte for byte what is stored and hashed. */
export const auditText = ({ actor, action, address, requestId, reason, target, before, after }: AuditEntry): string =>
  JSON.stringify({ actor, action, address, request_id: requestId, reason, target, before, after });
