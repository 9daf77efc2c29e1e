import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { busyPartners, type Draft, idOf, issueOf, metric, type Sent, withLanes } from '../support/busy-partners.ts';
import { type Answer, call, type Partner } from '../support/caller.ts';
import { testDatabase } from '../support/database.ts';
import { type AtCommit, databaseProxy } from '../support/database-proxy.ts';
import { holdCampaign } from '../support/held-batch.ts';
import {
  assertAcknowledgedAreThere,
  inParallel,
  issuedAmong,
  issuesFor,
  type Load,
  startLoad,
} from '../support/load.ts';
import { laneDepth, serverProcess, testServer } from '../support/server.ts';
import { stopwatch, until } from '../support/waiting.ts';

// One transaction carries out the commands of several partners. That must show in nothing but the number of transactions:
// what happens to one partner is nothing to the others.

const database = await testDatabase();
const { env, sql } = database;
const { partners, ...busy } = await busyPartners(database, 20);

const times = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const codeOf = ({ status, body }: Answer): number => (status === 200 ? 200 : (body?.code ?? status));

describe('two servers with one connection each for the lanes, and twenty partners', () => {
  const isTight = (i: number) => i % 2 === 0;
  /** Ten players want three places each; every other campaign has fewer. */
  const placesOf = (i: number) => (isTight(i) ? 25 : 30);

  async function issueEverywhere(urls: string[]): Promise<Map<Partner, number[]>> {
    const codes = new Map<Partner, number[]>(partners.map((partner) => [partner, []]));
    const requests = times(40, (n) => partners.map((partner) => ({ n, partner }))).flat();
    // Few of each partner at a time, so that a transaction has room for many partners; each player asks both servers.
    await inParallel(requests, 120, async ({ n, partner }) => {
      const url = urls[(n + Math.floor(n / 10)) % 2] as string;
      const answer = await call(url, 'Issue', issueOf('tight', partner, `player-${n % 10}`), partner);
      codes.get(partner)?.push(codeOf(answer));
    });
    return codes;
  }

  /** The statistics of the servers' sessions are complete once the sessions have ended. */
  async function assertNoDeadlocks(): Promise<void> {
    await until('no session of a server', 10_000, async () => {
      const { rows } = await sql.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'freebets%'`,
      );
      return rows.length === 0;
    });
    const { rows } = await sql.query('SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()');
    assert.deepEqual(rows, [{ deadlocks: 0 }]);
  }

  it('keep every limit exactly, share their transactions, and never deadlock', async (t) => {
    const { rows } = await sql.query<{ name: string }>('SELECT current_database() AS name');
    // Sooner than a shared transaction gives up waiting for a lock; otherwise no deadlock would ever be noticed.
    await sql.query(`ALTER DATABASE ${rows[0]?.name} SET deadlock_timeout = '20ms'`);
    const servers = await Promise.all([serverProcess(withLanes(1, env)), serverProcess(withLanes(1, env))]);
    const urls = servers.map(({ url }) => url);
    await busy.makeCampaigns(urls[0] as string, 'tight', (i) => ({
      bonus_limit: isTight(i) ? placesOf(i) : 1000,
      bonus_limit_per_user: 3,
    }));
    const before = await metric(urls, 'freebets_lane_batch_size_count');
    const codes = await issueEverywhere(urls);
    const transactions = (await metric(urls, 'freebets_lane_batch_size_count')) - before;
    for (const [i, partner] of partners.entries()) {
      const all = codes.get(partner) ?? [];
      assert.deepEqual(new Set(all).difference(new Set([200, 635, 636])), new Set());
      assert.deepEqual([all.length, all.filter((code) => code === 200).length], [40, placesOf(i)]);
    }
    await busy.assertFeedsHold(urls[1] as string);
    const { count, mostPartners } = await busy.transactionsOf('tight');
    t.diagnostic(`800 commands in ${transactions} transactions; ${count} issued, for up to ${mostPartners} partners`);
    assert.ok(transactions < 400);
    assert.ok(mostPartners >= 5, 'hardly any transaction was shared');
    assert.deepEqual(await Promise.all(servers.map(({ end }) => end('SIGTERM'))), [0, 0]);
    await assertNoDeadlocks();
    await sql.query(`ALTER DATABASE ${rows[0]?.name} RESET deadlock_timeout`);
  });
});

test('a row of one partner that another session holds', async (t) => {
  const deadlineMs = 4000;
  const { url } = await testServer({ ...withLanes(2, env), REQUEST_DEADLINE_MS: String(deadlineMs) });
  const locked = partners[0] as Partner;

  /** Sent into one transaction while the row is held; `early` is what had been answered half-way to the deadline. */
  async function sendWhileHeld(name: string, isInTime: boolean) {
    const row = await holdCampaign(sql, idOf(name, locked));
    try {
      const drafts = partners.slice(0, -2).map((partner): Draft => [partner, issueOf(name, partner)]);
      const sent = await busy.sendTogether(url, name, partners.slice(-2), drafts);
      const areAnswered = () => sent.slice(1).every(({ answer }) => answer !== undefined);
      const othersMs = await until('others', deadlineMs / 2, areAnswered).catch(() => Number.POSITIVE_INFINITY);
      const early = sent.map(({ answer }) => answer?.status);
      if (!isInTime) await sent[0]?.answered;
      return { sent, early, othersMs };
    } finally {
      await row.letGo();
    }
  }

  for (const isInTime of [true, false]) {
    const end = isInTime ? 'succeeds when it is let go' : 'is answered 503 at its deadline, and can be repeated';
    await t.test(`holds up no other partner; its own request ${end}`, async (t) => {
      const name = `held-${isInTime}`;
      await busy.makeCampaigns(url, name);
      const tookMs = stopwatch();
      const { sent, early, othersMs } = await sendWhileHeld(name, isInTime);
      const [first, ...others] = await Promise.all(sent.map(({ answered }) => answered));
      const lastMs = Math.round(tookMs());
      t.diagnostic(`the others after ${Math.round(othersMs)} ms, the one of the held row after ${lastMs} ms`);
      for (const { partner, issue } of sent) assert.equal((await call(url, 'Issue', issue, partner)).status, 200);
      assert.equal(await busy.issuedIn(name), partners.length, 'nothing lost, nothing doubled');
      await busy.assertFeedsHold(url);
      assert.equal(first?.status, isInTime ? 200 : 503);
      assert.ok(lastMs < deadlineMs + 1500, 'the deadline is kept');
      assert.deepEqual(early, [undefined, ...others.map(() => 200)], 'the others wait for a row that is not theirs');
    });
  }

  /** How long it takes, again and again, until each has two more answers. */
  async function paceOf(loads: Load[]): Promise<number[]> {
    const waits: number[] = [];
    for (let round = 0; round < 4; round++) {
      const counts = loads.map((load) => load.acknowledged() + 2);
      const goOn = () => loads.every((load, i) => load.acknowledged() >= (counts[i] ?? 0));
      waits.push(Math.round(await until('more answers', 8000, goOn).catch(() => Number.POSITIVE_INFINITY)));
    }
    return waits;
  }

  // Three are more than there are connections: each gives its own up after a second, and waits for its turn.
  for (const [rows, boundMs] of [
    [1, deadlineMs / 2],
    [3, deadlineMs],
  ] as const) {
    await t.test(`lets all others go on, however long it is held: ${rows}`, async (t) => {
      const name = `held-on-${rows}`;
      await busy.makeCampaigns(url, name);
      const loads = partners.map((partner) => startLoad(url, issuesFor(idOf(name, partner), 1000), 2, partner));
      const others = loads.slice(rows);
      await until('all at work', 10_000, () => others.every((load) => load.acknowledged() > 5));
      const held = await Promise.all(partners.slice(0, rows).map((partner) => holdCampaign(sql, idOf(name, partner))));
      const waits = await paceOf(others).finally(() => Promise.all(held.map((row) => row.letGo())));
      for (const load of loads) await load.stop();
      const refused = others.flatMap(({ sent }) => sent.filter(({ answer }) => answer?.status !== 200)).length;
      t.diagnostic(`two more answers for each of the others took ${waits.join(', ')} ms; ${refused} were refused`);
      await busy.assertFeedsHold(url);
      assert.equal(refused, 0);
      for (const wait of waits) assert.ok(wait < boundMs, `one of the others waited ${wait} ms`);
    });
  }
});

describe('a command that cannot be carried out, in a shared transaction', async () => {
  const spoilt = partners[12] as Partner;
  // Outside of every transaction: counts attempts, not only commits.
  await sql.query('CREATE SEQUENCE tried');
  await sql.query(`CREATE FUNCTION spoil() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF NEW.player_id LIKE 'spoilt%' THEN RAISE EXCEPTION 'the cellar is flooded'; END IF;
    PERFORM nextval('tried'); RETURN NEW; END $$`);
  const triggers = {
    'when its row is written': 'CREATE TRIGGER spoil BEFORE INSERT ON free_bets FOR EACH ROW EXECUTE FUNCTION spoil()',
    'at COMMIT': `CREATE CONSTRAINT TRIGGER spoil AFTER INSERT ON free_bets DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
      EXECUTE FUNCTION spoil()`,
  };

  for (const [how, trigger] of Object.entries(triggers)) {
    it(`fails alone, ${how}`, async () => {
      const { url } = await testServer(withLanes(1, env));
      const name = `spoilt ${how}`.replaceAll(' ', '-');
      await busy.makeCampaigns(url, name, () => ({ bonus_limit: 3, bonus_limit_per_user: 1 }));
      await sql.query(trigger);
      await sql.query('ALTER SEQUENCE tried RESTART');
      try {
        const drafts = partners.slice(0, -1).flatMap((partner): Draft[] => [
          [partner, issueOf(name, partner, 'a')],
          [partner, issueOf(name, partner, partner === spoilt ? 'spoilt' : 'b')],
          [partner, issueOf(name, partner, 'c')],
        ]);
        const sent = await busy.sendTogether(url, name, partners.slice(-1), drafts);
        await Promise.all(sent.map(({ answered }) => answered));
        assertOnlyTheSpoiltFailed(sent);
        const { rows } = await sql.query<{ n: number }>('SELECT last_value::int AS n FROM tried');
        assert.ok((rows[0]?.n ?? 0) >= sent.length + 20, 'all were tried together before each was tried alone');
      } finally {
        await sql.query('DROP TRIGGER spoil ON free_bets');
      }
      assert.equal(await busy.issuedIn(name), 3 * 19 - 1 + 1);
      await busy.assertFeedsHold(url);
    });
  }

  function assertOnlyTheSpoiltFailed(sent: Sent[]): void {
    for (const { issue, answer } of sent) {
      const expected = issue.player_id === 'spoilt' ? [500, 'internal_error'] : [200, undefined];
      assert.deepEqual([answer?.status, answer?.body.error], expected, `${issue.campaign_id} ${answer?.text}`);
    }
  }
});

test('a partner with a long queue does not keep the others waiting until it is empty', async () => {
  const { url } = await testServer({ ...withLanes(1, env), LANE_BATCH: '20' });
  await busy.makeCampaigns(url, 'hot');
  const [hot, ...others] = partners as [Partner, ...Partner[]];
  let hotIsDone = false;
  const items = times(1000, () => issueOf('hot', hot));
  const batches = [0, 1].map(() => call(url, 'IssueBatch', { items: items.map((item) => ({ ...item })) }, hot));
  void Promise.race(batches).then(() => {
    hotIsDone = true;
  });
  await until('a long queue', 10_000, () => laneDepth(url) > 500);
  const answers = await Promise.all(others.map((partner) => call(url, 'Issue', issueOf('hot', partner), partner)));
  assert.equal(hotIsDone, false, 'they had to wait for the long queue');
  for (const { status } of [...answers, ...(await Promise.all(batches))]) assert.equal(status, 200);
  await busy.assertFeedsHold(url);
});

describe('shared transactions whose connection is cut at their COMMIT', async () => {
  const proxy = await databaseProxy(env);
  const players = 100;
  const limitPerPlayer = 4;
  const config = { bonus_limit: players * limitPerPlayer, bonus_limit_per_user: limitPerPlayer };

  /** Under load of all partners, until enough connections have been cut. */
  async function cutUnderLoad(url: string, name: string, fate: AtCommit): Promise<Map<Partner, Load>> {
    let commits = 0;
    let cuts = 0;
    proxy.atCommit = () => {
      commits += 1;
      if (commits % 3 !== 0) return 'pass';
      cuts += 1;
      return fate;
    };
    const loads = new Map(
      partners.map((partner) => [partner, startLoad(url, issuesFor(idOf(name, partner), players), 2, partner)]),
    );
    const isEnough = () => cuts >= 8 && loads.values().every((load) => load.acknowledged() > 10);
    await until('connections cut', 30_000, isEnough);
    proxy.atCommit = () => 'pass';
    for (const load of loads.values()) await load.stop();
    return loads;
  }

  for (const fate of ['cut before', 'cut after'] as const) {
    it(`lose nothing acknowledged, of any partner, and can be retried (${fate})`, async (t) => {
      const { url } = await testServer(withLanes(1, proxy.env));
      const name = fate.replace(' ', '-');
      await busy.makeCampaigns(url, name, () => config);
      const loads = await cutUnderLoad(url, name, fate);
      for (const [partner, load] of loads) await assertAcknowledgedAreThere(url, load, partner);
      await busy.assertFeedsHold(url);

      const sent = [...loads].flatMap(([partner, load]) => load.sent.map((one) => ({ partner, ...one })));
      for (const { answer } of sent) assert.ok([200, 503].includes(answer?.status ?? 0), answer?.text ?? 'no answer');
      const unsure = sent.filter(({ answer }) => answer?.status === 503);
      const ids = unsure.map(({ issue }) => issue.issue_id);
      const happened = await issuedAmong(sql, ids);
      const { mostPartners } = await busy.transactionsOf(name);
      t.diagnostic(
        `${sent.length} sent, for up to ${mostPartners} partners at a time; ${ids.length} unsure, ${happened.size} had happened`,
      );
      assert.ok(mostPartners >= 5, 'hardly any transaction was shared');
      assert.equal(happened.size > 0, fate === 'cut after');
      const partnersUnsure = new Set(unsure.map(({ partner }) => partner)).size;
      assert.ok(partnersUnsure >= 5, 'the cut transactions were shared');
      await inParallel(unsure, 16, async ({ partner, issue }) => {
        assert.equal((await call(url, 'Issue', issue, partner)).status, 200);
      });
      assert.equal(await busy.issuedIn(name), sent.length, 'nothing lost, nothing doubled');
      await busy.assertFeedsHold(url);
    });
  }
});
