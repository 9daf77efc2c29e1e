import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { OperationName } from '@freebets/contract';
import { type Answer, call, post } from '../support/caller.ts';
import { testDatabase } from '../support/database.ts';
import { databaseProxy } from '../support/database-proxy.ts';
import { campaign, directIssue, directJob } from '../support/requests.ts';
import { serverProcess, testServer } from '../support/server.ts';
import { stopwatch, until } from '../support/waiting.ts';

// The database goes away and comes back, under a server that keeps running: callers are told so at once, may send the
// same request again, and nobody has to restart anything.

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
  it('are replaced within two seconds, and nobody sees more than a 503', async () => {
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
