import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { OperationName } from '@freebets/contract';
import type pg from 'pg';
import { openPool } from '../../packages/server/src/engine/connection.ts';
import { isAccessRevoked } from '../../packages/server/src/engine/faults.ts';
import { watchDatabase } from '../../packages/server/src/engine/health.ts';
import { readConfig } from '../../packages/server/src/ops/config.ts';
import { openLog } from '../../packages/server/src/ops/log.ts';
import { startServer } from '../../packages/server/src/ops/server.ts';
import { type Answer, call, post } from '../support/caller.ts';
import { afterUse, type ServerEnvironment, testDatabase } from '../support/database.ts';
import { databaseProxy } from '../support/database-proxy.ts';
import { campaign, directIssue, directJob } from '../support/requests.ts';
import { serverProcess, testServer } from '../support/server.ts';
import { stopwatch, until } from '../support/waiting.ts';

// The database goes away and comes back, under a server that keeps running: callers get 503 at once, may send the
// same request again, and no restart is needed.

const { env, sql } = await testDatabase();
const proxy = await databaseProxy({ ...env, REQUEST_DEADLINE_MS: '5000' });
const { url } = await serverProcess(proxy.env);

const known = { campaign_id: 'known', issue_id: randomUUID(), job_id: randomUUID() };
assert.equal((await call(url, 'CampaignCreate', campaign({ campaign_id: known.campaign_id }))).status, 200);
assert.equal((await call(url, 'Issue', directIssue({ issue_id: known.issue_id }))).status, 200);
assert.equal((await call(url, 'JobCreate', directJob({ job_id: known.job_id }))).status, 200);

const get = async (path: string) => (await post(url + path, '', {}, 'GET')).status;

const byCampaign = () => ({ campaign_id: known.campaign_id, player_id: 'player-1', currency: 'EUR' });

/** One request of every operation that needs the database. */
const requests = (): [OperationName, object][] => [
  ['CampaignCreate', campaign()],
  ['CampaignStop', { campaign_id: randomUUID() }],
  ['Issue', directIssue()],
  ['Issue', byCampaign()],
  ['IssueBatch', { items: [byCampaign(), directIssue()] }],
  ['Cancel', { issue_id: randomUUID() }],
  ['FreeBetGet', { issue_id: known.issue_id }],
  ['FreeBetList', {}],
  ['FreeBetList', { player_id: 'player-1', status: 'active' }],
  ['CampaignGet', { campaign_id: known.campaign_id }],
  ['CampaignList', {}],
  ['EventsList', {}],
  ['JobCreate', directJob()],
  ['JobGet', { job_id: known.job_id }],
  ['JobList', {}],
];

function assertUnavailable(what: string, { status, body, headers, text }: Answer): void {
  assert.deepEqual([status, body?.error], [503, 'unavailable'], `${what}: ${text}`);
  assert.match(String(headers['retry-after']), /^[1-9]\d*$/);
}

async function timed(request: Promise<Answer>): Promise<{ answer: Answer; ms: number }> {
  const tookMs = stopwatch();
  const answer = await request;
  return { answer, ms: tookMs() };
}

/** All of them at once, so that none has to wait for another's time-out. */
async function assertAllRefusedWithin(boundMs: number): Promise<void> {
  const all = requests().map(([name, body]) => timed(call(url, name, body)));
  const slow: string[] = [];
  for (const [i, { answer, ms }] of (await Promise.all(all)).entries()) {
    const [name] = requests()[i] ?? [''];
    assertUnavailable(name, answer);
    if (ms > boundMs) slow.push(`${name} took ${Math.round(ms)} ms`);
  }
  assert.deepEqual(slow, [], `answered 503, but not within ${boundMs} ms`);
}

const isDone = async (name: OperationName, body: object) => (await call(url, name, body)).status === 200;

/** Of every operation one succeeds again, each within the bound, counted from the same moment. */
async function assertAllWorkWithin(boundMs: number): Promise<void> {
  const works = requests().filter(([name]) => name !== 'Cancel' && name !== 'CampaignStop');
  const patienceMs = 20_000; // Far beyond the bound, so that a failure tells how long it really took.
  const times = await Promise.all([
    until('ready', patienceMs, async () => (await get('/readyz')) === 200),
    ...works.map(([name, body]) => until(name, patienceMs, () => isDone(name, body))),
  ]);
  const names = ['readyz', ...works.map(([name]) => name)];
  const slow = times.flatMap((ms, i) => (ms > boundMs ? [`${names[i]} took ${Math.round(ms)} ms`] : []));
  assert.deepEqual(slow, [], `worked again, but not within ${boundMs} ms`);
}

