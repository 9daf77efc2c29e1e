import assert from 'node:assert/strict';
import { access, mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import pg from 'pg';
import { stopwatch } from '../support/waiting.ts';
import { answers, makeStage, makeUsedStage, query, until } from './stage.ts';

// With --long only: it starts many clusters of its own. Every run of the tests starts one too.

// Processes that open the database in turn and at the same time, and what they leave behind.

const LEFT = ['postgres', 'postgres.change.lock', 'postgres.log', 'postgres.users.lock'];
const namesIn = (dir: string) => readdir(dir).catch((): string[] => []);

test('the first open makes a durable database with only a socket, and a later one finds its data', async (t) => {
  const stage = await makeStage(t);
  const first = await stage.open({ settings: {} });
  assert.deepEqual(await query(first.connection, 'select current_database() as db, current_user as who'), [
    { db: 'freebets', who: 'freebets' },
  ]);
  const settings = await query(first.connection, `select name, setting from pg_settings order by name`);
  const values = Object.fromEntries(settings.map(({ name, setting }) => [name, setting]));
  assert.equal(values.fsync, 'on');
  assert.equal(values.synchronous_commit, 'on');
  assert.equal(values.full_page_writes, 'on');
  assert.equal(values.listen_addresses, '');
  assert.equal(values.server_encoding, 'UTF8');
  assert.equal(values.TimeZone, 'UTC');
  assert.equal(values.max_connections, '200');
  assert.equal((await stat(first.connection.host)).mode & 0o777, 0o700);
  assert.equal((await stat(join(stage.dataDir, 'postgres.log'))).mode & 0o777, 0o600);
  await query(first.connection, 'create table kept as select 42 as value');
  await first.release();
  assert.equal(await stage.postmaster(), undefined);
  assert.deepEqual((await readdir(stage.dataDir)).sort(), LEFT);

  const later = await stage.open({ settings: {} });
  assert.deepEqual(await query(later.connection, 'select value from kept'), [{ value: 42 }]);
  await later.release();
  await later.release();
  assert.equal(await stage.postmaster(), undefined);
});

test('of two concurrent first servers one is refused, and the other serves along with a command', async (t) => {
  const stage = await makeStage(t);
  const servers = [stage.spawn(), stage.spawn()];
  const command = stage.spawn({ use: 'command' });
  const said = await Promise.all(servers.map((server) => server.next()));
  const winner = servers[said.findIndex(({ opened }) => opened)];
  const connection = said.find(({ opened }) => opened)?.opened;
  assert(winner && connection, JSON.stringify(said));
  const refusal = `A Freebets server is already running on ${stage.dataDir} (process ${winner.process.pid}).`;
  assert.deepEqual(
    said.filter(({ opened }) => !opened),
    [{ error: refusal, name: 'EmbeddedError' }],
  );
  await query(connection, 'create table met as select 1 as value');
  const met = await command.next();
  assert(met.opened, met.error ?? '');
  assert.deepEqual(await query(met.opened, 'select value from met'), [{ value: 1 }]);
  await Promise.all([winner.release(), command.release()]);
  assert.equal(await stage.postmaster(), undefined);
  assert.deepEqual((await readdir(stage.dataDir)).sort(), LEFT);
});

test('a second server is refused at once without disturbing the first', async (t) => {
  const stage = await makeUsedStage(t);
  const first = stage.spawn();
  const { opened } = await first.next();
  assert(opened);
  const postmaster = await stage.postmaster();
  const client = new pg.Client(opened);
  await client.connect();
  const tookMs = stopwatch();
  await assert.rejects(stage.open(), {
    name: 'EmbeddedError',
    message: `A Freebets server is already running on ${stage.dataDir} (process ${first.process.pid}).`,
  });
  assert(tookMs() < 2_000, 'the refusal comes at once');
  assert.deepEqual((await client.query('select 1 as one')).rows, [{ one: 1 }]);
  await client.end();
  assert.equal(await stage.postmaster(), postmaster);
  await first.release();
  assert.equal(await stage.postmaster(), undefined);
});

test('the database runs until its last user leaves, in any order', async (t) => {
  const stage = await makeUsedStage(t);
  const command = await stage.open({ use: 'command' });
  const postmaster = await stage.postmaster();
  const server = stage.spawn();
  const { opened } = await server.next();
  assert.deepEqual(opened, command.connection);
  await command.release();
  assert.equal(await stage.postmaster(), postmaster);
  const later = await stage.open({ use: 'command' });
  await server.release();
  assert.equal(await stage.postmaster(), postmaster);
  const next = await stage.open();
  assert(await answers(next.connection));
  assert.equal(await stage.postmaster(), postmaster);
  await Promise.all([next.release(), later.release()]);
  assert.equal(await stage.postmaster(), undefined);
});

test('many concurrent users never fail, and the last one stops the database', async (t) => {
  const stage = await makeUsedStage(t);
  const visits = Array.from({ length: 4 }, async () => {
    for (let round = 0; round < 4; round += 1) {
      const database = await stage.open({ use: 'command' });
      await query(database.connection, 'select 1');
      await database.release();
    }
  });
  const processes = Array.from({ length: 2 }, async () => {
    const opener = stage.spawn({ use: 'command' });
    const said = await opener.next();
    assert(said.opened, said.error ?? '');
    await query(said.opened, 'select 1');
    await opener.release();
  });
  await Promise.all([...visits, ...processes]);
  assert.equal(await stage.postmaster(), undefined);
});

test('a first start killed while it makes the database leaves no partial cluster', async (t) => {
  const stage = await makeStage(t);
  const killed = stage.spawn();
  await until(async () => (await namesIn(stage.dataDir)).some((name) => name.startsWith('postgres.new-')));
  killed.process.kill('SIGKILL');
  await until(() => killed.process.signalCode !== null);
  await mkdir(join(stage.dataDir, 'postgres.new-left', 'cluster'), { recursive: true });
  const database = await stage.open();
  assert(await answers(database.connection));
  await database.release();
  await (await stage.open()).release();
  assert.deepEqual((await readdir(stage.dataDir)).sort(), LEFT);
});

test('cancelling while the database is made or starts leaves no process and no directory', async (t) => {
  const stage = await makeStage(t);
  const making = new AbortController();
  const unmade = stage.open({ signal: making.signal });
  await until(async () => (await namesIn(stage.dataDir)).some((name) => name.startsWith('postgres.new-')));
  making.abort();
  await assert.rejects(unmade, { name: 'AbortError' });
  const left = (await readdir(stage.dataDir)).filter((name) => !name.endsWith('.lock'));
  assert.deepEqual(left, []);

  const used = await makeUsedStage(t);
  const starting = new AbortController();
  const unstarted = used.open({ signal: starting.signal });
  await until(() =>
    access(join(used.dataDir, 'postgres', 'postmaster.pid')).then(
      () => true,
      () => false,
    ),
  );
  starting.abort();
  await assert.rejects(unstarted, { name: 'AbortError' });
  assert.equal(await used.postmaster(), undefined);
});

test('PostgreSQL runs in its own session, which Ctrl-C at the terminal does not reach', async (t) => {
  if (process.platform !== 'linux') return t.skip('reads /proc');
  const stage = await makeUsedStage(t);
  const database = await stage.open();
  const pid = await stage.postmaster();
  const [, , , , group, session] = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(' ');
  assert.deepEqual([Number(group), Number(session)], [pid, pid]);
  await database.release();
});
