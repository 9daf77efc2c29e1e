import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { access, chmod, cp, mkdir, mkdtemp, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { isAlive } from '../../packages/embedded-postgres/src/processes.ts';
import { answers, makeStage, makeUsedStage, query } from './stage.ts';

// With --long only: it starts many clusters of its own. Every run of the tests starts one too.

const SOURCES = join(import.meta.dirname, '../../packages/embedded-postgres/src');
const MODULES = join(import.meta.dirname, '../../node_modules');

test('a cluster of another major version is refused, naming both versions', async (t) => {
  const stage = await makeUsedStage(t);
  await (await stage.open({})).release();
  await writeFile(join(stage.dataDir, 'postgres', 'PG_VERSION'), '17\n');
  await assert.rejects(stage.open({}), {
    name: 'EmbeddedError',
    message: /^The database in .* was made by PostgreSQL 17, and this is PostgreSQL 18: .*\.$/,
  });
});

test('a path too long for a socket gets a short private directory that is removed at the end', async (t) => {
  const stage = await makeUsedStage(t, join('long'.repeat(25), 'longer'.repeat(20), 'data'));
  const database = await stage.open({});
  const { host } = database.connection;
  assert(host.length < 90, host);
  assert.equal((await stat(host)).mode & 0o777, 0o700);
  assert(await answers(database.connection));
  const command = stage.spawn({ use: 'command' }, undefined, { ...process.env, TMPDIR: '/nowhere' });
  assert.deepEqual((await command.next()).opened, database.connection);
  await command.release();
  await database.release();
  await assert.rejects(access(host), { code: 'ENOENT' });
  assert.equal(await stage.postmaster(), undefined);

  // Another user made the directory first, to intercept.
  await mkdir(host, { mode: 0o777 });
  t.after(() => rm(host, { recursive: true, force: true }));
  await chmod(host, 0o777);
  await assert.rejects(stage.open({}), { name: 'EmbeddedError', message: /another user/ });
});

test('a path may contain any characters', async (t) => {
  const stage = await makeUsedStage(t, `a, "b" 'c' $HOME \\ é`);
  const database = await stage.open({});
  assert(await answers(database.connection));
  await database.release();
});

test('a path through a symbolic link is the same data directory', async (t) => {
  const stage = await makeUsedStage(t);
  const database = await stage.open({});
  const linked = `${stage.dataDir}-linked`;
  await symlink(stage.dataDir, linked);
  await assert.rejects(stage.open({ dataDir: linked }), /already running/);
  await database.release();
});

test('a data directory moved while its database runs is the same database, at any path length', async (t) => {
  for (const inner of ['data', join('long'.repeat(25), 'data')]) {
    const stage = await makeUsedStage(t, inner);
    const killed = stage.spawn({});
    const { opened } = await killed.next();
    assert(opened);
    await query(opened, 'create table moved as select 1 as value');
    const postmaster = await stage.postmaster();
    killed.process.kill('SIGKILL');
    const moved = `${stage.dataDir}-moved`;
    await rename(stage.dataDir, moved);
    const fresh = await stage.open({});
    await assert.rejects(query(fresh.connection, 'select value from moved'), /does not exist/);
    const heir = await stage.open({ dataDir: moved });
    assert.deepEqual(await query(heir.connection, 'select value from moved'), [{ value: 1 }]);
    await heir.release();
    assert(postmaster && !(await isAlive(postmaster)));
    await fresh.release();
  }
});

test('an unusable data directory is refused in one sentence', async (t) => {
  const stage = await makeStage(t);
  await writeFile(stage.dataDir, 'a file');
  const sentence = { name: 'EmbeddedError', message: /^The data directory .* cannot be written: .*\.$/ };
  await assert.rejects(stage.open({}), sentence);
  for (const dataDir of ['/sys/freebets', '/proc/freebets']) await assert.rejects(stage.open({ dataDir }), sentence);
});

test('a directory in place of the cluster is refused and kept', async (t) => {
  const stage = await makeStage(t);
  const precious = join(stage.dataDir, 'postgres', 'precious');
  await mkdir(dirname(precious), { recursive: true });
  await writeFile(precious, 'kept');
  await assert.rejects(stage.open({}), { name: 'EmbeddedError', message: /^.* is in the way: .*\.$/ });
  assert.equal(await readFile(precious, 'utf8'), 'kept');
});

test('a missing optional dependency is reported in one sentence with what to do', async (t) => {
  const bare = await mkdtemp(join(tmpdir(), 'freebets-embedded-'));
  t.after(() => rm(bare, { recursive: true, force: true }));
  await cp(SOURCES, join(bare, 'embedded'), { recursive: true });
  await mkdir(join(bare, 'node_modules'));
  await symlink(join(MODULES, 'pg'), join(bare, 'node_modules', 'pg'));
  await writeFile(join(bare, 'package.json'), '{"type": "module"}');
  const script = `import('./embedded/open-embedded.ts').then((m) => m.openEmbedded({ dataDir: 'data', use: 'serve' }))
    .catch((error) => console.log(error.name + ': ' + error.message))`;
  const { stdout } = spawnSync(process.execPath, ['-e', script], { cwd: bare, encoding: 'utf8' });
  assert.match(
    stdout,
    /^EmbeddedError: The embedded PostgreSQL \(.*\) is not installed: set DATABASE_URL, or install .*\.\n$/,
  );
});
