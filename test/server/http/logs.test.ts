import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { sign } from '@freebets/contract';
import { accepted, refused } from '../../support/answers.ts';
import { call, demo, json, post, rival } from '../../support/caller.ts';
import { testDatabase } from '../../support/database.ts';
import { campaign, directIssue } from '../../support/requests.ts';
import { serverProcess } from '../../support/server.ts';

const { env, sql } = await testDatabase();

// Words that stand for what must not be written down; each is somewhere in what the caller sends.
const player = 'player-in-the-body';
const failing = 'player-of-a-failing-row';
const name = 'name-in-the-body';
const forged = 'f0'.repeat(32);

/** A request for everything that can happen to one, an internal error among them. */
async function sendAll(url: string): Promise<string[]> {
  const path = '/v3/FreeBets/Issue';
  const body = JSON.stringify({ client_id: 1, ...directIssue({ player_id: player }) });
  const signature = sign(body, demo.secret);
  const headers = { ...json, 'x-request-sign': signature, 'x-request-id': 'issue-1' };
  accepted('Issue', await post(url + path, body, headers));
  accepted('CampaignCreate', await call(url, 'CampaignCreate', campaign({ name })));
  refused('invalid_request', await call(url, 'Issue', { player_id: player, quantity: name }));
  refused(
    'forbidden',
    await post(url + path, body, { ...headers, 'x-request-sign': forged, 'x-request-id': 'forged-1' }),
  );
  refused(
    'invalid_request',
    await post(url + path, `{"player_id":"${player}"`, { ...headers, 'x-request-id': 'broken-1' }),
  );
  refused('not_json', await post(url + path, body, { 'content-type': name, 'x-request-id': 'typed-1' }));
  accepted('FreeBetList', await call(url, 'FreeBetList', { player_id: player }, rival));
  refused('unknown_operation', await post(`${url}/v3/${player}`, body, headers));
  refused('method_not_allowed', await post(`${url + path}?${player}`, '', headers, 'GET'));
  await sql.query(`ALTER TABLE free_bets ADD CHECK (player_id <> '${failing}')`);
  const broken = await call(url, 'Issue', directIssue({ player_id: failing }));
  refused('internal_error', broken);
  assert.ok(!broken.text.includes(failing) && broken.body.details === undefined, 'nothing of the cause leaks');
  return [signature, forged];
}

test('one line a request tells who, what, how it ended and how long it took; never a secret, signature or body', async () => {
  const server = await serverProcess(env);
  let written = '';
  server.child.stdout?.on('data', (chunk) => {
    written += chunk;
  });
  const closed = once(server.child, 'close');
  const signatures = await sendAll(server.url);
  await server.end('SIGTERM');
  await closed;

  const lines = written
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const requests = lines.filter((line) => line.operation !== undefined);
  assert.deepEqual(
    requests.map(({ operation, status, client_id }) => [operation, status, client_id]),
    [
      ['Issue', 200, 1],
      ['CampaignCreate', 200, 1],
      ['Issue', 400, 1],
      ['Issue', 403, undefined],
      ['Issue', 400, undefined],
      ['Issue', 415, undefined],
      ['FreeBetList', 200, 2],
      ['unknown', 404, undefined],
      ['unknown', 405, undefined],
      ['Issue', 500, 1],
    ],
  );
  for (const line of requests) {
    assert.match(line.request_id, /^[A-Za-z0-9._-]{1,64}$/);
    assert.ok(line.ms > 0 && line.ms < 60_000);
    assert.ok(Math.abs(Date.parse(line.time) - Date.now()) < 600_000);
    const known = new Set(['level', 'time', 'request_id', 'client_id', 'operation', 'status', 'ms']);
    assert.deepEqual(new Set(Object.keys(line)).difference(known), new Set());
  }
  const ids = requests.map(({ request_id }) => request_id);
  assert.deepEqual([ids[0], ...ids.slice(3, 6)], ['issue-1', 'forged-1', 'broken-1', 'typed-1']);
  assert.ok(
    lines.some(({ fault }) => fault?.code === '23514'),
    'the cause of an internal error is logged',
  );
  for (const word of [demo.secret, rival.secret, env.SECRETS_KEY ?? '', ...signatures, player, failing, name]) {
    assert.ok(!written.toLowerCase().includes(word.toLowerCase()), `"${word}" was written to the log`);
  }
});

test('the secret in the address of the database is not logged', async () => {
  const address = new URL(env.DATABASE_URL ?? '');
  address.searchParams.set('password', 'password-of-the-database');
  const server = await serverProcess({ ...env, DATABASE_URL: address.href });
  let written = '';
  server.child.stdout?.on('data', (chunk) => {
    written += chunk;
  });
  const closed = once(server.child, 'close');
  accepted('GameList', await call(server.url, 'GameList', {}));
  assert.equal(await server.end('SIGTERM'), 0);
  await closed;
  assert.match(written, /"operation":"GameList"/);
  assert.doesNotMatch(written, /password/);
});
