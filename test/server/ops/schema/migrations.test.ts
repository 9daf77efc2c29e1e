import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type pg from 'pg';
import { openPool } from '../../../../packages/server/src/engine/connection.ts';
import {
  type Migration,
  migrate,
  migrations,
  readSchema,
} from '../../../../packages/server/src/ops/schema/migrations.ts';
import { accepted } from '../../../support/answers.ts';
import { call } from '../../../support/caller.ts';
import { testDatabase } from '../../../support/database.ts';
import { databaseProxy } from '../../../support/database-proxy.ts';
import { holdRows } from '../../../support/held-batch.ts';
import { directIssue } from '../../../support/requests.ts';
import { runCommand, testServer } from '../../../support/server.ts';
import { until } from '../../../support/waiting.ts';
import { fails, succeeds, succeedsWith } from '../../admin/terminal.ts';

const step = (n: number, sql = `CREATE TABLE t${n} (n int); INSERT INTO t${n} VALUES (${n})`): Migration => ({
  name: `000${n}_step.sql`,
  sql,
});

const notes = async (sql: pg.Pool) =>
  (await sql.query<{ name: string; checksum: string }>('SELECT name, checksum FROM migrations ORDER BY 1')).rows;
const names = async (sql: pg.Pool) => (await notes(sql)).map(({ name }) => name);

test('each migration runs once and is recorded with its checksum', async () => {
  const { sql } = await testDatabase('empty');
  const three = [step(1), step(2), step(3)];
  assert.deepEqual(await readSchema(sql, three), { state: 'older', names: three.map(({ name }) => name) });
  const { schema, ran } = await migrate(sql, three);
  assert.deepEqual([schema.state, ran], ['current', three.map(({ name }) => name)]);
  assert.deepEqual(
    await notes(sql),
    three.map(({ name, sql }) => ({ name, checksum: createHash('sha256').update(sql).digest('hex') })),
  );
  assert.deepEqual((await migrate(sql, three)).ran, []);
  assert.deepEqual(await readSchema(sql, three), { state: 'current', names: [] });
});

test('a failed migration keeps earlier ones, and the next start continues there', async () => {
  const { sql } = await testDatabase('empty');
  const broken = step(3, 'CREATE TABLE t3 (n int); SELECT 1 / 0');
  await assert.rejects(migrate(sql, [step(1), step(2), broken]), /^Error: 0003_step\.sql failed \(division by zero\)$/);
  assert.deepEqual(await names(sql), ['0001_step.sql', '0002_step.sql']);
  const { rows } = await sql.query(`SELECT to_regclass('t3') AS t3`);
  assert.equal(rows[0].t3, null, 'of the one that failed there is nothing');
  assert.deepEqual((await migrate(sql, [step(1), step(2), step(3), step(4)])).ran, ['0003_step.sql', '0004_step.sql']);
});

