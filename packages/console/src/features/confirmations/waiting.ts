import { useQuery } from '@tanstack/react-query';
import { asking, staffPauseMs } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';

/** The number of admin requests that wait for the user's decision. */
export function useRequestsForMe(): number {
  const may = useMay();
  const { data } = useQuery({
    ...asking('ConfirmationsWaiting', {}),
    enabled: may('ConfirmationsWaiting'),
    refetchInterval: staffPauseMs,
  });
  return data?.for_me ?? 0;
}
