import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { call, post } from '../support/caller.ts';
import { testDatabase } from '../support/database.ts';
import { databaseProxy } from '../support/database-proxy.ts';
import { directIssue } from '../support/requests.ts';
import { serverProcess, spawnCommand } from '../support/server.ts';
import { stopwatch, until } from '../support/waiting.ts';

// A server that is started or stopped just when its database is away: it ends soon, and says why where that is due.

const { env } = await testDatabase();
const proxy = await databaseProxy({ ...env, REQUEST_DEADLINE_MS: '8000' });

const ways = {
  'refuses connections': () => proxy.refuse(),
  'answers nothing': async () => proxy.hole(),
};

for (const [way, leave] of Object.entries(ways)) {
  describe(`a database that ${way}`, () => {
    it('keeps no server from stopping', async () => {
      const { url, end } = await serverProcess(proxy.env);
      assert.equal((await call(url, 'Issue', directIssue())).status, 200);
      // Some connections for reads are open and idle.
      await Promise.all(Array.from({ length: 6 }, () => call(url, 'FreeBetList', {})));
      await leave();
      await until('not ready', 3000, async () => (await post(`${url}/readyz`, '', {}, 'GET')).status === 503);
      assert.equal(await end('SIGTERM', 15_000), 0);
      await proxy.back();
    });

    it('keeps no server from stopping before it has noticed', async () => {
      const { url, end } = await serverProcess(proxy.env);
      assert.equal((await call(url, 'Issue', directIssue())).status, 200);
      await leave();
      const underWay = Promise.allSettled([call(url, 'Issue', directIssue()), call(url, 'FreeBetList', {})]);
      assert.equal(await end('SIGTERM', 20_000), 0);
      for (const request of await underWay) {
        if (request.status === 'fulfilled') assert.equal(request.value.status, 503, request.value.text);
      }
      await proxy.back();
    });

    it('lets none start, and has it say so in one sentence', async () => {
      await leave();
      const countedMs = stopwatch();
      const { code, stderr } = await spawnCommand({ ...proxy.env, LOG_LEVEL: 'silent' }, 'serve');
      const tookMs = countedMs();
      await proxy.back();
      assert.equal(code, 1);
      assert.match(stderr, /^[A-Z][^\n]*database[^\n]*\.\n$/i);
      assert.ok(tookMs < 20_000, `after ${Math.round(tookMs)} ms`);
    });
  });
}

describe('a database that falls silent while a server starts', { concurrency: true }, async () => {
  // One of them for each thing that is asked for: a connection, settings, sessions, the schema, and what a server loads.
  for (const words of ['SET TimeZone', 'fsync', 'pg_backend_pid', 'pg_extension', 'FROM migrations', 'FROM partners']) {
    const silent = await databaseProxy({ ...env, REQUEST_DEADLINE_MS: '1000', LOG_LEVEL: 'silent' });
    it(`is given up soon when it is asked for "${words}", and that is said in one sentence`, async () => {
      silent.holeAt = words;
      const countedMs = stopwatch();
      const { code, stderr } = await spawnCommand(silent.env, 'serve');
      const tookMs = countedMs();
      assert.deepEqual([code, stderr], [1, 'The database cannot be reached: Query read timeout.\n']);
      assert.ok(tookMs < 30_000, `after ${Math.round(tookMs)} ms`);
    });
  }
});

describe('an empty database', async () => {
  const empty = await testDatabase('empty');

  it('is made ready by three servers that start at the same moment', async () => {
    const servers = await Promise.all([serverProcess(empty.env), serverProcess(empty.env), serverProcess(empty.env)]);
    for (const { url } of servers) {
      await until('ready', 5000, async () => (await post(`${url}/readyz`, '', {}, 'GET')).status === 200);
    }
  });
});
