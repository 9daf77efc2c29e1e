import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { demoPartner } from '../packages/server/src/demo/demo.ts';
import { createHotCampaign, issueBodies } from './hot-campaign.ts';
import type { Count } from './receiver.ts';
import { bodiesPerRun, connections, print, printRatio, rounds, runLoad, seconds } from './run-load.ts';
import { type BenchServer, startBenchServer } from './server.ts';

interface Receiver {
  url: string;
  /** Since it was last asked. */
  count(): Promise<Count>;
  stop(): Promise<unknown>;
}

async function startReceiver(): Promise<Receiver> {
  const worker = new Worker(new URL('./receiver.ts', import.meta.url));
  const [port] = await once(worker, 'message');
  return {
    url: `http://127.0.0.1:${port}/events`,
    async count() {
      worker.postMessage('count');
      return (await once(worker, 'message'))[0];
    },
    stop: () => worker.terminate(),
  };
}

/** How long until everything has arrived, and how many did so in that time. */
async function drain(receiver: Receiver, expected: number): Promise<number> {
  const began = performance.now();
  let received = (await receiver.count()).distinct;
  while (received < expected) {
    await delay(20);
    received += (await receiver.count()).distinct;
    if (performance.now() - began > 120_000) throw new Error(`only ${received} of ${expected} events came`);
  }
  return (performance.now() - began) / 1000;
}

/** So many issues in a second, and how old their events are when they arrive. */
async function atEase(server: BenchServer, receiver: Receiver): Promise<Count> {
  const [perTurn, turnMs] = [5, 20];
  for (const bodies of chunks(issueBodies(1000), perTurn)) {
    await Promise.all([...bodies.map((body) => server.call('Issue', body)), delay(turnMs)]);
  }
  await delay(1000);
  return receiver.count();
}

const chunks = <T>(items: T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size));

/** Issue with a webhook, against the same without; whether deliveries keep up, and how soon they are made. */
export async function issueWithWebhooks(socketDir: string): Promise<void> {
  console.log(`Issue with and without a webhook, ${connections} connections, ${rounds} rounds of ${seconds} s each`);
  const receiver = await startReceiver();
  const server = await startBenchServer(socketDir, 'webhooks', { WEBHOOK_ALLOW_PRIVATE: 'yes' });
  const rates: { with: number[]; without: number[] } = { with: [], without: [] };
  try {
    await createHotCampaign(server);
    for (let round = 0; round < rounds; round++) {
      if (round > 0) await server.command('client', 'webhook', 'off', String(demoPartner.clientId));
      const without = await runLoad(server, 'Issue', issueBodies(bodiesPerRun));
      print('without', without);
      rates.without.push(without.perSecond);
      const from = ['--from', String((await server.lastSequence()) + 1)];
      await server.command('client', 'webhook', 'set', String(demoPartner.clientId), receiver.url, ...from);
      await receiver.count();
      const loaded = await runLoad(server, 'Issue', issueBodies(bodiesPerRun));
      print('with', loaded);
      rates.with.push(loaded.perSecond);
      const drainS = await drain(receiver, loaded.byStatus[200] ?? 0);
      console.log(`  all of them delivered ${drainS.toFixed(2)} s after the run of ${seconds} s`);
    }
    printRatio('With', rates.with, 'without', rates.without);
    const { received, p50Ms, p99Ms } = await atEase(server, receiver);
    console.log(`  at 250 a second: ${received} delivered, from commit to receipt p50 ${p50Ms} ms, p99 ${p99Ms} ms\n`);
  } finally {
    await server.stop();
    await receiver.stop();
  }
}
