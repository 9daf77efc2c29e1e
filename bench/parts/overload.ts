import { alternate, type Bench, describe, find, rate, say, seconds } from '../bench.ts';
import { createCampaign, issueItem, issueRequests } from '../bodies.ts';
import { type BenchServer, startOnNew } from '../server.ts';

/** The length of the queue: more than enough for full batches, and short enough that refusals come soon. */
const queue = 600;
const connections = 2000;

/** The time until a single request is refused during the load. */
async function probe(server: BenchServer, until: Promise<unknown>): Promise<number[]> {
  const refusedMs: number[] = [];
  let isOver = false;
  void until.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    const began = performance.now();
    await server.call('Issue', server.demo, issueItem()).catch(() => refusedMs.push(performance.now() - began));
  }
  return refusedMs;
}

/** Twice the load that the server can handle, against its best: the accepted rate, and the time until refusals. */
export async function overload(bench: Bench): Promise<void> {
  const server = await startOnNew(bench.socketDir, 'overload', { LANE_QUEUE: String(queue) });
  const load = { port: server.port, operation: 'Issue' as const, seconds };
  const atBest = () => rate(bench, 'at its best', { ...load, requests: issueRequests(seconds), connections: 256 });
  try {
    await createCampaign(server);
    await atBest();
    let best = await atBest();
    const refusedMs: number[] = [];
    const found = await alternate({
      best: async () => {
        best = await atBest();
        return best;
      },
      overloaded: async () => {
        const pauseMs = (1000 * connections) / (2 * best);
        const running = bench.runLoad({ ...load, requests: issueRequests(3 * seconds), connections, pauseMs });
        refusedMs.push(...(await probe(server, running)));
        const result = await running;
        describe('twice as much', result);
        return result.perSecond;
      },
    });
    refusedMs.sort((a, b) => a - b);
    const at = (share: number) => (refusedMs[Math.floor(refusedMs.length * share)] ?? Number.NaN).toFixed(0);
    say(`refused after p50 ${at(0.5)} ms, p99 ${at(0.99)} ms (${refusedMs.length} probes)`);
    find(bench, {
      part: 'overload',
      what: 'Issue at twice the load it can bear',
      unit: '/s',
      value: found.overloaded,
      against: 'its best',
      base: found.best,
      least: 0.9,
    });
  } finally {
    await server.stop();
  }
}
