import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  constants,
  createReadStream,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { table } from '../../../packages/server/src/admin/command.ts';
import { writeWhole } from '../../../packages/server/src/admin/files.ts';
import { runCli } from '../../../packages/server/src/admin/program.ts';
import { makeStage } from '../../embedded-postgres/stage.ts';
import { testDatabase } from '../../support/database.ts';
import { folder } from '../../support/files.ts';
import { holdRows } from '../../support/held-batch.ts';
import { program, surroundings, textTerminal } from '../../support/server.ts';
import { until } from '../../support/waiting.ts';
import { startCommand } from './running.ts';
import { assertClear, fails, succeeds } from './terminal.ts';

const { env, sql } = await testDatabase();

/** Runs a command whose output goes to a full disk, and returns its message. */
async function failsOnFullDisk(...args: string[]): Promise<string> {
  const full = await open('/dev/full', 'w');
  const child = spawn(process.execPath, [program, ...args], {
    env: { ...surroundings, ...env },
    stdio: ['ignore', full.fd, 'pipe'],
  });
  assert(child.stderr);
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  await full.close();
  assert.equal(code, 1, `freebets ${args.join(' ')}: ${said}`);
  assertClear(said);
  return said.trim();
}

const noFullDisk = !existsSync('/dev/full') && 'there is no /dev/full';

test("output that can't be written is reported, with what is lost", { skip: noFullDisk }, async () => {
  const why = 'The output cannot be written: ENOSPC: no space left on device, write.';
  const [created, rotated, invited, ...others] = await Promise.all([
    failsOnFullDisk('client', 'create', '--name', 'Full', '--id', '7'),
    failsOnFullDisk('client', 'rotate-secret', '2', '--json'),
    failsOnFullDisk('staff', 'invite', 'ann@example.com', '--role', 'admin'),
    failsOnFullDisk('catalogue', 'export'),
    failsOnFullDisk('audit', 'export'),
  ]);
  assert.equal(
    created,
    `${why} Partner 7 was created, but its secret could not be shown. Create another with: freebets client rotate-secret 7`,
  );
  assert.equal(
    rotated,
    `${why} The new secret of partner 2 was created but could not be shown: rotate it again. This also ends the old secret.`,
  );
  assert.equal(invited, `${why} The link was created but could not be shown: run the command again to create another.`);
  assert.deepEqual(others, [why, why]);
});

test('a table may have any number of rows', () => {
  const rows = Array.from({ length: 150_000 }, (_, i) => [`${i}`, 'x']);
  assert.match(table(['ID', 'NAME'], rows), /^ID {6}NAME\n0 {7}x\n1 /);
});

test('a closed pipe is an error only for output that is shown once', async () => {
  const [listed, exported, created] = [
    startCommand(env, 'client', 'list'),
    startCommand(env, 'audit', 'export'),
    startCommand(env, 'provider', 'create', '--name', 'Gone', '--currencies', 'EUR'),
  ];
  for (const command of [listed, exported, created]) command.hangUp();
  for (const command of [listed, exported]) assert.deepEqual([await command.ended(), command.err()], [0, '']);
  assert.equal(await created.ended(), 1);
  assert.match(
    created.err(),
    /^The output cannot be written: .*\. Provider gone was created, but its secret could not be shown/,
  );
  assert.equal((await sql.query(`SELECT FROM providers WHERE provider_id = 'gone'`)).rows.length, 1);
});

test('a signal ends a command whose output is not read', async () => {
  const cli = new URL('../../../packages/server/src/admin/', import.meta.url);
  const script = `
    import { processTerminal } from '${cli}terminal.ts';
    import { writeAll } from '${cli}command.ts';
    const terminal = processTerminal({});
    async function* endless() { for (;;) yield 'x'.repeat(1_000_000); }
    const stopped = terminal.stopSignal();
    process.stderr.write('begins');
    await writeAll(terminal, endless(), stopped).then(() => process.exit(0), ({ name }) => { process.stderr.write(name); process.exit(7); });`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'pipe'] });
  assert(child.stderr);
  const said = text(child.stderr);
  await once(child.stderr, 'readable');
  child.kill('SIGTERM');
  assert.deepEqual([await once(child, 'exit'), await said], [[7, null], 'beginsAbortError']);
});

