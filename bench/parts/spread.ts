import { alternate, type Bench, find, rate } from '../bench.ts';
import { createCampaign, issueItem, issueRequests } from '../bodies.ts';
import {
  addPartners,
  type BenchCaller,
  type BenchServer,
  createDatabase,
  databaseUrl,
  startServer,
} from '../server.ts';

const partnerCount = 100;
const campaignsEach = 10;
const connectionCounts = [64, 256];
/** Short: the whole run is long enough. */
const seconds = 2;

/** A database with many partners with campaigns each, and requests to all of them in turn. */
export async function manyPartners(bench: Bench, database: string): Promise<BenchCaller[]> {
  await createDatabase(bench.socketDir, database);
  return addPartners(databaseUrl(bench.socketDir, database), partnerCount);
}

export async function createCampaigns(server: BenchServer, partners: BenchCaller[]): Promise<void> {
  for (const partner of partners) {
    await Promise.all(
      Array.from({ length: campaignsEach }, (_, i) => createCampaign(server, `campaign-${i}`, partner)),
    );
  }
}

export function spreadRequests(partners: BenchCaller[], time: number) {
  return issueRequests(time).map((_, i) => {
    const { clientId, secret } = partners[i % partners.length] as BenchCaller;
    const campaign = `campaign-${Math.floor(i / partners.length) % campaignsEach}`;
    return { body: { client_id: clientId, ...issueItem(campaign) }, secret };
  });
}

/** Issue over 1,000 campaigns of 100 partners, against the hot campaign on the same server. */
export async function spread(bench: Bench): Promise<void> {
  const partners = await manyPartners(bench, 'spread');
  const server = await startServer(bench.socketDir, 'spread');
  try {
    await createCampaign(server);
    await createCampaigns(server, partners);
    const load = (requests: { body: object; secret?: string }[], connections: number) =>
      ({ port: server.port, operation: 'Issue', requests, connections, seconds }) as const;
    await rate(bench, 'warming up', load(issueRequests(seconds), 256));
    for (const connections of connectionCounts) {
      const at = `${connections} connections`;
      const found = await alternate({
        hot: () => rate(bench, `one campaign, ${at}`, load(issueRequests(seconds), connections)),
        spread: () =>
          rate(bench, `1,000 campaigns, 100 partners, ${at}`, load(spreadRequests(partners, seconds), connections)),
      });
      find(bench, {
        part: 'spread',
        what: `Issue over 1,000 campaigns, 100 partners, ${at}`,
        unit: '/s',
        value: found.spread,
        against: 'one campaign',
        base: found.hot,
        least: 0.6,
      });
    }
  } finally {
    await server.stop();
  }
}
