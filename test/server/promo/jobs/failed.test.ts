import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import type { JobSnapshot } from '../../../../packages/server/src/promo/jobs/job.ts';
import { startJobs } from '../../../../packages/server/src/promo/jobs/work.ts';
import { testDatabase } from '../../../support/database.ts';
import { terms } from '../../../support/plain-commands.ts';
import { openPlainLanes } from '../../../support/plain-lanes.ts';
import { poolsOnSingleNode } from '../../../support/single-node.ts';
import { until } from '../../../support/waiting.ts';

// Stored items that no server can carry out: two servers try, and all other jobs go on.

const { sql } = await testDatabase();
const pools = poolsOnSingleNode(sql);
const clientId = (i: number) => 101 + i;

beforeEach(async () => {
  for (const table of ['job_refusals', 'job_parts', 'jobs', 'free_bets']) await sql.query(`DELETE FROM ${table}`);
});

const shared = JSON.stringify({ betAmount: 100, terms });
const goodList = (count: number, prefix = 'p') =>
  Array.from({ length: count }, (_, i) => [`${prefix}${i}`, 'EUR', null, null, null] as unknown);

/** A direct job with one stored part that claims 20 items, and that began `beganAgoS` seconds ago. */
async function newJob(client: number, list: unknown, beganAgoS: number): Promise<string> {
  await sql.query('INSERT INTO event_heads VALUES ($1, 0) ON CONFLICT DO NOTHING', [client]);
  const { rows } = await sql.query<{ job_id: string }>(
    `INSERT INTO jobs (client_id, job_id, name, shared, content_hash, created_at, parts, items, started_at)
     VALUES ($1, gen_random_uuid(), 'x', $2, '\\x00', now(), 1, 20, world_now() - $3 * interval '1 s') RETURNING job_id`,
    [client, shared, beganAgoS],
  );
  const job_id = rows[0]?.job_id ?? '';
  if (list === undefined) return job_id;
  await sql.query(`INSERT INTO job_parts VALUES ($1, $2, 1, 20, $3, '\\x00')`, [client, job_id, JSON.stringify(list)]);
  return job_id;
}

function twoServers(partners: number) {
  const active = new Set(Array.from({ length: partners }, (_, i) => clientId(i)));
  const failures: string[] = [];
  let faults = 0;
  const observer = {
    stepDone() {},
    failed: (_: number, jobId: string) => void failures.push(jobId),
    fault: () => void faults++,
  };
  const servers = [1, 2].map(() => {
    const lanes = openPlainLanes({ pools, settings: { batchSize: 8 }, observer: { fault: () => {} } });
    const followChanges = async () => {};
    const jobs = startJobs({
      pools,
      lanes,
      isDatabaseUp: () => true,
      active: () => active,
      followChanges,
      observer,
      afterFaultMs: 20,
    });
    return { jobs, lanes };
  });
  return {
    failures,
    faults: () => faults,
    async stop() {
      for (const { jobs, lanes } of servers) await Promise.all([jobs.stop(), lanes.drain()]);
    },
  };
}

const rowsOf = async () =>
  (
    await sql.query(
      `SELECT client_id, job_id, issued, next_item, attempts, failure, finished_at IS NOT NULL AS ended, lease_holder
       FROM jobs ORDER BY client_id, begins_at`,
    )
  ).rows;

const eventsOf = async (client: number): Promise<{ type: string; job?: JobSnapshot }[]> =>
  (
    await sql.query('SELECT events FROM event_batches WHERE client_id = $1 ORDER BY first_sequence', [client])
  ).rows.flatMap(({ events }) => events);

/** With an item of this shape at the eighth place. */
const items: Record<string, unknown> = {
  null: null,
  'an object': {},
  'a string': 'abcde',
  'a number': 5,
  'an empty item': [],
  'too few values': ['p', 'EUR'],
  'too many values': ['p', 'EUR', null, null, null, null],
  'a player that is a number': [5, 'EUR', null, null, null],
  'a currency that is an object': ['p', {}, null, null, null],
  'an id that is a list': ['p', 'EUR', [], null, null],
  'an id that is no UUID': ['p', 'EUR', 'x', null, null],
  'an amount that is text': ['p', 'EUR', null, '1.00', null],
  'a negative amount': ['p', 'EUR', null, -100, null],
  'an amount of parts of a cent': ['p', 'EUR', null, 0.5, null],
  'an amount beyond all bounds': ['p', 'EUR', null, 1e300, null],
  'a quantity of none': ['p', 'EUR', null, null, 0],
  'a player of a megabyte': ['p'.repeat(1024 * 1024), 'EUR', null, null, null],
};

/** As the list of the part; absent where there is no part at all. */
const lists: Record<string, unknown> = {
  'a list that is an object': {},
  'a list that is null': null,
  'a list that is a string': 'x'.repeat(20),
  'an empty list': [],
  'a list that is short': goodList(19),
  'a list that is long': goodList(21),
  'no part': undefined,
};

test('a job with a malformed item or list fails after ten attempts, and the next job of the partner goes on', async () => {
  const shapes = [
    ...Object.entries(items).map(([name, item]) => ({ name, list: goodList(20).with(7, item), issued: 7, part: 1 })),
    ...Object.entries(lists).map(([name, list]) => ({ name, list, issued: 0, part: list === undefined ? null : 1 })),
  ];
  const poisoned: string[] = [];
  for (const [i, { list }] of shapes.entries()) {
    poisoned.push(await newJob(clientId(i), list, 20));
    await newJob(clientId(i), goodList(20, 'q'), 10);
  }
  const servers = twoServers(shapes.length);
  await until('all are over', 60_000, async () => (await rowsOf()).every(({ ended }) => ended));
  await servers.stop();
  const rows = await rowsOf();
  for (const [i, { name, issued, part }] of shapes.entries()) {
    const [bad, good] = rows.slice(2 * i);
    assert.deepEqual([bad.issued, bad.next_item, bad.lease_holder], [issued, issued, null], name);
    assert.deepEqual([bad.failure.part, bad.failure.item], [part, issued], name);
    assert.match(bad.failure.reason, /^The service [a-z0-9 ]+\. Everything before it was processed\.$/, name);
    assert.deepEqual([good.issued, good.failure], [20, null], name);
    const ends = (await eventsOf(clientId(i))).filter(({ job }) => job !== undefined);
    assert.deepEqual(
      ends.map(({ type }) => type),
      ['job.failed', 'job.finished'],
      name,
    );
    assert.deepEqual([ends[0]?.job?.jobId, ends[0]?.job?.issued], [poisoned[i], issued], name);
  }
  const { rows: counts } = await sql.query('SELECT count(*)::int AS n FROM free_bets');
  assert.equal(
    counts[0].n,
    shapes.reduce((sum, { issued }) => sum + issued + 20, 0),
  );
  assert.deepEqual(servers.failures.toSorted(), poisoned.toSorted());
  assert.equal(servers.faults(), 10 * shapes.length, 'each was tried ten times at the same place');
});
