import { cpus } from 'node:os';
import { type Bench, find, say } from '../bench.ts';
import { createCampaign, issueRequests } from '../bodies.ts';
import type { Load } from '../load.ts';
import { ofEndedChildren, processorSeconds, withChildren } from '../processor.ts';
import { type BenchServer, query, startServer } from '../server.ts';
import { createCampaigns, manyPartners, spreadRequests } from './spread.ts';

// One server of 1, 2 and 4 processes, turn by turn on one database, and who uses the processor: servers, database and the load itself.

const counts = [1, 2, 4];
const connections = 128;
const seconds = 3;
const turns = 3;

interface Turn {
  perSecond: number;
  /** For each answer, in microseconds. */
  server: number;
  database: number;
  load: number;
}

type Used = Record<'server' | 'database', Map<number, number>> & { load: number };

const each = (pids: number[]) => new Map(pids.map((pid) => [pid, processorSeconds(pid)]));

async function used({ socketDir }: Bench, { pid, database }: BenchServer): Promise<Used> {
  const { rows } = await query(
    socketDir,
    database,
    'SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
  );
  return { server: each(withChildren(pid)), database: each(rows.map((row) => row.pid)), load: ofEndedChildren() };
}

/** Of those that were there before. */
const spent = (before: Map<number, number>, after: Map<number, number>): number =>
  [...after].reduce((sum, [pid, time]) => sum + time - (before.get(pid) ?? time), 0);

async function turn(bench: Bench, server: BenchServer, load: Omit<Load, 'port'>): Promise<Turn> {
  const before = await used(bench, server);
  const { perSecond, answers } = await bench.runLoad({ ...load, port: server.port });
  const after = await used(bench, server);
  const us = (time: number) => (time * 1e6) / answers;
  const database = spent(before.database, after.database);
  return {
    ...{ perSecond, server: us(spent(before.server, after.server)), database: us(database) },
    load: us(after.load - before.load),
  };
}

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number;

export async function processes(bench: Bench): Promise<void> {
  const partners = await manyPartners(bench, 'processes');
  const servers = new Map<number, BenchServer>();
  for (const count of counts) {
    servers.set(count, await startServer(bench.socketDir, 'processes', { PROCESSES: String(count), WORKER: 'off' }));
  }
  try {
    const first = servers.get(1) as BenchServer;
    await createCampaign(first);
    await createCampaigns(first, partners);
    const loads = { 'one campaign': issueRequests(seconds), '1,000 campaigns': spreadRequests(partners, seconds) };
    for (const [name, requests] of Object.entries(loads)) {
      const load = { operation: 'Issue' as const, requests, connections, seconds };
      const found = new Map<number, Turn[]>(counts.map((count) => [count, []]));
      for (let i = 0; i < turns; i++) {
        for (const count of i % 2 === 0 ? counts : counts.toReversed()) {
          found.get(count)?.push(await turn(bench, servers.get(count) as BenchServer, load));
        }
      }
      const medianOf = (count: number, of: keyof Turn) => median((found.get(count) ?? []).map((each) => each[of]));
      for (const count of counts) {
        const [server, database, own] = (['server', 'database', 'load'] as const).map((of) => medianOf(count, of));
        const total = Number(server) + Number(database) + Number(own);
        const shares = `server ${server?.toFixed(0)} µs, database ${database?.toFixed(0)} µs, load ${own?.toFixed(0)} µs`;
        say(
          `${name}, ${count} processes, for each issue: ${shares}; the load has ${((100 * Number(own)) / total).toFixed(0)} %`,
        );
        if (count === 1) continue;
        find(bench, {
          ...{
            part: 'processes',
            what: `Issue, ${name}, ${count} processes`,
            unit: '/s',
            value: medianOf(count, 'perSecond'),
          },
          ...{ against: `one process, ${cpus().length} cores for everything`, base: medianOf(1, 'perSecond') },
        });
      }
    }
  } finally {
    await Promise.all([...servers.values()].map((server) => server.stop()));
  }
}
