import { useQueries } from '@tanstack/react-query';
import { asking } from '../../api/queries.ts';

/** What these campaigns are called; until it is known, by their ids. */
export function useCampaignNames(clientId: number, ids: (string | null)[]): (campaignId: string) => string {
  const known = [...new Set(ids.filter((id) => id !== null))];
  const answers = useQueries({
    queries: known.map((campaign_id) => asking('CampaignGet', { client_id: clientId, campaign_id })),
  });
  const names = new Map(answers.flatMap(({ data }) => (data ? [[data.campaign_id, data.name] as const] : [])));
  return (campaignId) => names.get(campaignId) ?? campaignId;
}
