import { isDeepStrictEqual } from 'node:util';
import { type ErrorName, errors, type FieldError, type Refusal } from '@freebets/contract/errors';
import type { Pool, PoolClient } from 'pg';
import { markActive } from '../background/sql/due.ts';
import { inOneTrip, inTransaction } from '../engine/transaction.ts';
import type { Attribution, Changed } from './entry.ts';
import { findActiveSessions, insertAudit, noPartner } from './sql.ts';

// Changes by staff that don't go through a lane: partners, providers, secrets, offers, webhooks, the catalogue, staff,
// drafts. The console and the command line share this code. A change, its audit record and the notice to other servers
// are one transaction, which fails if the session is revoked meanwhile.

/** The result of a change. */
export interface Done<T> {
  answer: T;
  /** The partner that the change belongs to; absent if none. */
  clientId?: number;
  /** Only providers and games were changed, of the reference data that servers keep in memory. */
  isCatalogue?: boolean;
  /** Null if there was nothing to change. Then nothing is recorded. */
  changed: Changed | null;
  /**
   * For a change that grants approval rights, shows a secret or increases winnings: whether a second admin has
   * confirmed it.
   */
  power?: { isConfirmed: boolean };
}

export interface ChangeContext {
  pool: Pool;
  by: Attribution;
  /** The request as it was sent, if staff need the confirmation of a second admin. */
  confirming?: { request: object } | undefined;
  /** Counts changes with a power that are committed. */
  observePower?: (operation: string, isConfirmed: boolean) => void;
}

/** For a change that ends the caller's own session, so that the session check does not refuse it. */
export const withoutSession = <C extends ChangeContext>(context: C): C => ({
  ...context,
  by: { ...context.by, sessionId: undefined },
});

/**
 * Runs a change. A refusal throws and rolls back. The session check comes last and needs no lock: ending sessions is
 * recorded in the chain without a partner, whose head stays locked until the commit. A change in the same chain either
 * precedes it or is refused.
 */
export async function change<T>(
  { pool, by, observePower }: ChangeContext,
  work: (connection: PoolClient) => Promise<Done<T>>,
): Promise<T> {
  const { answer, power } = await inTransaction(pool, async (connection) => {
    const done = await work(connection);
    const { clientId, changed } = done;
    // A new webhook or an enabled partner may have work waiting. The due row is locked last, as in a batch.
    const marking = clientId === undefined ? [] : [markActive([clientId])];
    const recording = changed === null ? [] : insertAudit(clientId ?? noPartner, { ...by, ...changed });
    const asking = by.sessionId === undefined ? undefined : findActiveSessions([by.sessionId]);
    const last = [...recording, ...marking, ...(asking ? [asking] : [])];
    const answers = last.length > 0 ? await inOneTrip(connection, last) : undefined;
    if (asking && answers?.of(asking).size === 0) throw new Refused('not_signed_in');
    return done;
  });
  if (power !== undefined) observePower?.(by.action, power.isConfirmed);
  return answer;
}

/** Refuses a change. Thrown inside its transaction, which is then rolled back. */
export class Refused extends Error {
  readonly refusal: Refusal;
  constructor(error: ErrorName, details?: FieldError[]) {
    super(errors[error].message);
    this.refusal = details === undefined ? { error } : { error, details };
  }
}

/** Ignores the order of lists. */
const inOrder = (value: unknown): unknown => (Array.isArray(value) ? value.toSorted() : value);

/**
 * Throws if the values that the caller has read are outdated, so that a change can't silently undo a colleague's
 * change.
 */
export function requireUnchanged<T extends object>(asRead: Partial<T> | undefined, now: T): void {
  const isSame = (field: string) =>
    isDeepStrictEqual(inOrder(asRead?.[field as keyof T]), inOrder(now[field as keyof T]));
  if (!Object.keys(asRead ?? {}).every(isSame)) throw new Refused('changed_meanwhile');
}
