import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbedded } from '@freebets/embedded-postgres';
import { readConfig } from '../packages/server/src/config.ts';
import { loadDemo } from '../packages/server/src/demo/demo.ts';
import { migrateDatabase, withDatabase } from '../packages/server/src/runtime/database.ts';
import { createDatabase, testEnvironment } from './support/database.ts';

// Runs the tests on a PostgreSQL of their own: one cluster for the run, with a template that holds the schema and the
// demo data, from which every test file clones its database. "npm test -- FILE …" runs only those files.

const dataDir = mkdtempSync(join(tmpdir(), 'freebets-test-'));
// What is tested here is the service; that commits survive a power cut is PostgreSQL's own business, and slow.
const settings = { fsync: 'off', full_page_writes: 'off', max_connections: '400' };
const cluster = await openEmbedded({ dataDir, use: 'command', settings });
let exitCode = 1;
try {
  const env = { ...process.env, ...testEnvironment(cluster.connection.host) };
  await makeTemplate(cluster.connection.host);
  const wanted = process.argv.slice(2);
  const files = wanted.length > 0 ? wanted : ['test/**/*.test.ts'];
  const child = spawn(process.execPath, ['--test', '--test-concurrency=2', ...files], { env, stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  [exitCode] = await once(child, 'exit');
} finally {
  await cluster.release();
  rmSync(dataDir, { recursive: true, force: true });
}
process.exit(exitCode ?? 1);

async function makeTemplate(host: string): Promise<void> {
  const config = readConfig(await createDatabase(host, 'template'));
  await migrateDatabase(config);
  await withDatabase(config, ({ pool, masterKey }) => loadDemo(pool, masterKey));
}