test('a server that dies within a migration keeps the earlier ones', async () => {
  const { sql, env } = await testDatabase('empty');
  const connection = { connectionString: env.DATABASE_URL ?? '' };
  const server = openPool({ connection, max: 1, queryTimeoutMs: 60_000, applicationName: 'dying' });
  const dying = migrate(server, [step(1), step(2, 'CREATE TABLE t2 (n int); SELECT pg_sleep(600)')]);
  const failed = assert.rejects(dying);
  const kill = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'dying' AND wait_event = 'PgSleep'`;
  await until('it sleeps, and is killed', 20_000, async () => (await sql.query(kill)).rowCount === 1);
  await failed;
  await server.end();
  assert.deepEqual(await names(sql), ['0001_step.sql']);
  assert.deepEqual((await migrate(sql, [step(1), step(2)])).ran, ['0002_step.sql']);
});

test('servers that start together wait for each other and run every migration once', async () => {
  const { sql } = await testDatabase('empty');
  const slow = [1, 2, 3, 4].map((n) =>
    step(n, `CREATE TABLE IF NOT EXISTS runs (n int); INSERT INTO runs VALUES (${n}); SELECT pg_sleep(0.05)`),
  );
  // The pool has four connections, and each call uses one at a time.
  const results = await Promise.all([1, 2, 3, 4].map(() => migrate(sql, slow)));
  for (const { schema } of results) assert.equal(schema.state, 'current');
  assert.deepEqual(
    results.flatMap(({ ran }) => ran).sort(),
    slow.map(({ name }) => name),
  );
  const { rows } = await sql.query('SELECT n FROM runs ORDER BY 1');
  assert.deepEqual(
    rows.map(({ n }) => n),
    [1, 2, 3, 4],
  );
});

test('a migration of an hour completes, and another server waits for it', async (t) => {
  const { env, sql } = await testDatabase('empty');
  await migrate(sql, []);
  const held = await holdRows(sql, 'LOCK TABLE migrations IN SHARE MODE');
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const migrating = runCommand(env, 'migrate');
  await held.isWaitedFor();
  t.mock.timers.tick(60 * 60_000);
  t.mock.timers.reset();
  await held.letGo();
  const { code, stderr } = await migrating;
  assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
});

test('a changed migration is detected, and no further migration runs', async () => {
  const { sql } = await testDatabase('empty');
  await migrate(sql, [step(1), step(2)]);
  const changed = [step(1, '-- another'), step(2), step(3)];
  const { schema, ran } = await migrate(sql, changed);
  assert.deepEqual([schema, ran], [{ state: 'changed', names: ['0001_step.sql'] }, []]);
  assert.deepEqual(await readSchema(sql, changed), { state: 'changed', names: ['0001_step.sql'] });
  assert.deepEqual(await names(sql), ['0001_step.sql', '0002_step.sql']);
});

test('rows without checksums are readable and get checksums with the next migration', async () => {
  const { sql } = await testDatabase('empty');
  await sql.query(`CREATE TABLE migrations (
    name text PRIMARY KEY, compatible boolean NOT NULL, ran_at timestamptz NOT NULL DEFAULT now())`);
  await sql.query(
    `INSERT INTO migrations (name, compatible) VALUES ('0001_step.sql', false), ('0009_other.sql', true)`,
  );
  assert.deepEqual(await readSchema(sql, [step(1), step(2)]), { state: 'older', names: ['0002_step.sql'] });
  assert.equal((await readSchema(sql, [step(1)])).state, 'current');
  assert.deepEqual((await migrate(sql, [step(1), step(2)])).ran, ['0002_step.sql']);
  const [first, , other] = await notes(sql);
  assert.equal(first?.checksum, createHash('sha256').update(step(1).sql).digest('hex'));
  assert.equal(other?.checksum, null, 'of one that is not known, nothing is known');
  assert.equal((await migrate(sql, [step(1, '-- another'), step(2)])).schema.state, 'changed');
});

test('a database with incompatible newer migrations is refused', async () => {
  const { sql } = await testDatabase('empty');
  await migrate(sql, [step(1), { name: '0002_later.sql', sql: '-- compatible\nSELECT 1' }]);
  assert.equal((await migrate(sql, [step(1)])).schema.state, 'current');
  await migrate(sql, [step(1), { name: '0003_latest.sql', sql: 'SELECT 1' }]);
  assert.deepEqual(await migrate(sql, [step(1), step(4)]), {
    schema: { state: 'newer', names: ['0003_latest.sql'] },
    ran: [],
  });
});

test('migrations have consecutive names and unique numbers', () => {
  const numbers = migrations.map(({ name }) => /^(\d{4})_[a-z_]+\.sql$/.exec(name)?.[1]);
  assert.deepEqual(
    numbers,
    migrations.map((_, i) => String(i + 1).padStart(4, '0')),
  );
});

test('migrate opens one connection at a time', async () => {
  const { env, sql } = await testDatabase('empty');
  await migrate(sql, migrations.slice(0, 15));
  const proxy = await databaseProxy(env);
  const { ran } = await succeedsWith(proxy.env, 'migrate');
  assert.equal(ran.length, migrations.length - 15);
  assert.equal(proxy.mostConnections, 1);
});

const securityPage = readFileSync(new URL('../../../../docs/operate/security.md', import.meta.url), 'utf8');

test('a role with only table rights can run everything except migrate', async () => {
  const { env, sql } = await testDatabase('empty');
  const user = `least_${randomBytes(6).toString('hex')}`;
  const [guide = ''] = /GRANT USAGE [^`]*/.exec(securityPage) ?? [];
  const grant = () => sql.query(guide.replaceAll(/\b(TO|FROM) freebets;/g, `$1 ${user};`));
  const asUser = { ...env, DATABASE_URL: `${env.DATABASE_URL}&options=${encodeURIComponent(`-c role=${user}`)}` };
  await sql.query(`CREATE ROLE ${user}`);
  try {
    await migrate(sql, migrations.slice(0, 15));
    // Also after an earlier permission.
    await sql.query(`GRANT CREATE ON SCHEMA public TO ${user}`);
    await grant();
    for (const command of ['serve', 'migrate']) {
      assert.equal(
        await fails(asUser, command),
        `The tables of the database belong to freebets, and ${user} cannot migrate them: run "freebets migrate" as freebets.`,
      );
    }
    const owned = await sql.query('SELECT FROM pg_tables WHERE tableowner = $1', [user]);
    assert.equal(owned.rowCount, 0);

    await sql.query(`REVOKE CREATE ON SCHEMA public FROM ${user}`);
    await succeeds(env, 'migrate');
    await grant();
    assert.deepEqual((await succeedsWith(asUser, 'migrate')).ran, []);
    await succeeds(asUser, 'demo');
    const { url, stop } = await testServer(asUser);
    accepted('Issue', await call(url, 'Issue', directIssue()));
    await stop();
    await sql.query(`INSERT INTO migrations (name, compatible) VALUES ('9999_later.sql', false)`);
    assert.match(await fails(asUser, 'serve'), /newer version \(9999_later\.sql\)/);
  } finally {
    await sql.query(`DROP OWNED BY ${user}`);
    await sql.query(`DROP ROLE ${user}`);
  }
});
