import { createJoined, dropEverywhere, onDatabase } from '../../test/support/citus.ts';
import { alternate, type Bench, find, rate, say, seconds } from '../bench.ts';
import { createCampaign, issueItem, issueRequests } from '../bodies.ts';
import type { Load } from '../load.ts';
import { addPartners, type BenchCaller, type BenchServer, fillDatabase, startServerOn } from '../server.ts';
import { createCampaigns, spreadRequests } from './spread.ts';

// A database of many machines against one: the Citus cluster that CITUS_URL names, and beside it a database of its coordinator that
// is not distributed, so that the version and the settings are the same. Where all machines are on one, what is lost is the processor
// time that Citus costs.

const [one, many] = ['freebets_bench_one', 'freebets_bench_many'];
const partnerCount = 20;
const rounds = 5;

interface Side {
  server: BenchServer;
  partners: BenchCaller[];
}

type Request = { body: object; secret?: string };

async function createOne(citusUrl: string): Promise<string> {
  await onDatabase(citusUrl, async (client) => {
    await client.query(`DROP DATABASE IF EXISTS ${one} WITH (FORCE)`);
    await client.query(`CREATE DATABASE ${one}`);
  });
  const url = new URL(citusUrl);
  url.pathname = `/${one}`;
  return url.href;
}

async function prepare(server: BenchServer, partners: BenchCaller[]): Promise<Side> {
  await createCampaign(server);
  await createCampaigns(server, partners);
  return { server, partners };
}

/** Lookups of free bets that are there. */
async function lookups({ server }: Side): Promise<Request[]> {
  const items = Array.from({ length: 1000 }, () => issueItem());
  await server.call('IssueBatch', server.demo, { items });
  return items.map(({ issue_id }) => ({ body: { client_id: server.demo.clientId, issue_id } }));
}

export async function manyMachines(bench: Bench): Promise<void> {
  const citusUrl = process.env.CITUS_URL;
  if (citusUrl === undefined) return say('left out: CITUS_URL names no cluster');
  const urls = { one: await createOne(citusUrl), many: await createJoined(citusUrl, many) };
  await fillDatabase(urls.one);
  await fillDatabase(urls.many, '--distribute');
  const [ofOne, ofMany] = [await addPartners(urls.one, partnerCount), await addPartners(urls.many, partnerCount)];
  const servers = {
    one: await startServerOn(urls.one),
    many: await startServerOn(urls.many),
    direct: await startServerOn(urls.many, { DATABASE_DIRECT: 'yes' }),
  };
  try {
    const sides = { one: await prepare(servers.one, ofOne), many: await prepare(servers.many, ofMany) };
    const compare = async (
      what: string,
      load: Pick<Load, 'operation' | 'connections'>,
      requestsOf: (side: Side) => Request[],
      least?: number,
    ) => {
      const run = (name: keyof typeof servers, side: Side) => () =>
        rate(bench, `${what}, ${name}`, { ...load, port: servers[name].port, requests: requestsOf(side), seconds });
      const found = await alternate(
        { one: run('one', sides.one), many: run('many', sides.many), direct: run('direct', sides.many) },
        rounds,
      );
      const against = { part: 'citus', unit: '/s', against: 'one PostgreSQL', base: found.one };
      find(bench, { ...against, what: `${what}, through the coordinator`, value: found.many });
      const goal = least === undefined ? {} : { least };
      find(bench, { ...against, what: `${what}, DATABASE_DIRECT`, value: found.direct, ...goal });
    };
    const issue = { operation: 'Issue', connections: 64 } as const;
    await compare('Issue, one partner', issue, () => issueRequests(seconds), 0.75);
    const spread = ({ partners }: Side) => spreadRequests(partners, seconds);
    await compare(`Issue, ${partnerCount} partners`, issue, spread, 0.5);
    const found = new Map([
      [sides.one, await lookups(sides.one)],
      [sides.many, await lookups(sides.many)],
    ]);
    await compare('Lookups', { operation: 'FreeBetGet', connections: 32 }, (side) => found.get(side) ?? []);
  } finally {
    await Promise.all(Object.values(servers).map((server) => server.stop()));
    await onDatabase(citusUrl, (client) => client.query(`DROP DATABASE ${one} WITH (FORCE)`));
    await dropEverywhere(citusUrl, many);
  }
}
