import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import { readConfig } from '../../../packages/server/src/ops/config.ts';
import { openPools } from '../../../packages/server/src/ops/pools.ts';
import type { Outcome } from '../../../packages/server/src/primitives/outcome.ts';
import { runBatch } from '../../../packages/server/src/promo/batch/batch.ts';
import type { Command } from '../../../packages/server/src/promo/batch/command.ts';
import { cacheCampaignDefinitions } from '../../../packages/server/src/promo/campaigns/sql/definitions.ts';
import { testDatabase } from '../../support/database.ts';
import { somebodyWaits } from '../../support/held-batch.ts';
import { placeBet, profile, terms } from '../../support/plain-commands.ts';
import { openPlainLanes } from '../../support/plain-lanes.ts';
import { poolsOnSingleNode } from '../../support/single-node.ts';

// Two servers with batches of the same partner. The event head lets one in at a time, from its first read to its commit.

const { env, sql } = await testDatabase();
const config = readConfig(env);
const pools = openPools(config, { connectionString: config.DATABASE_URL });
const known = cacheCampaignDefinitions(1_000_000);

/** Called when the next batch of the first server has been loaded. */
let whenLoaded: (() => Promise<void>) | undefined;
/** How many transactions of the first server have loaded their rows. */
let loads = 0;
/** The commands of each transaction of the first server. */
let transactions: number[] = [];
const faults: unknown[] = [];

const serverWith = (definitions: typeof known) =>
  openPlainLanes({
    pools: poolsOnSingleNode(pools.lanes),
    resources: { definitions },
    observer: {
      batch: (size) => void (definitions === known || transactions.push(size)),
      fault: (error) => void faults.push(error),
    },
  });
const first = serverWith({
  ...known,
  async loadAll(...wanted) {
    loads++;
    const then = whenLoaded;
    whenLoaded = undefined;
    await then?.();
    return known.loadAll(...wanted);
  },
});
const second = serverWith(known);
after(async () => {
  await Promise.all([first.drain(), second.drain()]);
  await Promise.all(Object.values(pools).map((pool) => pool.end()));
});

const clientId = 1;
/** One bet uses a free bet up. */
const oneBet = { ...terms, quantity: 1 };
const hashOf = (content: string) => content.padEnd(32, '0');
const direct = (issueId: string, content = 'd'): Command => ({
  kind: 'issue_direct',
  issueId,
  playerId: 'player',
  currency: 'EUR',
  betAmount: 100,
  terms: oneBet,
  contentHash: hashOf(content),
});
const place = (issueId: string, betId: string, content: string) => placeBet(issueId, betId, hashOf(content));

const campaignOf = (campaignId: string, bonusLimit: number): Command => ({
  kind: 'create_campaign',
  campaignId,
  terms: oneBet,
  betAmounts: new Map([['EUR', 100]]),
  bonusLimit,
  bonusLimitPerUser: null,
  contentHash: hashOf('c'),
});

async function newCampaign(bonusLimit: number): Promise<(issueId?: string) => Command> {
  const campaignId = randomUUID();
  assert.deepEqual(wordsOf(await second.submit(clientId, [campaignOf(campaignId, bonusLimit)])), ['ok']);
  return (issueId = randomUUID()) => ({
    kind: 'issue_by_campaign',
    issueId,
    campaignId,
    playerId: 'player',
    currency: 'EUR',
    contentHash: hashOf('e'),
  });
}

/** Another transaction, which ends with the test at the latest. */
async function begun(t: TestContext): Promise<PoolClient> {
  const client = await sql.connect();
  t.after(() => client.release(true));
  await client.query('BEGIN');
  return client;
}

const wordsOf = (outcomes: Outcome[]): string[] => outcomes.map((outcome) => (outcome.ok ? 'ok' : outcome.error));

