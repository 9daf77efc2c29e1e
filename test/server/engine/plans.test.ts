import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import type pg from 'pg';
import { insertEventHead, insertSandboxClock } from '../../../packages/server/src/engine/clock.ts';
import { ask, type Dialect, useDialect } from '../../../packages/server/src/engine/statement.ts';
import { findEvents, findEventsAfter } from '../../../packages/server/src/events/feed/sql/events.ts';
import { findDueDeliveries, findWebhookWork } from '../../../packages/server/src/events/webhooks/sql/courier.ts';
import { readBacklog } from '../../../packages/server/src/events/webhooks/sql/webhooks.ts';
import { readConfig } from '../../../packages/server/src/ops/config.ts';
import { openPools } from '../../../packages/server/src/ops/pools.ts';
import { citus } from '../../../packages/server/src/placement/citus/dialect.ts';
import { runBatch } from '../../../packages/server/src/promo/batch/batch.ts';
import type { Command, CommandOf } from '../../../packages/server/src/promo/batch/command.ts';
import { cacheCampaignDefinitions } from '../../../packages/server/src/promo/campaigns/sql/definitions.ts';
import { readCampaignTotals } from '../../../packages/server/src/promo/campaigns/sql/reads.ts';
import { findOverdueFreeBets } from '../../../packages/server/src/promo/free-bets/sql.ts';
import { listOpenBets, listStandingBets } from '../../../packages/server/src/promo/rounds/sql.ts';
import { testDatabase } from '../../support/database.ts';
import { refusedForms } from '../../support/forms.ts';
import { placeBet, profile, terms } from '../../support/plain-commands.ts';

// The lanes plan their statements once, with the tables of that moment: here they are empty, which is when
// PostgreSQL is most tempted to walk an index from end to end. Every look-up of a plan must use the whole key.

const { env, sql } = await testDatabase();
const config = readConfig({ ...env, DATABASE_CONNECTIONS: '2' });
const pools = openPools(config, { connectionString: config.DATABASE_URL });
after(() => Promise.all(Object.values(pools).map((pool) => pool.end())));

const contentHash = '0'.repeat(32);
const directId = randomUUID();
const [first = '', second = '', third = '', fourth = '', fifth = '', sixth = '', seventh = ''] = Array.from(
  { length: 7 },
  () => randomUUID(),
);
const [firstBet = '', secondBet = '', thirdBet = ''] = Array.from({ length: 3 }, () => randomUUID());

const create = (campaignId: string, bonusLimitPerUser: number | null = 9): Command => ({
  kind: 'create_campaign',
  campaignId,
  terms,
  betAmounts: new Map([['EUR', 100]]),
  bonusLimit: 9,
  bonusLimitPerUser,
  contentHash,
});
const player = { playerId: 'player', currency: 'EUR' };
const issue = (campaignId: string, issueId: string = randomUUID()): Command => ({
  kind: 'issue_by_campaign',
  issueId,
  campaignId,
  ...player,
  contentHash,
});
const place = (issueId: string, betId: string = randomUUID()) => placeBet(issueId, betId, contentHash);
const settle = (betId: string): Command => ({
  kind: 'settle_bet',
  providerId: 'p',
  betId,
  result: 'won',
  coefficient: 20_000,
});

const play = (issueId: string): Command => ({
  kind: 'play_round',
  issueId,
  betId: randomUUID(),
  gameId: null,
  result: 'won',
  coefficient: 20_000,
});
const changeLimits = (campaignId: string): Command => ({
  kind: 'change_limits',
  campaignId,
  bonusLimit: null,
  bonusLimitPerUser: 2,
});

const [firstJob = '', secondJob = ''] = [randomUUID(), randomUUID()];
const createJob = (jobId: string): Command => ({
  kind: 'create_job',
  quota: { jobs: 10, bytes: 1000 },
  jobId,
  name: 'x',
  campaignId: 'd',
  shared: null,
  startAt: null,
  contentHash,
});
const addPart = (jobId: string, part: number): Command => ({
  kind: 'add_job_part',
  quota: { jobs: 10, bytes: 1000 },
  jobId,
  part,
  items: 2,
  list: '[]',
  directJobFields: [],
  contentHash,
});
const startJob = (jobId: string): Command => ({ kind: 'start_job', jobId, parts: 1, items: 2 });
/** The last item of its part, which is refused. */
const step = (jobId: string): Command => ({
  kind: 'run_job_step',
  jobId,
  holder: jobId,
  from: 0,
  part: 1,
  fromItem: 0,
  commands: [issue('none') as CommandOf<'issue_by_campaign'>],
  partBytes: 2,
  isLastOfPart: true,
  perSecond: null,
});

