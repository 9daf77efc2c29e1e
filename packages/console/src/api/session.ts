import type { Person } from '@freebets/contract';
import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { type CallName, call, isAllowed, setSignedInAs } from './call.ts';

export const sessionQuery = queryOptions({
  queryKey: ['SessionGet'],
  async queryFn({ signal }) {
    const person = await call('SessionGet', {}, signal);
    setSignedInAs(person.staff_id);
    return person;
  },
  staleTime: 60_000,
  retry: false,
});

/** The signed-in user. Only used on screens that require a session. */
export const usePerson = (): Person => useSuspenseQuery(sessionQuery).data;

/** Whether the user's role allows an operation; the server decides by the same table. */
export function useMay(): (name: CallName) => boolean {
  const { role } = usePerson();
  return (name) => isAllowed(role, name);
}

/** For things that belong to all partners: only users with access to all partners can change them. */
export function useMayForAll(): (name: CallName) => boolean {
  const { role, partners } = usePerson();
  return (name) => partners === null && isAllowed(role, name);
}
