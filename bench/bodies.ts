import { randomUUID } from 'node:crypto';
import type { BenchServer } from './server.ts';

const hot = 'hot';

/** The campaign that all requests use, with both caps set. */
export async function createCampaign(server: BenchServer, campaignId = hot, caller = server.demo): Promise<void> {
  const games = await server.freeBetGames();
  await server.call('CampaignCreate', caller, {
    campaign_id: campaignId,
    name: 'A campaign',
    quantity: 3,
    valid_from: new Date().toISOString(),
    valid_until: new Date(Date.now() + 24 * 3600 * 1000).toISOString(),
    games: games.slice(0, 3),
    bet_amounts: [{ currency: 'EUR', amount: '1.00' }],
    config: { bonus_limit: 2_000_000_000, bonus_limit_per_user: 5, min_coefficient: '1.20', max_coefficient: '5.00' },
  });
}

export const issueItem = (campaignId = hot) => ({
  issue_id: randomUUID(),
  campaign_id: campaignId,
  player_id: `player-${randomUUID().slice(0, 13)}`,
  currency: 'EUR',
});

/** More responses per second than any machine we know can send. */
const perSecond = 16_000;

export const issueRequests = (seconds: number) =>
  Array.from({ length: seconds * perSecond }, () => ({ body: { client_id: 1, ...issueItem() } }));
