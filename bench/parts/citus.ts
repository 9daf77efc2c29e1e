import { createJoined, dropEverywhere, onDatabase } from '../../test/support/citus.ts';
import { alternate, type Bench, find, rate, say, seconds } from '../bench.ts';
import { createCampaign, issueItem, issueRequests } from '../bodies.ts';
import type { Load } from '../load.ts';
import { addPartners, type BenchCaller, endAll, fillDatabase, startServerOn } from '../server.ts';
import { createCampaigns, spreadRequests } from './spread.ts';

// Compares the Citus cluster of CITUS_URL with a database of its coordinator that is not distributed, so that the
// version and the settings are the same. If all nodes run on one machine, the difference is the processor time that
// Citus costs. The goals are for a Citus that keeps the plans of simple statements.

/** Each has its own database and server, because servers on the same database would work for each other. */
const ways = {
  one: { settings: {}, migrate: [] },
  many: { settings: {}, migrate: ['--distribute'] },
  direct: { settings: { DATABASE_DIRECT: 'yes' }, migrate: ['--distribute'] },
};
type Way = keyof typeof ways;

const databaseOf = (way: Way) => `freebets_bench_${way}`;
const partnerCount = 20;
const rounds = 5;

interface Side {
  port: number;
  partners: BenchCaller[];
  lookups: Load['requests'];
}

/** The address of an empty database, on one node or on all. */
async function createEmpty(citusUrl: string, way: Way): Promise<string> {
  const joined = await createJoined(citusUrl, databaseOf(way));
  if (way === 'one') await onDatabase(joined, (client) => client.query('DROP EXTENSION citus CASCADE'));
  return joined;
}

/** Adds free bets to look up, and statistics: connections to a node keep plans from before. */
async function open(citusUrl: string, way: Way): Promise<Side> {
  const url = await createEmpty(citusUrl, way);
  await fillDatabase(url, ...ways[way].migrate);
  const partners = await addPartners(url, partnerCount);
  const first = await startServerOn(url);
  await createCampaign(first);
  await createCampaigns(first, partners);
  const items = Array.from({ length: 1000 }, () => issueItem());
  await first.call('IssueBatch', first.demo, { items });
  for (const partner of partners) {
    await first.call('IssueBatch', partner, { items: Array.from({ length: 100 }, () => issueItem('campaign-0')) });
  }
  await first.stop();
  await onDatabase(url, (client) => client.query('ANALYZE'));
  const { port, demo } = await startServerOn(url, ways[way].settings);
  return { port, partners, lookups: items.map(({ issue_id }) => ({ body: { client_id: demo.clientId, issue_id } })) };
}

async function compareAll(bench: Bench, sides: Record<Way, Side>): Promise<void> {
  const compare = async (
    what: string,
    load: Pick<Load, 'operation' | 'connections'>,
    requestsOf: (side: Side) => Load['requests'],
    least?: number,
  ) => {
    const run = (way: Way) => () =>
      rate(bench, `${what}, ${way}`, {
        ...load,
        port: sides[way].port,
        requests: requestsOf(sides[way]),
        seconds,
      });
    const found = await alternate({ one: run('one'), many: run('many'), direct: run('direct') }, rounds);
    const against = { part: 'citus', unit: '/s', against: 'one PostgreSQL', base: found.one };
    find(bench, { ...against, what: `${what}, through the coordinator`, value: found.many });
    const goal = least === undefined ? {} : { least };
    find(bench, { ...against, what: `${what}, DATABASE_DIRECT`, value: found.direct, ...goal });
  };
  const issue = { operation: 'Issue', connections: 64 } as const;
  await compare('Issue, one partner', issue, () => issueRequests(seconds), 0.75);
  const spread = ({ partners }: Side) => spreadRequests(partners, seconds);
  await compare(`Issue, ${partnerCount} partners`, issue, spread, 0.5);
  await compare('Lookups', { operation: 'FreeBetGet', connections: 32 }, ({ lookups }) => lookups);
}

export async function manyMachines(bench: Bench): Promise<void> {
  const citusUrl = process.env.CITUS_URL;
  if (citusUrl === undefined) return say('left out: CITUS_URL names no cluster');
  try {
    const [one, many] = [await open(citusUrl, 'one'), await open(citusUrl, 'many')];
    await compareAll(bench, { one, many, direct: await open(citusUrl, 'direct') });
  } finally {
    await endAll();
    for (const way of Object.keys(ways) as Way[]) await dropEverywhere(citusUrl, databaseOf(way));
  }
}
