import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { findRoute } from '../../../packages/server/src/edge/app.ts';
import { consoleRoutes } from '../../../packages/server/src/edge/console-pages.ts';
import { limitResponses, sendBody } from '../../../packages/server/src/edge/transfer.ts';
import { post } from '../../support/caller.ts';
import { testDatabase } from '../../support/database.ts';
import { testServer } from '../../support/server.ts';
import { until } from '../../support/waiting.ts';

// In a process of its own: it measures the memory that it holds.

const { env } = await testDatabase();
const { url } = await testServer(env);
const get = (path: string, headers: Record<string, string> = {}) => post(url + path, '', headers, 'GET');

const pages = ['/docs/', '/docs/partners', '/docs/decisions/0001-group-commit', '/docs/try', '/docs/reference'];
const files = ['pages.css', 'icon.svg', 'try.js', 'copy.js', 'contents.js', 'search.js', 'reference.js', 'scalar.js'];
const picture = '/assets/games/lantern-skyline-ascent/square.svg';

test('every page has headers for allowed sources, framing and content type', async () => {
  for (const path of [
    ...pages,
    ...files.map((name) => `/docs/files/${name}`),
    '/docs/search.json',
    '/openapi.json',
    picture,
  ]) {
    const { status, headers } = await get(path);
    assert.equal(status, 200, path);
    const policy = String(headers['content-security-policy']);
    assert.match(policy, /^default-src 'none';.*frame-ancestors 'none'/, path);
    assert.doesNotMatch(policy, /unsafe-eval|script-src[^;]*unsafe|\*|https?:/, path);
    if (path !== '/docs/reference') assert.doesNotMatch(policy, /unsafe/, path);
    assert.equal(headers['x-content-type-options'], 'nosniff', path);
    assert.equal(headers['x-frame-options'], 'DENY', path);
    assert.equal(headers['referrer-policy'], 'no-referrer', path);
  }
});

test('pages and files go by a tag, compressed where it is accepted', async () => {
  for (const path of [...pages, '/docs/files/scalar.js']) {
    const plain = await get(path);
    const { etag } = plain.headers;
    assert.equal(plain.headers['content-encoding'], undefined);
    const packed = await get(path, { 'accept-encoding': 'gzip' });
    assert.equal(packed.headers['content-encoding'], 'gzip');
    assert.equal(packed.headers.etag, etag);
    assert.ok(Number(packed.headers['content-length']) < Number(plain.headers['content-length']) / 1.5, path);
    assert.equal((await get(path, { 'if-none-match': String(etag) })).status, 304);
  }
});

test('the files of the console are kept for good, in the shortest form that is accepted', async () => {
  const [, script] = /src="([^"]+\.js)"/.exec((await get('/console/')).text) ?? [];
  const path = new URL(String(script), `${url}/console/`).pathname;
  const plain = await get(path);
  const { etag, ...headers } = plain.headers;
  assert.equal(headers['content-type'], 'text/javascript; charset=utf-8');
  assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable');
  assert.equal(headers.vary, 'accept-encoding');
  const codings = { 'gzip, deflate': 'gzip', 'gzip, deflate, br, zstd': 'br', 'br;q=0, gzip': 'gzip', '*': 'gzip' };
  for (const [accepted, coding] of Object.entries(codings)) {
    const packed = await get(path, { 'accept-encoding': accepted });
    assert.deepEqual([packed.headers['content-encoding'], packed.headers.etag], [coding, etag]);
    assert.ok(Number(packed.headers['content-length']) < Number(headers['content-length']) / 1.5, accepted);
  }
  assert.equal((await get(path, { 'if-none-match': String(etag) })).status, 304);
  const style = /href="([^"]+\.css)"/.exec((await get('/console/')).text)?.[1];
  const { pathname } = new URL(String(style), `${url}/console/`);
  assert.equal((await get(pathname)).headers['content-type'], 'text/css; charset=utf-8');
  assert.equal((await get('/console/icon.svg')).headers['content-type'], 'image/svg+xml');
  for (const name of ['x.js', 'a/b', '..%2findex.html', '']) {
    assert.equal((await get(`/console/assets/${name}`)).status, 404, name);
  }
});

