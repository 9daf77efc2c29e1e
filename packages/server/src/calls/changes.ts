import type { Pool } from 'pg';
import { type ChangeContext, Refused } from '../audit/change.ts';
import type { StaffCall } from './call.ts';

// How a request of staff becomes a change that is recorded with their name.

export interface ChangeServices {
  /** Connections for staff only: neither waits for the other's requests. */
  consolePool: Pool;
  /** Whether a second admin must confirm a change that gives approval rights or shows a secret. */
  isConfirmationNeeded: boolean;
  /** Counts such changes. */
  observePower(operation: string, isConfirmed: boolean): void;
}

export const changeContextOf = ({ services, by, request }: StaffCall<ChangeServices>): ChangeContext => ({
  pool: services.consolePool,
  by,
  ...(services.isConfirmationNeeded && { confirming: { request } }),
  observePower: services.observePower,
});

export interface FollowServices {
  /** Resolves when the reference data of this server includes all changes committed before. */
  followChanges(): Promise<void>;
}

/** For a change of reference data: the next request to this server already finds it changed. */
export async function changeAndFollow<T>({ services }: StaffCall<FollowServices>, change: Promise<T>): Promise<T> {
  const changed = await change;
  await services.followChanges();
  return changed;
}

/** Only staff with all partners may create a partner or change what belongs to none. */
export function requireAllPartners({ person }: Pick<StaffCall<unknown>, 'person'>): void {
  if (person?.partners !== null) throw new Refused('not_allowed');
}

/** Throws if the request changes no setting. */
export function requireSomething(settings: object): void {
  if (Object.values(settings).some((value) => value !== undefined)) return;
  throw new Refused('invalid_request', [{ field: '', reason: 'must name something to change' }]);
}
