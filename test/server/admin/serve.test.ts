import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { after, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { settings } from '../../../packages/server/src/ops/config.ts';
import { makeUsedStage } from '../../embedded-postgres/stage.ts';
import { accepted } from '../../support/answers.ts';
import { call } from '../../support/caller.ts';
import { testDatabase } from '../../support/database.ts';
import { program, runCommand, serverProcess, surroundings } from '../../support/server.ts';
import { until } from '../../support/waiting.ts';
import { fails } from './terminal.ts';

const { env } = await testDatabase();

/** A port that is in use. */
const other = createServer().listen(0, '127.0.0.1');
after(() => other.close());
await once(other, 'listening');
const { port: taken } = other.address() as { port: number };

test('serve reports all invalid settings at once, one sentence each, without their values', async () => {
  const ofAnyText = ['HOST', 'DATA_DIR', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'];
  const names = Object.keys(settings).filter((name) => !ofAnyText.includes(name));
  const wrong = Object.fromEntries(names.map((name) => [name, 'wr0ng/value']));
  const { stdout, stderr, code } = await runCommand(wrong, 'serve');
  assert.deepEqual({ stdout, code }, { stdout: '', code: 1 });
  // One sentence is about three of them together.
  const lines = stderr
    .trimEnd()
    .split('\n')
    .filter((line) => !line.endsWith('must be set together.'));
  assert.deepEqual(
    lines.map((line) => /^([A-Z_]+) must be .+\.$/.exec(line)?.[1]),
    names,
  );
  assert.doesNotMatch(stderr, /wr0ng/);
});

test('serve reports one invalid setting in one sentence', async () => {
  assert.equal(await fails({ ...env, PORT: '65536' }, 'serve'), 'PORT must be a whole number from 0 to 65535.');
  const { SECRETS_KEY: _, ...withoutKey } = env;
  assert.match(
    await fails(withoutKey, 'serve'),
    /^SECRETS_KEY is required with DATABASE_URL: .*openssl rand -base64 32/,
  );
});

test('serve reports a used port with the setting to change', async () => {
  const message = await fails({ ...env, PORT: String(taken) }, 'serve');
  assert.match(message, new RegExp(`Port ${taken} of 127\\.0\\.0\\.1 is taken`));
  assert.match(message, /set PORT to another/);
});

test('serve reports a used internal port with the setting to change', async () => {
  const message = await fails({ ...env, INTERNAL_PORT: String(taken) }, 'serve');
  assert.match(message, new RegExp(`Port ${taken} of 127\\.0\\.0\\.1 is taken`));
  assert.match(message, /set INTERNAL_PORT to another/);
});

test('serve refuses an address of another machine', async () => {
  assert.match(await fails({ ...env, HOST: '203.0.113.1' }, 'serve'), /Cannot listen .*203\.0\.113\.1.*HOST/);
});

test('serve prints its address, and ends with 0 on SIGTERM, SIGINT and SIGHUP', async () => {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    const server = await serverProcess(env);
    assert.match(server.url, /^http:\/\/127\.0\.0\.1:\d+$/);
    accepted('GameList', await call(server.url, 'GameList', {}));
    assert.equal(await server.end(signal), 0);
  }
});

test('a signal twice at once counts as one, and a later one ends the process at once', async () => {
  const twice = await serverProcess({ ...env, DRAIN_MS: '400' });
  const endedOnce = twice.end('SIGTERM');
  // The system merges signals sent at the same moment.
  await delay(50);
  assert.deepEqual(await Promise.all([twice.end('SIGTERM'), endedOnce]), [0, 0]);
  const impatient = await serverProcess({ ...env, DRAIN_MS: '20000' });
  const ended = impatient.end('SIGTERM');
  await delay(2500);
  assert.deepEqual(await Promise.all([impatient.end('SIGINT'), ended]), [1, 1]);
});

test('repeated signals during the start leave no embedded database running', async (t) => {
  const stage = await makeUsedStage(t);
  const child = spawn(process.execPath, [program, 'serve'], {
    env: { ...surroundings, DATA_DIR: stage.dataDir, PORT: '0' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  t.after(() => child.kill('SIGKILL'));
  const ended = once(child, 'exit');
  await until('the database has begun to start', 60_000, async () => (await stage.postmaster()) !== undefined);
  // To its last moment, though no longer than a second, after which a signal is a new one.
  const lastAt = performance.now() + 900;
  while (child.exitCode === null && child.signalCode === null && performance.now() < lastAt) {
    child.kill('SIGTERM');
    await delay(1);
  }
  assert.deepEqual(await ended, [1, null], 'it never served');
  assert.equal(await stage.postmaster(), undefined);
});