test('of a console that was built in part the rest is there', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'console-'));
  after(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'index.html'), 'the page');
  const imageAssets = () => ({ base_url: '' });
  const services = { publicUrl: () => '', catalogue: () => ({ imageAssets }) };
  const served = () => {
    const routes = consoleRoutes(services as never, folder);
    return async (path: string, headers = {}) => {
      const found = findRoute(routes, `/console/${path}`);
      const page = await found?.route.serve({ rest: found.rest, search: '', headers } as never);
      return [page === undefined ? 404 : (page.status ?? 200), page?.body.length ?? 0] as const;
    };
  };
  const bare = served();
  assert.deepEqual(await bare(''), [200, 8]);
  for (const path of ['assets/a.js', 'icon.svg']) assert.equal((await bare(path))[0], 404, path);
  mkdirSync(join(folder, 'assets'));
  for (const name of ['a.js', 'b.js', 'b.js.br']) writeFileSync(join(folder, 'assets', name), 'x'.repeat(1000));
  const some = served();
  assert.deepEqual(await some('assets/a.js', { 'accept-encoding': 'br' }), [200, 1000]);
  assert.ok((await some('assets/a.js', { 'accept-encoding': 'gzip' }))[1] < 100);
  // Another build has put others in its place.
  rmSync(join(folder, 'assets', 'b.js'));
  assert.equal((await some('assets/b.js'))[0], 404);
});

test('every way to the start leads there, also behind a path of a proxy', async () => {
  for (const [path, start] of [
    ['/', 'console/'],
    ['/docs', 'docs/'],
  ] as const) {
    const { status, headers } = await get(path);
    assert.deepEqual([status, headers.location], [302, start]);
  }
  for (const path of ['/docs/nothing', '/docs/files/x', '/docs/files/__proto__', '/docs/files/..%2fpages.ts']) {
    assert.equal((await get(path)).status, 404, path);
  }
  for (const path of pages) assert.doesNotMatch((await get(path)).text, /(href|src)="\//, path);
});

test('pages carry no script and no style of their own, so that none can be smuggled in', async () => {
  for (const path of pages) {
    const { text } = await get(path);
    assert.doesNotMatch(text, /<script(?![^>]* src=)|<style|\son\w+=|\sstyle=|javascript:/i, path);
  }
});

function silentReader(port: number, path: string): Socket {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  socket.pause();
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
  after(() => socket.destroy());
  return socket;
}

const held = () => process.memoryUsage().arrayBuffers + process.memoryUsage().external;

test('a hundred readers who do not read hold one copy of the largest file, not a hundred', async () => {
  const { headers } = await get('/docs/files/scalar.js');
  const size = Number(headers['content-length']);
  assert.ok(size > 1_000_000);
  const before = held();
  const readers = Array.from({ length: 100 }, () => silentReader(Number(new URL(url).port), '/docs/files/scalar.js'));
  await Promise.all(readers.map((reader) => once(reader, 'connect')));
  await until('all are served', 30_000, async () => (await connectionsWaiting(readers)) === readers.length);
  assert.ok(held() - before < 5 * size, `${held() - before} bytes more are held`);
  for (const reader of readers) reader.destroy();
});

/** How many have the beginning of an answer lying in their system's buffer. */
async function connectionsWaiting(readers: Socket[]): Promise<number> {
  let waiting = 0;
  for (const reader of readers) {
    if (reader.readableLength > 0) waiting++;
    else reader.read(0);
  }
  return waiting;
}

test('a reader who does not finish in time is dropped', async () => {
  const large = Buffer.alloc(32 * 1024 * 1024, 'x');
  // The time grows with the answer, by 512 s for this one.
  const sending = limitResponses(300 - 512_000, 0, () => {});
  const server = createServer((_request, response) =>
    sendBody(sending, response, { body: large, isShared: true, whenGone: () => {} }),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const open = () => new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)));
  silentReader(port, '/');
  await until('it is connected', 2000, async () => (await open()) === 1);
  await until('it is dropped', 5000, async () => (await open()) === 0);
});
