import assert from 'node:assert/strict';
import { access, mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeStage, query, until } from './stage.ts';

test('the first open makes a durable database, reached by its socket alone, and a later one finds the data', async (t) => {
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
  assert.deepEqual((await readdir(stage.dataDir)).sort(), ['postgres', 'postgres.log']);

  const later = await stage.open({ settings: {} });
  assert.deepEqual(await query(later.connection, 'select value from kept'), [{ value: 42 }]);
  await later.release();
  await later.release();
  assert.equal(await stage.postmaster(), undefined);
});

test('two first opens at the same moment meet in one database', async (t) => {
  const stage = await makeStage(t);
  const openers = [stage.spawn({ use: 'serve' }), stage.spawn({ use: 'command' })];
  const [one, two] = await Promise.all(openers.map((opener) => opener.next()));
  assert(one?.opened && two?.opened, JSON.stringify([one, two]));
  await query(one.opened, 'create table met as select 1 as value');
  assert.deepEqual(await query(two.opened, 'select value from met'), [{ value: 1 }]);
  await Promise.all(openers.map((opener) => opener.release()));
  assert.equal(await stage.postmaster(), undefined);
  assert.deepEqual((await readdir(stage.dataDir)).sort(), ['postgres', 'postgres.log']);
});

test('of two first servers at the same moment one is refused, and the other serves', async (t) => {
  const stage = await makeStage(t);
  const openers = [stage.spawn({}), stage.spawn({})];
  const said = await Promise.all(openers.map((opener) => opener.next()));
  assert.equal(said.filter((fact) => fact.opened).length, 1, JSON.stringify(said));
  assert.match(said.find((fact) => fact.error)?.error ?? '', /^A Freebets server is already running on /);
  await openers[said.findIndex((fact) => fact.opened)]?.release();
  assert.equal(await stage.postmaster(), undefined);
});

test('two opens in one process at the same moment share the database', async (t) => {
  const stage = await makeStage(t);
  const opened = await Promise.all([stage.open({ use: 'command' }), stage.open({ use: 'serve' })]);
  await Promise.all(opened.map(({ connection }) => query(connection, 'select 1')));
  await Promise.all(opened.map((database) => database.release()));
  assert.equal(await stage.postmaster(), undefined);
});

test('a first start killed while it makes the database leaves nothing half-made', async (t) => {
  const stage = await makeStage(t);
  const killed = stage.spawn({});
  const names = () => readdir(stage.dataDir).catch((): string[] => []);
  await until(async () => (await names()).some((name) => name.startsWith('postgres.new-')));
  killed.process.kill('SIGKILL');
  await until(() => killed.process.signalCode !== null);
  // What a process that ended long ago has left, and one that had our own pid, as in a container.
  await mkdir(join(stage.dataDir, 'postgres.new-2147483646-00000000'));
  await mkdir(join(stage.dataDir, `postgres.new-${process.pid}-00000000`));
  const database = await stage.open({});
  assert.deepEqual(await query(database.connection, 'select 1 as one'), [{ one: 1 }]);
  await database.release();
  await (await stage.open({})).release();
  assert.deepEqual((await readdir(stage.dataDir)).sort(), ['postgres', 'postgres.log']);
});

test('giving up while the database is made, or starts, leaves neither process nor directory', async (t) => {
  const stage = await makeStage(t);
  const making = new AbortController();
  const unmade = stage.open({ signal: making.signal });
  await until(() =>
    readdir(stage.dataDir).then(
      (names) => names.length > 0,
      () => false,
    ),
  );
  making.abort();
  await assert.rejects(unmade, { name: 'AbortError' });
  assert.deepEqual(await readdir(stage.dataDir), []);

  await (await stage.open({})).release();
  const starting = new AbortController();
  const unstarted = stage.open({ signal: starting.signal });
  await until(() =>
    access(join(stage.dataDir, 'postgres', 'postmaster.pid')).then(
      () => true,
      () => false,
    ),
  );
  starting.abort();
  await assert.rejects(unstarted, { name: 'AbortError' });
  assert.equal(await stage.postmaster(), undefined);
});
