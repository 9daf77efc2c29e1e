import assert from 'node:assert/strict';
import { test } from 'node:test';
import { migrations } from '../../../packages/server/src/db/migrations.ts';
import { accepted } from '../../support/answers.ts';
import { call, demo, rival } from '../../support/caller.ts';
import { databaseUrl, testDatabase } from '../../support/database.ts';
import { directIssue } from '../../support/requests.ts';
import { serverProcess, testServer } from '../../support/server.ts';
import { fails, succeeds, succeedsWith } from './terminal.ts';

const { env, sql } = await testDatabase('empty');
const newest = migrations.at(-1)?.name;

test('migrate makes the schema, once, and loads nothing into it', async () => {
  assert.equal(await succeeds(env, 'migrate'), `The schema is up to date (${newest}).\n`);
  assert.deepEqual(await succeedsWith(env, 'migrate'), { schema: newest });
  const { rows } = await sql.query('SELECT name FROM migrations ORDER BY 1');
  assert.deepEqual(
    rows.map(({ name }) => name),
    migrations.map(({ name }) => name),
  );
  const { rows: partners } = await sql.query('SELECT 1 FROM partners UNION ALL SELECT 1 FROM games');
  assert.deepEqual(partners, []);
});

test('demo loads partners, providers and games on purpose, and again changes nothing', async () => {
  assert.deepEqual(await succeedsWith(env, 'demo'), { added: ['partner 1', 'partner 2'] });
  const state = async () =>
    (await sql.query('SELECT p::text FROM partners p UNION ALL SELECT g::text FROM games g')).rows;
  const before = await state();
  assert.equal(before.length, 2 + 41);
  assert.match(await succeeds(env, 'demo'), /there already/);
  assert.deepEqual(await state(), before);
  const { url } = await testServer(env);
  for (const partner of [demo, rival]) accepted('Issue', await call(url, 'Issue', directIssue(), partner));
});

test('a database migrated by a newer version is refused, with the name of the migration', async () => {
  await sql.query(`INSERT INTO migrations (name, compatible) VALUES ('0099_of_tomorrow.sql', true)`);
  assert.deepEqual(await succeedsWith(env, 'migrate'), { schema: newest }, 'a compatible one does not matter');
  await sql.query(`UPDATE migrations SET compatible = false WHERE name = '0099_of_tomorrow.sql'`);
  assert.match(await fails(env, 'client', 'list'), /newer version \(0099_of_tomorrow\.sql\)/);
  assert.match(await fails(env, 'serve'), /newer version \(0099_of_tomorrow\.sql\)/);
  await sql.query(`DELETE FROM migrations WHERE name = '0099_of_tomorrow.sql'`);
});

test('a database that may lose commits is refused, unless it is allowed', async () => {
  const careful = { ...env, ALLOW_UNSAFE_DATABASE: 'no' };
  for (const command of ['serve', 'migrate']) {
    const message = await fails(careful, command);
    assert.match(message, /fsync is off/);
    assert.match(message, /ALLOW_UNSAFE_DATABASE=yes/);
  }
});

test('a database that cannot be reached is said so in one sentence, and no password is shown', async () => {
  const socketDir = new URL(env.DATABASE_URL ?? '').searchParams.get('host') ?? '';
  const unreachable = [
    'postgres://freebets:the-password@127.0.0.1:1/freebets',
    `${databaseUrl(socketDir, 'no_such_database')}&password=the-password`,
    'postgres://freebets:the-password@no-such-host.invalid/freebets',
  ];
  for (const DATABASE_URL of unreachable) {
    const message = await fails({ ...env, DATABASE_URL }, 'serve');
    assert.match(message, /^The database cannot be reached: \S+/);
    assert.doesNotMatch(message, /the-password/);
  }
  assert.match(await fails({ ...env, DATABASE_URL: unreachable[0] ?? '' }, 'client', 'list'), /cannot be reached/);
});

test('a wrong SECRETS_KEY is refused by the server and by every command that would seal with it', async () => {
  const wrong = { ...env, SECRETS_KEY: Buffer.alloc(32, 1).toString('base64') };
  const before = (await sql.query('SELECT p::text FROM partners p ORDER BY 1')).rows;
  for (const args of [['serve'], ['client', 'create', '--name', 'X'], ['client', 'rotate-secret', '1']]) {
    assert.match(await fails(wrong, ...args), /do not open with this SECRETS_KEY/);
  }
  assert.deepEqual((await sql.query('SELECT p::text FROM partners p ORDER BY 1')).rows, before);
});

test('a lost master key is replaced caller by caller, and one secret that does not open shuts out only its owner', async () => {
  const renewed = { ...env, SECRETS_KEY: Buffer.alloc(32, 2).toString('base64') };
  await succeeds(renewed, 'client', 'rotate-secret', '1', '--lost-key');
  assert.match(await fails(renewed, 'client', 'rotate-secret', '2'), /partner 2 does not open with this SECRETS_KEY/);
  await succeeds(renewed, 'client', 'rotate-secret', '2', '--lost-key');
  const { rows } = await sql.query('SELECT previous_secret FROM partners');
  assert.ok(rows.every((row) => row.previous_secret === null));
  const server = await serverProcess(renewed);
  assert.equal(await server.end('SIGTERM'), 0);
});
