import assert from 'node:assert/strict';
import { test } from 'node:test';
import { partnersAsKeys } from '../../../../packages/server/src/engine/rows.ts';
import { ask } from '../../../../packages/server/src/engine/statement.ts';
import { migrate, migrations } from '../../../../packages/server/src/ops/schema/migrations.ts';
import { getJob } from '../../../../packages/server/src/promo/jobs/sql/jobs.ts';
import { findJobQuotas } from '../../../../packages/server/src/promo/jobs/sql/quota.ts';
import { countFailedJobs } from '../../../../packages/server/src/promo/jobs/sql/work.ts';
import { testDatabase } from '../../../support/database.ts';

const states = {
  open: '',
  running: 'started_at = created_at',
  finished: 'started_at = created_at, finished_at = created_at',
  stopped: 'stopped_at = created_at',
  cleared: 'stopped_at = created_at, cleared = true',
};

test('existing jobs stay unchanged, and count toward the quota with their stored parts', async () => {
  const { sql } = await testDatabase('empty');
  await migrate(
    sql,
    migrations.filter(({ name }) => name < '0023'),
  );
  const ids = new Map<string, string>();
  for (const [state, change] of Object.entries(states)) {
    const { rows } = await sql.query<{ job_id: string }>(
      `INSERT INTO jobs (client_id, job_id, name, shared, content_hash, created_at, parts, items)
       VALUES (1, gen_random_uuid(), $1, '{}', '\\x00', now(), 2, 2) RETURNING job_id`,
      [state],
    );
    const job_id = rows[0]?.job_id ?? '';
    ids.set(state, job_id);
    if (change !== '') await sql.query(`UPDATE jobs SET ${change} WHERE job_id = $1`, [job_id]);
    if (state === 'finished' || state === 'cleared') continue;
    for (const part of [1, 2])
      await sql.query(`INSERT INTO job_parts VALUES (1, $1, $2, 1, '[["é","EUR",null,null,null]]', '\\x00')`, [
        job_id,
        part,
      ]);
  }
  const { schema } = await migrate(sql, migrations);
  assert.equal(schema.state, 'current');
  const bytes = 2 * Buffer.byteLength('[["é","EUR",null,null,null]]');
  for (const [state, job_id] of ids) {
    const found = await ask(sql, getJob(1, job_id));
    const hasParts = state !== 'finished' && state !== 'cleared';
    assert.deepEqual(
      [found?.job.failure, found?.job.attempts, Number(found?.job.bytes)],
      [null, 0, hasParts ? bytes : 0],
      state,
    );
  }
  const [used] = await ask(sql, findJobQuotas(partnersAsKeys([1])));
  assert.deepEqual([Number(used?.jobs), Number(used?.bytes)], [2, 3 * bytes]);
  assert.equal(await countFailedJobs(sql), 0);
});
