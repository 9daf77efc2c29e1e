import { infiniteQueryOptions, QueryClient, queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { type AnswerOf, type Asked, type CallName, call, mayPass } from './call.ts';

// Whether the browser thinks that it is online says nothing about a server on the same machine or network.
const networkMode = 'always';

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      networkMode,
      retry: (count, error) => count < 2 && mayPass(error),
      staleTime: 5_000,
      refetchOnWindowFocus: true,
      // With this network mode it is off unless it is said.
      refetchOnReconnect: true,
    },
    mutations: { networkMode, retry: false },
  },
});

// What is read, by the operation and what it is asked: so that whatever changes something can say what to read again.

/** What was shown stays until the next is there, but never figures of one partner under the name of another. */
const ofSamePartner =
  (body: object) =>
  <T>(before: T | undefined, query: { queryKey: readonly unknown[] } | undefined): T | undefined =>
    partnerIn(query?.queryKey.at(-1)) === partnerIn(body) ? before : undefined;

const partnerIn = (body: unknown): unknown => (body as { client_id?: number } | undefined)?.client_id;

/** One answer. */
export const asking = <N extends CallName>(name: N, body: Asked<N>) =>
  queryOptions({
    queryKey: [name, body],
    queryFn: ({ signal }) => call(name, body, signal),
    placeholderData: ofSamePartner(body),
  });

/** A list, page after page. */
export const listing = <N extends CallName>(name: N, body: Omit<Asked<N>, 'cursor'>) =>
  infiniteQueryOptions({
    queryKey: [name, 'list', body],
    queryFn: ({ signal, pageParam }) =>
      call(name, { ...body, ...(pageParam !== null && { cursor: pageParam }) } as unknown as Asked<N>, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page: AnswerOf<N>) => (page as { next_cursor: string | null }).next_cursor,
    placeholderData: ofSamePartner(body),
  });

/** What would come of it, decided by the server as it stands at this moment; never an answer to another question. */
export const useDryRun = <N extends CallName>(name: N, body: Asked<N>, isAsked = true) =>
  useQuery({
    queryKey: [name, 'dry run', body],
    queryFn: ({ signal }) => call(name, { ...body, dry_run: true } as unknown as Asked<N>, signal),
    enabled: isAsked,
    retry: false,
    staleTime: 0,
    gcTime: 0,
  });

/**
 * A call that is made when its screen is shown. What is sent and answered is a secret: it is kept as long as that screen is there, and
 * known by no key.
 */
export function useSecretCall<N extends CallName>(name: N, body: Asked<N>) {
  const { mutate, data, error } = useMutation<AnswerOf<N>>({ mutationFn: () => call(name, body), gcTime: 0 });
  useEffect(() => mutate(), [mutate]);
  return { data, error };
}

/** The stream of what happens says nothing of people, so their screens ask again. */
export const staffPauseMs = 5_000;
