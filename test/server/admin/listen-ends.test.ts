import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeStage } from '../../embedded-postgres/stage.ts';
import { accepted } from '../../support/answers.ts';
import { call, demo, rival } from '../../support/caller.ts';
import { testDatabase } from '../../support/database.ts';
import { databaseProxy } from '../../support/database-proxy.ts';
import { directIssue } from '../../support/requests.ts';
import { testServer } from '../../support/server.ts';
import { until } from '../../support/waiting.ts';
import { openEndpoint } from './endpoint.ts';
import { spawnListening, startCommand, startListening } from './running.ts';
import { assertClear, fails, succeeds, succeedsWith } from './terminal.ts';

// While a listener runs, it is the partner's webhook.

const { env: settings } = await testDatabase();
const env = { ...settings, WEBHOOK_ALLOW_PRIVATE: 'yes', WEBHOOK_RETRIES_S: '0.1,3600' };
const { url: server } = await testServer(env);
const endpoint = await openEndpoint();
const show = () => succeedsWith(env, 'client', 'webhook', 'show', '1');

async function makeEvents(count: number): Promise<void> {
  for (let i = 0; i < count; i++) accepted('Issue', await call(server, 'Issue', directIssue(), demo));
}

/** Waits until an event is received and recorded as such. */
async function hasCome(sequence: number): Promise<void> {
  await until(`event ${sequence} in ${endpoint.sequences()}`, 20_000, () => endpoint.sequences().includes(sequence));
  await until('nothing waits', 20_000, async () => (await show()).waiting === 0);
}

test('listen refuses to replace an active webhook', async () => {
  await succeeds(env, 'client', 'webhook', 'set', '1', endpoint.url);
  assert.match(
    await fails(env, 'listen'),
    /^Partner 1 has the webhook http:\S+, which still needs its events\. Choose another partner with --client, or remove the webhook: freebets client webhook remove 1$/m,
  );
  assert.equal((await show()).url, endpoint.url);
});

test('listen replaces a webhook that is off without waiting events, and turns it off at the end', async () => {
  await makeEvents(1);
  await hasCome(1);
  await succeeds(env, 'client', 'webhook', 'off', '1');
  const listener = await spawnListening(env);
  await makeEvents(1);
  await listener.line(/^ +2 /);
  assert.equal(await listener.end('SIGHUP'), 0);
  assert.ok(listener.out().endsWith('\nThe webhook of partner 1 is off. Events wait until you set a webhook.\n'));
  assert.equal((await show()).off_reason, 'listen ended');
});

test('listen refuses to replace a running listener, and replaces a killed one', async () => {
  const killed = await spawnListening(env);
  assert.match(
    await fails(env, 'listen'),
    /^Another listener already receives the events of partner 1, on http:\S+: stop it first, or listen for another partner with --client\.$/m,
  );
  assert.equal(await killed.end('SIGKILL'), null);
  const next = await startListening(env);
  await makeEvents(1);
  await next.line(/^ +3 /);
  assert.equal(await next.stop(), 0);
});

test('listen refuses to replace a webhook that is off with waiting events', async () => {
  await succeeds(env, 'client', 'webhook', 'set', '1', endpoint.url);
  await succeeds(env, 'client', 'webhook', 'off', '1');
  await makeEvents(1);
  assert.match(await fails(env, 'listen'), /which still needs its events/);
  await succeeds(env, 'client', 'webhook', 'set', '1', endpoint.url);
  await hasCome(4);
  await succeeds(env, 'client', 'webhook', 'off', '1');
});

test('a webhook that is set during listen stays', async () => {
  const listener = await startListening(env);
  await succeeds(env, 'client', 'webhook', 'set', '1', endpoint.url);
  assert.equal(await listener.stop(), 0);
  assert.match(listener.out(), /\nThe webhook was changed in the meantime, so it stays as it is\.\n$/);
  assert.deepEqual([(await show()).url, (await show()).off_at], [endpoint.url, null]);
  await succeeds(env, 'client', 'webhook', 'off', '1');
});

