import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, constants, existsSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { connect, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { sign } from '@freebets/contract';
import { accepted, refused } from '../../support/answers.ts';
import { call, demo, json, post, rival } from '../../support/caller.ts';
import { testDatabase } from '../../support/database.ts';
import { campaign, directIssue } from '../../support/requests.ts';
import { setSecret } from '../../support/secrets.ts';
import { serverProcess } from '../../support/server.ts';
import { signedIn } from '../../support/staff.ts';
import { until } from '../../support/waiting.ts';

const { env, sql } = await testDatabase();
await setSecret(sql, env, 3, 'of-a-disabled-partner');
await sql.query('UPDATE partners SET disabled_at = now() WHERE client_id = 3');
// Sealed for another, so that it does not open.
await sql.query(
  `INSERT INTO partners (client_id, name, secret) SELECT 5, 'Partner 5', secret FROM partners WHERE client_id = 3`,
);
const guarded = 'of-a-guarded-partner';
await setSecret(sql, env, 4, guarded);
await sql.query(`UPDATE partners SET signing = 'strict', allow_from = '{192.0.2.0/24}' WHERE client_id = 4`);

// Words that stand for what must not be written down; each is somewhere in what the caller sends.
const player = 'player-in-the-body';
const failing = 'player-of-a-failing-row';
const name = 'name-in-the-body';
const forged = 'f0'.repeat(32);

/** A request for every reason not to be let in. */
async function sendForbidden(url: string, path: string): Promise<void> {
  const bodyOf = (clientId: number) => JSON.stringify({ client_id: clientId, player_id: player });
  const signatures: [number, string | undefined][] = [
    [1, undefined],
    [1, 'not-hex'],
    [77, forged],
    [3, forged],
    [5, forged],
  ];
  for (const [clientId, signature] of signatures) {
    const signed = signature === undefined ? {} : { 'x-request-sign': signature };
    refused('forbidden', await post(url + path, bodyOf(clientId), { ...json, ...signed }));
  }
  const timed = async (changes: { secret?: string; time?: string; clientId?: number }) => {
    const { clientId = 4, secret = guarded, time = String(Math.floor(Date.now() / 1000)) } = changes;
    const sign = createHmac('sha256', secret)
      .update(`${time}\n${path}\n${bodyOf(clientId)}`)
      .digest('hex');
    const headers = { ...json, 'x-request-time': time, 'x-request-sign': sign };
    refused('forbidden', await post(url + path, bodyOf(clientId), headers));
  };
  refused('forbidden', await post(url + path, bodyOf(4), { ...json, 'x-request-sign': sign(bodyOf(4), guarded) }));
  await timed({ time: '1760000000' });
  await timed({ time: 'noon' });
  await timed({ secret: 'wrong' });
  await timed({});
  const provider = JSON.stringify({ provider_id: `${'p'.repeat(100)}"` });
  refused('forbidden', await post(`${url}/v3/Rounds/Bet`, provider, { ...json, 'x-request-sign': forged }));
}

/** A file whose reader hangs up before it has begun. */
async function breakOffFile(url: string): Promise<void> {
  const { cookie } = await signedIn(sql, 'auditor');
  const { hostname, port } = new URL(url);
  const holder = await sql.connect();
  await holder.query('BEGIN; LOCK TABLE audit');
  const socket = connect(Number(port), hostname);
  const headers = ['Host: x', 'Sec-Fetch-Site: same-origin', `Cookie: ${cookie}`, 'Content-Type: application/json'];
  socket.write(
    ['POST /console/api/Audit/Export HTTP/1.1', ...headers, 'Content-Length: 15', '', '{"client_id":1}'].join('\r\n'),
  );
  const waits = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  await until('it waits for the record', 5000, async () => (await sql.query(waits)).rowCount === 1);
  socket.destroy();
  // The server receives it before later requests.
  for (let i = 0; i < 3; i++) await post(`${url}/livez`, '', {}, 'GET');
  await holder.query('COMMIT');
  holder.release();
  await until('it is recorded', 5000, async () => {
    const { rowCount } = await sql.query(`SELECT FROM audit WHERE action = 'AuditExport'`);
    return rowCount === 1;
  });
}

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
  await sendForbidden(url, path);
  accepted('FreeBetList', await call(url, 'FreeBetList', { player_id: player }, rival));
  refused('unknown_operation', await post(`${url}/v3/${player}`, body, headers));
  refused('method_not_allowed', await post(`${url + path}?${player}`, '', headers, 'GET'));
  const items = [directIssue(), { player_id: player }, { player_id: player }, directIssue({ games: ['none'] })];
  accepted('IssueBatch', await call(url, 'IssueBatch', { items }));
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
  await breakOffFile(server.url);
  await server.end('SIGTERM');
  await closed;

  const lines = written
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const requests = lines.filter((line) => line.operation !== undefined);
  assert.deepEqual(
    requests.map(({ operation, status, error, client_id }) => [operation, status, error, client_id]),
    [
      ['Issue', 200, undefined, 1],
      ['CampaignCreate', 200, undefined, 1],
      ['Issue', 400, 'invalid_request', 1],
      ['Issue', 403, 'forbidden', undefined],
      ['Issue', 400, 'invalid_request', undefined],
      ['Issue', 415, 'not_json', undefined],
      ...Array(10).fill(['Issue', 403, 'forbidden', undefined]),
      ['RoundsBet', 403, 'forbidden', undefined],
      ['FreeBetList', 200, undefined, 2],
      ['unknown', 404, 'unknown_operation', undefined],
      ['unknown', 405, 'method_not_allowed', undefined],
      ['IssueBatch', 200, undefined, 1],
      ['Issue', 500, 'internal_error', 1],
    ],
  );
  assert.deepEqual(
    requests
      .filter(({ status }) => status === 403)
      .map(({ claimed_client_id, claimed_provider_id, reason }) => [claimed_client_id ?? claimed_provider_id, reason]),
    [
      [1, 'wrong_signature'],
      [1, 'no_signature'],
      [1, 'malformed_signature'],
      [77, 'unknown_caller'],
      [3, 'disabled_caller'],
      [5, 'secret_does_not_open'],
      [4, 'time_missing'],
      [4, 'time_off'],
      [4, 'time_malformed'],
      [4, 'wrong_signature'],
      [4, 'address_not_allowed'],
      ['p'.repeat(64), 'unknown_caller'],
    ],
  );
  assert.deepEqual(
    requests.map(({ address }) => address).filter((address) => address !== undefined),
    ['127.0.0.1'],
    'only a refused address is logged',
  );
  const { refused: refusedItems } = requests.find(({ operation }) => operation === 'IssueBatch');
  assert.deepEqual(refusedItems, { invalid_request: 2, game_not_available: 1 });
  for (const line of requests) {
    assert.match(line.request_id, /^[A-Za-z0-9._-]{1,64}$/);
    assert.ok(line.ms > 0 && line.ms < 60_000);
    assert.ok(Math.abs(Date.parse(line.time) - Date.now()) < 600_000);
    const known = new Set(['level', 'time', 'request_id', 'client_id', 'operation', 'status', 'error', 'ms']);
    for (const field of ['claimed_client_id', 'claimed_provider_id', 'reason', 'address', 'refused']) known.add(field);
    assert.deepEqual(new Set(Object.keys(line)).difference(known), new Set());
  }
  const ids = requests.map(({ request_id }) => request_id);
  assert.deepEqual([ids[0], ...ids.slice(3, 6)], ['issue-1', 'forged-1', 'broken-1', 'typed-1']);
  assert.deepEqual(
    lines.filter(({ fault }) => fault !== undefined).map(({ fault }) => fault.code),
    ['23514'],
    'the cause of an internal error is logged, and no reader who hangs up',
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

/** More lines than a pipe holds, sent without waiting. */
async function fillTheLog(url: string, requests: number): Promise<void> {
  const body = JSON.stringify({ client_id: 1 });
  const headers = { ...json, 'x-request-sign': forged, 'x-request-id': 'x'.repeat(64) };
  for (let sent = 0; sent < requests; sent += 100) {
    await Promise.all(Array.from({ length: 100 }, () => post(`${url}/v3/Game/List`, body, headers)));
  }
}

test('an unread standard output delays neither requests nor the shutdown', async () => {
  const server = await serverProcess(env);
  server.child.stdout?.pause();
  await fillTheLog(server.url, 3000);
  accepted('GameList', await call(server.url, 'GameList', {}));
  // The lines that are left keep it from nothing.
  assert.equal(await server.end('SIGTERM', 10_000), 0);
});

const logModule = new URL('../../../packages/server/src/ops/log.ts', import.meta.url).href;

/** Writes 100,000 lines of 100 characters at once, tells on the standard error how many were dropped, and when it is more, and then writes one more. */
const talkative = `
  const { openLog } = await import(${JSON.stringify(logModule)});
  const log = openLog('info');
  for (let i = 0; i < 100_000; i++) log.request(JSON.stringify({ i, filling: 'x'.repeat(40) }).slice(1, -1));
  process.once('SIGTERM', () => { log.info('the last line'); process.exit(7); });
  let reported = log.dropped();
  console.error(reported);
  setInterval(() => log.dropped() === reported || console.error(reported = log.dropped()), 20);
`;

test('lines beyond the bound are dropped and counted, and a line tells how many once they are read again', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', talkative], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [reported] = await once(child.stderr, 'data');
  const dropped = Number(reported);
  assert.ok(dropped > 10_000, `of 10 MB of unread lines, ${dropped} were dropped`);
  let written = '';
  child.stdout.on('data', (chunk) => {
    written += chunk;
  });
  await until('the line about dropped lines', 10_000, () => written.includes('dropped'));
  child.kill('SIGTERM');
  const [[code]] = await Promise.all([once(child, 'exit'), once(child.stdout, 'close')]);
  assert.equal(code, 7);
  const lines = written
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const numbers = lines.filter(({ i }) => i !== undefined).map(({ i }) => i);
  assert.deepEqual(numbers, [...numbers.keys()], 'those before the bound are there, each once, in their order');
  assert.equal(numbers.length + dropped, 100_000);
  const [about, last] = lines.slice(numbers.length);
  assert.deepEqual([about.level, about.lines], [40, dropped]);
  assert.equal(last.msg, 'the last line');
});

test('a reader that hangs up ends the log, and not the process', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', talkative], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout.destroy();
  await once(child.stderr, 'data');
  child.kill('SIGTERM');
  assert.deepEqual(await once(child, 'exit'), [7, null]);
});