const ways = {
  'refuses connections': { leave: () => proxy.refuse(), boundMs: 1000 },
  'answers nothing, and loses nothing': { leave: async () => proxy.hole(), boundMs: 1500 },
};

for (const [way, { leave, boundMs }] of Object.entries(ways)) {
  describe(`a database that ${way}`, () => {
    it('is noticed: not ready within about a second, and still alive', async () => {
      assert.equal(await get('/readyz'), 200);
      await leave();
      await until('not ready', 1500, async () => (await get('/readyz')) === 503);
      assert.equal(await get('/livez'), 200);
    });

    it('has every operation answered 503 promptly', () => assertAllRefusedWithin(boundMs));

    it('leaves the game list as it was, which is in memory', async () => {
      assert.equal((await call(url, 'GameList', {})).status, 200);
    });

    it('is used again within two seconds of its return', async () => {
      await proxy.back();
      await assertAllWorkWithin(2000);
    });
  });
}

describe('connections that are all cut at once', () => {
  it('are replaced within two seconds, and callers see at most a 503', async () => {
    for (let round = 0; round < 5; round++) {
      const under = requests().map(([name, body]) => call(url, name, body));
      proxy.cut();
      for (const answer of await Promise.all(under)) {
        assert.ok([200, 404, 503].includes(answer.status), answer.text);
        if (answer.status === 503) assertUnavailable('cut', answer);
      }
      await assertAllWorkWithin(2000);
    }
  });

  it('are answered 503 and never 500 when they are refused at that very moment', async () => {
    for (let round = 0; round < 5; round++) {
      const under = requests().map(([name, body]) => call(url, name, body));
      const refusing = proxy.refuse();
      const after = requests().map(([name, body]) => call(url, name, body));
      for (const answer of await Promise.all([...under, ...after])) {
        assert.ok([200, 404, 503].includes(answer.status), answer.text);
      }
      await refusing;
      await proxy.back();
      await assertAllWorkWithin(2000);
    }
  });
});

describe('a database that is replaced without a word to those connected', () => {
  it('is used again within two seconds, through new connections', async () => {
    // Some connections of each kind are open and idle, as they are in a service at work.
    await Promise.all(Array.from({ length: 6 }, () => call(url, 'FreeBetList', {})));
    proxy.hole();
    await until('not ready', 1500, async () => (await get('/readyz')) === 503);
    proxy.lose();
    await assertAllWorkWithin(2000);
  });
});

describe('a database that only lets itself be read', () => {
  it('is noticed, and used again when it can be written to', async () => {
    const name = new URL(env.DATABASE_URL ?? '').pathname.slice(1);
    const from = await sql.connect();
    const setReadOnly = async (how: string) => {
      await from.query(`ALTER DATABASE "${name}" ${how}`);
      proxy.cut();
    };
    await setReadOnly('SET default_transaction_read_only = on');
    try {
      await until('not ready', 5000, async () => (await get('/readyz')) === 503);
      await assertAllRefusedWithin(1000);
    } finally {
      await setReadOnly('RESET default_transaction_read_only');
      from.release();
    }
    await assertAllWorkWithin(2000);
  });
});

/** A server in this process, and the lines of its log that are not of requests. */
async function heardServer(env: ServerEnvironment) {
  const lines: { code?: string; msg: string }[] = [];
  const warn = (line: object, msg: string) => void lines.push({ ...line, msg });
  const info = (...said: unknown[]) => void lines.push({ msg: String(said.at(-1)) });
  const log = Object.assign(openLog('silent'), { warn, error: warn, info });
  const server = await startServer(readConfig(env), log);
  afterUse(env, server.stop);
  return {
    url: server.url,
    linesWith: (word: string) => lines.filter(({ code, msg }) => code === word || msg === word),
  };
}