/** The first server runs the commands. The second is sent others once the first has loaded its batch. */
async function race(commands: Command[], ...others: Command[]): Promise<{ first: string[]; second: string[] }> {
  transactions = [];
  let submitted: Promise<Outcome[]> | undefined;
  whenLoaded = async () => {
    submitted = second.submit(clientId, others);
    await somebodyWaits(sql);
  };
  const outcomes = await first.submit(clientId, commands);
  assert.ok(submitted, 'the batch was loaded');
  const found = { first: wordsOf(outcomes), second: wordsOf(await submitted) };
  assert.deepEqual(faults, []);
  assert.deepEqual(transactions, [commands.length]);
  return found;
}

test('the next batch can use an id that a refused issue named', async () => {
  const issue = await newCampaign(1);
  const id = randomUUID();
  assert.deepEqual(await race([issue(), issue(id)], direct(id)), {
    first: ['ok', 'bonus_limit_reached'],
    second: ['ok'],
  });
});

test('the second batch sees the ids that the first batch used', async () => {
  const issue = await newCampaign(2);
  const [one, two] = [randomUUID(), randomUUID()];
  assert.deepEqual(await race([issue(one), issue(two)], direct(one), direct(randomUUID()), issue(two)), {
    first: ['ok', 'ok'],
    second: ['id_reused', 'ok', 'ok'],
  });
});

test('the first batch gets the last free bet of a limit', async () => {
  const issue = await newCampaign(1);
  assert.deepEqual(await race([issue()], issue(), issue()), {
    first: ['ok'],
    second: ['bonus_limit_reached', 'bonus_limit_reached'],
  });
});

test('a settlement waits for the bet that it races with', async () => {
  const [issueId, betId] = [randomUUID(), randomUUID()];
  const issue = await newCampaign(1);
  assert.deepEqual(wordsOf(await second.submit(clientId, [issue(issueId)])), ['ok']);
  const settle: Command = { kind: 'settle_bet', providerId: 'p', betId, result: 'lost', coefficient: null };
  assert.deepEqual(await race([place(issueId, betId, 'a')], settle, place(issueId, randomUUID(), 'b')), {
    first: ['ok'],
    second: ['ok', 'free_bet_used_up'],
  });
});

test('a batch sees rows that commit while it waits for its partner', async (t) => {
  const issue = await newCampaign(1);
  const [id, spare] = [randomUUID(), randomUUID()];
  assert.deepEqual(wordsOf(await second.submit(clientId, [direct(spare)])), ['ok']);
  transactions = [];
  // Another server that holds the partner and has not committed.
  const other = await begun(t);
  await other.query('SELECT FROM event_heads WHERE client_id = $1 FOR UPDATE', [clientId]);
  await other.query('UPDATE free_bets SET issue_id = $1 WHERE issue_id = $2', [id, spare]);
  const submitted = first.submit(clientId, [issue(), issue(id)]);
  await somebodyWaits(sql);
  await other.query('COMMIT');
  assert.deepEqual(wordsOf(await submitted), ['ok', 'id_reused']);
  assert.deepEqual(transactions, [2]);
});

test('a shared batch leaves out a partner that another server holds', async (t) => {
  const clientIds = [1, 2, 3];
  const run = (id: number) => first.submit(id, [direct(randomUUID())]).then(wordsOf);
  // Two transactions at a time: two of the three partners share one of them.
  const other = await begun(t);
  await other.query('SELECT FROM event_heads WHERE client_id = 2 FOR UPDATE');
  transactions = [];
  const [one, held, three] = clientIds.map(run) as [Promise<string[]>, Promise<string[]>, Promise<string[]>];
  assert.deepEqual(await Promise.all([one, three]), [['ok'], ['ok']]);
  let isAnswered = false;
  void held.then(() => (isAnswered = true));
  await delay(200);
  assert.equal(isAnswered, false);
  await other.query('COMMIT');
  assert.deepEqual(await held, ['ok']);
  assert.deepEqual(faults, []);
});