/** The address of the same database, which is lost as soon as a command reads the audit log. */
async function lostDatabase(): Promise<string> {
  const { searchParams, pathname } = new URL(env.DATABASE_URL ?? '');
  const listener = createServer((socket) => {
    const database = connect(`${searchParams.get('host')}/.s.PGSQL.5432`);
    const ask = (bytes: Buffer) => (bytes.includes('FROM audit a') ? socket.resetAndDestroy() : database.write(bytes));
    socket.on('error', () => {}).on('data', ask);
    socket.on('close', () => database.destroy());
    database.on('error', () => {}).on('data', (bytes) => socket.write(bytes));
  });
  after(() => listener.close());
  await once(listener.listen(0, '127.0.0.1'), 'listening');
  return `postgres://freebets@127.0.0.1:${(listener.address() as AddressInfo).port}${pathname}`;
}

test('a file is written completely or stays unchanged, also if the database fails', async () => {
  const inside = mkdtempSync(join(folder, 'export-'));
  const [file, link] = [join(inside, 'record.ndjson'), join(inside, 'link.ndjson')];
  await succeeds(env, 'audit', 'export', '--file', file);
  const before = readFileSync(file, 'utf8');
  const lost = { ...env, DATABASE_URL: await lostDatabase() };
  assert.match(await fails(lost, 'audit', 'export', '--file', file), /^The database could not complete the command \(/);
  assert.equal(readFileSync(file, 'utf8'), before);
  chmodSync(file, 0o660);
  symlinkSync(file, link);
  await succeeds(env, 'audit', 'export', '--file', link);
  assert.ok(readFileSync(file, 'utf8').length > before.length, 'the exports themselves are in it');
  assert.deepEqual([statSync(file).mode & 0o777, lstatSync(link).isSymbolicLink()], [0o600, true]);
  assert.deepEqual(readdirSync(inside), ['link.ndjson', 'record.ndjson'], 'no draft is left');
});

const never = new AbortController().signal;

async function* endless() {
  for (;;) yield 'x'.repeat(100_000);
}

test('a signal leaves the target of a link unchanged', async () => {
  const inside = mkdtempSync(join(folder, 'links-'));
  const [file, link] = ['file', 'link'].map((name) => join(inside, name)) as [string, string];
  writeFileSync(file, '12');
  symlinkSync('file', link);
  const stopping = new AbortController();
  async function* brokenOff() {
    yield '34';
    stopping.abort();
    yield '56';
  }
  await assert.rejects(writeWhole(link, brokenOff(), stopping.signal), { name: 'AbortError' });
  assert.deepEqual([readFileSync(link, 'utf8'), readdirSync(inside)], ['12', ['file', 'link']]);
  symlinkSync('loop', join(inside, 'loop'));
  await assert.rejects(writeWhole(join(inside, 'loop'), endless(), never), /loop cannot be written: ELOOP/);
});

const isRoot = process.geteuid?.() === 0;

test("another user's file keeps its owner", { skip: !isRoot && 'only root can change its user' }, async (t) => {
  const inside = mkdtempSync(join(tmpdir(), 'freebets-shared-'));
  t.after(() => rmSync(inside, { recursive: true }));
  chmodSync(inside, 0o1777);
  const write = async (owner: number, group: number) => {
    const file = join(inside, `${owner}-${group}`);
    writeFileSync(file, 'before');
    chownSync(file, owner, group);
    chmodSync(file, 0o660);
    process.setegid?.(3000);
    process.seteuid?.(2002);
    await writeWhole(file, ['after'].values() as never, never).finally(() => {
      process.seteuid?.(0);
      process.setegid?.(0);
    });
    const { uid, gid, mode } = statSync(file);
    // Only its owner can change its mode.
    const expected = owner === 2002 ? 0o600 : 0o660;
    const kept = owner === 2002 ? 3000 : group;
    assert.deepEqual([uid, gid, mode & 0o777, readFileSync(file, 'utf8')], [owner, kept, expected, 'after']);
  };
  await write(2001, 3000);
  await write(2002, 3000);
  await write(2002, 4000);
  await assert.rejects(write(2001, 4000), /2001-4000 cannot be written: EACCES/);
  assert.equal(readdirSync(inside).length, 4, 'no draft is left');
});

test('a device or a pipe is written in place', { skip: noFullDisk }, async () => {
  const pipe = join(mkdtempSync(join(folder, 'pipe-')), 'fifo');
  execFileSync('mkfifo', [pipe]);
  const [, record] = await Promise.all([
    succeeds(env, 'audit', 'export', '--file', pipe),
    text(createReadStream(pipe, 'utf8')),
  ]);
  assert.match(record, /^\{.+\}\n$/s);
  const stopped = { name: 'AbortError' };
  await assert.rejects(writeWhole(pipe, endless(), AbortSignal.timeout(20)), stopped, 'no reader has opened it');
  const stopping = new AbortController();
  const idle = await open(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
  const writing = writeWhole(pipe, endless(), stopping.signal);
  // Nothing to read yet is an error then.
  const isRead = () =>
    idle.read({ buffer: Buffer.alloc(1) }).then(
      ({ bytesRead }) => bytesRead === 1,
      () => false,
    );
  await until('it is written to', 5000, isRead);
  stopping.abort();
  await assert.rejects(writing, stopped, 'no reader');
  await idle.close();
  assert.match(await fails(env, 'audit', 'export', '--file', '/dev/full'), /^\/dev\/full cannot be written: ENOSPC/);
  assert.ok(statSync('/dev/full').isCharacterDevice());
});

test('a signal lets a command finish and report; a second one ends it at once', async () => {
  const held = await holdRows(sql, 'LOCK TABLE audit_heads IN EXCLUSIVE MODE');
  const create = (id: string) => startCommand(env, 'client', 'create', '--name', 'Interrupted', '--id', id);
  const [patient, impatient, exporting] = [create('8'), create('9'), startCommand(env, 'audit', 'export')];
  const sentence = 'Finishing the work in progress. Repeat the signal to stop immediately.\n';
  const codes: Promise<number | null>[] = [];
  try {
    await until('all wait', 20_000, async () => {
      const { rows } = await sql.query(
        `SELECT FROM pg_stat_activity WHERE application_name = 'freebets command' AND wait_event_type = 'Lock' AND datname = current_database()`,
      );
      return rows.length === 3;
    });
    codes.push(patient.end('SIGINT'), impatient.end('SIGTERM'), exporting.end('SIGHUP'));
    // As npm passes it on besides.
    void patient.end('SIGTERM');
    await until('all have heard', 10_000, () => [patient, impatient, exporting].every(({ err }) => err() === sentence));
    assert.deepEqual([await impatient.end('SIGTERM'), impatient.out()], [1, '']);
  } finally {
    await held.letGo();
  }
  assert.deepEqual(await Promise.all(codes), [0, 1, 1]);
  assert.match(patient.out(), /^Partner 8 \(Interrupted\) created\.\nSecret \(shown once\): \S{43}\n/);
  assert.deepEqual([patient.err(), exporting.err()], [sentence, sentence]);
});

test('output that is shown once is written before the database is closed', async () => {
  const happened: string[] = [];
  const { terminal, err } = textTerminal(env);
  const watched = {
    ...terminal,
    stdout: { write: () => happened.push('written') },
    holdSignals: () => () => happened.push('closed'),
  };
  for (const args of [['rotate-secret', '1'], ['list']])
    assert.equal(await runCli(['client', ...args], watched), 0, err());
  assert.deepEqual(happened, ['written', 'closed', 'closed', 'written']);
  const lost = { ...watched, flush: async () => new Error('no reader') };
  assert.equal(await runCli(['client', 'rotate-secret', '1'], lost), 1);
  assert.deepEqual(happened.slice(4), ['written', 'closed'], 'closed in any case');
});

test('a signal leaves no embedded database running', async (t) => {
  const { dataDir, postmaster } = await makeStage(t);
  const migrating = startCommand({ DATA_DIR: dataDir }, 'migrate');
  await until('the database runs', 20_000, async () => (await postmaster()) !== undefined);
  assert.equal(await migrating.end('SIGTERM'), 0, migrating.err());
  assert.match(migrating.out(), /The schema is up to date/);
  assert.equal(await postmaster(), undefined);
});
