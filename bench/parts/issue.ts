import { alternate, type Bench, find, rate, rateLine, say, seconds } from '../bench.ts';
import { createCampaign, issueItem, issueRequests } from '../bodies.ts';
import { runOwnLoop, runPgbench } from '../pgbench.ts';
import { type BenchServer, createDatabase, startOnNew, startProgram, startServer } from '../server.ts';

const connectionCounts = [64, 256];

/** The same writes directly at the database, on the best number of connections. */
async function directDatabase(bench: Bench): Promise<void> {
  await createDatabase(bench.socketDir, 'direct');
  const server = await startServer(bench.socketDir, 'direct');
  await createCampaign(server);
  await server.stop();
}

const direct = ({ tools }: Bench): string => (tools.pgbench ? 'pgbench' : 'our own loop');

async function bestConnections(bench: Bench): Promise<number> {
  let best = { connections: 0, perSecond: 0 };
  for (const connections of [1, 2, 4, 8, 16]) {
    const { perSecond } = await runDirect(bench, connections, 1);
    say(rateLine(`${direct(bench)}, ${connections} connections`, perSecond));
    if (perSecond > best.perSecond) best = { connections, perSecond };
  }
  return best.connections;
}

const runDirect = ({ socketDir, tools }: Bench, connections: number, time: number) =>
  (tools.pgbench ? runPgbench : runOwnLoop)(socketDir, 'direct', connections, time);

/** Issue on one hot campaign, against the usual alternatives and the limit of the server. */
export async function hotCampaign(bench: Bench): Promise<void> {
  const { socketDir } = bench;
  const batched = await startOnNew(socketDir, 'batched');
  const single = await startOnNew(socketDir, 'single', { LANE_BATCH: '1' });
  await directDatabase(bench);
  await createCampaign(batched);
  await createCampaign(single);
  const answer = await batched.call('Issue', batched.demo, issueItem());
  const ceiling = await startProgram('./ceiling.ts', JSON.stringify(answer));
  const load = (server: Pick<BenchServer, 'port'>, connections: number, name: string) => () =>
    rate(bench, `${name}, ${connections} connections`, {
      port: server.port,
      operation: 'Issue',
      requests: issueRequests(seconds),
      connections,
      seconds,
    });
  try {
    await load(batched, 256, 'warming up')();
    const best = await bestConnections(bench);
    for (const connections of connectionCounts) {
      const found = await alternate({
        batched: load(batched, connections, 'Issue'),
        single: load(single, connections, 'batches of one'),
        ceiling: load(ceiling, connections, 'an operation that does nothing'),
        direct: async () => {
          const { perSecond } = await runDirect(bench, best, seconds);
          say(rateLine(`${direct(bench)}, ${best} connections`, perSecond));
          return perSecond;
        },
      });
      const issue = {
        part: 'issue',
        what: `Issue, hot campaign, ${connections} connections`,
        unit: '/s',
        value: found.batched,
      };
      find(bench, { ...issue, against: 'batches of one', base: found.single, least: 5 });
      find(bench, { ...issue, against: `${direct(bench)}, ${best} connections`, base: found.direct, least: 3.5 });
      find(bench, { ...issue, against: 'an operation that does nothing', base: found.ceiling, least: 0.8 });
    }
  } finally {
    await Promise.all([batched.stop(), single.stop(), ceiling.stop()]);
  }
}

/** Issue on one connection, against the same transaction on one connection to the database. */
export async function oneConnection(bench: Bench): Promise<void> {
  await directDatabase(bench);
  const server = await startOnNew(bench.socketDir, 'one');
  try {
    await createCampaign(server);
    const times = await alternate({
      issue: async () => {
        const load = {
          port: server.port,
          operation: 'Issue' as const,
          requests: issueRequests(seconds),
          connections: 1,
          seconds,
        };
        const { p50Ms } = await bench.runLoad(load);
        say(`Issue, p50 ${p50Ms.toFixed(2)} ms`);
        return p50Ms;
      },
      direct: async () => {
        const { p50Ms } = await runDirect(bench, 1, seconds);
        say(`${direct(bench)}, p50 ${p50Ms.toFixed(2)} ms`);
        return p50Ms;
      },
    });
    find(bench, {
      part: 'latency',
      what: 'Issue, one connection, p50',
      unit: 'ms',
      value: times.issue,
      against: `${direct(bench)}, one connection, p50`,
      base: times.direct,
      most: 2,
    });
  } finally {
    await server.stop();
  }
}
