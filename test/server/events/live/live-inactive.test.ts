import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { change } from '../../../../packages/server/src/audit/change.ts';
import { openPool } from '../../../../packages/server/src/engine/connection.ts';
import { openHub } from '../../../../packages/server/src/events/live/hub.ts';
import { testDatabase } from '../../../support/database.ts';
import { until } from '../../../support/waiting.ts';

// The queries of the stream with many partners, most of them inactive.

const { env, sql } = await testDatabase();
const inactive = 100;
await sql.query(`INSERT INTO event_heads (client_id, last_sequence) SELECT 1000 + n, 5 FROM generate_series(1, $1) n`, [
  inactive,
]);

const record = (clientId: number | undefined, id: string) =>
  change(
    { pool: sql, by: { actor: { kind: 'cli' }, action: 'Test', address: null, requestId: null, reason: null } },
    async () => ({
      answer: undefined,
      ...(clientId && { clientId }),
      changed: { target: { kind: 'catalogue', id }, before: null, after: {} },
    }),
  );

test('active partners are asked about, and all from time to time, so that nothing is missed', async (t) => {
  const connection = { connectionString: env.DATABASE_URL as string };
  const pool = openPool({ connection, max: 2, queryTimeoutMs: 10_000, applicationName: 'hub' });
  const sizes: number[] = [];
  const query = pool.query.bind(pool) as (asked: object) => Promise<{ rows: unknown[] }>;
  t.mock.method(pool, 'query', async (asked: object) => {
    const answer = await query(asked);
    sizes.push(answer.rows.length);
    return answer;
  });
  const hasReadAll = () => sizes.some((size) => size >= inactive);
  let isUp = true;
  const hub = openHub({
    pool,
    partnerProfile: () => assert.fail(),
    isDatabaseUp: () => isUp,
    committed: { subscribe: () => () => {} },
    onFault: assert.ifError,
  });
  const heard: string[] = [];
  const leave = await hub.join([2], { send: (frame) => heard.push(frame.toString()), end() {} });
  const hears = (id: string) => until(id, 5000, () => heard.some((frame) => frame.includes(id)));
  assert.ok(hasReadAll(), 'how far they are at the beginning');
  sizes.length = 0;
  await record(2, 'of a partner that becomes active');
  await hears('of a partner that becomes active');
  await record(undefined, 'of no partner');
  await hears('of no partner');
  assert.ok(!hasReadAll());

  // The database was away for the hub, and when it is back the partner is inactive again.
  isUp = false;
  await delay(500);
  await record(2, 'meanwhile');
  await sql.query('DELETE FROM due_partners');
  const now = performance.now.bind(performance);
  t.mock.method(performance, 'now', () => now() + 30_000);
  isUp = true;
  await hears('meanwhile');
  assert.ok(hasReadAll());
  sizes.length = 0;
  await record(2, 'afterwards');
  await hears('afterwards');
  assert.ok(!hasReadAll());

  // What has taken over lacks the last of it.
  await sql.query(
    `SET session_replication_role = replica;
     DELETE FROM audit WHERE client_id = 2 AND sequence > 1;
     UPDATE audit_heads SET sequence = 1 WHERE client_id = 2;
     RESET session_replication_role`,
  );
  sizes.length = 0;
  await until('it has asked', 5000, () => sizes.length >= 4);
  await record(2, 'under a number that was given before');
  await hears('under a number that was given before');
  leave();
  await hub.stop();
  await pool.end();
});
