import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { testDatabase } from '../../support/database.ts';
import { program, surroundings } from '../../support/server.ts';
import { startCommand } from './running.ts';
import { assertClear } from './terminal.ts';

const { env, sql } = await testDatabase();

/** Runs a command whose output goes to a disk that is full; what it said. */
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

test('output that cannot be written is said so, with what is lost by it', { skip: noFullDisk }, async () => {
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
    `${why} Partner 7 is created, but its secret was not shown: make another with freebets client rotate-secret 7`,
  );
  assert.equal(
    rotated,
    `${why} The new secret of partner 2 is made, but was not shown: make another, with which the old one ends.`,
  );
  assert.equal(invited, `${why} The link is made, but was not shown: make another with the same command.`);
  assert.deepEqual(others, [why, why]);
});

test('a reader that goes away is no fault, unless what is shown only now goes with it', async () => {
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
    /^The output cannot be written: .*\. Provider gone is created, but its secret was not shown/,
  );
  assert.equal((await sql.query(`SELECT FROM providers WHERE provider_id = 'gone'`)).rows.length, 1);
});

test('what is written to a reader that does not read ends on a signal', async () => {
  const cli = new URL('../../../packages/server/src/cli/', import.meta.url);
  const script = `
    import { processTerminal } from '${cli}process-terminal.ts';
    import { writeAll } from '${cli}written.ts';
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
