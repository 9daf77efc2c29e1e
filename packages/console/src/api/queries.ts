import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { type AnswerOf, type Asked, type CallName, call } from './call.ts';

// What is read, by the operation and what it is asked: so that whatever changes something can say what to read again.

/** One answer. */
export const asking = <N extends CallName>(name: N, body: Asked<N>) =>
  queryOptions({
    queryKey: [name, body],
    queryFn: ({ signal }) => call(name, body, signal),
    placeholderData: keepPreviousData,
  });

/** A list, page after page. */
export const listing = <N extends CallName>(name: N, body: Omit<Asked<N>, 'cursor'>) =>
  infiniteQueryOptions({
    queryKey: [name, 'list', body],
    queryFn: ({ signal, pageParam }) =>
      call(name, { ...body, ...(pageParam !== null && { cursor: pageParam }) } as unknown as Asked<N>, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page: AnswerOf<N>) => (page as { next_cursor: string | null }).next_cursor,
    placeholderData: keepPreviousData,
  });
