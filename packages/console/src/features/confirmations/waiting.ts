import { useQuery } from '@tanstack/react-query';
import { callQuery, staffPollMs } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';

/** The number of admin requests that wait for the user's decision. */
export function useRequestsForMe(): number {
  const may = useMay();
  const { data } = useQuery({
    ...callQuery('ConfirmationsWaiting', {}),
    enabled: may('ConfirmationsWaiting'),
    refetchInterval: staffPollMs,
  });
  return data?.for_me ?? 0;
}
