import { randomUUID } from 'node:crypto';
import type { OperationName } from '@freebets/contract';
import { type Bench, find, say } from '../bench.ts';
import {
  addPartners,
  type BenchCaller,
  type BenchServer,
  createDatabase,
  databaseUrl,
  runProbe,
  startServer,
} from '../server.ts';

// What one partner's load does to the reads of another partner and to the readiness probe, with the default limits.

const seconds = 8;
/** The other partner's p99 may triple; below this it counts as undisturbed. */
const undisturbedMs = 100;
const mostTimes = 3;
const readyWithinMs = 250;
const itemsOfBatch = 1000;
const campaignId = 'fair';

/** Without an issue_id each item is a new free bet, however often the same bytes are sent. */
const freshItems = (i: number) =>
  Array.from({ length: itemsOfBatch }, (_, j) => ({
    campaign_id: campaignId,
    player_id: `player-${i}-${j}`,
    currency: 'EUR',
  }));

interface FairLoad {
  what: string;
  operation: OperationName;
  connections: number;
  bodies: object[];
}

const batches = (extra: object = {}) =>
  Array.from({ length: 16 }, (_, i) => ({ client_id: 1, items: freshItems(i), ...extra }));

const loads: FairLoad[] = [
  { what: '40 connections with batches of 1,000', operation: 'IssueBatch', connections: 40, bodies: batches() },
  {
    what: '10 connections with dry runs of 1,000',
    operation: 'IssueBatch',
    connections: 10,
    bodies: batches({ dry_run: true }),
  },
  {
    what: '200 connections with 1,000 invalid items',
    operation: 'IssueBatch',
    connections: 200,
    bodies: [{ client_id: 1, items: Array.from({ length: itemsOfBatch }, () => ({})) }],
  },
];

async function createOpenCampaign(server: BenchServer): Promise<void> {
  const games = await server.freeBetGames();
  await server.call('CampaignCreate', server.demo, {
    campaign_id: campaignId,
    name: 'A campaign without limits',
    quantity: 3,
    valid_from: new Date().toISOString(),
    valid_until: new Date(Date.now() + 24 * 3600 * 1000).toISOString(),
    games: games.slice(0, 3),
    bet_amounts: [{ currency: 'EUR', amount: '1.00' }],
  });
}

async function giveFreeBets(server: BenchServer, caller: BenchCaller): Promise<void> {
  const items = Array.from({ length: 100 }, () => ({
    issue_id: randomUUID(),
    player_id: 'player',
    currency: 'EUR',
    bet_amount: '1.00',
    quantity: 1,
    games: [] as string[],
    valid_until: new Date(Date.now() + 24 * 3600 * 1000).toISOString(),
  }));
  const games = (await server.freeBetGames()).slice(0, 1);
  await server.call('IssueBatch', caller, { items: items.map((item) => ({ ...item, games })) });
}

export async function fair(bench: Bench): Promise<void> {
  await createDatabase(bench.socketDir, 'fair');
  const [other] = await addPartners(databaseUrl(bench.socketDir, 'fair'), 1);
  if (other === undefined) throw new Error('no second partner');
  const server = await startServer(bench.socketDir, 'fair', { RATE_LIMIT: '1000' });
  try {
    await createOpenCampaign(server);
    await giveFreeBets(server, other);
    await runProbe(server, other, 1);
    for (const { what, operation, connections, bodies } of loads) {
      const idle = await runProbe(server, other, seconds / 2);
      const running = bench.runLoad({
        port: server.port,
        operation,
        requests: bodies.map((body) => ({ body })),
        connections,
        seconds: seconds + 2,
      });
      const busy = await runProbe(server, other, seconds);
      const { answers, refused } = await running;
      say(`${what}: ${answers} responses, ${refused} refused; ${busy.reads} reads by the other partner`);
      find(bench, {
        part: 'fair',
        what: `Another partner's read, p99, with ${what}`,
        unit: 'ms',
        value: busy.readP99Ms,
        against: 'without load, or 33 ms',
        base: Math.max(idle.readP99Ms, undisturbedMs / mostTimes),
        most: mostTimes,
      });
      find(bench, {
        part: 'fair',
        what: `/readyz, p99, with ${what}`,
        unit: 'ms',
        value: busy.readyP99Ms,
        against: 'the bound',
        base: readyWithinMs,
        most: 1,
      });
    }
  } finally {
    await server.stop();
  }
}