const batches: Command[][] = [
  [create('c')],
  [create('d'), create('e')],
  [issue('c', first)],
  [issue('c')],
  [issue('d', second), issue('e', third)],
  [issue('d'), issue('e')],
  [{ kind: 'issue_direct', issueId: directId, ...player, betAmount: 100, terms, contentHash }],
  [place(first, firstBet)],
  [place(second, secondBet), place(third, thirdBet)],
  [settle(firstBet)],
  [
    settle(secondBet),
    settle(thirdBet),
    { kind: 'cancel_free_bet', issueId: directId },
    { kind: 'roll_back_bet', providerId: 'p', betId: randomUUID() },
    { kind: 'expire_free_bet', issueId: first },
    { kind: 'stop_campaign', campaignId: 'c' },
  ],
  [createJob(firstJob)],
  [createJob(secondJob), createJob(randomUUID())],
  [addPart(firstJob, 1)],
  [addPart(secondJob, 1), addPart(secondJob, 2)],
  [startJob(firstJob)],
  [startJob(firstJob), { kind: 'start_job', jobId: secondJob, parts: 2, items: 4 }],
  [step(firstJob)],
  [
    { kind: 'stop_job', jobId: firstJob },
    { kind: 'stop_job', jobId: secondJob },
  ],
  [create('unlimited', null)],
  [changeLimits('unlimited'), issue('unlimited')],
  [create('unlimited 2', null), create('unlimited 3', null)],
  ['unlimited 2', 'unlimited 3'].flatMap((campaignId) => [changeLimits(campaignId), issue(campaignId)]),
  [issue('d', fourth), issue('d', fifth), issue('e', sixth), issue('e', seventh)],
  [
    { kind: 'cancel_free_bet', issueId: sixth },
    { kind: 'cancel_free_bet', issueId: seventh },
  ],
  [play(fourth)],
  [play(fourth), play(fifth)],
  [{ kind: 'set_clock', to: Date.now() + 60_000 }],
];

/** Row operations that the batches use for one row, for several rows and for several partners. */
const rowOperations = [
  'lock_jobs',
  'job_parts_by_id',
  'all_job_parts',
  'free_bets_by_id',
  'bets_and_free_bets',
  'campaign_states_by_id',
  'campaign_states_of_free_bets',
  'campaign_states_of_bets',
  'campaigns_by_id',
  'campaign_players_by_id',
  'free_bets_and_held',
  'count_campaign_players',
  'bets_by_id',
  'standing_bets',
  'insert_campaigns',
  'insert_campaign_states',
  'insert_campaign_totals',
  'insert_jobs',
  'insert_job_parts',
  'insert_campaign_players',
  'insert_free_bets',
  'insert_bets',
  'update_jobs',
  'replace_campaign_players',
  'update_free_bets',
  'update_bets',
  'update_campaign_totals',
  'update_campaign_states',
];
/** Row operations of which no batch here has several rows for one partner. */
const onePerPartner = [
  ...['sum_of_jobs', 'sandbox_clocks', 'update_event_heads', 'insert_events', 'insert_job_refusals'],
  'mark_partners_active',
];

const formsOf = (name: string): string[] => [
  `${name}_one`,
  ...(onePerPartner.includes(name) ? [] : [name]),
  `${name}_of_all`,
];
const otherStatements = [
  ...['lock_event_heads_one', 'lock_free_event_heads_of_all', 'world_now', 'remove_job_part', 'move_sandbox_clock'],
  ...['pin_partner', 'lock_free_event_heads_one', 'insert_free_bets_2'],
];

/** A statement that is sent alone is prepared under another name. */
const ownNameOf = (name: string): string => name.replace(/^alone_/, '');

