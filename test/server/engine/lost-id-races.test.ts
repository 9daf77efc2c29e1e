import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import { readConfig } from '../../../packages/server/src/ops/config.ts';
import { openPools } from '../../../packages/server/src/ops/pools.ts';
import type { Outcome } from '../../../packages/server/src/primitives/outcome.ts';
import type { Command } from '../../../packages/server/src/promo/batch/command.ts';
import { cacheCampaignDefinitions } from '../../../packages/server/src/promo/campaigns/sql/definitions.ts';
import { testDatabase } from '../../support/database.ts';
import { somebodyWaits } from '../../support/held-batch.ts';
import { terms } from '../../support/plain-commands.ts';
import { openPlainLanes } from '../../support/plain-lanes.ts';
import { poolsOnSingleNode } from '../../support/single-node.ts';
import { until } from '../../support/waiting.ts';

// Two servers. While one has loaded a batch and not yet decided it, the other makes something under an id that the batch names.

const { env, sql } = await testDatabase();
const config = readConfig(env);
const pools = openPools(config, { connectionString: config.DATABASE_URL });
const known = cacheCampaignDefinitions(1_000_000);

/** Called when the next batch of the first server has been loaded. */
let whenLoaded: (() => Promise<void>) | undefined;
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
  async load(...asked) {
    const then = whenLoaded;
    whenLoaded = undefined;
    await then?.();
    return known.load(...asked);
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
const place = (issueId: string, betId: string, content: string): Command => ({
  kind: 'place_bet',
  providerId: 'p',
  betId,
  issueId,
  playerId: 'player',
  gameId: 'g',
  coefficient: null,
  contentHash: hashOf(content),
});

async function newCampaign(bonusLimit: number): Promise<(issueId?: string) => Command> {
  const campaignId = randomUUID();
  const create: Command = {
    kind: 'create_campaign',
    campaignId,
    terms: oneBet,
    betAmounts: new Map([['EUR', 100]]),
    bonusLimit,
    bonusLimitPerUser: null,
    contentHash: hashOf('c'),
  };
  assert.deepEqual(wordsOf(await second.submit(clientId, [create])), ['ok']);
  return (issueId = randomUUID()) => ({
    kind: 'issue_by_campaign',
    issueId,
    campaignId,
    playerId: 'player',
    currency: 'EUR',
    contentHash: hashOf('e'),
  });
}

/** A transaction of somebody else, that ends with the test at the latest. */
async function begun(t: TestContext): Promise<PoolClient> {
  const client = await sql.connect();
  t.after(() => client.release(true));
  await client.query('BEGIN');
  return client;
}

const wordsOf = (outcomes: Outcome[]): string[] => outcomes.map((outcome) => (outcome.ok ? 'ok' : outcome.error));

/** Carried out by the first server, while the second carries out the others once they are loaded. */
async function lostIdRace(commands: Command[], ...by: Command[]): Promise<string[]> {
  transactions = [];
  whenLoaded = async () => {
    const words = wordsOf(await second.submit(clientId, by));
    assert.deepEqual([...new Set(words)], ['ok']);
  };
  const outcomes = await first.submit(clientId, commands);
  assert.deepEqual(faults, []);
  return wordsOf(outcomes);
}

test('an issue refused for what its own batch took says that its id was taken before', async () => {
  const issue = await newCampaign(1);
  const id = randomUUID();
  assert.deepEqual(await lostIdRace([issue(), issue(id)], direct(id)), ['ok', 'id_reused']);
  assert.deepEqual(transactions, [2, 1]);
});

test('so does one among many, and those refused beside it are as they were', async () => {
  const issue = await newCampaign(2);
  const id = randomUUID();
  const words = await lostIdRace([issue(), issue(), issue(), issue(id), issue()], direct(id));
  assert.deepEqual(words, ['ok', 'ok', 'bonus_limit_reached', 'id_reused', 'bonus_limit_reached']);
  assert.deepEqual(transactions, [5, 1]);
});

test('commands that lost the race for their id run again in one transaction', async () => {
  const issue = await newCampaign(1);
  const [one, two] = [randomUUID(), randomUUID()];
  const words = await lostIdRace([issue(), issue(one), issue(two)], direct(one), direct(two));
  assert.deepEqual(words, ['ok', 'id_reused', 'id_reused']);
  assert.deepEqual(transactions, [3, 2]);
});

test('an id is taken in time if its event has the lower number, at the very last moment too', async (t) => {
  const issue = await newCampaign(1);
  const [id, spare] = [randomUUID(), randomUUID()];
  assert.deepEqual(wordsOf(await second.submit(clientId, [direct(spare)])), ['ok']);
  transactions = [];
  // Another server, that has the next number and has not committed.
  const other = await begun(t);
  await other.query('UPDATE free_bets SET issue_id = $1 WHERE issue_id = $2', [id, spare]);
  await other.query('UPDATE event_heads SET last_sequence = last_sequence WHERE client_id = $1', [clientId]);
  const submitted = first.submit(clientId, [issue(), issue(id)]);
  await somebodyWaits(sql);
  await other.query('COMMIT');
  assert.deepEqual(wordsOf(await submitted), ['ok', 'id_reused']);
  assert.deepEqual(transactions, [2, 1]);
});

test('one that then waits too long for a lock is tried again by itself, and nobody is answered twice', async (t) => {
  const issue = await newCampaign(1);
  const id = randomUUID();
  const other = await begun(t);
  transactions = [];
  const connect = pools.lanes.connect.bind(pools.lanes) as () => Promise<PoolClient>;
  let held: Promise<unknown> | undefined;
  whenLoaded = async () => {
    assert.deepEqual(wordsOf(await second.submit(clientId, [direct(id)])), ['ok']);
    // It gets the rows of the campaigns when the batch has committed, and the batch asks for them again after that.
    held = other.query('SELECT 1 FROM campaign_states WHERE client_id = $1 FOR UPDATE', [clientId]);
    t.mock.method(pools.lanes, 'connect', () => held?.then(() => connect()));
    await somebodyWaits(sql);
  };
  const submitted = first.submit(clientId, [issue(), issue(id)]);
  await until('the first transaction', 10_000, () => transactions.length > 0);
  await held;
  // For longer than a transaction waits.
  await delay(1500);
  assert.deepEqual(transactions, [2]);
  await other.query('ROLLBACK');
  assert.deepEqual(wordsOf(await submitted), ['ok', 'id_reused']);
  assert.deepEqual(transactions, [2, 1]);
});

test('a bet refused for what its own batch placed says that its id was taken before', async () => {
  const [used, other, bet] = [randomUUID(), randomUUID(), randomUUID()];
  // Of a campaign, so that its definition is asked for when the batch is loaded.
  const issue = await newCampaign(2);
  assert.deepEqual(wordsOf(await second.submit(clientId, [issue(used), direct(other)])), ['ok', 'ok']);
  const words = await lostIdRace([place(used, randomUUID(), 'a'), place(used, bet, 'b')], place(other, bet, 'c'));
  assert.deepEqual(words, ['ok', 'id_reused']);
  const { rows } = await sql.query('SELECT issue_id FROM bets WHERE bet_id = $1', [bet]);
  assert.deepEqual(rows, [{ issue_id: other }]);
});

test('a settlement that came before its bet is refused as it was', async () => {
  const issue = await newCampaign(1);
  const [issueId, bet] = [randomUUID(), randomUUID()];
  assert.deepEqual(wordsOf(await second.submit(clientId, [direct(issueId)])), ['ok']);
  const settle: Command = { kind: 'settle_bet', providerId: 'p', betId: bet, result: 'lost', coefficient: null };
  assert.deepEqual(await lostIdRace([issue(), settle], place(issueId, bet, 'a')), ['ok', 'bet_not_found']);
  assert.deepEqual(transactions, [2]);
});

test('where nobody came between, a batch with refusals is one transaction', async () => {
  const issue = await newCampaign(1);
  assert.deepEqual(await lostIdRace([issue(), issue()], direct(randomUUID())), ['ok', 'bonus_limit_reached']);
  assert.deepEqual(transactions, [2]);
});
