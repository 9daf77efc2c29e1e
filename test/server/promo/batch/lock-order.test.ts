import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { readConfig } from '../../../../packages/server/src/ops/config.ts';
import { openPools } from '../../../../packages/server/src/ops/pools.ts';
import type { Command } from '../../../../packages/server/src/promo/batch/command.ts';
import { testDatabase } from '../../../support/database.ts';
import { holdRows } from '../../../support/held-batch.ts';
import { profile, terms } from '../../../support/plain-commands.ts';
import { openPlainLanes } from '../../../support/plain-lanes.ts';
import { poolsOnSingleNode } from '../../../support/single-node.ts';
import { until } from '../../../support/waiting.ts';

// Another transaction holds one row of a batch at a time. While the batch waits for it, the batch must have locked each row that
// comes earlier in the order, and none that comes later.

const { env, sql } = await testDatabase();
const config = readConfig(env);
const pools = openPools(config, { connectionString: config.DATABASE_URL });
after(() => Promise.all(Object.values(pools).map((pool) => pool.end())));

/** A sandbox of the demo. */
const clientId = 1;

/** Opened for each batch, so that no server remembers that the partner is active. */
async function run(commands: readonly Command[]): Promise<void> {
  const lanes = openPlainLanes({
    pools: poolsOnSingleNode(pools.lanes),
    resources: { profileOf: () => ({ ...profile, isSandbox: true }) },
  });
  const outcomes = await lanes.submit(clientId, commands);
  assert.deepEqual(
    outcomes.filter(({ ok }) => !ok),
    [],
  );
  await lanes.drain();
}

const contentHash = '0'.repeat(32);
const by = { actor: { kind: 'cli' as const }, action: 'Test', address: null, requestId: null, reason: null };
const twoIds = () => [randomUUID(), randomUUID()].toSorted() as [string, string];

/** Rows of other tables are guarded by the event head and are not locked before they are written. */
const lockOrder = ['event_heads', 'jobs', 'audit_heads', 'due_partners'] as const;

interface Row {
  table: (typeof lockOrder)[number];
  /** Of the row of the partner; for tables with one row for each partner there is no more. */
  id?: string;
}

/** A batch that needs all kinds of locks, and names the rows of each table in the opposite of their order. */
async function prepare(): Promise<{ commands: Command[]; rows: Row[] }> {
  const [jobs, campaigns, freeBets] = [twoIds(), twoIds(), twoIds()];
  const quota = { jobs: 1000, bytes: 1000 };
  const createJob = (jobId: string): Command => ({
    ...{
      kind: 'create_job',
      quota,
      jobId,
      name: 'x',
      campaignId: campaigns[0],
      shared: null,
      startAt: null,
      contentHash,
    },
  });
  const create = (campaignId: string): Command => ({
    ...{ kind: 'create_campaign', campaignId, terms, betAmounts: new Map([['EUR', 100]]), contentHash },
    ...{ bonusLimit: 9, bonusLimitPerUser: 9, by },
  });
  const issue = (issueId: string, campaignId: string): Command => ({
    ...{ kind: 'issue_by_campaign', issueId, campaignId, playerId: 'p', currency: 'EUR', contentHash },
  });
  const issues = [issue(freeBets[0], campaigns[1]), issue(freeBets[1], campaigns[0])];
  await run(campaigns.map(create));
  await run(jobs.map(createJob));
  await run(issues);
  const backwards = (ids: string[]) => ids.toReversed();
  return {
    commands: [
      createJob(randomUUID()),
      ...backwards(freeBets).map((issueId): Command => ({ kind: 'cancel_free_bet', issueId, by })),
      ...backwards(campaigns).map((campaignId): Command => ({ kind: 'stop_campaign', campaignId, by })),
      ...backwards(jobs).map((jobId): Command => ({ kind: 'stop_job', jobId, by })),
    ],
    rows: [
      { table: 'event_heads' },
      ...jobs.map((id): Row => ({ table: 'jobs', id })),
      { table: 'audit_heads' },
      { table: 'due_partners' },
    ],
  };
}

const locking = ({ table, id }: Row, how = '') =>
  `SELECT FROM ${table} WHERE client_id = ${clientId}${id ? ` AND job_id = '${id}'` : ''} FOR UPDATE ${how}`;

async function isLocked(row: Row): Promise<boolean> {
  return (await sql.query(locking(row, 'SKIP LOCKED'))).rows.length === 0;
}

test('the order of the locks is the documented one', async () => {
  const { rows } = await prepare();
  assert.deepEqual([...new Set(rows.map(({ table }) => table))], lockOrder);
  for (const row of rows) assert.equal(await isLocked(row), false, `there is a row of ${row.table}`);
});

test('a batch locks tables in the lock order, and rows of a table by id', async () => {
  const { rows: all } = await prepare();
  for (const i of all.keys()) {
    const { commands, rows } = await prepare();
    const row = rows[i] as Row;
    const held = await holdRows(sql, locking(row));
    const running = run(commands);
    const expected = rows.map((_, j) => j <= i);
    let found: boolean[] = [];
    // A transaction that has waited for a second is rolled back and tried again.
    await until(`the batch waits for row ${i}, of ${row.table}`, 20_000, async () => {
      found = [];
      for (const each of rows) found.push(await isLocked(each));
      return expected.every((is, j) => is === found[j]);
    }).finally(() => held.letGo());
    await running;
  }
});
