import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { basePath, operations } from '@freebets/contract';
import { demoPartner } from '../packages/server/src/demo/demo.ts';
import type { Load, LoadResult } from './load.ts';
import { type BenchServer, startBenchServer } from './server.ts';

// Issue, one hot campaign with both limits on and ids given: the server as it is, against the same with batches of one.

const connections = 64;
const seconds = 5;
const rounds = 3;
/** Enough that no run uses them up. */
const bodiesPerRun = 60_000;
const campaignId = 'hot';

async function createCampaign(server: BenchServer): Promise<void> {
  const games = await server.freeBetGames();
  await server.call('CampaignCreate', {
    campaign_id: campaignId,
    name: 'Hot campaign',
    quantity: 3,
    valid_from: new Date().toISOString(),
    valid_until: new Date(Date.now() + 24 * 3600 * 1000).toISOString(),
    games: games.slice(0, 3),
    bet_amounts: [{ currency: 'EUR', amount: '1.00' }],
    config: { bonus_limit: 2_000_000_000, bonus_limit_per_user: 5 },
  });
}

async function load(server: BenchServer): Promise<LoadResult> {
  const bodies = Array.from({ length: bodiesPerRun }, (_, i) =>
    JSON.stringify({
      client_id: demoPartner.clientId,
      issue_id: randomUUID(),
      campaign_id: campaignId,
      player_id: `player-${randomUUID().slice(0, 6)}-${i % 1000}`,
      currency: 'EUR',
    }),
  );
  const path = basePath + operations.Issue.path;
  const workerData: Load = { port: server.port, path, secret: demoPartner.secret, connections, seconds, bodies };
  const worker = new Worker(new URL('./load.ts', import.meta.url), { workerData });
  const [result] = (await once(worker, 'message')) as [LoadResult];
  return result;
}

const line = (name: string, { perSecond, p50Ms, p99Ms, byStatus }: LoadResult) =>
  console.log(
    `  ${name.padEnd(18)} ${perSecond.toFixed(0).padStart(6)}/s   p50 ${p50Ms.toFixed(1)} ms   p99 ${p99Ms.toFixed(1)} ms   ` +
      `answers ${JSON.stringify(byStatus)}`,
  );

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

export async function issueHotCampaign(socketDir: string): Promise<void> {
  console.log(
    `Issue, one hot campaign, ${connections} connections, ${rounds} rounds of ${seconds} s each, alternating`,
  );
  const batched = await startBenchServer(socketDir, 'batched', {});
  const single = await startBenchServer(socketDir, 'single', { LANE_BATCH: '1' });
  try {
    await createCampaign(batched);
    await createCampaign(single);
    const rates: { batched: number[]; single: number[] } = { batched: [], single: [] };
    for (let round = 0; round < rounds; round++) {
      const one = await load(single);
      line('batches of one', one);
      const many = await load(batched);
      line('batches', many);
      rates.single.push(one.perSecond);
      rates.batched.push(many.perSecond);
    }
    console.log(`  ratio of the medians: ${(median(rates.batched) / median(rates.single)).toFixed(2)} ×`);
  } finally {
    await batched.stop();
    await single.stop();
  }
}
