import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { isRoot, ownerOfNewCluster } from '../../packages/embedded-postgres/src/run-as.ts';
import { answers, makeStage, query, type Stage, until } from './stage.ts';

function kill(pid: number | undefined, signal: NodeJS.Signals): void {
  assert(pid);
  process.kill(pid, signal);
}

test('after kill -9 of the server the next one takes the running database over, with its data', async (t) => {
  const stage = await makeStage(t);
  const killed = stage.spawn({ settings: {} });
  const { opened } = await killed.next();
  assert(opened);
  await query(opened, 'create table kept as select 7 as value');
  const postmaster = await stage.postmaster();
  killed.process.kill('SIGKILL');
  const heir = await stage.open({ use: 'serve' });
  assert.equal(await stage.postmaster(), postmaster);
  assert.deepEqual(await query(heir.connection, 'select value from kept'), [{ value: 7 }]);
  await heir.release();
  assert.equal(await stage.postmaster(), undefined);
});

test('after kill -9 of everything at once nothing committed is lost', async (t) => {
  const stage = await makeStage(t);
  const killed = stage.spawn({ settings: {} });
  const { opened } = await killed.next();
  assert(opened);
  await query(opened, 'create table kept as select 8 as value');
  kill(await stage.postmaster(), 'SIGKILL');
  killed.process.kill('SIGKILL');
  const heir = await stage.open({ settings: {} });
  assert.deepEqual(await query(heir.connection, 'select value from kept'), [{ value: 8 }]);
  await heir.release();
});

test('a database killed under a server comes back by itself, again and again', async (t) => {
  const stage = await makeStage(t);
  const server = await stage.open({ onLost: (error) => assert.fail(error) });
  await query(server.connection, 'create table kept as select 9 as value; checkpoint');
  for (let round = 0; round < 3; round += 1) {
    const before = await stage.postmaster();
    kill(before, 'SIGKILL');
    await until(async () => (await stage.postmaster()) !== before && (await answers(server.connection)));
    assert.deepEqual(await query(server.connection, 'select value from kept'), [{ value: 9 }]);
    await until(async () => (await lockHolders(server.connection)) === 2);
  }
  await assert.rejects(stage.open({ use: 'serve' }), /already running/);
  await server.release();
  assert.equal(await stage.postmaster(), undefined);
});

test('a crash of one backend, from which PostgreSQL recovers by itself, costs the server nothing but its connections', async (t) => {
  const stage = await makeStage(t);
  const server = await stage.open({ onLost: (error) => assert.fail(error) });
  const postmaster = await stage.postmaster();
  const [backend] = await query(
    server.connection,
    `select pid from pg_stat_activity where application_name like 'freebets serve%'`,
  );
  kill(Number(backend?.pid), 'SIGKILL');
  await until(async () => (await lockHolders(server.connection).catch(() => 0)) === 2);
  assert.equal(await stage.postmaster(), postmaster);
  await server.release();
  assert.equal(await stage.postmaster(), undefined);
});

test('a database told to stop when all have left does so, and comes back, though a server never leaves', async (t) => {
  const stage = await makeStage(t);
  const server = await stage.open({ onLost: (error) => assert.fail(error) });
  const before = await stage.postmaster();
  kill(before, 'SIGTERM');
  await until(
    async () => ![before, undefined].includes(await stage.postmaster()) && (await answers(server.connection)),
  );
  await server.release();
  assert.equal(await stage.postmaster(), undefined);
});

test('a server can be released while its database is away, and then leaves none behind', async (t) => {
  const stage = await makeStage(t);
  for (let round = 0; round < 3; round += 1) {
    const server = await stage.open({});
    kill(await stage.postmaster(), 'SIGKILL');
    // The first round is before the loss is noticed, the later ones somewhere in the midst of coming back.
    if (round > 0) await until(async () => !(await answers(server.connection)));
    if (round > 1) await until(async () => (await stage.postmaster()) !== undefined);
    await server.release();
    assert.equal(await stage.postmaster(), undefined);
  }
});

test('a server learns that another one took its place while it could not act', async (t) => {
  const stage = await makeStage(t);
  const frozen = stage.spawn({ use: 'serve' });
  await frozen.next();
  frozen.process.kill('SIGSTOP');
  kill(await stage.postmaster(), 'SIGKILL');
  const other = await stage.open({ use: 'serve' });
  frozen.process.kill('SIGCONT');
  const { lost } = await frozen.next();
  assert.equal(lost, `A Freebets server is already running on ${stage.dataDir} (process ${process.pid}).`);
  await frozen.release();
  assert(await answers(other.connection));
  await other.release();
  assert.equal(await stage.postmaster(), undefined);
});

test('a lock file of a power loss whose pid is now another process does not keep the database from starting', async (t) => {
  const stage = await makeStage(t);
  const sleeper = sleepAs(t);
  await leaveLockFiles(stage, sleeper.pid);
  const database = await stage.open({});
  assert(await answers(database.connection));
  assert.match(
    await readFile(join(stage.dataDir, 'postgres.log'), 'utf8'),
    /lock file "postmaster.pid" already exists/,
  );
  assert.equal(sleeper.exitCode ?? sleeper.signalCode, null);
  await database.release();
});

test('nor does one whose pid is now the postmaster of another database, which is not touched', async (t) => {
  const stage = await makeStage(t);
  const neighbour = await makeStage(t);
  const other = await neighbour.open({});
  const postmaster = await neighbour.postmaster();
  await leaveLockFiles(stage, postmaster);
  const database = await stage.open({});
  await database.release();
  assert.equal(await neighbour.postmaster(), postmaster);
  assert(await answers(other.connection));
  await other.release();
});

test('nor does an empty one', async (t) => {
  const stage = await makeStage(t);
  await (await stage.open({})).release();
  const path = join(stage.dataDir, 'postgres', 'postmaster.pid');
  await writeFile(path, '');
  await utimes(path, new Date(0), new Date(0));
  const database = await stage.open({});
  assert(await answers(database.connection));
  await database.release();
});

test('a postmaster that cannot start says why, in one sentence', async (t) => {
  const stage = await makeStage(t);
  await assert.rejects(stage.open({ settings: { shared_buffers: 'plenty' } }), {
    name: 'EmbeddedError',
    message: /did not start: invalid value for parameter "shared_buffers": "plenty" \(see .*postgres\.log\)\.$/,
  });
  assert.equal(await stage.postmaster(), undefined);
});

/** A process of the user PostgreSQL runs as, for it clears the lock of anybody else's process by itself. */
function sleepAs(t: TestContext): ChildProcess {
  const child = spawn('sleep', ['600'], { ...(isRoot() ? ownerOfNewCluster() : {}), stdio: 'ignore' });
  t.after(() => child.kill('SIGKILL'));
  return child;
}

/** Makes a cluster, and puts into it the lock files of a run that did not end, but with this pid. */
async function leaveLockFiles(stage: Stage, pid: number | undefined): Promise<void> {
  assert(pid);
  const paths = ['postmaster.pid', '.s.PGSQL.5432.lock'].map((name) => join(stage.dataDir, 'postgres', name));
  const database = await stage.open({});
  const texts = await Promise.all(paths.map((path) => readFile(path, 'utf8')));
  await database.release();
  await Promise.all(paths.map((path, at) => writeFile(path, (texts[at] ?? '').replace(/^\d+/, `${pid}`))));
}

async function lockHolders(connection: Parameters<typeof query>[0]): Promise<number> {
  const [row] = await query(
    connection,
    `select count(*)::int as locks from pg_locks where locktype = 'advisory' and granted`,
  );
  return Number(row?.locks);
}
