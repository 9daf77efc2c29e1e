import { type ChangeContext, Refused } from '../audit/change.ts';
import type { SecretContext } from '../partners/callers/secrets.ts';
import type { StaffCall } from './call.ts';

// How a request of the staff becomes a change that is recorded as theirs.

export const changeContextOf = ({ services, by, request }: StaffCall): ChangeContext => ({
  pool: services.consolePool,
  by,
  ...(services.isConfirmationNeeded && { confirming: { request } }),
  observePower: services.observePower,
});

export const contextOf = (call: StaffCall): SecretContext => ({
  ...changeContextOf(call),
  masterKey: call.services.masterKey,
});

/** A change of what servers keep in memory: who made it sees it at once on the server that answers. */
export async function followed<T>({ services }: StaffCall, change: Promise<T>): Promise<T> {
  const answer = await change;
  await services.followChanges();
  return answer;
}

/** What belongs to no partner, or makes one, is only for those who have all of them. */
export function requireAllPartners({ person }: StaffCall): void {
  if (person?.partners !== null) throw new Refused('not_allowed');
}

/** Throws where nothing is given. */
export function requireSomething(settings: object): void {
  if (Object.values(settings).some((value) => value !== undefined)) return;
  throw new Refused('invalid_request', [{ field: '', reason: 'must name something to change' }]);
}
