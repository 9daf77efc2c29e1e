import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { readConfig } from '../../../packages/server/src/config.ts';
import { openPools } from '../../../packages/server/src/runtime/pools.ts';
import { testDatabase } from '../../support/database.ts';

const { env } = await testDatabase();

/** In the database, of the connections that write. */
async function timeoutsWith(deadlineMs: number): Promise<string[]> {
  const config = readConfig({ ...env, REQUEST_DEADLINE_MS: String(deadlineMs) });
  const pools = openPools(config, { connectionString: env.DATABASE_URL });
  after(() => Promise.all(Object.values(pools).map((pool) => pool.end())));
  const { rows } = await pools.lanes.query<{ setting: string }>(
    `SELECT setting FROM pg_settings
     WHERE name IN ('idle_in_transaction_session_timeout', 'statement_timeout', 'transaction_timeout') ORDER BY name`,
  );
  return rows.map(({ setting }) => setting);
}

test('a batch is ended by the database at the deadline of its requests, and well before its partners fall asleep', async () => {
  assert.deepEqual(await timeoutsWith(5000), ['5000', '5000', '5000']);
  assert.deepEqual(await timeoutsWith(600_000), ['20000', '20000', '20000']);
});
