import type { Person } from '@freebets/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { basePath } from '../../api/base.ts';
import { actAs } from '../../api/call.ts';
import { sessionQuery } from '../../api/session.ts';

/** A page of the console itself: an address that somebody else wrote leads nowhere else. */
const isOwn = (to: string): boolean => to === basePath || to.startsWith(`${basePath}/`);

/** Where somebody wanted to go. */
export const wayOn = (to: string | undefined): string => (to !== undefined && isOwn(to) ? to : `${basePath}/`);

/** Somebody has signed in: nothing that was read before is kept, and they come to where they wanted. */
export function useEntering(to: string | undefined): (person: Person) => void {
  const queries = useQueryClient();
  const router = useRouter();
  return (person) => {
    actAs(person.staff_id);
    queries.clear();
    queries.setQueryData(sessionQuery.queryKey, person);
    // The way back leads past the sign-in.
    router.history.replace(wayOn(to));
  };
}