const cutAll = (sql: pg.Pool | pg.PoolClient, names = '^freebets ') =>
  sql.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND application_name ~ $1`,
    [names],
  );

describe('a server on a database that only lets itself be read', () => {
  it('says so in its log when it starts, and when it becomes so later', async () => {
    const { env, sql } = await testDatabase();
    const open = await sql.connect();
    const name = new URL(env.DATABASE_URL ?? '').pathname.slice(1);
    const setReadOnly = (value: string) =>
      open.query(`ALTER DATABASE ${name} SET default_transaction_read_only = ${value}`);
    await setReadOnly('on');
    const { linesWith } = await heardServer(env);
    assert.deepEqual(linesWith('25006'), [
      { code: '25006', reason: 'it only lets itself be read', msg: 'the database is unavailable' },
    ]);
    await setReadOnly('off');
    await cutAll(open);
    await until('it is back', 5000, () => linesWith('the database is back').length === 1);
    await setReadOnly('on');
    await cutAll(open);
    await until('it is said again', 5000, () => linesWith('25006').length > 1);
    open.release();
  });
});

describe('a database that refuses new connections, while open ones stay', async () => {
  const { env, sql } = await testDatabase();
  const letIn = (by: pg.Pool | pg.PoolClient, isSo: boolean) =>
    by.query('UPDATE pg_database SET datallowconn = $1 WHERE datname = current_database()', [isSo]);

  it('has requests answered 503, and its reason in the log', async () => {
    const { url, linesWith } = await heardServer(env);
    await letIn(sql, false);
    await cutAll(sql, '^freebets (lanes|reads)$');
    // The first ones may be on a connection that is just being cut.
    await until('it is said', 5000, async () => {
      assertUnavailable('write', await call(url, 'CampaignCreate', campaign()));
      assertUnavailable('read', await call(url, 'CampaignList', {}));
      return linesWith('55000').length === 1;
    });
    await letIn(sql, true);
  });

  it('counts as unavailable within about a minute, until it accepts connections again', async (t) => {
    const settings = { connection: { connectionString: env.DATABASE_URL ?? '' }, max: 1, queryTimeoutMs: 20_000 };
    const pool = openPool({ ...settings, applicationName: 'watch' });
    const open = await sql.connect();
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const watch = await watchDatabase(pool, 20_000, { onLost() {}, onFault() {} });
    // In steps between which probes are answered: an idle connection is closed after that time anyway.
    const isSoon = (isSo: () => boolean) =>
      until('another probe', 20_000, () => {
        t.mock.timers.tick(1000);
        return isSo();
      });
    await letIn(open, false);
    await isSoon(() => (watch.fault() as { code?: string } | undefined)?.code === '55000');
    await letIn(open, true);
    await isSoon(watch.isUp);
    t.mock.timers.reset();
    open.release();
    await watch.stop();
    await pool.end();
  });
});

describe('a connection attempt in addition to others', () => {
  it('says something of them only by a verdict', () => {
    const fault = (code: string) => Object.assign(new Error('no'), { code });
    const verdicts = ['28P01', '28000', '3D000', '42501', '55000', '25006'];
    const others = ['53300', '08P01', '57P03', 'ENOTFOUND', 'EAI_AGAIN', 'EMFILE', 'ECONNREFUSED', 'ETIMEDOUT'];
    assert.deepEqual(
      [...verdicts, ...others].filter((code) => isAccessRevoked(fault(code))),
      verdicts,
    );
    assert.ok(!isAccessRevoked(new Error('timeout expired')));
  });
});

describe('a server whose requests may wait for longer', () => {
  it('has patience with a database that answers nothing for two seconds, and no more with one that never does', async () => {
    const patient = await testServer({ ...proxy.env, REQUEST_DEADLINE_MS: '25000' });
    const isReady = async () => (await post(`${patient.url}/readyz`, '', {}, 'GET')).status === 200;
    proxy.hole();
    try {
      const asked = call(patient.url, 'Issue', directIssue());
      await until('not ready', 1500, async () => (await get('/readyz')) === 503);
      await setTimeout(1000);
      assert.ok(await isReady());
      await proxy.back();
      const { status, text } = await asked;
      assert.equal(status, 200, text);

      proxy.hole();
      await until('not ready either', 5000, async () => !(await isReady()));
    } finally {
      await proxy.back();
    }
    await until('ready again', 5000, isReady);
  });
});
