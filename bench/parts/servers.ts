import { cpus } from 'node:os';
import { alternate, type Bench, describe, find, seconds } from '../bench.ts';
import { startServer } from '../server.ts';
import { createCampaigns, manyPartners, spreadRequests } from './spread.ts';

const connections = 128;

/** One, two and four servers on one database, with as many connections in all. */
export async function severalServers(bench: Bench): Promise<void> {
  const partners = await manyPartners(bench, 'servers');
  const servers = await Promise.all([1, 2, 3, 4].map(() => startServer(bench.socketDir, 'servers')));
  try {
    const [first] = servers;
    if (first !== undefined) await createCampaigns(first, partners);
    const through = (count: number) => async () => {
      const results = await Promise.all(
        servers.slice(0, count).map(({ port }) => {
          const requests = spreadRequests(partners, seconds / count + 1);
          return bench.runLoad({ port, operation: 'Issue', requests, connections: connections / count, seconds });
        }),
      );
      const perSecond = results.reduce((sum, result) => sum + result.perSecond, 0);
      const slowest = results.toSorted((a, b) => b.p99Ms - a.p99Ms)[0];
      if (slowest !== undefined) describe(`${count} servers`, { ...slowest, perSecond });
      return perSecond;
    };
    await through(4)();
    const found = await alternate({ one: through(1), two: through(2), four: through(4) }, 2);
    const against = {
      part: 'servers',
      unit: '/s',
      against: `one server, ${cpus().length} cores for everything`,
      base: found.one,
    };
    find(bench, { ...against, what: 'Issue, two servers on one database', value: found.two });
    find(bench, { ...against, what: 'Issue, four servers on one database', value: found.four });
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
}
