import type { Connection } from '../../../engine/connection.ts';
import { ask } from '../../../engine/statement.ts';
import type { Campaign } from '../campaign.ts';
import { findCampaigns } from './campaigns.ts';

// A cache of campaign definitions, which never change. It holds only rows read from the database, never one that a
// transaction has yet to commit. It is limited by bytes because a campaign may name one game or 500.

export interface CampaignDefinitions {
  /** Returns the campaigns that exist, and reads only uncached ones from the database. */
  load(connection: Connection, clientId: number, ids: Iterable<string>): Promise<Map<string, Campaign>>;
  /** Call after a failover: the new primary may lack the latest campaigns, and may get others under the same ids. */
  forget(): void;
}

/** Approximate size of an object without its strings. */
const bytesPerCampaign = 1000;
const bytesPerEntry = 80;

function bytesOf({ terms, betAmounts }: Campaign): number {
  // V8 stores characters outside Latin-1 in two bytes.
  const characters = terms.games.reduce((sum, game) => sum + game.length, terms.name?.length ?? 0);
  return bytesPerCampaign + bytesPerEntry * (terms.games.length + betAmounts.size) + 2 * characters;
}

export function keepCampaignDefinitions(maxBytes: number): CampaignDefinitions {
  const kept = new Map<string, { campaign: Campaign; bytes: number }>();
  let bytes = 0;
  /** Counts calls of `forget`. Rows requested before one must not be cached after it. */
  let forgotten = 0;

  const drop = (key: string) => {
    bytes -= kept.get(key)?.bytes ?? 0;
    kept.delete(key);
  };

  /** Moves the campaign to the end and evicts the least recently used ones from the start. */
  const keep = (key: string, campaign: Campaign) => {
    const size = kept.get(key)?.bytes ?? bytesOf(campaign);
    drop(key);
    kept.set(key, { campaign, bytes: size });
    bytes += size;
    for (const oldest of kept.keys()) {
      if (bytes <= maxBytes) break;
      drop(oldest);
    }
  };

  return {
    async load(connection, clientId, ids) {
      const before = forgotten;
      const found = new Map<string, Campaign>();
      const missing: string[] = [];
      for (const id of new Set(ids)) {
        const campaign = kept.get(`${clientId}/${id}`)?.campaign;
        if (campaign === undefined) missing.push(id);
        else found.set(id, campaign);
      }
      const read = missing.length === 0 ? [] : await ask(connection, findCampaigns(clientId, missing));
      for (const campaign of read) found.set(campaign.campaignId, campaign);
      if (before !== forgotten) return found;
      for (const campaign of found.values()) keep(`${clientId}/${campaign.campaignId}`, campaign);
      return found;
    },
    forget() {
      kept.clear();
      bytes = 0;
      forgotten++;
    },
  };
}
