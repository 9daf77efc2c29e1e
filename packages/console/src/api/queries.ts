import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { type AnswerOf, type Asked, type CallName, call } from './call.ts';

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
