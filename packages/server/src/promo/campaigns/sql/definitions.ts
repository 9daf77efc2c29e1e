import type { Connection } from '../../../engine/connection.ts';
import { forPartner } from '../../../engine/rows.ts';
import { ask } from '../../../engine/statement.ts';
import type { Campaign } from '../campaign.ts';
import { campaignOfRow, findCampaigns } from './campaigns.ts';

// A cache of campaign definitions, which never change. It holds only rows read from the database, never one that a
// transaction has yet to commit. It is limited by bytes because a campaign may name one game or 500.

export interface CampaignDefinitions {
  /** Returns the campaigns that exist, and reads only uncached ones from the database. */
  load(connection: Connection, clientId: number, ids: Iterable<string>): Promise<Map<string, Campaign>>;
  /** The same for several partners. */
  loadAll(
    connection: Connection,
    wanted: ReadonlyMap<number, readonly string[]>,
  ): Promise<Map<number, Map<string, Campaign>>>;
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

export function cacheCampaignDefinitions(maxBytes: number): CampaignDefinitions {
  const cached = new Map<string, { campaign: Campaign; bytes: number }>();
  let bytes = 0;
  /** Counts calls of `forget`. Rows requested before one must not be cached after it. */
  let clears = 0;

  const evict = (key: string) => {
    bytes -= cached.get(key)?.bytes ?? 0;
    cached.delete(key);
  };

  /** Moves the campaign to the end and evicts the least recently used ones from the start. */
  const cache = (key: string, campaign: Campaign) => {
    const size = cached.get(key)?.bytes ?? bytesOf(campaign);
    evict(key);
    cached.set(key, { campaign, bytes: size });
    bytes += size;
    for (const oldest of cached.keys()) {
      if (bytes <= maxBytes) break;
      evict(oldest);
    }
  };

  const loadAll: CampaignDefinitions['loadAll'] = async (connection, wanted) => {
    const before = clears;
    const found = new Map<number, Map<string, Campaign>>();
    const missing = new Map<number, string[]>();
    const add = (clientId: number, id: string, campaign: Campaign) => {
      found.getOrInsertComputed(clientId, () => new Map()).set(id, campaign);
      if (before === clears) cache(`${clientId}/${id}`, campaign);
    };
    for (const [clientId, ids] of wanted) {
      for (const id of new Set(ids)) {
        const campaign = cached.get(`${clientId}/${id}`)?.campaign;
        if (campaign === undefined) missing.getOrInsertComputed(clientId, () => []).push(id);
        else add(clientId, id, campaign);
      }
    }
    const read = missing.size === 0 ? [] : await ask(connection, findCampaigns(missing));
    for (const row of read) add(row.client_id, row.campaign_id, campaignOfRow(row));
    return found;
  };

  return {
    load: async (connection, clientId, ids) =>
      (await loadAll(connection, forPartner(clientId, [...ids]))).get(clientId) ?? new Map(),
    loadAll,
    forget() {
      cached.clear();
      bytes = 0;
      clears++;
    },
  };
}
