import { useQuery } from '@tanstack/react-query';
import { asking, staffPauseMs } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';

/** Requests of admins that wait for the person at the screen. */
export function useRequestsForMe(): number {
  const may = useMay();
  const { data } = useQuery({
    ...asking('ConfirmationsWaiting', {}),
    enabled: may('ConfirmationsWaiting'),
    refetchInterval: staffPauseMs,
  });
  return data?.for_me ?? 0;
}
