import type { Connection } from '../../../engine/connection.ts';
import { ask } from '../../../engine/statement.ts';
import type { Campaign } from '../campaign.ts';
import { findCampaigns } from './campaigns.ts';

// What a campaign promises never changes, so a definition once read can be kept. Only rows that were read back are kept,
// never one that a transaction is still about to write. They are kept as long as all of them together stay small: a
// campaign may name one game or five hundred.

export interface CampaignDefinitions {
  /** Those of the ids that exist. Asks the database only for the ones not known yet. */
  load(connection: Connection, clientId: number, ids: Iterable<string>): Promise<Map<string, Campaign>>;
  /** What takes over from a database that is gone may lack the last campaigns, and have others under their ids. */
  forget(): void;
}

/** What an object takes beside the texts in it, roughly. */
const bytesPerCampaign = 1000;
const bytesPerEntry = 80;

function bytesOf({ terms, betAmounts }: Campaign): number {
  // Two bytes for a character, as V8 keeps what is not Latin.
  const characters = terms.games.reduce((sum, game) => sum + game.length, terms.name?.length ?? 0);
  return bytesPerCampaign + bytesPerEntry * (terms.games.length + betAmounts.size) + 2 * characters;
}

export function keepCampaignDefinitions(maxBytes: number): CampaignDefinitions {
  const kept = new Map<string, { campaign: Campaign; bytes: number }>();
  let bytes = 0;
  /** What was asked for before is not kept after. */
  let forgotten = 0;

  const drop = (key: string) => {
    bytes -= kept.get(key)?.bytes ?? 0;
    kept.delete(key);
  };

  /** The latest used stands last, and the first go when there are too many. */
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
