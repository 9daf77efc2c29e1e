import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import type pg from 'pg';
import { ask } from '../../../packages/server/src/engine/statement.ts';
import { findEvents, findEventsAfter } from '../../../packages/server/src/events/feed/sql/events.ts';
import { findDueDeliveries, findWebhookWork } from '../../../packages/server/src/events/webhooks/sql/courier.ts';
import { readBacklog } from '../../../packages/server/src/events/webhooks/sql/webhooks.ts';
import { readConfig } from '../../../packages/server/src/ops/config.ts';
import { openPools } from '../../../packages/server/src/ops/pools.ts';
import { runBatch } from '../../../packages/server/src/promo/batch/batch.ts';
import type { Command, CommandOf } from '../../../packages/server/src/promo/batch/command.ts';
import { cacheCampaignDefinitions } from '../../../packages/server/src/promo/campaigns/sql/definitions.ts';
import { readCampaignTotals } from '../../../packages/server/src/promo/campaigns/sql/reads.ts';
import { findOverdueFreeBets } from '../../../packages/server/src/promo/free-bets/sql.ts';
import { listOpenBets, listStandingBets } from '../../../packages/server/src/promo/rounds/sql.ts';
import { testDatabase } from '../../support/database.ts';
import { refusedForms } from '../../support/forms.ts';
import { profile, terms } from '../../support/plain-commands.ts';

// The lanes plan their statements once, on whatever the tables are at that moment: here they are empty, which is when
// PostgreSQL is most tempted to walk an index from end to end. Whatever a plan looks up must be found by its whole key.

const { env, sql } = await testDatabase();
const config = readConfig({ ...env, DATABASE_CONNECTIONS: '2' });
const pools = openPools(config, { connectionString: config.DATABASE_URL });
after(() => Promise.all(Object.values(pools).map((pool) => pool.end())));

