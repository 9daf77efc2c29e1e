import { aheadOfMany } from '../../engine/clock.ts';
import { clientIdsOf, isAmong, named, type Statement } from '../../engine/statement.ts';
import type { WorldInstant } from '../../primitives/amounts.ts';

// Finds which partners have which kind of background work. Each kind has an SQL expression for the time when a
// partner's first work is due. That expression answers two questions: which partners have work now, and how long a
// partner without work can be inactive.

/**
 * A kind of background work. Its SQL expressions may use a partner's event head `h`, the sandbox clock `c`, and the
 * partner `p`, which is null unless the partner is disabled. $1 lists all partners of the query.
 */
export interface WorkKind {
  name: string;
  /** Other tables that the expressions read. */
  join?: string;
  /** When the first work is due, in world time; null if there is none. */
  dueAt: string;
  lease?: {
    /** When the lease on this work ends, in real time; null if no server holds one. */
    endsAt: string;
    /** Ends the expired leases of these partners. */
    endOver(clientIds: readonly number[]): Statement;
  };
}

/** The due time of immediate work. */
export const atOnce = 'to_timestamp(0)';

const partners = `event_heads h ${aheadOfMany('h.client_id')}
  LEFT JOIN partners p ON p.client_id = h.client_id AND p.disabled_at IS NOT NULL`;

/** Finds partners that have work of this kind now and no unexpired lease on it. */
export function findDue({
  name,
  join = '',
  dueAt,
  lease,
}: WorkKind): (clientIds: readonly number[]) => Statement<number[]> {
  const isFree = lease === undefined ? '' : `AND coalesce(${lease.endsAt} <= statement_timestamp(), true)`;
  const select = named(
    `due_${name}`,
    `SELECT h.client_id FROM ${partners} ${join} WHERE ${isAmong('h', '$1')} ${isFree} AND ${dueAt} <= world_now() ORDER BY 1`,
    clientIdsOf,
  );
  return (clientIds) => select([clientIds]);
}

export interface NextWork {
  client_id: number;
  is_leased: boolean;
  /** The first due time of all kinds. */
  due_at: WorldInstant | null;
  world_now: WorldInstant;
}

export interface AllWork {
  /** Partners without an event head are left out. */
  findNext(clientIds: readonly number[]): Statement<NextWork[]>;
  endOverLeases(clientIds: readonly number[]): Statement[];
}

export function combineWork(kinds: readonly WorkKind[]): AllWork {
  const leases = kinds.flatMap(({ lease }) => lease ?? []);
  const isLeased = leases.map(({ endsAt }) => `${endsAt} IS NOT NULL`).join(' OR ');
  const select = named<NextWork>(
    'next_work_of_partners',
    `SELECT h.client_id, ${isLeased || 'false'} AS is_leased, least(${kinds.map(({ dueAt }) => dueAt).join(', ')}) AS due_at,
       world_now() AS world_now
     FROM ${partners} ${kinds.map(({ join = '' }) => join).join(' ')}
     WHERE h.client_id = ANY ($1::int[])`,
  );
  return {
    findNext: (clientIds) => select([clientIds]),
    endOverLeases: (clientIds) => leases.map(({ endOver }) => endOver(clientIds)),
  };
}

export const isDueNow = ({ is_leased, due_at, world_now }: NextWork): boolean =>
  is_leased || (due_at !== null && due_at <= world_now);
