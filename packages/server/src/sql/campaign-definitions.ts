import type { Connection } from '../db/connection.ts';
import type { Campaign } from '../domain/campaign.ts';
import { findCampaigns } from './campaigns.ts';

// What a campaign promises never changes, so a definition once read can be kept. Only rows that were read back are kept,
// never one that a transaction is still about to write.

export interface CampaignDefinitions {
  /** Those of the ids that exist. Asks the database only for the ones not known yet. */
  load(connection: Connection, clientId: number, ids: Iterable<string>): Promise<Map<string, Campaign>>;
}

export function keepCampaignDefinitions(maxKept: number): CampaignDefinitions {
  const kept = new Map<string, Campaign>();

  const keep = (key: string, campaign: Campaign) => {
    kept.delete(key);
    kept.set(key, campaign);
    const [oldest] = kept.keys();
    if (kept.size > maxKept && oldest !== undefined) kept.delete(oldest);
  };

  return {
    async load(connection, clientId, ids) {
      const found = new Map<string, Campaign>();
      const missing: string[] = [];
      for (const id of new Set(ids)) {
        const campaign = kept.get(`${clientId}/${id}`);
        if (campaign === undefined) missing.push(id);
        else found.set(id, campaign);
      }
      const read = missing.length === 0 ? [] : await findCampaigns(connection, clientId, missing);
      for (const campaign of read) found.set(campaign.campaignId, campaign);
      for (const campaign of found.values()) keep(`${clientId}/${campaign.campaignId}`, campaign);
      return found;
    },
  };
}
