import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { sign } from '@freebets/contract';
import { accepted, refused } from '../../support/answers.ts';
import { call, demo, json, post } from '../../support/caller.ts';
import { testDatabase } from '../../support/database.ts';
import { freshMetrics } from '../../support/metrics.ts';
import { testServer } from '../../support/server.ts';
import { signedIn, staffCall } from '../../support/staff.ts';
import { stopwatch, until } from '../../support/waiting.ts';

// Callers who stall: what they take up is bounded, in time and for all of them together, and others are served meanwhile.

const { env, sql } = await testDatabase();
const timeoutMs = 2000;

const sockets: Socket[] = [];
// Before the servers stop, which would wait for requests in progress.
after(() => {
  for (const socket of sockets) socket.destroy();
});

const { url } = await testServer({ ...env, CALLER_TIMEOUT_MS: String(timeoutMs) });
const small = await testServer({ ...env, MAX_CONNECTIONS: '20', BODIES_MIB: '1' });

interface Line {
  socket: Socket;
  heard(): string;
  /** Whether nothing is left of it: neither side can send. */
  isGone(): boolean;
}

/** A connection that stays open on this side, like that of a careless or hostile caller. */
async function open(to: string, said: string | Buffer = ''): Promise<Line> {
  const { hostname, port } = new URL(to);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  sockets.push(socket);
  let heard = '';
  let isGone = false;
  socket.on('data', (chunk) => {
    heard += chunk;
  });
  socket.on('error', () => {
    isGone = true;
  });
  await once(socket, 'connect');
  if (said.length > 0) socket.write(said);
  return { socket, heard: () => heard, isGone: () => isGone };
}

const head = (...headers: string[]) =>
  ['POST /v3/FreeBets/Campaign/List HTTP/1.1', 'Host: x', 'Content-Type: application/json', ...headers, '', ''].join(
    '\r\n',
  );

/** Says a byte now and then, which a connection that was destroyed on the other side answers with a reset. */
const isDestroyed = (line: Line) => () => {
  if (!line.isGone()) line.socket.write(' ');
  return line.isGone();
};

test('a request that does not arrive in time may come again, and its connection is destroyed though the caller keeps it open', async () => {
  const silent = await open(url);
  const lines = await Promise.all([
    open(url, 'POST /v3/Game/List HTTP/1.1\r\nHost: x\r\n'),
    open(url, `${head('Content-Length: 1000')}{"client_id":1`),
    open(url, `${head('Transfer-Encoding: chunked')}2\r\n{}\r\n`),
  ]);
  const [began, countedMs] = [performance.now(), stopwatch()];
  for (const line of lines) {
    await until('the answer', 2 * timeoutMs, () => line.heard().includes('did not arrive in time'));
    assert.match(line.heard(), /^HTTP\/1\.1 503 Service Unavailable\r\nRetry-After: 1\r\n/);
    assert.match(line.heard(), /"error":"unavailable"/);
  }
  assert.ok(performance.now() - began > 0.4 * timeoutMs && countedMs() < 1.6 * timeoutMs, `after ${countedMs()} ms`);
  for (const line of lines) await until('the end of the connection', 5000, isDestroyed(line));
  // To who has said nothing nothing is said: a browser would take it for the answer to what it is about to ask.
  await until('the end of the silent one', 5000, isDestroyed(silent));
  assert.equal(silent.heard(), '');
});

test('connections that wait make room for new ones, the longest first; one that was just served is not among them', async () => {
  const lines: Line[] = [];
  for (let i = 0; i < 20; i++) lines.push(await open(small.url));
  const [served, ...silent] = lines;
  served?.socket.write('GET /livez HTTP/1.1\r\nHost: x\r\n\r\n');
  await until('an answer', 5000, () => served?.heard().includes('ok') === true);
  for (let i = 0; i < 10; i++) silent.push(await open(small.url));
  await until('room made', 5000, () => silent.slice(0, 10).every(isGoneOrEnded));
  assert.deepEqual(silent.slice(10).filter(isGoneOrEnded), []);
  assert.ok(served !== undefined && !isGoneOrEnded(served), 'it waits since its answer, not since it was opened');
  for (let i = 0; i < 60; i++) await open(small.url);
  accepted('GameList', await call(small.url, 'GameList', {}));
  assert.ok((await drops('connection')) >= 70);
});

async function drops(what: string): Promise<number> {
  const line = new RegExp(`^freebets_dropped_total\\{what="${what}"\\} (\\d+)$`, 'm');
  return Number(line.exec(await freshMetrics(small.url))?.[1]);
}

const isGoneOrEnded = ({ socket, isGone }: Line) => isGone() || socket.readableEnded;

