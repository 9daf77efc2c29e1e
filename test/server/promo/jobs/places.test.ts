import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import type { Outcome } from '../../../../packages/server/src/primitives/outcome.ts';
import type { CommandOf, JobStepResult, Lanes } from '../../../../packages/server/src/promo/batch/command.ts';
import { startJobs } from '../../../../packages/server/src/promo/jobs/work.ts';
import { testDatabase } from '../../../support/database.ts';
import { poolsOnSingleNode } from '../../../support/single-node.ts';
import { until } from '../../../support/waiting.ts';

// What a server makes of the jobs it finds, with lanes that answer what the test says.

const { sql } = await testDatabase();
beforeEach(async () => {
  await sql.query('DELETE FROM job_parts');
  await sql.query('DELETE FROM jobs');
});

/** Inserts one job of 200 items for each partner. */
async function newJobs(partners: number, shared = '{}'): Promise<void> {
  await sql.query('INSERT INTO event_heads SELECT 100 + i, 0 FROM generate_series(1, $1) i ON CONFLICT DO NOTHING', [
    partners,
  ]);
  await sql.query(
    `INSERT INTO jobs (client_id, job_id, name, shared, content_hash, created_at, parts, items, started_at)
     SELECT 100 + i, gen_random_uuid(), 'x', $2, '\\x00', now(), 1, 200, world_now() FROM generate_series(1, $1) i`,
    [partners, shared],
  );
  await sql.query(
    `INSERT INTO job_parts SELECT client_id, job_id, 1, 200,
       (SELECT json_agg(json_build_array('p' || i, 'EUR', NULL, NULL, NULL)) FROM generate_series(1, 200) i), '\\x00' FROM jobs`,
  );
}

/** The most partners that newJobs gives jobs to. */
const partners = new Set(Array.from({ length: 100 }, (_, i) => 101 + i));

type Step = CommandOf<'run_job_step'>;
type Answer = (clientId: number, step: Step) => Outcome<JobStepResult>;

function carryOutWith(answer: Answer, followChanges = async () => {}) {
  const submitLowPriority = async (clientId: number, make: (room: number) => Step) => answer(clientId, make(512));
  const faults: unknown[] = [];
  const observer = { stepDone() {}, failed() {}, fault: (error: unknown) => void faults.push(error) };
  const lanes = { submitLowPriority } as unknown as Lanes;
  return {
    ...startJobs({
      pools: poolsOnSingleNode(sql),
      lanes,
      isDatabaseUp: () => true,
      active: () => partners,
      followChanges,
      observer,
    }),
    faults,
  };
}

const paused: Outcome<JobStepResult> = { ok: true, value: { hasRun: true, issued: 0, refused: {} } };

test('with more partners than slots every job gets its turn, even while paused jobs wait', async () => {
  await newJobs(70);
  const served = new Set<number>();
  const jobs = carryOutWith((clientId) => {
    served.add(clientId);
    return paused;
  });
  await until('all had their turn', 15_000, () => served.size === 70);
  assert.ok(jobs.running() <= 64);
  await jobs.stop();
  const { rows } = await sql.query('SELECT FROM jobs WHERE lease_holder IS NOT NULL');
  assert.deepEqual([rows.length, jobs.running(), jobs.faults.length], [0, 0, 0]);
});

test('a step that is not taken is tried again with half as many items', async () => {
  await newJobs(1);
  const sizes: number[] = [];
  const jobs = carryOutWith((_, { commands }) => {
    sizes.push(commands.length);
    return { ok: false, error: 'unavailable' };
  });
  await until('it is small', 10_000, () => sizes.at(-1) === 4);
  await jobs.stop();
  assert.deepEqual(sizes.slice(0, 6), [128, 64, 32, 16, 8, 4]);
});

test('a step of a job with long terms is short', async () => {
  await newJobs(1, JSON.stringify({ betAmount: 100, terms: { quantity: 1, games: Array(500).fill('g'.repeat(128)) } }));
  const sizes: number[] = [];
  const jobs = carryOutWith((_, { commands }) => {
    sizes.push(commands.length);
    return paused;
  });
  await until('a step is made', 10_000, () => sizes.length > 0);
  await jobs.stop();
  assert.ok(
    sizes.every((size) => size === 31 || size === 32),
    `${sizes}`,
  );
});

test('no step is made before the current offers are loaded; if that fails, the job is taken later', async () => {
  await newJobs(1);
  const happened: string[] = [];
  const unavailable = Object.assign(new Error('the connection is lost'), { code: 'ECONNRESET' });
  const jobs = carryOutWith(
    () => {
      happened.push('step');
      return paused;
    },
    async () => {
      happened.push('asked');
      if (happened.length === 1) throw unavailable;
    },
  );
  await until('a step is made', 10_000, () => happened.includes('step'));
  await jobs.stop();
  assert.deepEqual(happened.slice(0, 3), ['asked', 'asked', 'step']);
  assert.deepEqual(jobs.faults, []);
});