const contentHash = '0'.repeat(32);
const directId = randomUUID();
const [first = '', second = '', third = ''] = Array.from({ length: 3 }, () => randomUUID());
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
const place = (issueId: string, betId: string = randomUUID()): Command => ({
  kind: 'place_bet',
  providerId: 'p',
  betId,
  issueId,
  playerId: 'player',
  gameId: 'g',
  coefficient: null,
  contentHash,
});
const settle = (betId: string): Command => ({
  kind: 'settle_bet',
  providerId: 'p',
  betId,
  result: 'won',
  coefficient: 20_000,
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
  [step(firstJob)],
  [
    { kind: 'stop_job', jobId: firstJob },
    { kind: 'stop_job', jobId: secondJob },
  ],
  [create('unlimited', null)],
  [{ kind: 'change_limits', campaignId: 'unlimited', bonusLimit: null, bonusLimitPerUser: 2 }, issue('unlimited')],
];

const ofJobs = ['select_all_job_parts', 'remove_job_part', 'insert_job_refusals_one'];

/** Those that are prepared for many rows and for one. */
const inTwoForms = [
  'lock_campaign_states',
  'existing_free_bets',
  'existing_free_bets_and_time',
  'select_campaign_players',
  'select_bets',
  'update_campaign_totals',
  'update_campaign_states',
  'insert_campaign_players',
  'replace_campaign_players',
  'insert_free_bets',
  'update_free_bets',
  'insert_bets',
  'update_bets',
  'lock_jobs',
  'insert_jobs',
  'update_jobs',
  'select_job_parts',
  'insert_job_parts',
];

const onMany = ['keep_partner_in_place', 'select_players_of_campaign', 'insert_free_bets_2', 'insert_numbered_events'];

/** A statement that is sent alone is prepared under another name. */
const ownNameOf = (name: string): string => name.replace(/^alone_/, '');

async function plansOf(connection: pg.PoolClient, isForMany: boolean): Promise<Map<string, string>> {
  const { rows } = await connection.query<{ name: string; statement: string; count: number }>(
    'SELECT name, statement, array_length(parameter_types, 1) AS count FROM pg_prepared_statements',
  );
  const refused = rows.flatMap(({ name, statement }) => refusedForms(statement).map((form) => `${name}: ${form}`));
  if (isForMany) assert.deepEqual(refused, [], 'what many machines refuse');
  const plans = new Map<string, string>();
  for (const { name, count } of rows) {
    const values = count === null ? '' : `(${Array(count).fill('NULL').join(', ')})`;
    const plan = await connection.query<{ 'QUERY PLAN': string }>(`EXPLAIN EXECUTE "${name}"${values}`);
    plans.set(ownNameOf(name), plan.rows.map((row) => row['QUERY PLAN']).join('\n'));
  }
  return plans;
}

async function plansAfterBatches(clientId: number, context: { isCluster?: boolean; maxInlineRows: number }) {
  const connection = await pools.lanes.connect();
  try {
    const definitions = cacheCampaignDefinitions(10);
    for (const commands of batches) {
      if (commands[0]?.kind === 'run_job_step') {
        await sql.query('UPDATE jobs SET lease_holder = job_id WHERE job_id = $1', [firstJob]);
      }
      const { committed } = await runBatch({ connection, definitions, ...context }, [
        { clientId, partner: profile, commands },
      ]);
      assert.deepEqual(
        committed[0]?.outcomes.map((outcome) => outcome.ok),
        commands.map(() => true),
      );
    }
    return await plansOf(connection, context.isCluster ?? true);
  } finally {
    connection.release(true);
  }
}

/** The same commands as on one machine, of another partner as on many, and of a third as where nobody knows. */
async function plansOfAllWays(): Promise<Map<string, string>> {
  const onOne = await plansAfterBatches(1, { isCluster: false, maxInlineRows: 0 });
  const onManyMachines = await plansAfterBatches(2, { isCluster: true, maxInlineRows: 64 });
  const unknown = await plansAfterBatches(3, { maxInlineRows: 0 });
  return new Map([...onOne, ...onManyMachines, ...unknown]);
}

test('every statement of the lanes finds its rows by the whole primary key, planned on empty tables', async () => {
  const plans = await plansOfAllWays();
  const wanted = [
    ...inTwoForms.flatMap((name) => [name, `${name}_one`]),
    'lock_free_bets',
    'insert_events',
    'move_event_head',
    ...ofJobs,
    ...onMany,
  ];
  // Some are sent together, each under its name.
  const parts = [...plans.values()].flatMap((plan) => [...plan.matchAll(/^ *CTE (\w+)$/gm)].map(([, name]) => name));
  const planned = new Set([...plans.keys(), ...parts]);
  assert.deepEqual(
    wanted.filter((name) => !planned.has(name)),
    [],
  );
  // What a player holds that is not written down is counted by player, of whom there is less than of a campaign.
  const counting = plans.get('count_campaign_players') ?? '';
  assert.match(
    counting,
    /free_bets__of_player on .*\n +Index Cond: \(\(client_id = \$1\) AND \(player_id = k.player_id\) AND \(issued_at >= /,
  );
  assert.match(
    counting,
    /free_bets__of_campaign on .*\n +Index Cond: \(\(client_id = \$1\) AND \(ROW\(campaign_id, issued_at\) >= ROW\(n.campaign_id, /,
  );
  plans.delete('count_campaign_players');
  // Unfinished jobs are few, and all of them are added up.
  assert.match(plans.get('lock_sum_of_jobs') ?? '', /jobs__in_quota on .*\n +Index Cond: \(client_id = \$1\)/);
  plans.delete('lock_sum_of_jobs');
  for (const [name, plan] of plans) {
    assert.doesNotMatch(plan, /Seq Scan|Hash Join|Merge Join/, `${name}\n${plan}`);
    for (const [scan] of plan.matchAll(/Index (Only )?Scan (using|on) \w+.*\n.*/g)) {
      assert.match(scan, /_pkey/, `${name}\n${plan}`);
      // Of these there is one for each partner.
      if (/ on (sandbox_clocks|event_heads|job_quotas) /.test(scan)) continue;
      assert.match(scan, /Index Cond: \(.* AND /, `${name} looks up by client_id alone\n${plan}`);
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

test('what is overdue is found by the clock, along the index made for it', async () => {
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

test('what is overdue of a campaign has one plan for all partners, and that is right for the largest', async () => {
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

test('the bets of a free bet are those that stand, along the index made for them', async () => {
  const { plans, connection } = explaining(pools.reads);
  await ask(connection, listStandingBets(1, first));
  const plan = plans.get('standing_bets') ?? '';
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

/** Of the events of a partner those wanted, of its deliveries those that are due, and nothing beside. */
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
  // The oldest that is left, the batch to begin with, and those that are read.
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
