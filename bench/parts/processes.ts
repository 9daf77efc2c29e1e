import { cpus } from 'node:os';
import { type Bench, find, say } from '../bench.ts';
import { createCampaign, issueRequests } from '../bodies.ts';
import type { Load } from '../load.ts';
import { backendTimes, ofEndedChildren, spentBetween, type Times, timesOf, withChildren } from '../processor.ts';
import { median } from '../report.ts';
import { type BenchServer, startServer } from '../server.ts';
import { createCampaigns, manyPartners, spreadRequests } from './spread.ts';

// One server of 1, 2 and 4 processes, in turns on one database, with the processor time of servers, database and
// load.

const counts = [1, 2, 4];
const connections = 128;
const seconds = 3;
const turns = 3;

interface Turn {
  perSecond: number;
  /** Per response, in microseconds. */
  server: number;
  database: number;
  load: number;
}

type Used = Record<'server' | 'database', Times> & { load: number };

async function used({ socketDir }: Bench, { pid, database }: BenchServer): Promise<Used> {
  return {
    server: timesOf(withChildren(pid)),
    database: await backendTimes(socketDir, database),
    load: ofEndedChildren(),
  };
}

async function turn(bench: Bench, server: BenchServer, load: Omit<Load, 'port'>): Promise<Turn> {
  const before = await used(bench, server);
  const { perSecond, answers } = await bench.runLoad({ ...load, port: server.port });
  const after = await used(bench, server);
  const us = (time: number) => (time * 1e6) / answers;
  return {
    perSecond,
    server: us(spentBetween(before.server, after.server)),
    database: us(spentBetween(before.database, after.database)),
    load: us(after.load - before.load),
  };
}

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
