import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { isAlive } from '../../packages/embedded-postgres/src/processes.ts';
import { isRoot, PRIVATE } from '../../packages/embedded-postgres/src/run-as.ts';
import { answers, kill, makeUsedStage, query, type Stage, until } from './stage.ts';

// With --long only: it starts many clusters of its own. Every run of the tests starts one too.

test('after kill -9 of the server the next one takes over the running database with its data', async (t) => {
  const stage = await makeUsedStage(t);
  const killed = stage.spawn();
  const { opened } = await killed.next();
  assert(opened);
  await query(opened, 'create table kept as select 7 as value');
  const postmaster = await stage.postmaster();
  killed.process.kill('SIGKILL');
  await until(() => killed.process.signalCode !== null);
  const heir = await stage.open();
  assert.equal(await stage.postmaster(), postmaster);
  assert.deepEqual(await query(heir.connection, 'select value from kept'), [{ value: 7 }]);
  await heir.release();
  assert.equal(await stage.postmaster(), undefined);
});

test('after kill -9 of all processes no committed data is lost', async (t) => {
  const stage = await makeUsedStage(t);
  const killed = stage.spawn({ settings: {} });
  const { opened } = await killed.next();
  assert(opened);
  await query(opened, 'create table kept as select 8 as value');
  kill(await stage.postmaster(), 'SIGKILL');
  killed.process.kill('SIGKILL');
  await until(() => killed.process.signalCode !== null);
  const heir = await stage.open({ settings: {} });
  assert.deepEqual(await query(heir.connection, 'select value from kept'), [{ value: 8 }]);
  await heir.release();
});

test('a server restarts its database after every kill and stop', async (t) => {
  const stage = await makeUsedStage(t);
  const server = await stage.open({ onLost: (error) => assert.fail(error) });
  await query(server.connection, 'create table kept as select 9 as value; checkpoint');
  // SIGTERM waits until all clients disconnect, which a server never does: here, one connection stays open.
  for (const signal of ['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGKILL'] as const) {
    const before = await stage.postmaster();
    const staying = query(server.connection, 'select pg_sleep(600)').catch(() => undefined);
    kill(before, signal);
    await until(
      async () => ![before, undefined].includes(await stage.postmaster()) && (await answers(server.connection)),
    );
    await staying;
    assert.deepEqual(await query(server.connection, 'select value from kept'), [{ value: 9 }]);
  }
  // PostgreSQL itself recovers from the crash of one backend.
  const postmaster = await stage.postmaster();
  const [backend] = await query(server.connection, `select pid from pg_stat_activity where backend_type = 'walwriter'`);
  kill(Number(backend?.pid), 'SIGKILL');
  await until(() => answers(server.connection));
  assert.equal(await stage.postmaster(), postmaster);
  await assert.rejects(stage.open(), /already running/);
  await server.release();
  assert.equal(await stage.postmaster(), undefined);
});

test('a server that is released while its database is down leaves none running', async (t) => {
  const stage = await makeUsedStage(t);
  for (let round = 0; round < 3; round += 1) {
    const server = await stage.open();
    kill(await stage.postmaster(), 'SIGKILL');
    // The first round is before the loss is noticed, the later ones somewhere in the midst of coming back.
    if (round > 0) await until(async () => !(await answers(server.connection)));
    if (round > 1) await until(async () => (await stage.postmaster()) !== undefined);
    await server.release();
    assert.equal(await stage.postmaster(), undefined);
  }
});

test('a server whose database was replaced reports it and leaves nothing running', async (t) => {
  const stage = await makeUsedStage(t);
  const server = stage.spawn();
  await server.next();
  const postmaster = await stage.postmaster();
  await rename(stage.dataDir, `${stage.dataDir}-old`);
  const other = await stage.open();
  const { lost } = await server.next();
  assert.equal(lost, `The database in ${stage.dataDir} was replaced by another while it was in use.`);
  await server.release();
  assert(postmaster && !(await isAlive(postmaster)));
  assert(await answers(other.connection));
  const last = await stage.postmaster();
  await rm(join(stage.dataDir, 'postgres', 'postmaster.pid'));
  await other.release();
  assert(last && !(await isAlive(last)));
});

test('the database starts after a power loss, even if another process has the PID in the lock files', async (t) => {
  const stage = await makeUsedStage(t);
  const neighbour = await makeUsedStage(t);
  const other = await neighbour.open();
  const sleeper = sleepAs(t);
  for (const pid of [sleeper.pid, await neighbour.postmaster()]) {
    await leaveLockFiles(stage, pid);
    const database = await stage.open();
    assert(await answers(database.connection));
    await database.release();
  }
  await writeFile(join(stage.dataDir, 'postgres', 'postmaster.pid'), '');
  const database = await stage.open();
  assert(await answers(database.connection));
  await database.release();
  assert.equal(sleeper.exitCode ?? sleeper.signalCode, null);
  assert(await answers(other.connection));
  await other.release();
});

test("a postmaster that can't start is reported with the reason in one sentence", async (t) => {
  const stage = await makeUsedStage(t);
  await assert.rejects(stage.open({ settings: { shared_buffers: 'plenty' } }), {
    name: 'EmbeddedError',
    message: /did not start: invalid value for parameter "shared_buffers": "plenty" \(see .*postgres\.log\)\.$/,
  });
  assert.equal(await stage.postmaster(), undefined);
  await (await stage.open()).release();
});

/** A process of the user PostgreSQL runs as, for it clears the lock of anybody else's process by itself. */
function sleepAs(t: TestContext): ChildProcess {
  const child = spawn('sleep', ['600'], { ...(isRoot() ? PRIVATE : {}), stdio: 'ignore' });
  t.after(() => child.kill('SIGKILL'));
  return child;
}

/** Puts the lock files into it of a run that did not end, but with this pid. */
async function leaveLockFiles(stage: Stage, pid: number | undefined): Promise<void> {
  assert(pid);
  const paths = ['postmaster.pid', '.s.PGSQL.5432.lock'].map((name) => join(stage.dataDir, 'postgres', name));
  const database = await stage.open();
  const texts = await Promise.all(paths.map((path) => readFile(path, 'utf8')));
  await database.release();
  await Promise.all(paths.map((path, at) => writeFile(path, (texts[at] ?? '').replace(/^\d+/, `${pid}`))));
}
