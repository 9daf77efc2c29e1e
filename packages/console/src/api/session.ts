import type { Person } from '@freebets/contract';
import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { actAs, type CallName, call, isAllowed } from './call.ts';

export const sessionQuery = queryOptions({
  queryKey: ['SessionGet'],
  async queryFn({ signal }) {
    const person = await call('SessionGet', {}, signal);
    actAs(person.staff_id);
    return person;
  },
  staleTime: 60_000,
  retry: false,
});

/** Who is signed in; below the gate, somebody always is. */
export const usePerson = (): Person => useSuspenseQuery(sessionQuery).data;

/** Whether the person's role allows it; the same table decides on the server. */
export function useMay(): (name: CallName) => boolean {
  const { role } = usePerson();
  return (name) => isAllowed(role, name);
}

/** What belongs to all partners together is changed by those who have all of them. */
export function useMayForAll(): (name: CallName) => boolean {
  const { role, partners } = usePerson();
  return (name) => partners === null && isAllowed(role, name);
}