async function plansOf(connection: pg.PoolClient, isOnCitus: boolean): Promise<Map<string, string>> {
  const { rows } = await connection.query<{ name: string; statement: string; count: number }>(
    'SELECT name, statement, array_length(parameter_types, 1) AS count FROM pg_prepared_statements',
  );
  const refused = rows.flatMap(({ name, statement }) => refusedForms(statement).map((form) => `${name}: ${form}`));
  if (isOnCitus) assert.deepEqual(refused, [], 'forms that Citus refuses');
  const plans = new Map<string, string>();
  for (const { name, count } of rows) {
    const values = count === null ? '' : `(${Array(count).fill('NULL').join(', ')})`;
    const plan = await connection.query<{ 'QUERY PLAN': string }>(`EXPLAIN EXECUTE "${name}"${values}`);
    plans.set(ownNameOf(name), plan.rows.map((row) => row['QUERY PLAN']).join('\n'));
  }
  return plans;
}

/** The plans of all statements after each of the batches has run for these partners together. */
async function plansAfterBatches(clientIds: number[], dialect?: Dialect): Promise<Map<string, string>> {
  for (const clientId of clientIds) {
    await ask(sql, insertEventHead(clientId));
    await ask(sql, insertSandboxClock(clientId));
  }
  const connection = await pools.lanes.connect();
  if (dialect) useDialect(connection, dialect);
  try {
    const definitions = cacheCampaignDefinitions(10);
    for (const commands of batches) {
      if (commands[0]?.kind === 'run_job_step') {
        await sql.query('UPDATE jobs SET lease_holder = job_id WHERE job_id = $1', [firstJob]);
      }
      const partner = { ...profile, isSandbox: true };
      const shares = clientIds.map((clientId) => ({ clientId, partner, commands }));
      const { committed } = await runBatch({ connection, definitions }, shares);
      assert.deepEqual(
        committed.map((share) => share?.outcomes.map((outcome) => outcome.ok)),
        clientIds.map(() => commands.map(() => true)),
      );
    }
    return await plansOf(connection, dialect !== undefined);
  } finally {
    connection.release(true);
  }
}

/** The plans of both dialects, for batches of one, two and three partners. Each call has partners of its own. */
const plansOfAllForms = async (): Promise<Map<string, string>> =>
  new Map([
    ...(await plansAfterBatches([21])),
    ...(await plansAfterBatches([22, 23])),
    ...(await plansAfterBatches([24, 25, 26])),
    ...(await plansAfterBatches([27], citus)),
    ...(await plansAfterBatches([28, 29], citus)),
  ]);

/** The columns of every primary key. */
async function primaryKeys(): Promise<Map<string, string[]>> {
  const { rows } = await sql.query<{ name: string; columns: string[] }>(
    `SELECT c.relname AS name, array_agg(a.attname::text) AS columns FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
     JOIN pg_attribute a ON a.attrelid = c.oid WHERE i.indisprimary GROUP BY c.relname`,
  );
  return new Map(rows.map(({ name, columns }) => [name, columns]));
}

/** Asserts the plan of an operation that has an index of its own, and removes it. */
function assertIndexes(plans: Map<string, string>, operation: string, ...conditions: RegExp[]): void {
  for (const name of formsOf(operation)) {
    const plan = plans.get(name) ?? '';
    for (const condition of conditions) assert.match(plan, condition, name);
    assert.doesNotMatch(plan, /Seq Scan|Hash Join|Merge Join/, `${name}\n${plan}`);
    assert.equal([...plan.matchAll(/Index (Only )?Scan/g)].length, conditions.length, `${name}\n${plan}`);
    plans.delete(name);
  }
}

