import { type Bench, find, say } from '../bench.ts';
import { createCampaign, issueItem } from '../bodies.ts';
import { type BenchServer, startOnNew } from '../server.ts';

const [few, many] = [10_000, 1_000_000];
const batchSize = 100;
const inFlight = 16;
const mostMb = 350;

async function issue(server: BenchServer, count: number): Promise<void> {
  let left = count;
  const work = async () => {
    while (left > 0) {
      left -= batchSize;
      await server.call('IssueBatch', server.demo, { items: Array.from({ length: batchSize }, () => issueItem()) });
    }
  };
  await Promise.all(Array.from({ length: inFlight }, work));
}

/** The memory of the process after a million issues, against ten thousand. */
export async function memory(bench: Bench): Promise<void> {
  const server = await startOnNew(bench.socketDir, 'memory');
  try {
    await createCampaign(server);
    await issue(server, few);
    const early = server.memoryMb();
    say(`after ${few.toLocaleString('en')}: ${early.toFixed(0)} MB`);
    for (let issued = few; issued < many; issued += many / 10) {
      await issue(server, many / 10);
      say(`after ${(issued + many / 10 - few).toLocaleString('en')} more: ${server.memoryMb().toFixed(0)} MB`);
    }
    const late = server.memoryMb();
    const after = { part: 'memory', unit: 'MB', value: late };
    find(bench, {
      ...after,
      what: 'Memory after a million issues',
      against: 'after ten thousand',
      base: early,
      most: 1.3,
    });
    find(bench, { ...after, what: 'Memory after a million issues', against: `${mostMb} MB`, base: mostMb, most: 1 });
  } finally {
    await server.stop();
  }
}
