import { randomUUID } from 'node:crypto';
import { demoPartner, demoProviderOf } from '../packages/server/src/demo/demo.ts';
import { createHotCampaign, issueBodies } from './hot-campaign.ts';
import { bodiesPerRun, connections, print, printRatio, rounds, runLoad, seconds } from './run-load.ts';
import { type BenchServer, startBenchServer } from './server.ts';

/** As many as a bet run can use up. */
const betsPerRun = 30_000;
const batchSize = 1000;

async function issueMany(server: BenchServer): Promise<ReturnType<typeof issueBodies>> {
  const bodies = issueBodies(betsPerRun);
  for (let i = 0; i < bodies.length; i += batchSize) {
    const items = bodies.slice(i, i + batchSize).map(({ client_id: _, ...item }) => item);
    await server.call('IssueBatch', { items });
  }
  return bodies;
}

/** Bet and Settle, against Issue on the same server. */
export async function roundsAgainstIssue(socketDir: string): Promise<void> {
  console.log(`Bet and Settle against Issue, ${connections} connections, ${rounds} rounds of ${seconds} s each`);
  const server = await startBenchServer(socketDir, 'rounds', {});
  try {
    await createHotCampaign(server);
    const [game_id = ''] = await server.freeBetGames();
    const { providerId: provider_id = '', secret = '' } = demoProviderOf(game_id) ?? {};
    const rates: Record<'issue' | 'bet' | 'settle', number[]> = { issue: [], bet: [], settle: [] };
    for (let round = 0; round < rounds; round++) {
      const freeBets = await issueMany(server);
      const common = { provider_id, client_id: demoPartner.clientId };
      const bets = freeBets.map(({ issue_id, player_id }) => ({
        ...common,
        bet_id: randomUUID(),
        issue_id,
        player_id,
        game_id,
      }));
      const issued = await runLoad(server, 'Issue', issueBodies(bodiesPerRun));
      const placed = await runLoad(server, 'RoundsBet', bets, secret);
      const count = placed.byStatus[200] ?? 0;
      const settlements = bets
        .slice(0, count)
        .map(({ bet_id }) => ({ ...common, bet_id, result: 'won', coefficient: '2.35' }));
      const settled = await runLoad(server, 'RoundsSettle', settlements, secret);
      print('Issue', issued);
      print('Bet', placed);
      print('Settle', settled);
      rates.issue.push(issued.perSecond);
      rates.bet.push(placed.perSecond);
      rates.settle.push(settled.perSecond);
    }
    printRatio('Bet', rates.bet, 'Issue', rates.issue);
    printRatio('Settle', rates.settle, 'Issue', rates.issue);
  } finally {
    await server.stop();
  }
}