test('bodies that stall make room for others, and may come again', async () => {
  const half = `${head('Content-Length: 600000')}${' '.repeat(550_000)}`;
  const stalled = await open(small.url, half);
  const another = await open(small.url, half);
  await until('the answer to the first', 5000, () => stalled.heard().startsWith('HTTP/1.1 503 '));
  assert.match(stalled.heard(), /^retry-after: 1$/im);
  assert.match(stalled.heard(), /"error":"unavailable".*\/docs\/reference\/errors#unavailable"/);
  assert.equal(another.heard(), '');
  assert.equal(await drops('body'), 1);
  const large = `{"client_id":1${' '.repeat(900_000)}}`;
  const signed = { ...json, 'x-request-sign': sign(large, demo.secret) };
  accepted('CampaignList', await post(`${small.url}/v3/FreeBets/Campaign/List`, large, signed));
  accepted('CampaignList', await call(small.url, 'CampaignList', {}));
  another.socket.end();
});

test('a body that was announced and does not come takes up nothing that others need', async () => {
  const announced = await Promise.all(
    Array.from({ length: 15 }, () => open(small.url, `${head('Content-Length: 1000000')}{`)),
  );
  const large = `{"client_id":1${' '.repeat(900_000)}}`;
  const signed = { ...json, 'x-request-sign': sign(large, demo.secret) };
  accepted('CampaignList', await post(`${small.url}/v3/FreeBets/Campaign/List`, large, signed));
  assert.ok(announced.every((line) => line.heard() === '' && !isGoneOrEnded(line)));
});

test('who sends a body byte by byte, a million of them, is cut off soon', async () => {
  const line = await open(url, head('Transfer-Encoding: chunked'));
  const pieces = Buffer.from('1\r\nx\r\n'.repeat(10_000));
  let sent = 0;
  await until('the end', 10_000, () => {
    if (!isGoneOrEnded(line) && line.socket.writableLength === 0) {
      line.socket.write(pieces);
      sent += 10_000;
    }
    return isGoneOrEnded(line);
  });
  assert.match(line.heard(), /^HTTP\/1\.1 400 /);
  assert.match(line.heard(), /"must not arrive in this many small pieces"/);
  assert.ok(sent < 1_000_000, `${sent} pieces were taken`);
});

test('who sends five megabytes hears that it was too much, announced or not', async () => {
  const large = Buffer.alloc(5_000_000, ' ');
  const target = `${url}/v3/FreeBets/Campaign/List`;
  for (let i = 0; i < 5; i++) refused('body_too_large', await post(target, large, json));
  const chunk = Buffer.concat([Buffer.from('4c4b40\r\n'), large, Buffer.from('\r\n0\r\n\r\n')]);
  const line = await open(url, Buffer.concat([Buffer.from(head('Transfer-Encoding: chunked')), chunk]));
  await until('the answer', 5000, () => line.heard().startsWith('HTTP/1.1 413 '));
  await until('the end of the connection', 10_000, () => isGoneOrEnded(line));
  assert.match(line.heard(), /"error":"body_too_large"/);
});

const unwanted = [
  ['/v3/FreeBets/Campaign/List', 413],
  ['/console/api/Nowhere', 404],
  ['/console/api/Session/%47et', 404],
] as const;
for (const [target, status] of unwanted) {
  test(`who goes on sending to ${target} all the same is cut off`, () => sendOn(target, status));
}

async function sendOn(target: string, status: number): Promise<void> {
  const line = await open(url, head('Content-Length: 999999999').replace('/v3/FreeBets/Campaign/List', target));
  const piece = Buffer.alloc(1024 * 1024, ' ');
  let sent = 0;
  await until('the connection cut off', 15_000, () => {
    if (!line.isGone() && line.socket.writableLength === 0) {
      sent += 1;
      line.socket.write(piece);
    }
    return line.isGone();
  });
  assert.ok(line.heard().startsWith(`HTTP/1.1 ${status} `), line.heard());
  assert.ok(sent < 100, `${sent} MiB were taken`);
}

/** A call of the console, with the body or the beginning of one. */
const ofStaff = (path: string, cookie: string, body: string, length = body.length) =>
  [
    `POST /console/api${path} HTTP/1.1`,
    ...['Host: x', 'Sec-Fetch-Site: same-origin', `Cookie: ${cookie}`],
    ...['Content-Type: application/json', `Content-Length: ${length}`, '', body],
  ].join('\r\n');

test('bodies of staff count like those of partners', async () => {
  const { cookie } = await signedIn(sql, 'viewer');
  const half = ofStaff('/FreeBets/List', cookie, ' '.repeat(550_000), 600_000);
  const stalled = await open(small.url, half);
  const another = await open(small.url, half);
  await until('the answer to one', 5000, () => stalled.heard() !== '' || another.heard() !== '');
  const [first] = [stalled, another].map((line) => line.heard()).filter((heard) => heard !== '');
  assert.match(String(first), /^HTTP\/1\.1 503 /);
  assert.match(String(first), /^retry-after: 1$/im);
  assert.match(String(first), /"error":"unavailable"/);
  for (const { socket } of [stalled, another]) socket.end();
});

test('strangers whose body of an operation of staff does not come make room for others', async () => {
  const begun = ofStaff('/Session/SignIn', '', '{', 100).replace('Host: x', 'Host: x\r\nExpect: 100-continue');
  const lines: Line[] = [];
  for (let i = 0; i < 20; i++) lines.push(await open(small.url, begun));
  await until('all have begun', 5000, () => lines.every((line) => line.heard().startsWith('HTTP/1.1 100 ')));
  accepted('GameList', await call(small.url, 'GameList', {}));
  for (const { socket } of lines) socket.destroy();
});

test('a call of staff that has come whole stays, also while its session is being looked up', async () => {
  const { cookie } = await signedIn(sql, 'viewer');
  const client = await sql.connect();
  await client.query('BEGIN; LOCK TABLE sessions IN ACCESS EXCLUSIVE MODE');
  const line = await open(small.url, ofStaff('/Session/Get', cookie, '{}'));
  await until('it is being looked up', 5000, async () => {
    const waiting = await sql.query("SELECT FROM pg_locks WHERE relation = 'sessions'::regclass AND NOT granted");
    return waiting.rowCount !== 0;
  });
  const strangers: Line[] = [];
  for (let i = 0; i < 25; i++) strangers.push(await open(small.url));
  await until('room made', 5000, () => strangers.slice(0, 5).every(isGoneOrEnded));
  await client.query('ROLLBACK');
  client.release();
  await until('the answer', 5000, () => line.heard().startsWith('HTTP/1.1 200 ') || isGoneOrEnded(line));
  assert.match(line.heard(), /^HTTP\/1\.1 200 /);
  for (const { socket } of strangers) socket.destroy();
});

const page = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

test('strangers who do not read a page are disconnected in time, and block no one', async () => {
  const few = await testServer({ ...env, MAX_CONNECTIONS: '12', CALLER_TIMEOUT_MS: '500' });
  const [file] = /assets\/shared[^"]+/.exec((await post(`${few.url}/console/`, '', {}, 'GET')).text) ?? [];
  const large = `/console/${file}`;
  // Long responses get more time. The responses behind them don't, for any caller.
  const lines: Line[] = [];
  for (let i = 0; i < 12; i++) {
    const behind = ['/metrics', '/console/', '/nowhere', '/%'][i % 4] as string;
    const line = await open(few.url);
    line.socket.pause().write(page(large).repeat(30) + page(behind));
    lines.push(line);
  }
  const tookMs = stopwatch();
  for (const line of lines) await until('the end of it', 10_000, isCutOff(line));
  assert.ok(tookMs() < 4000, `${tookMs()} ms`);
  accepted('GameList', await call(few.url, 'GameList', {}));
});

test('who asks for pages without end behind each other, and reads none, is cut off at once', async () => {
  const line = await open(url);
  line.socket.pause().write(page('/openapi.json').repeat(900));
  const tookMs = stopwatch();
  await until('the end of it', 10_000, isCutOff(line));
  assert.ok(tookMs() < timeoutMs, `${tookMs()} ms`);
});

/** More than the buffers of the system take. */
async function fillRecord(): Promise<void> {
  await sql.query(
    `INSERT INTO audit (client_id, sequence, at, record, hash)
     SELECT 1, i, now(), json_build_object('action', 'Cancel', 'reason', repeat('x', 300000)), '' FROM generate_series(1, 60) AS i`,
  );
  await sql.query(
    `INSERT INTO audit_heads (client_id, sequence, at) VALUES (1, 60, now())
     ON CONFLICT (client_id) DO UPDATE SET sequence = 60`,
  );
}

/** What may stand between two requests is no answer to anything. */
const isCutOff = (line: Line) => () => {
  if (!line.isGone()) line.socket.write('\r\n');
  return line.isGone();
};

test('staff who do not read are cut off: answers when too many wait, a file in time', async () => {
  await fillRecord();
  const admin = await signedIn(sql, 'admin');
  const narrow = await testServer({ ...env, ANSWERS_MIB: '8' });
  const asked = ofStaff('/Audit/List', admin.cookie, '{"client_id":1,"limit":100}');
  const list = await open(narrow.url);
  list.socket.pause().write(asked.repeat(8));
  const file = await open(url);
  file.socket.pause().write(ofStaff('/Audit/Export', admin.cookie, '{"client_id":1,"reason":"to see"}'));
  await until('the end of the answers', 10_000, isCutOff(list));
  await until('the end of the file', 10_000, isCutOff(file));
  const whole = await staffCall(url, '/Audit/Export', { client_id: 1, reason: 'to see' }, admin);
  assert.ok(whole.body.length > 18_000_000, 'who reads gets all of it');
});
