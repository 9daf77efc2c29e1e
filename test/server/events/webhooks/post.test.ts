import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createHttpsServer } from 'node:https';
import { connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { Worker } from 'node:worker_threads';
import { stopwatch, until } from '../../../support/waiting.ts';
import { answering, certificate, httpEndpoint, json, listening, rawEndpoint, testSender } from './endpoint.ts';

const received = { result: 'received', status: 200 };
const failed = (reason: string) => ({ result: 'failed', reason });
const head = 'HTTP/1.1 200 OK\r\n';
const isClosed = (socket: Socket | undefined) => socket?.closed === true;

test('the request arrives unchanged', async (t) => {
  const body = JSON.stringify({ name: 'Zoë 🎰' });
  let arrived = {};
  const endpoint = await rawEndpoint(t, (socket) => {
    socket.on('data', (chunk) => {
      const [start = '', content] = chunk.toString().split('\r\n\r\n');
      const [line, ...lines] = start.split('\r\n');
      arrived = { line, headers: lines.sort(), content };
      socket.write(`${head}Content-Length: 0\r\n\r\n`);
    });
  });
  const attempt = await testSender(t).post(`${endpoint.url}?a=b&c#d`, { ...json, 'x-request-sign': 'abc' }, body);
  assert.deepEqual(attempt, received);
  assert.deepEqual(arrived, {
    line: 'POST /events?a=b&c HTTP/1.1',
    headers: [
      'connection: keep-alive',
      `content-length: ${Buffer.byteLength(body)}`,
      'content-type: application/json',
      `host: 127.0.0.1:${endpoint.port}`,
      'user-agent: freebets/test',
      'x-request-sign: abc',
    ],
    content: body,
  });
});

test('the status decides', async (t) => {
  const { url } = await httpEndpoint(t, (request, response) => {
    response.writeHead(Number(request.url?.slice(-3))).end();
  });
  const sender = testSender(t);
  const post = (status: number) => sender.post(`${url}/${status}`, json, '{}');
  for (const status of [200, 201, 202, 204, 299]) assert.deepEqual(await post(status), { result: 'received', status });
  for (const status of [400, 401, 404, 429, 500, 503, 599]) {
    assert.deepEqual(await post(status), failed(`answered ${status}`));
  }
  for (const status of [300, 304, 399]) {
    assert.deepEqual(await post(status), failed(`answered ${status} (a redirect is not followed)`));
  }
  assert.deepEqual(await post(410), { result: 'gone' });
});

/** How long to wait, by the answer to one attempt. */
async function retryAfter(t: TestContext, value: string, status = 503): Promise<number | undefined> {
  const { url } = await httpEndpoint(t, (_, response) => response.writeHead(status, { 'retry-after': value }).end());
  const attempt = await testSender(t).post(url, json, '{}');
  assert.equal(attempt.result, 'failed');
  return attempt.retryAfterMs;
}

test('Retry-After is seconds or a date, and five days at most', async (t) => {
  const mostMs = 5 * 24 * 3600 * 1000;
  const inMs = (ms: number) => new Date(Date.now() + ms).toUTCString();
  assert.equal(await retryAfter(t, '0'), 0);
  assert.equal(await retryAfter(t, '120'), 120_000);
  assert.equal(await retryAfter(t, '120', 302), 120_000);
  assert.equal(await retryAfter(t, '120', 429), 120_000);
  assert.equal(await retryAfter(t, '432001'), mostMs);
  assert.equal(await retryAfter(t, '9'.repeat(400)), mostMs);
  assert.equal(await retryAfter(t, inMs(2 * mostMs)), mostMs);
  assert.equal(await retryAfter(t, inMs(-60_000)), 0);
  const minuteMs = (await retryAfter(t, inMs(60_000))) ?? 0;
  assert.ok(minuteMs > 50_000 && minuteMs <= 60_000);
  const nonsense = ['', '-1', '1.5', '1e3', '0x10', 'soon', 'Infinity', '2026-01-01', 'Xyz, 99 Abc 2026 99:99:99 GMT'];
  for (const value of nonsense) assert.equal(await retryAfter(t, value), undefined, value);
});

test('connections are used again, and there are no more than allowed', async (t) => {
  const { url, sockets } = await httpEndpoint(t, (_, response) => void setTimeout(() => response.end('ok'), 5));
  const sender = testSender(t, { connections: 3 });
  for (let i = 0; i < 5; i++) assert.deepEqual(await sender.post(url, json, '{}'), received);
  // A connection is free again a moment after its answer, so that the next attempt may take a second one.
  assert.ok(sockets.length <= 2);
  const attempts = await Promise.all(Array.from({ length: 30 }, () => sender.post(url, json, '{}')));
  assert.deepEqual(attempts, Array(30).fill(received));
  assert.equal(sockets.length, 3);
});

test('an informational answer is no answer', async (t) => {
  const hints = 'HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n';
  const sender = testSender(t);
  const { url } = await answering(t, `${hints}HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n`);
  assert.deepEqual(await sender.post(url, json, '{}'), { result: 'received', status: 202 });
  await fails(t, (await answering(t, hints)).url, 'no answer within 0.2 s');
  const eager = await answering(t, `HTTP/1.1 100 Continue\r\n\r\n${head}Content-Length: 0\r\n\r\n`);
  assert.deepEqual(await sender.post(eager.url, json, '{}'), failed('answered 100, which was not asked for'));
  const upgrading = await answering(t, 'HTTP/1.1 101 Hello\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n');
  assert.deepEqual(await sender.post(upgrading.url, json, '{}'), failed('answered 101, which was not asked for'));
});

test('an answer to the last byte of the bound keeps the connection, one byte more ends it', async (t) => {
  const bound = 64 * 1024;
  const { url, sockets } = await httpEndpoint(t, (request, response) => {
    response.end('x'.repeat(Number(request.headers['x-bytes'])));
  });
  const sender = testSender(t, { connections: 1 });
  for (const bytes of [bound, bound, bound + 1]) {
    assert.deepEqual(await sender.post(url, { ...json, 'x-bytes': `${bytes}` }, '{}'), received);
  }
  await until('the connection has ended', 1000, () => isClosed(sockets[0]));
  assert.equal(sockets.length, 1);
});

test('an answer without end is received, and broken off after the bound', async (t) => {
  const megabyte = 'x'.repeat(1024 * 1024);
  const { url, sockets } = await httpEndpoint(t, (_, response) => {
    const fill = () => {
      for (let i = 0; i < 100 && !response.destroyed && response.write(megabyte); i++);
    };
    response.on('drain', fill);
    fill();
  });
  assert.deepEqual(await testSender(t).post(url, json, '{}'), received);
  await until('the connection has ended', 1000, () => isClosed(sockets[0]));
  assert.ok((sockets[0]?.bytesWritten ?? 0) < 20 * megabyte.length);
});

test('a body that stalls, drips or breaks off does not take the receipt back, nor hold it up', async (t) => {
  const length = `${head}Content-Length: 100\r\n\r\n`;
  const breaking = await rawEndpoint(t, (socket) => socket.on('data', () => socket.end(`${length}half`)));
  const garbled = await answering(t, `${head}Transfer-Encoding: chunked\r\n\r\nnonsense\r\n`);
  const stalling = await answering(t, `${length}half`);
  const dripping = await rawEndpoint(t, (socket) => {
    socket.once('data', () => {
      socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n`);
      const drip = setInterval(() => socket.write('1\r\nx\r\n'), 20);
      socket.on('close', () => clearInterval(drip));
    });
  });
  const sender = testSender(t);
  for (const { url } of [breaking, garbled, stalling, dripping]) {
    const tookMs = stopwatch();
    assert.deepEqual(await sender.post(url, json, '{}'), received);
    assert.ok(tookMs() < 500, `${tookMs()} ms`);
  }
  await until(
    'both connections have ended',
    2000,
    () => isClosed(stalling.sockets[0]) && isClosed(dripping.sockets[0]),
  );
});

/** Asserts that an attempt fails for this reason, and in time. */
async function fails(t: TestContext, url: string, reason: string | RegExp, timeoutMs = 200): Promise<void> {
  const tookMs = stopwatch();
  const attempt = await testSender(t, { timeoutMs }).post(url, json, '{}');
  assert.ok(tookMs() < timeoutMs + 1000, `${url} took ${tookMs()} ms`);
  assert.equal(attempt.result, 'failed');
  if (typeof reason === 'string') assert.equal(attempt.reason, reason);
  else assert.match(attempt.reason, reason);
  assert.ok(attempt.reason.length <= 200);
}

test('a server that does not answer in time has failed, however it goes about it', async (t) => {
  const late = 'no answer within 0.2 s';
  const silent = await rawEndpoint(t, (socket) => socket.resume());
  await fails(t, silent.url, late);
  await fails(t, silent.url.replace('http:', 'https:'), late);
  const bytes = `${head}X-Long: ${'x'.repeat(10_000)}`;
  const dripping = await rawEndpoint(t, (socket) => {
    let at = 0;
    const drip = setInterval(() => socket.write(bytes.charAt(at++)), 5);
    socket.resume().on('close', () => clearInterval(drip));
  });
  await fails(t, dripping.url, late);
  for (const { sockets } of [silent, dripping]) {
    await until('the connections have ended', 2000, () => sockets.every(isClosed));
  }
  await fails(t, (await blackHole(t)).url, late);
});

/** A server with a blocked thread: connections beyond its backlog get no response to their first packet. */
async function blackHole(t: TestContext): Promise<{ url: string }> {
  const source = `
    const { parentPort } = require('node:worker_threads');
    const server = require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
      parentPort.postMessage(server.address().port);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    });`;
  const worker = new Worker(source, { eval: true });
  const [port] = await once(worker, 'message');
  const queued = Array.from({ length: 4 }, () => connect(port, '127.0.0.1').on('error', () => {}));
  t.after(async () => {
    for (const socket of queued) socket.destroy();
    await worker.terminate();
  });
  return { url: `http://127.0.0.1:${port}/` };
}

test('a server that answers with nothing, nonsense or too much has failed at once', async (t) => {
  const closing = await rawEndpoint(t, (socket) => socket.resume().end());
  await fails(t, closing.url, /^connection (closed without an answer|reset)$/, 5000);
  const resetting = await rawEndpoint(t, (socket) => socket.on('data', () => socket.resetAndDestroy()));
  await fails(t, resetting.url, 'connection reset', 5000);
  const garbage = await answering(t, 'SSH-2.0-OpenSSH_9.2\r\n');
  await fails(t, garbage.url, 'answered with something other than HTTP', 5000);
  const talkative = await answering(t, `${head}X-Long: ${'x'.repeat(1024 * 1024)}\r\n\r\n`);
  await fails(t, talkative.url, 'answered with too many headers', 5000);
  const many = await answering(t, `${head}${'A: b\r\n'.repeat(100_000)}\r\n`);
  await fails(t, many.url, 'answered with too many headers', 5000);
  await fails(t, 'http://127.0.0.1:1/', 'connection refused', 5000);
});

test('what cannot be sent has failed, and takes no connection away', async (t) => {
  for (const url of ['', 'partner.test', 'http://', '/events']) await fails(t, url, 'not a URL');
  for (const url of ['ftp://127.0.0.1/', 'file:///etc/passwd', 'data:,x']) await fails(t, url, /./);
  const { url } = await httpEndpoint(t, (_, response) => response.end());
  const sender = testSender(t, { connections: 2 });
  for (let i = 0; i < 3; i++) {
    const attempt = await sender.post(url, { 'x-bad': 'a\r\nb' }, '{}');
    assert.match(attempt.result === 'failed' ? attempt.reason : '', /Invalid character in header content \["x-bad"\]/);
  }
  assert.deepEqual(await sender.post(url, json, '{}'), received);
});

test('a name that cannot be resolved, or not in time, has failed', async (t) => {
  const resolving = (resolve: () => Promise<never[]>) =>
    testSender(t, { timeoutMs: 200, resolve }).post('http://partner.test/', json, '{}');
  const failing = (code: string) => async () => Promise.reject(Object.assign(new Error(code), { code }));
  assert.deepEqual(await resolving(failing('ENOTFOUND')), failed('unknown host name'));
  assert.deepEqual(await resolving(failing('ETIMEOUT')), failed('the host name could not be looked up'));
  assert.deepEqual(
    await resolving(failing('ESOMETHING\u0000\n'.repeat(50))),
    failed('ESOMETHING '.repeat(19).slice(0, 200)),
  );
  assert.deepEqual(await resolving(async () => []), failed('unknown host name'));
  assert.deepEqual(await resolving(() => new Promise(() => {})), failed('no answer within 0.2 s'));
});

test('an attempt that gets its connection too late is not sent, and the next one uses it', async (t) => {
  const slow = Promise.withResolvers<void>();
  const { url, sockets, requests } = await httpEndpoint(t, async (request, response) => {
    response.flushHeaders();
    if (request.url === '/events/slow') await slow.promise;
    response.end('done');
  });
  const sender = testSender(t, { connections: 1, timeoutMs: 300 });
  assert.deepEqual(await sender.post(`${url}/slow`, json, '{}'), received);
  assert.deepEqual(await sender.post(`${url}/late`, json, '{}'), failed('no answer within 0.3 s'));
  slow.resolve();
  assert.deepEqual(await sender.post(`${url}/next`, json, '{}'), received);
  assert.deepEqual(requests, ['POST /events/slow', 'POST /events/next']);
  assert.equal(sockets.length, 1);
});

test('close aborts requests in flight, in any phase', async (t) => {
  const silent = await rawEndpoint(t, (socket) => socket.resume());
  const names: string[] = [];
  const resolve = (name: string) => {
    names.push(name);
    return new Promise<never>(() => {});
  };
  const sender = testSender(t, { connections: 1, resolve });
  const stalledTls = silent.url.replace('http:', 'https:');
  const urls = [silent.url, silent.url, stalledTls, stalledTls, 'http://partner.test/'];
  const attempts = urls.map((url) => sender.post(url, json, '{}'));
  await until('all are under way', 1000, () => silent.sockets.length === 2 && names.length === 1);
  await sender.close();
  assert.deepEqual(await Promise.all(attempts), Array(5).fill({ result: 'stopped' }));
  assert.deepEqual(await sender.post(silent.url, json, '{}'), { result: 'stopped' });
  await until('the connections have ended', 1000, () => silent.sockets.every(isClosed));
  await sender.close();
});

test('certificates are verified, by the name in the URL', async (t) => {
  const requests: (string | undefined)[] = [];
  const server = createHttpsServer(certificate, (request, response) => {
    requests.push(request.httpVersion);
    response.end();
  });
  const { port } = await listening(t, server);
  const resolve = async () => [{ address: '127.0.0.1', family: 4 }];
  // A sender each, since a session that was begun before would be taken up again.
  const post = (host: string) => testSender(t, { resolve }).post(`https://${host}:${port}/`, json, '{}');
  assert.deepEqual(await post('partner.test'), failed('certificate: self-signed certificate'));
  const before = getCACertificates('default');
  t.after(() => setDefaultCACertificates(before));
  setDefaultCACertificates([...before, certificate.cert]);
  assert.deepEqual(await post('partner.test'), received);
  for (const host of ['other.test', '127.0.0.1']) {
    const attempt = await post(host);
    assert.match(attempt.result === 'failed' ? attempt.reason : '', /^certificate: Hostname\/IP does not match/);
  }
  assert.deepEqual(requests, ['1.1']);
  const { url } = await httpEndpoint(t, (_, response) => response.end());
  await fails(t, url.replace('http:', 'https:'), /^TLS: /, 5000);
});

test('the proxies of the environment are not used', async (t) => {
  const proxy = await rawEndpoint(t, (socket) => socket.destroy());
  const { url } = await httpEndpoint(t, (_, response) => response.end());
  const names = ['HTTP_PROXY', 'http_proxy', 'ALL_PROXY'];
  for (const name of names) process.env[name] = proxy.url;
  t.after(() => {
    for (const name of names) delete process.env[name];
  });
  assert.deepEqual(await testSender(t).post(url, json, '{}'), received);
  assert.equal(proxy.sockets.length, 0);
});
