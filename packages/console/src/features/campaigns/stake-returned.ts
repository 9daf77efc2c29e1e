import { useQuery } from '@tanstack/react-query';
import { asking } from '../../api/queries.ts';

/**
 * Whether a win pays the stake as well: fixed for a campaign, the partner's setting for new free bets with terms of their own. True until it
 * is known, so that no cost is shown too low.
 */
export function useStakeReturned(clientId: number, campaign?: { stake_returned: boolean } | null): boolean {
  const { data: partner } = useQuery({ ...asking('PartnerGet', { client_id: clientId }), enabled: !campaign });
  return campaign?.stake_returned ?? partner?.stake_returned ?? true;
}
