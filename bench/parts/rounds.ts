import { randomUUID } from 'node:crypto';
import { demoPartner, demoProviderOf } from '../../packages/server/src/demo/demo.ts';
import { alternate, type Bench, describe, find, rate } from '../bench.ts';
import { createCampaign, issueItem, issueRequests } from '../bodies.ts';
import { type BenchServer, startOnNew } from '../server.ts';

const seconds = 3;
/** Every bet is settled once, so fewer must be settled than were placed. */
const [betSeconds, settleSeconds] = [4, 2];
const connections = 64;
/** More than a run can use up. */
const perRun = 30_000;
const batchSize = 1000;

type Item = ReturnType<typeof issueItem>;

async function issueMany(server: BenchServer): Promise<Item[]> {
  const items = Array.from({ length: perRun }, () => issueItem());
  for (let i = 0; i < items.length; i += batchSize) {
    await server.call('IssueBatch', server.demo, { items: items.slice(i, i + batchSize) });
  }
  return items;
}

/** Cancel, Bet and Settle, against Issue on the same server. */
export async function roundsAgainstIssue(bench: Bench): Promise<void> {
  const server = await startOnNew(bench.socketDir, 'rounds');
  try {
    await createCampaign(server);
    const [game_id = ''] = await server.freeBetGames();
    const { providerId: provider_id = '', secret = '' } = demoProviderOf(game_id) ?? {};
    const { clientId: client_id } = demoPartner;
    const common = { port: server.port, connections, seconds };
    let bets: { body: { bet_id: string } }[] = [];
    await rate(bench, 'warming up', { ...common, operation: 'Issue', requests: issueRequests(seconds) });
    const found = await alternate({
      issue: () => rate(bench, 'Issue', { ...common, operation: 'Issue', requests: issueRequests(seconds) }),
      cancel: async () => {
        const requests = (await issueMany(server)).map(({ issue_id }) => ({ body: { issue_id, client_id } }));
        return rate(bench, 'Cancel', { ...common, operation: 'Cancel', requests });
      },
      bet: async () => {
        const requests = (await issueMany(server)).map(({ issue_id, player_id }) => ({
          body: { provider_id, client_id, bet_id: randomUUID(), issue_id, player_id, game_id },
          secret,
        }));
        const result = await bench.runLoad({ ...common, operation: 'RoundsBet', requests, seconds: betSeconds });
        describe('Bet', result);
        // Requests in flight at the end may not have been placed.
        bets = requests.slice(0, Math.min(result.answers, perRun) - 4 * connections);
        return result.perSecond;
      },
      settle: () => {
        const requests = bets.map(({ body: { bet_id } }) => ({
          body: { provider_id, client_id, bet_id, result: 'won', coefficient: '2.35' },
          secret,
        }));
        return rate(bench, 'Settle', { ...common, operation: 'RoundsSettle', requests, seconds: settleSeconds });
      },
    });
    const against = { part: 'rounds', unit: '/s', against: 'Issue', base: found.issue, least: 0.7 };
    find(bench, { ...against, what: 'Cancel', value: found.cancel });
    find(bench, { ...against, what: 'Bet', value: found.bet });
    find(bench, { ...against, what: 'Settle', value: found.settle });
  } finally {
    await server.stop();
  }
}
