import { alternate, type Bench, find, rate } from '../bench.ts';
import { createCampaign, issueItem, issueRequests } from '../bodies.ts';
import { addPartners, type BenchCaller, createDatabase, databaseUrl, startServer } from '../server.ts';

const counts = [1, 10, 100, 1000];
const connections = 64;
/** Short: there are many sides. */
const seconds = 2;

/** The same load from few or many partners, each with one campaign. */
export async function partners(bench: Bench): Promise<void> {
  await createDatabase(bench.socketDir, 'partners');
  const all = await addPartners(databaseUrl(bench.socketDir, 'partners'), Math.max(...counts));
  const server = await startServer(bench.socketDir, 'partners');
  try {
    for (const partner of all) await createCampaign(server, 'campaign', partner);
    const requestsOf = (some: readonly BenchCaller[]) =>
      issueRequests(seconds).map((_, i) => {
        const { clientId, secret } = some[i % some.length] as BenchCaller;
        return { body: { client_id: clientId, ...issueItem('campaign') }, secret };
      });
    const issue = (count: number) => () =>
      rate(bench, `${count} partners, ${connections} connections`, {
        ...{ port: server.port, operation: 'Issue', connections, seconds },
        requests: requestsOf(all.slice(0, count)),
      });
    await issue(1)();
    const found = await alternate(Object.fromEntries(counts.map((count) => [count, issue(count)])));
    for (const count of counts.slice(1)) {
      const of = { value: found[count] as number, base: found[1] as number, against: 'one partner' };
      find(bench, { part: 'partners', what: `Issue over ${count} partners`, unit: '/s', ...of });
    }
  } finally {
    await server.stop();
  }
}
