import { useQuery } from '@tanstack/react-query';
import { asking } from '../../api/queries.ts';

/** Whether a win has the stake in it; as long as that is not known, it has. */
export function useStakeReturned(clientId: number): boolean {
  const { data: partner } = useQuery(asking('PartnerGet', { client_id: clientId }));
  return partner?.stake_returned ?? true;
}
