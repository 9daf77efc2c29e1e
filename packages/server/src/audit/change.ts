import { isDeepStrictEqual } from 'node:util';
import { type ErrorName, errors, type FieldError, type Refusal } from '@freebets/contract/errors';
import type { Pool, PoolClient } from 'pg';
import { markActive } from '../background/sql/due.ts';
import { inOneTrip, inTransaction } from '../engine/transaction.ts';
import type { Attribution, Changed } from './entry.ts';
import { findSessionsThere, insertAudit, noPartner } from './sql.ts';

// Whatever people change that does not go through a lane: partners, providers, secrets, offers, webhooks, the catalogue,
// staff, drafts. Each is written here one time, for the console and for the command line. A change, its record and the notice to
// other servers are one transaction. Who was shut out while it waited for others has changed nothing.

/** What a change did; null where it found that there is nothing to change, and then nothing is recorded. */
export interface Done<T> {
  answer: T;
  /** The partner it belongs to; none when absent. */
  clientId?: number;
  /** Of what servers keep in memory, providers and games alone were changed. */
  isCatalogue?: boolean;
  changed: Changed | null;
  /** For a change that gives approval rights, shows a secret or makes wins larger: whether a second admin has confirmed it. */
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

/** The context of whoever ends the very session that asks: it is not there any more when that is recorded. */
export const leaving = <C extends ChangeContext>(context: C): C => ({
  ...context,
  by: { ...context.by, sessionId: undefined },
});

/**
 * What is refused throws, and nothing has changed. Whether the session is still there is asked last, and without a lock: whoever ends
 * sessions records it, and so has the head of the chain of no partner until that is committed. What is recorded there, too, is ahead of it or refused.
 */
export async function change<T>(
  { pool, by, observePower }: ChangeContext,
  work: (connection: PoolClient) => Promise<Done<T>>,
): Promise<T> {
  const { answer, power } = await inTransaction(pool, async (connection) => {
    const done = await work(connection);
    const { clientId, changed } = done;
    // A webhook that is set, or a partner that is enabled: what has waited is to be done. Its row is locked last, as by a batch.
    const marking = clientId === undefined ? [] : [markActive(clientId)];
    const recording = changed === null ? [] : insertAudit(clientId ?? noPartner, { ...by, ...changed });
    const asking = by.sessionId === undefined ? undefined : findSessionsThere([by.sessionId]);
    const last = [...recording, ...marking, ...(asking ? [asking] : [])];
    const answers = last.length > 0 ? await inOneTrip(connection, last) : undefined;
    if (asking && answers?.of(asking).size === 0) throw new Refused('not_signed_in');
    return done;
  });
  if (power !== undefined) observePower?.(by.action, power.isConfirmed);
  return answer;
}

/** Why a change is refused: thrown within its transaction, which then has not happened. */
export class Refused extends Error {
  readonly refusal: Refusal;
  constructor(error: ErrorName, details?: FieldError[]) {
    super(errors[error].message);
    this.refusal = details === undefined ? { error } : { error, details };
  }
}

/** The order of a list is no change of it. */
const inOrder = (value: unknown): unknown => (Array.isArray(value) ? value.toSorted() : value);

/** Throws where what was read of it is not so any more: whoever has not read what a colleague did meanwhile would undo it. */
export function requireAsRead<T extends object>(asRead: Partial<T> | undefined, now: T): void {
  const isSame = (field: string) =>
    isDeepStrictEqual(inOrder(asRead?.[field as keyof T]), inOrder(now[field as keyof T]));
  if (!Object.keys(asRead ?? {}).every(isSame)) throw new Refused('changed_meanwhile');
}