function talkTo(t: TestContext, output: number) {
  const child = spawn(process.execPath, ['--input-type=module', '-e', talkative], {
    stdio: ['ignore', output, 'pipe'],
  });
  t.after(() => child.kill('SIGKILL'));
  closeSync(output);
  let said = '';
  child.stderr?.on('data', (chunk) => {
    said += chunk;
  });
  /** How many it says were dropped, the first time and later. */
  const dropped = async (time: number) => {
    await until('it tells how many were dropped', 10_000, () => said.split('\n').length > time);
    return Number(said.split('\n')[time - 1]);
  };
  return { child, dropped };
}

test('a disk that is full is waited for as a reader is', { skip: !existsSync('/dev/full') }, async (t) => {
  const { child, dropped } = talkTo(t, openSync('/dev/full', 'w'));
  const count = await dropped(1);
  assert.ok(count > 10_000 && count < 90_000, `of 10 MB of lines that found no room, ${count} were dropped`);
  child.kill('SIGTERM');
  assert.deepEqual(await once(child, 'exit'), [7, null]);
});

test('lines lost when a reader hangs up are counted, and reported to the next reader in a separate line', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'freebets-log-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const fifo = join(folder, 'fifo');
  execFileSync('mkfifo', [fifo]);
  const openReader = () => openSync(fifo, constants.O_RDONLY | constants.O_NONBLOCK);
  const first = openReader();
  const { child, dropped } = talkTo(t, openSync(fifo, 'w'));
  const before = await dropped(1);
  closeSync(first);
  assert.ok((await dropped(2)) > before, 'lines in transit are lost');
  let written = '';
  const second = new Socket({ fd: openReader() }).on('data', (chunk) => {
    written += chunk;
  });
  await until('the line about lost lines', 10_000, () => written.includes('dropped'));
  child.kill('SIGTERM');
  const [[code]] = await Promise.all([once(child, 'exit'), once(second, 'close')]);
  assert.equal(code, 7);
  const lines = written.trimEnd().split('\n');
  // What the pipe held when it was full ends within a line.
  const cut = lines.filter((line) => !line.endsWith('}'));
  assert.ok(cut.length <= 1, cut.join('\n'));
  const whole = lines.filter((line) => line.endsWith('}')).map((line) => JSON.parse(line));
  const reported = whole.filter(({ level }) => level === 40);
  const lost = reported.reduce((sum, about) => sum + about.lines, 0);
  assert.equal(whole.filter(({ i }) => i !== undefined).length + lost, 100_000);
  assert.equal(whole.at(-1).msg, 'the last line');
});
