import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { after, describe, it, test } from 'node:test';
import { busyPartners, type Draft, idOf, issueOf, withLanes } from '../support/busy-partners.ts';
import { call, type Partner } from '../support/caller.ts';
import { type ServerEnvironment, testDatabase } from '../support/database.ts';
import { databaseProxy } from '../support/database-proxy.ts';
import { holdCampaign } from '../support/held-batch.ts';
import { issuedAmong, issuesFor, startLoad } from '../support/load.ts';
import { serverProcess, testServer } from '../support/server.ts';
import { until } from '../support/waiting.ts';

// The database, or the server, goes away while several partners share a transaction, or wait for their turn because they
// could not: everybody is answered, in time, and the lanes work again afterwards.

const database = await testDatabase();
const { env, sql } = database;
const { partners, ...busy } = await busyPartners(database, 10);
const deadlineMs = 4000;

test('a database that falls silent while one partner waits for a lock delays no response past the deadline', async (t) => {
  const proxy = await databaseProxy(env);
  const settings = { ...withLanes(1, proxy.env), REQUEST_DEADLINE_MS: String(deadlineMs) };
  const { url } = await testServer(settings);
  await busy.makeCampaigns(url, 'silent');
  const drafts = partners.slice(0, -1).map((partner): Draft => [partner, issueOf('silent', partner)]);
  const row = await holdCampaign(sql, idOf('silent', partners[0] as Partner));
  const waits: number[] = [];
  try {
    const began = performance.now();
    const sent = await busy.sendTogether(url, 'silent', partners.slice(-1), drafts);
    // The shared transaction left the first partner out, which now has its own.
    await until('the first waits alone', 3000, async () => (await busy.sessionsWaiting(150)) === 1);
    const [held, ...others] = sent;
    for (const { answered } of others) assert.equal((await answered).status, 200);
    proxy.hole();
    const late = drafts.slice(1).map(([partner]) => call(url, 'Issue', issueOf('silent', partner), partner));
    for (const answered of [held?.answered, ...late]) {
      assert.equal((await answered)?.status, 503);
      waits.push(Math.round(performance.now() - began));
    }
  } finally {
    await proxy.back();
    await row.letGo();
  }
  await until('the database is back', 10_000, async () => {
    const answers = await Promise.all(drafts.map(([partner, issue]) => call(url, 'Issue', issue, partner)));
    return answers.every(({ status }) => status === 200);
  });
  t.diagnostic(`answered after ${waits.join(', ')} ms`);
  await busy.assertFeedsHold(url);
  for (const wait of waits) assert.ok(wait < deadlineMs + 1500, `answered after ${wait} ms`);
});

/** Between a server and its database: can lose the last bytes of an answer, and then the connection. */
async function losingEnds(settings: ServerEnvironment) {
  const address = new URL(settings.DATABASE_URL ?? '');
  const state = { isLosing: false, lost: 0 };
  // That the database is ready, inside a transaction: after what a batch has loaded.
  const ready = Buffer.from('5a0000000554', 'hex');
  const listener = createServer((server) => {
    const real = connect(`${address.searchParams.get('host')}/.s.PGSQL.5432`);
    for (const [one, other] of [
      [server, real],
      [real, server],
    ] as const) {
      one.on('error', () => {});
      one.on('close', () => other.destroy());
    }
    server.on('data', (chunk) => real.write(chunk));
    real.on('data', (chunk: Buffer) => {
      if (!state.isLosing || !chunk.subarray(-ready.length).equals(ready)) return void server.write(chunk);
      state.isLosing = false;
      state.lost += 1;
      server.end(chunk.subarray(0, -ready.length));
    });
  }).listen(0, '127.0.0.1');
  after(() => listener.close());
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  const url = `postgres://freebets@127.0.0.1:${port}${address.pathname}`;
  return { state, env: { ...settings, DATABASE_URL: url } };
}

describe('a connection that is lost when all has been loaded, and the database has not said yet that it is ready', () => {
  it('is answered 503, the lanes work again, and the server can be ended', async () => {
    const proxy = await losingEnds(env);
    const { url, end } = await serverProcess({ ...withLanes(1, proxy.env), REQUEST_DEADLINE_MS: String(deadlineMs) });
    await busy.makeCampaigns(url, 'lost');
    const [one, other] = partners as [Partner, Partner];
    const issue = issueOf('lost', one);
    assert.equal((await call(url, 'Issue', issueOf('lost', one), one)).status, 200, 'and its definition is known now');
    proxy.state.isLosing = true;
    const answers: number[] = [];
    void call(url, 'Issue', issue, one).then(
      ({ status }) => answers.push(status),
      () => {},
    );
    await until('an answer', deadlineMs + 1500, () => answers.length > 0);
    assert.deepEqual([answers, proxy.state.lost], [[503], 1]);
    for (const partner of [one, other]) {
      assert.equal((await call(url, 'Issue', issueOf('lost', partner), partner)).status, 200);
    }
    assert.equal((await call(url, 'Issue', issue, one)).status, 200);
    await busy.assertFeedsHold(url);
    assert.equal(await end('SIGTERM'), 0);
  });
});

test('a server that is stopped while transactions are shared answers what it took, and nothing else happened', async (t) => {
  const other = await testServer(withLanes(1, env));
  await busy.makeCampaigns(other.url, 'ended');
  const { url, end } = await serverProcess(withLanes(1, env));
  const loads = partners.map((partner) => startLoad(url, issuesFor(idOf('ended', partner), 1000), 4, partner));
  await until('all at work', 30_000, () => loads.every((load) => load.acknowledged() > 10));
  const began = performance.now();
  assert.equal(await end('SIGTERM', 10_000), 0);
  t.diagnostic(`ended in ${Math.round(performance.now() - began)} ms`);
  for (const load of loads) {
    await load.stop();
    const undone = load.sent.filter(({ answer }) => answer?.status !== 200).map(({ issue }) => issue.issue_id);
    assert.deepEqual(await issuedAmong(sql, undone), new Set(), 'carried out, but not acknowledged');
  }
  assert.ok((await busy.transactionsOf('ended')).mostPartners >= 5, 'hardly any transaction was shared');
  await busy.assertFeedsHold(other.url);
});
