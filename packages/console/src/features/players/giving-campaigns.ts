import type { CampaignGetResponse } from '@freebets/contract';
import { useQuery } from '@tanstack/react-query';
import { asking } from '../../api/queries.ts';

/** The campaigns that give something, or will. */
export function useGivingCampaigns(clientId: number): CampaignGetResponse[] | undefined {
  const active = useQuery(asking('CampaignList', { client_id: clientId, status: 'active', limit: 200 }));
  const scheduled = useQuery(asking('CampaignList', { client_id: clientId, status: 'scheduled', limit: 200 }));
  return active.data && scheduled.data && [...active.data.campaigns, ...scheduled.data.campaigns];
}