test('a partner without an event head gets one', async () => {
  await sql.query('DELETE FROM event_heads WHERE client_id = 999');
  assert.deepEqual(wordsOf(await first.submit(999, [direct(randomUUID())])), ['ok']);
  const { rows } = await sql.query('SELECT last_sequence::int AS last FROM event_heads WHERE client_id = 999');
  assert.deepEqual(rows, [{ last: 1 }]);
});

test('a shared batch does not wait for a job of a partner that it leaves out', async (t) => {
  const jobId = randomUUID();
  const quota = { jobs: 1000, bytes: 1000 };
  const campaignId = randomUUID();
  const job = { jobId, name: 'x', campaignId, shared: null, startAt: null, contentHash: hashOf('f') };
  const commands: Command[] = [campaignOf(campaignId, 1), { kind: 'create_job', quota, ...job }];
  assert.deepEqual(wordsOf(await second.submit(2, commands)), ['ok', 'ok']);
  // Another server that runs a step of the job.
  const other = await begun(t);
  await other.query('SELECT FROM event_heads WHERE client_id = 2 FOR UPDATE');
  await other.query('SELECT FROM jobs WHERE client_id = 2 FOR UPDATE');
  const connection = await pools.lanes.connect();
  try {
    const { committed } = await runBatch({ connection, definitions: known }, [
      { clientId: 2, partner: profile, commands: [{ kind: 'stop_job', jobId }] },
      { clientId: 3, partner: profile, commands: [direct(randomUUID())] },
    ]);
    assert.deepEqual(
      committed.map((result) => result && wordsOf(result.outcomes)),
      [undefined, ['ok']],
    );
  } finally {
    connection.release();
  }
});

test('partners that another server holds leave connections to the others', async (t) => {
  const other = await begun(t);
  await other.query('SELECT FROM event_heads WHERE client_id IN (2, 3) FOR UPDATE');
  const run = (id: number) => first.submit(id, [direct(randomUUID())]).then(wordsOf);
  const held = [run(2), run(3)];
  await delay(300);
  // Sessions that wait for a lock: one of the two connections stays free for the other partners.
  const waiting: number[] = [];
  for (let i = 0; i < 20; i++) {
    assert.deepEqual(await Promise.all([1, 11, 12].map(run)), [['ok'], ['ok'], ['ok']]);
    const { rows } = await sql.query(
      `SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    waiting.push(rows[0].n);
  }
  await other.query('COMMIT');
  assert.deepEqual(await Promise.all(held), [['ok'], ['ok']]);
  assert.equal(Math.max(...waiting), 1);
});

test('a rollback for an unknown partner takes one transaction', async () => {
  loads = 0;
  const rollback: Command = { kind: 'roll_back_bet', providerId: 'p', betId: randomUUID() };
  assert.deepEqual(wordsOf(await first.submit(998, [rollback])), ['ok']);
  assert.equal(loads, 1);
});

test('a partner that is free again does not wait behind partners that another server holds', async (t) => {
  const heldIds = Array.from({ length: 80 }, (_, i) => 2000 + i);
  const freedId = 3000;
  await sql.query('INSERT INTO event_heads SELECT unnest($1::int[]), 0', [[...heldIds, freedId]]);
  const [other, brief] = [await begun(t), await begun(t)];
  await other.query('SELECT FROM event_heads WHERE client_id = ANY ($1) FOR UPDATE', [heldIds]);
  await brief.query('SELECT FROM event_heads WHERE client_id = $1 FOR UPDATE', [freedId]);
  const run = (id: number) => first.submit(id, [direct(randomUUID())]).then(wordsOf);
  const held = heldIds.map(run);
  const freed = run(freedId);
  await delay(300);
  await brief.query('COMMIT');
  // Each of the others waits for a second, one after the other.
  const later = delay(20_000, ['late'], { ref: false });
  assert.deepEqual(await Promise.race([freed, later]), ['ok']);
  await other.query('COMMIT');
  assert.deepEqual(
    await Promise.all(held),
    heldIds.map(() => ['ok']),
  );
});
