import { useQuery } from '@tanstack/react-query';
import type { AnswerOf } from '../../api/call.ts';
import { asking } from '../../api/queries.ts';

/** The list that a draft starts has its terms itself: unread as long as they are not here. */
export function useTermsOfList({ client_id, kind, target_id }: AnswerOf<'DraftGet'>) {
  const isList = kind === 'job' && target_id !== null;
  const { data, error, refetch } = useQuery({
    ...asking('JobGet', { client_id, job_id: target_id ?? '' }),
    // The terms of one list are never those of another.
    placeholderData: undefined,
    enabled: isList,
  });
  return { data, error, refetch, isUnread: isList && data === undefined };
}