test('listen starts after a webhook with waiting events was removed', async () => {
  await succeeds(env, 'client', 'webhook', 'set', '1', 'http://127.0.0.1:1/gone', '--from', '1');
  assert.match(await fails(env, 'listen'), /which still needs its events/);
  assert.ok((await succeedsWith(env, 'client', 'webhook', 'remove', '1')).waiting > 0);
  const listener = await startListening(env);
  await makeEvents(1);
  await listener.line(/freebet\.issued .* signature valid$/);
  assert.equal(await listener.stop(), 0);
});

test('a closed output ends the listener, which still turns the webhook off', async () => {
  const listener = await spawnListening(env);
  listener.hangUp();
  await makeEvents(1);
  assert.equal(await listener.ended(), 0);
  assert.equal((await show()).off_reason, 'listen ended');
});

test("a listener that can't reach the database at its end says so", async () => {
  const proxy = await databaseProxy(env);
  const listener = await startListening({ ...env, ...proxy.env });
  await proxy.refuse();
  assert.equal(await listener.stop(), 1);
  assertClear(listener.err());
  assert.match(listener.err(), /^The webhook is still set to this receiver: The database cannot be reached: .*\.$/m);
});

test('with the embedded database a listener needs a server to start, which may restart later', async (t) => {
  const { dataDir, postmaster } = await makeStage(t);
  const own = { DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'silent' };
  const serve = async () => {
    const running = startCommand(own, 'serve');
    const url = /http:\/\/[\d.:]+/.exec(await running.line(/^ +API /))?.[0] ?? '';
    return { ...running, url, issue: async () => accepted('Issue', await call(url, 'Issue', directIssue(), rival)) };
  };
  assert.equal(
    await fails(own, 'listen'),
    `No server is running on ${dataDir}: start one first (npm start), or set DATA_DIR to its folder.`,
  );
  assert.equal(existsSync(dataDir), false, 'nothing was begun');
  // This demo partner has no history.
  const first = await serve();
  const [, consoleUrl] = /^ +Console +(\S+), sign in as admin@demo\.example, password demo-staff-password$/.exec(
    await first.line(/^ +Console /),
  ) as RegExpExecArray;
  assert.equal(consoleUrl, `${first.url}/console`);
  assert.deepEqual(await (await fetch(`${consoleUrl}/api/Session/Ways`)).json(), { sso: false, demo: true });
  // The suggested call also works after the clock was set forward.
  const body = JSON.parse(/'(.*)'/.exec(await first.line(/^BODY=/))?.[1] ?? '');
  await first.line(/^ {2}-H "X-REQUEST-TIME: \$TIME" -H "X-REQUEST-SIGN: \$SIGN" --data-binary "\$BODY"$/);
  const forward = { now: new Date(Date.now() + 600 * 24 * 3_600_000).toISOString() };
  accepted('SandboxClockSet', await call(first.url, 'SandboxClockSet', forward));
  accepted('Issue', await call(first.url, 'Issue', body));
  const early = await spawnListening(own, '--client', '2');
  await first.issue();
  await early.line(/^ +1 .* signature valid$/);
  assert.equal(await first.end('SIGTERM'), 0);
  assert.equal(await postmaster(), undefined, 'a listener does not hold the database');
  const second = await serve();
  await second.issue();
  await early.line(/^ +2 .* signature valid$/);
  assert.equal(await early.end('SIGINT'), 0);
  const late = await startListening(own, '--client', '2');
  await second.issue();
  await late.line(/^ +3 .* signature valid$/);
  await succeeds(own, 'play', '--client', '2');
  await late.line(/freebet\.settled .* signature valid$/);
  assert.equal(await second.end('SIGTERM'), 0);
  assert.equal(existsSync(join(dataDir, 'server.json')), false, 'its address goes with it');
  assert.equal(await late.stop(), 0, 'also without the server');
  assert.equal(await postmaster(), undefined);
  assert.equal((await succeedsWith(own, 'client', 'webhook', 'show', '2')).off_reason, 'listen ended');
  const killed = await serve();
  await killed.end('SIGKILL');
  assert.equal(existsSync(join(dataDir, 'server.json')), true);
  assert.match(await fails(own, 'listen'), /^No server is running on /);
});
