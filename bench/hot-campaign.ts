import { randomUUID } from 'node:crypto';
import { demoPartner } from '../packages/server/src/demo/demo.ts';
import type { BenchServer } from './server.ts';

// One campaign that everybody wants, with both limits on.

const campaignId = 'hot';

export async function createHotCampaign(server: BenchServer): Promise<void> {
  const games = await server.freeBetGames();
  await server.call('CampaignCreate', {
    campaign_id: campaignId,
    name: 'Hot campaign',
    quantity: 3,
    valid_from: new Date().toISOString(),
    valid_until: new Date(Date.now() + 24 * 3600 * 1000).toISOString(),
    games: games.slice(0, 3),
    bet_amounts: [{ currency: 'EUR', amount: '1.00' }],
    config: { bonus_limit: 2_000_000_000, bonus_limit_per_user: 5, min_coefficient: '1.20', max_coefficient: '5.00' },
  });
}

export const issueBodies = (count: number) =>
  Array.from({ length: count }, () => ({
    client_id: demoPartner.clientId,
    issue_id: randomUUID(),
    campaign_id: campaignId,
    player_id: `player-${randomUUID().slice(0, 13)}`,
    currency: 'EUR',
  }));