test('every statement of the lanes finds its rows by the whole primary key, planned on empty tables', async () => {
  const plans = await plansOfAllForms();
  const wanted = [...[...rowOperations, ...onePerPartner].flatMap(formsOf), ...otherStatements];
  assert.deepEqual(
    wanted.filter((name) => !plans.has(name)),
    [],
  );
  // Held counts that are not stored are counted by player, because a player has fewer free bets than a campaign.
  assertIndexes(
    plans,
    'count_campaign_players',
    /free_bets__of_player on .*\n +Index Cond: \(\(client_id = .*\) AND \(player_id = .*\) AND \(issued_at >= /,
    /free_bets__of_campaign on .*\n +Index Cond: \(\(client_id = .*\) AND \(ROW\(campaign_id, issued_at\) >= ROW\(/,
  );
  // Unfinished jobs are few, and all of them are summed.
  assertIndexes(plans, 'sum_of_jobs', /jobs__in_quota on .*\n +Index Cond: \(client_id = /);
  const standing = /bets__standing on .*\n +Index Cond: \(\(client_id = .*\) AND \(standing_issue_id = /;
  assertIndexes(plans, 'standing_bets', standing);
  const keys = await primaryKeys();
  for (const [name, plan] of plans) {
    assert.doesNotMatch(plan, /Seq Scan|Hash Join|Merge Join/, `${name}\n${plan}`);
    for (const [, index = '', conditions = ''] of plan.matchAll(/Index (?:Only )?Scan (?:using|on) (\w+).*\n(.*)/g)) {
      const key = keys.get(index);
      assert.ok(key, `${name} scans ${index}\n${plan}`);
      const missing = key.filter((column) => !new RegExp(`Index Cond: .*\\(${column} = `).test(conditions));
      // All parts of a job have its id.
      assert.deepEqual(missing, name.startsWith('all_job_parts') ? ['part'] : [], `${name}\n${plan}`);
    }
    if (/^update_.*(?<!_one)$/.test(name)) {
      assert.match(
        plan,
        /^Update on (\w+) t .*Tid Scan on \1 t [^\n]*\n +TID Cond: \((ctid = k.row_ctid|k.row_ctid = ctid)\)/s,
        `${name}\n${plan}`,
      );
    }
  }
});

/** A connection that answers nothing, and notes how each statement would be carried out. */
function explaining(pool: pg.Pool) {
  const plans = new Map<string, string>();
  const connection = {
    async query({ name, text, values }: pg.QueryConfig) {
      const { rows } = await pool.query(`EXPLAIN ${text}`, values);
      plans.set(ownNameOf(name ?? text), rows.map((row) => row['QUERY PLAN']).join('\n'));
      return { rows: [], rowCount: 0 };
    },
  } as unknown as pg.Pool;
  return { plans, connection };
}

test('overdue free bets are found by the clock, with their index', async () => {
  const { plans, connection } = explaining(pools.reads);
  await ask(connection, findOverdueFreeBets(1, 100));
  await ask(connection, readCampaignTotals(1, ['c', 'd']));
  assert.equal(plans.size, 2);
  for (const plan of plans.values()) {
    assert.match(plan, /free_bets__to_sweep/, plan);
    assert.match(plan, /Index Cond: \(\(client_id = 1\) AND \(expires_at <= /, plan);
    assert.doesNotMatch(plan, /Seq Scan/, plan);
  }
  const [, ofTotals = ''] = plans.values();
  assert.match(ofTotals, /Index Cond: .* AND \(campaign_id = ANY \('\{c,d\}'/);
});

test('overdue free bets of a campaign have one plan for all partners, which suits the largest', async () => {
  const connection = await pools.reads.connect();
  try {
    await connection.query('BEGIN');
    // With one free bet each, all ways to it seem to cost the same.
    await connection.query(
      `INSERT INTO free_bets (client_id, issue_id, campaign_id, player_id, currency, bet_amount, quantity, valid_from, issued_at,
         expires_at, content_hash)
       SELECT 1000 + i, gen_random_uuid(), 'c', 'p', 'EUR', 100, 1, now(), now(), now(), '' FROM generate_series(1, 5000) AS i`,
    );
    await connection.query('ANALYZE free_bets');
    const { rows } = await connection.query(`EXPLAIN (GENERIC_PLAN) ${readCampaignTotals(1, ['c']).text}`);
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    assert.match(plan, /free_bets__to_sweep/, plan);
    assert.match(plan, /Index Cond: \(\(client_id = \$1\) AND \(expires_at <= .* AND \(campaign_id = \$2\)\)/, plan);
  } finally {
    await connection.query('ROLLBACK');
    connection.release();
  }
});

test('the bets of a free bet are read by the index over bets that were not rolled back', async () => {
  const { plans, connection } = explaining(pools.reads);
  await ask(connection, listStandingBets(1, first));
  const plan = plans.get('standing_bets_one') ?? '';
  assert.match(plan, /bets__standing/, plan);
  assert.match(plan, /Index Cond: \(\(client_id = 1\) AND \(standing_issue_id = /, plan);
});

test('open bets are found along the index made for them, in its order', async () => {
  const { plans, connection } = explaining(pools.reads);
  await ask(connection, listOpenBets(1, 'p', { until: null, after: null, limit: 50 }));
  const plan = plans.get('open_bets') ?? '';
  assert.match(plan, /Limit.*\n +-> +Index Scan using bets__open/, plan);
  assert.match(plan, /Index Cond: \(\(client_id = 1\) AND \(provider_id = 'p'::text\) AND .*placed_at/, plan);
  assert.doesNotMatch(plan, /Seq Scan/, plan);
});

/** Only the wanted events of a partner, and only its due deliveries. */
async function assertEventsAreFoundByTheirKeys(): Promise<void> {
  const { plans, connection } = explaining(pools.background);
  const definitions = cacheCampaignDefinitions(10);
  await findEventsAfter(connection, definitions, 11, 500, 100);
  await findEvents(connection, definitions, 11, [3, 4]);
  await findDueDeliveries(connection, 11, [1, 2], 10);
  await findWebhookWork(connection, [randomUUID()], [11]);
  const scans = (name: string) => {
    const plan = plans.get(name) ?? '';
    assert.doesNotMatch(plan, /Seq Scan|Bitmap|Sort/, `${name}\n${plan}`);
    return [...plan.matchAll(/(\w+ Scan.*) on (event_batches|webhook_deliveries)\b.*\n +Index Cond: (.*)/g)].map(
      ([, how = '', , by = '']) =>
        `${how.replace(/^.* using /, '')} ${by.match(/first_sequence|next_attempt_at/)?.[0]}`,
    );
  };
  const byNumber = 'event_batches_pkey first_sequence';
  // The oldest batch, the batch to begin with, and the batches that are read.
  assert.deepEqual(scans('events_after').toSorted(), [byNumber, byNumber, 'event_batches_pkey undefined']);
  assert.match(plans.get('events_after') ?? '', /Limit.*\n.*event_batches_pkey.*\n *Index Cond: \(client_id = 11\)/);
  // Which batches they are in, and these batches.
  assert.deepEqual(scans('some_events'), [byNumber, byNumber]);
  assert.deepEqual(scans('due_deliveries'), ['webhook_deliveries__due next_attempt_at']);
  const work = plans.get('webhook_work') ?? '';
  assert.match(work, /webhook_deliveries__due/, work);
  assert.doesNotMatch(work, /webhook_deliveries_pkey|Seq Scan|Sort/, work);
  await assert.rejects(readBacklog(connection), /an aggregate has one row/, 'nothing was answered');
  const backlog = plans.get('webhook_backlog') ?? '';
  assert.match(backlog, /Index Only Scan using event_batches_pkey/, backlog);
  assert.doesNotMatch(backlog, /Seq Scan on (event_batches|webhook_deliveries)/, backlog);
}

test('events and deliveries are found by their keys, while there are none', assertEventsAreFoundByTheirKeys);

test('and when there are many, and all of them wait', async () => {
  await sql.query(
    `INSERT INTO event_batches SELECT c, s * 10 + 1, s * 10 + 10, now(), '[]'
     FROM generate_series(11, 13) c, generate_series(0, 20000) s`,
  );
  await sql.query(`INSERT INTO event_heads SELECT c, 200010 FROM generate_series(11, 13) c`);
  await sql.query(
    `INSERT INTO webhooks (client_id, url, attempted_through) SELECT c, 'x', 0 FROM generate_series(11, 13) c`,
  );
  await sql.query(
    `INSERT INTO webhook_deliveries SELECT c, s, 'waiting', 1, now(), now() + interval '2 hours', 'x'
     FROM generate_series(11, 13) c, generate_series(0, 20000) s`,
  );
  await sql.query('ANALYZE event_batches, event_heads, webhooks, webhook_deliveries');
  await assertEventsAreFoundByTheirKeys();
});
