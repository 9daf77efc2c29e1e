import { setTimeout as delay } from 'node:timers/promises';
import { type Bench, find, say } from '../bench.ts';
import { backendTimes, processorSeconds, spentBetween, type Times } from '../processor.ts';
import { addPartners, type BenchServer, createDatabase, databaseUrl, query, startServer } from '../server.ts';

// The work of an idle server and its database, with few partners and with many. Each partner has an active webhook, a
// free bet that expires later, a job that begins later, and counted events. Both servers run at the same time, so
// that other load on the machine affects both.

const [few, many] = [10, 10_000];
const seconds = 20;

const busyLives = (count: number) => [
  `INSERT INTO free_bets (client_id, issue_id, player_id, currency, bet_amount, quantity, terms, valid_from, issued_at, expires_at, content_hash)
   SELECT 1000 + i, gen_random_uuid(), 'p', 'EUR', 100, 1, '{}', now(), now(), now() + interval '30 days' + i * interval '1 s', '\\x00'
   FROM generate_series(1, ${count}) i`,
  // Created with the partner, at 0.
  'UPDATE event_heads SET last_sequence = 1 WHERE client_id > 1000',
  `INSERT INTO event_batches SELECT 1000 + i, 1, 1, now(), '[]', now() FROM generate_series(1, ${count}) i`,
  `INSERT INTO activity_heads SELECT 1000 + i, 1 FROM generate_series(1, ${count}) i`,
  `INSERT INTO webhooks (client_id, url, attempted_through) SELECT 1000 + i, 'https://partner.example/', 1 FROM generate_series(1, ${count}) i`,
  `INSERT INTO jobs (client_id, job_id, name, shared, start_at, content_hash, created_at, parts, items, started_at)
   SELECT 1000 + i, gen_random_uuid(), 'x', '{}', now() + interval '20 days', '\\x00', now(), 1, 1, now() FROM generate_series(1, ${count}) i`,
  // A recent change would keep its partner active for two minutes.
  'DELETE FROM due_partners',
  'ANALYZE',
];

interface Used {
  server: number;
  backends: Times;
  statements: number;
}

async function prepare(bench: Bench, name: string, count: number): Promise<BenchServer> {
  await createDatabase(bench.socketDir, name);
  await addPartners(databaseUrl(bench.socketDir, name), count);
  for (const statement of busyLives(count)) await query(bench.socketDir, name, statement);
  const began = performance.now();
  const server = await startServer(bench.socketDir, name);
  say(
    `${count.toLocaleString('en')} partners: started after ${(performance.now() - began).toFixed(0)} ms, ${server.memoryMb().toFixed(0)} MB`,
  );
  await untilInactive(bench, name, count);
  return server;
}

/** If it takes longer, something keeps partners active. */
const deactivationMs = 60_000;

/**
 * Resolves when all partners are inactive. The expiry at the start would keep the partner of the demo active for two minutes, so it is marked
 * idle at once.
 */
async function untilInactive({ socketDir }: Bench, name: string, count: number): Promise<void> {
  const until = performance.now() + deactivationMs;
  for (;;) {
    await query(socketDir, name, 'UPDATE due_partners SET awake_until = now() WHERE awake_until > now()');
    const { rows } = await query(
      socketDir,
      name,
      'SELECT count(awake_until)::int AS active, count(*)::int AS all FROM due_partners',
    );
    const [{ active, all }] = rows;
    if (active === 0 && all >= count) break;
    if (performance.now() > until) throw new Error(`${active} of ${all} partners stay active`);
    await delay(1000);
  }
  // Deactivating all at once leaves dead index entries, which autovacuum would remove within a minute.
  await query(socketDir, name, 'VACUUM due_partners');
}

/** The resources that one server has used since its start. */
async function used({ socketDir }: Bench, { pid, database }: BenchServer): Promise<Used> {
  const stats = await query(
    socketDir,
    database,
    'SELECT xact_commit::int AS commits FROM pg_stat_database WHERE datname = current_database()',
  );
  const backends = await backendTimes(socketDir, database);
  return { server: processorSeconds(pid), backends, statements: stats.rows[0].commits };
}

/** Per second. */
const usedBetween = (before: Used, after: Used) => ({
  server: (after.server - before.server) / seconds,
  database: spentBetween(before.backends, after.backends) / seconds,
  statements: (after.statements - before.statements) / seconds,
});

export async function idle(bench: Bench): Promise<void> {
  const servers = { few: await prepare(bench, 'idle_few', few), many: await prepare(bench, 'idle_many', many) };
  try {
    const read = async () => ({ few: await used(bench, servers.few), many: await used(bench, servers.many) });
    // PostgreSQL counts the last work of a connection up to ten seconds after it became idle.
    await delay(12_000);
    const before = await read();
    await delay(seconds * 1000);
    const after = await read();
    const spent = { few: usedBetween(before.few, after.few), many: usedBetween(before.many, after.many) };
    const compare = (what: keyof typeof spent.few, name: string, unit: string, per: number, most: number) =>
      find(bench, {
        ...{ part: 'idle', what: `${name}, ${many.toLocaleString('en')} partners and nothing to do`, unit, most },
        ...{ value: spent.many[what] / per, against: `${few} partners`, base: spent.few[what] / per },
      });
    compare('server', 'Processor of the server', '% of a core', 1 / 100, 1.5);
    compare('database', 'Processor of its database', '% of a core', 1 / 100, 1.5);
    compare('statements', 'Statements', '/s', 1, 1.1);
  } finally {
    await Promise.all(Object.values(servers).map((server) => server.stop()));
  }
}
