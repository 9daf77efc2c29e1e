import { infiniteQueryOptions, QueryClient, queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { type CallName, type CallRequest, type CallResponse, call, isTransient } from './call.ts';

// The browser's online flag says nothing about a server on the same machine or network.
const networkMode = 'always';

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      networkMode,
      retry: (count, error) => count < 2 && isTransient(error),
      staleTime: 5_000,
      refetchOnWindowFocus: true,
      // Off by default in this network mode.
      refetchOnReconnect: true,
    },
    mutations: { networkMode, retry: false },
  },
});

// Query keys are the operation and its request, so that a change can refresh queries by operation.

/** Keeps the previous data while the next loads, but never shows one partner's figures under another's name. */
const keepForSamePartner =
  (body: object) =>
  <T>(before: T | undefined, query: { queryKey: readonly unknown[] } | undefined): T | undefined =>
    partnerIn(query?.queryKey.at(-1)) === partnerIn(body) ? before : undefined;

const partnerIn = (body: unknown): unknown => (body as { client_id?: number } | undefined)?.client_id;

/** One response. */
export const callQuery = <N extends CallName>(name: N, body: CallRequest<N>) =>
  queryOptions({
    queryKey: [name, body],
    queryFn: ({ signal }) => call(name, body, signal),
    placeholderData: keepForSamePartner(body),
  });

/** A list, page by page. */
export const listQuery = <N extends CallName>(name: N, body: Omit<CallRequest<N>, 'cursor'>) =>
  infiniteQueryOptions({
    queryKey: [name, 'list', body],
    queryFn: ({ signal, pageParam }) =>
      call(name, { ...body, ...(pageParam !== null && { cursor: pageParam }) } as unknown as CallRequest<N>, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page: CallResponse<N>) => (page as { next_cursor: string | null }).next_cursor,
    placeholderData: keepForSamePartner(body),
  });

/** What the request would do now, decided by the server. Never shows the result of another request. */
export const useDryRun = <N extends CallName>(name: N, body: CallRequest<N>, isAsked = true) =>
  useQuery({
    queryKey: [name, 'dry run', body],
    queryFn: ({ signal }) => call(name, { ...body, dry_run: true } as unknown as CallRequest<N>, signal),
    enabled: isAsked,
    retry: false,
    staleTime: 0,
    gcTime: 0,
  });

/**
 * A call made when its screen opens. Its request and response are secret: they are kept only while the screen is open,
 * and never become a query key.
 */
export function useSecretCall<N extends CallName>(name: N, body: CallRequest<N>) {
  const { mutate, data, error } = useMutation<CallResponse<N>>({ mutationFn: () => call(name, body), gcTime: 0 });
  useEffect(() => mutate(), [mutate]);
  return { data, error };
}

/** The live stream has no staff events, so staff screens poll. */
export const staffPollMs = 5_000;
