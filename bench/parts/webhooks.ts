import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { alternate, type Bench, describe, find, rate, say, seconds } from '../bench.ts';
import { createCampaign, issueItem, issueRequests } from '../bodies.ts';
import type { Count } from '../receiver.ts';
import { type BenchServer, query, startOnNew } from '../server.ts';

const connections = 64;

interface Receiver {
  url: string;
  /** Since the last call. */
  count(): Promise<Count>;
  stop(): Promise<unknown>;
}

async function startReceiver(): Promise<Receiver> {
  const worker = new Worker(new URL('../receiver.ts', import.meta.url));
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

async function turnOn(bench: Bench, server: BenchServer, url: string): Promise<void> {
  const { rows } = await query(
    bench.socketDir,
    server.database,
    'SELECT last_sequence FROM event_heads WHERE client_id = 1',
  );
  const from = String(Number(rows[0]?.last_sequence ?? 0) + 1);
  await server.command('client', 'webhook', 'set', '1', url, '--from', from);
}

/** The time from the end of a run until all its events have arrived. */
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

/** The age of events on arrival, at 250 per second. */
async function atEase(server: BenchServer, receiver: Receiver): Promise<Count> {
  const [turns, perTurn, turnMs] = [200, 5, 20];
  for (let turn = 0; turn < turns; turn++) {
    const issues = Array.from({ length: perTurn }, () => server.call('Issue', server.demo, issueItem()));
    await Promise.all([...issues, delay(turnMs)]);
  }
  await delay(1000);
  return receiver.count();
}

/** Issue with a webhook, against the same without one. Also measures whether deliveries keep up, and their delay. */
export async function issueWithWebhook(bench: Bench): Promise<void> {
  const receiver = await startReceiver();
  const server = await startOnNew(bench.socketDir, 'webhooks', { WEBHOOK_ALLOW_PRIVATE: 'yes' });
  const load = { port: server.port, operation: 'Issue' as const, connections, seconds };
  let drainS = 0;
  try {
    await createCampaign(server);
    await rate(bench, 'warming up', { ...load, requests: issueRequests(seconds) });
    const found = await alternate({
      without: () => rate(bench, 'without a webhook', { ...load, requests: issueRequests(seconds) }),
      with: async () => {
        await turnOn(bench, server, receiver.url);
        await receiver.count();
        const result = await bench.runLoad({ ...load, requests: issueRequests(seconds) });
        describe('with a webhook', result);
        const thisS = await drain(receiver, result.answers);
        say(`all delivered ${thisS.toFixed(2)} s after the run of ${seconds} s`);
        drainS = Math.max(drainS, thisS);
        await server.command('client', 'webhook', 'off', '1');
        return result.perSecond;
      },
    });
    find(bench, {
      part: 'webhooks',
      what: 'Issue with a webhook',
      unit: '/s',
      value: found.with,
      against: 'without',
      base: found.without,
      least: 0.8,
    });
    find(bench, {
      part: 'webhooks',
      what: 'Time until all is delivered, at most',
      unit: 's',
      value: drainS,
      against: 'the time of the run',
      base: seconds,
      most: 1,
    });
    await turnOn(bench, server, receiver.url);
    await receiver.count();
    const { received, p50Ms, p99Ms } = await atEase(server, receiver);
    say(`at 250 a second: ${received} delivered, from commit to receipt p50 ${p50Ms} ms, p99 ${p99Ms} ms`);
    find(bench, {
      part: 'webhooks',
      what: 'Commit to receipt at 250 a second, p99',
      unit: 'ms',
      value: p99Ms,
      against: '250 ms',
      base: 250,
      most: 1,
    });
  } finally {
    await server.stop();
    await receiver.stop();
  }
}
