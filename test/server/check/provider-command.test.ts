import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { runCli } from '../../../packages/server/src/admin/program.ts';
import type { Report } from '../../../packages/server/src/check/check.ts';
import { providerRules } from '../../../packages/server/src/check/provider/provider-rules.ts';
import { fileOf, folder } from '../../support/files.ts';
import { textTerminal } from '../../support/server.ts';
import { until } from '../../support/waiting.ts';
import { playAll, providerSecret } from './provider-system.ts';

// The command line of the provider check, while a test system plays against it.

const secretArgs = ['--secret-file', fileOf(providerSecret)];

async function listening(...args: string[]) {
  const { terminal, out, err, stop } = textTerminal({});
  const ended = runCli(['check', 'provider', '--listen', '0', '--minutes', '1', ...args], terminal);
  const address = () => /Listening on (http:\S+)\/v3 /.exec(out() + err())?.[1];
  await until('it listens', 20_000, () => address() !== undefined);
  return { url: address() ?? '', out, err, stop, ended };
}

test('a right provider is certified, and the command ends by itself', async () => {
  const html = join(folder, 'provider.html');
  const { url, out, err, ended } = await listening(...secretArgs, '--json', '--html', html);
  await playAll(url);
  assert.equal(await ended, 0);
  const report: Report = JSON.parse(out());
  assert.deepEqual([report.kind, report.target, report.certified], ['provider', url, true]);
  assert.equal(report.counts.passed, providerRules.length);
  assert.match(
    err(),
    /check-lost-bet +play a round: the response to the bet is lost/,
    'what to do is no part of the report',
  );
  assert.match(err(), /\/v3\/Rounds\/Bet for check-time-out: 200, without a response/);
  assert.ok(![out(), err(), readFileSync(html, 'utf8')].join('').includes(providerSecret), 'no secret is written down');
});

test('for a faulty provider the report shows what it did, with bytes that can be sent again, and the exit code is 3', async () => {
  const { url, out, stop, ended } = await listening(...secretArgs, '--only', 'provider.signed,provider.settles');
  await playAll(url, { noSettlement: true });
  stop();
  assert.equal(await ended, 3);
  assert.match(out(), /✓ provider\.signed /);
  assert.match(out(), /✗ provider\.settles .*\n +A bet was placed and not settled\.\n +What to do: Settle every bet/);
  assert.ok(out().includes(`curl -sS -i -X POST '${url}/v3/Rounds/Bet'`), 'at the address that it listens on');
});

test('unseen requests are listed with instructions after the given minutes; the exit code is 4', async () => {
  const { out, ended } = await listening('--minutes', '0.001');
  assert.equal(await ended, 4);
  assert.match(out(), /secret \S{43}\n/, 'one is made, and shown');
  assert.match(
    out(),
    /\? provider\.settles .*\n +It was not seen\. As the player check-round: play a round to its end\./,
  );
});

async function sent(url: string, request: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.end(request);
  return text(socket);
}

test('malformed calls get error responses, and break the rule on valid requests', async () => {
  const { url, out, stop, ended } = await listening(...secretArgs, '--only', 'provider.signed,provider.valid');
  const bodies = ['', 'no JSON', '[]', '{"provider_id":"check-provider"', '{"player_id":"\\u001b[2J"}'];
  for (const body of bodies) {
    const head = `POST /v3/Rounds/Bet HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/json`;
    const answer = await sent(url, `${head}\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
    assert.match(answer, /^HTTP\/1\.1 400 .*"error":"invalid_request"/s, body);
  }
  for (const target of ['*', 'http://elsewhere/v3/Rounds/Bet', '//']) {
    const answer = await sent(url, `OPTIONS ${target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
    assert.match(answer, /^HTTP\/1\.1 404 /, target);
  }
  stop();
  assert.equal(await ended, 3);
  assert.match(out(), /\? provider\.signed /, 'nothing was signed wrongly');
  assert.match(out(), /✗ provider\.valid /);
  assert.ok(!out().includes('\u001b'), 'nothing moves the cursor');
});

test('it listens at an address of either kind', async () => {
  const { url, stop, ended } = await listening('--host', '::1');
  assert.match(url, /^http:\/\/\[::1\]:\d+$/);
  assert.equal((await fetch(`${url}/v3/Rounds/Bet`)).status, 405);
  stop();
  assert.equal(await ended, 3);
});
