import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { JobStepResult, Lanes } from '../../../../packages/server/src/promo/batch/command.ts';
import { startJobs } from '../../../../packages/server/src/promo/jobs/work.ts';
import { testDatabase } from '../../../support/database.ts';
import { terms } from '../../../support/plain-commands.ts';
import { openPlainLanes } from '../../../support/plain-lanes.ts';
import { poolsOnSingleNode } from '../../../support/single-node.ts';
import { until } from '../../../support/waiting.ts';

// Two servers under sustained overload: requests leave the jobs of each one transaction at a time, so that a step of 64 jobs waits for
// its turn longer than its lease lasts. There are more jobs than both servers have places for.

const { sql } = await testDatabase();
const pools = poolsOnSingleNode(sql);
const [partners, items, room, turnMs] = [140, 20, 16, 150];
const clientIds = Array.from({ length: partners }, (_, i) => 101 + i);

await sql.query('INSERT INTO event_heads SELECT unnest($1::int[]), 0 ON CONFLICT DO NOTHING', [clientIds]);
await sql.query(
  `INSERT INTO jobs (client_id, job_id, name, shared, content_hash, created_at, parts, items, started_at)
   SELECT c, gen_random_uuid(), 'x', $2, '\\x00', now(), 1, $3, world_now() FROM unnest($1::int[]) c`,
  [clientIds, JSON.stringify({ betAmount: 100, terms }), items],
);
await sql.query(
  `INSERT INTO job_parts SELECT client_id, job_id, 1, $1,
     (SELECT json_agg(json_build_array('p' || i, 'EUR', NULL, NULL, NULL)) FROM generate_series(1, $1) i), '\\x00' FROM jobs`,
  [items],
);

/** Lanes that are left one transaction for all jobs, one after the other, in the order in which they asked. */
function overloadedServer() {
  const lanes = openPlainLanes({ pools });
  let turn = Promise.resolve();
  const steps = { carriedOut: 0, wasted: 0, longestWaitMs: 0 };
  const submitLowPriority: Lanes['submitLowPriority'] = (clientId, make) => {
    const askedAt = performance.now();
    const outcome = turn.then(async () => {
      await setTimeout(turnMs);
      steps.longestWaitMs = Math.max(steps.longestWaitMs, performance.now() - askedAt);
      return lanes.submitLowPriority(clientId, () => make(room));
    });
    turn = outcome.then(
      (answer) => {
        if (answer.ok && (answer.value as JobStepResult).hasRun) steps.carriedOut++;
        else steps.wasted++;
      },
      () => {},
    );
    return outcome;
  };
  const jobs = startJobs({
    pools,
    lanes: { ...lanes, submitLowPriority },
    isDatabaseUp: () => true,
    active: () => new Set(clientIds),
    followChanges: async () => {},
    observer: {
      stepDone() {},
      failed: (_, id) => assert.fail(`${id} failed`),
      fault: (error) => assert.fail(String(error)),
    },
  });
  return { jobs, lanes, steps };
}

test('two servers that are overloaded for long do not take each other’s jobs: every step is carried out', async (t) => {
  const servers = [overloadedServer(), overloadedServer()];
  const left = async () => (await sql.query('SELECT count(*)::int AS n FROM jobs WHERE finished_at IS NULL')).rows[0].n;
  await until('every job is finished', 90_000, async () => (await left()) === 0).finally(() =>
    t.diagnostic(JSON.stringify(servers.map(({ steps }) => steps))),
  );
  for (const { jobs, lanes, steps } of servers) {
    await jobs.stop();
    await lanes.drain();
    assert.ok(steps.longestWaitMs > 8000, 'a step has waited longer than a lease lasts');
    assert.equal(steps.wasted, 0);
  }
  const { rows } = await sql.query('SELECT count(*)::int AS n FROM jobs WHERE issued = $1', [items]);
  assert.deepEqual(rows, [{ n: partners }]);
});
