import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import pg from 'pg';
import { ask } from '../../../packages/server/src/engine/statement.ts';
import { findMember } from '../../../packages/server/src/people/sql/administration.ts';
import { insertInvitation, removeOldInvitations } from '../../../packages/server/src/people/sql/invitations.ts';
import { startStaffRemoval } from '../../../packages/server/src/people/work.ts';
import { startExposureRemoval } from '../../../packages/server/src/promo/drafts/work.ts';
import { later, setClock } from '../../support/clock.ts';
import { testDatabase } from '../../support/database.ts';
import { newPerson } from '../../support/sign-in.ts';
import { session } from '../../support/staff.ts';
import { until } from '../../support/waiting.ts';

const { sql } = await testDatabase();

test('expired data is removed, and nothing else', async () => {
  const start = '2027-07-01T12:00:00.000Z';
  const { staffId } = await newPerson(sql);
  const { staffId: other } = await newPerson(sql);
  const fail = (count: number) =>
    sql.query(
      `INSERT INTO sign_in_failures SELECT 'email ' || gen_random_uuid(), 1, world_now() FROM generate_series(1, $1)`,
      [count],
    );
  const have = (count: number) =>
    sql.query(
      `INSERT INTO unapproved_exposure
       SELECT $2, 1, 'free_bet', gen_random_uuid(), 'EUR', 100, 1, world_now() FROM generate_series(1, $1)`,
      [count, staffId],
    );
  await setClock(sql, start);
  await session(sql, staffId);
  await fail(2500);
  await have(250);
  await ask(sql, insertInvitation(randomBytes(32), staffId, false));
  await setClock(sql, later(start, 71 * 3_600_000));
  await ask(sql, insertInvitation(randomBytes(32), other, false));
  await setClock(sql, later(start, 72 * 3_600_000));
  await session(sql, staffId);
  await fail(3);
  await have(2);
  await setClock(sql, later(start, 72 * 3_600_000 + 1));
  const count = async (table: string) => (await sql.query(`SELECT count(*)::int AS n FROM ${table}`)).rows[0].n;
  const faults: unknown[] = [];
  const resources = { pool: sql, isDatabaseUp: () => true, onFault: (error: unknown) => faults.push(error) };
  const removal = startStaffRemoval(resources, { idleMin: 15, hours: 12, pauseMs: 3_600_000 });
  const exposureRemoval = startExposureRemoval(resources, 3_600_000);
  await until('the old ones are gone', 10_000, async () => (await count('sign_in_failures')) === 3);
  await until('what counts no more is gone', 10_000, async () => (await count('unapproved_exposure')) === 2);
  await Promise.all([removal.stop(), exposureRemoval.stop()]);
  assert.deepEqual([await count('sessions'), await count('invitations'), faults], [1, 1, []]);
});

test('the way of signing in that an invitation names is kept until the member accepts, even after it expires', async (t) => {
  t.after(() => setClock(sql, null));
  await setClock(sql, '2027-07-15T12:00:00.000Z');
  const { rows } = await sql.query(
    `INSERT INTO staff (staff_id, email, email_key, name, role, all_partners, created_at)
     SELECT gen_random_uuid(), n, n, n, 'viewer', true, world_now() FROM unnest(ARRAY['late@example.com', 'in@example.com']) n
     RETURNING staff_id`,
  );
  const [late, accepted] = rows.map((row) => row.staff_id);
  for (const [i, staffId] of [late, accepted].entries()) {
    await ask(sql, insertInvitation(randomBytes(32), staffId, true));
    if (i === 1) await sql.query(`UPDATE staff SET password = 'x' WHERE staff_id = $1`, [staffId]);
  }
  await setClock(sql, '2027-07-19T12:00:00.000Z');
  await ask(sql, removeOldInvitations());
  const left = await sql.query('SELECT staff_id FROM invitations WHERE staff_id = ANY ($1)', [[late, accepted]]);
  assert.deepEqual(left.rows, [{ staff_id: late }]);
  const times = { idleMin: 15, hours: 12 };
  assert.equal((await findMember(sql, times, null, late))?.sso, true);
});

test('unrecorded refusals are recorded when their count is removed', async (t) => {
  t.after(() => setClock(sql, null));
  const start = '2027-08-01T12:00:00.000Z';
  await setClock(sql, start);
  await sql.query(
    `INSERT INTO sign_in_failures VALUES ('email refused@example.com', 10, world_now(), 77),
       ('address 203.0.113.7', 5, world_now(), 3), ('email other@example.com', 10, world_now(), 0)`,
  );
  await setClock(sql, later(start, 30 * 60_000 + 1));
  const faults: unknown[] = [];
  const removal = startStaffRemoval(
    { pool: sql, isDatabaseUp: () => true, onFault: (error) => faults.push(error) },
    { idleMin: 15, hours: 12, pauseMs: 3_600_000 },
  );
  const recorded = async () => (await sql.query('SELECT target, record FROM audit ORDER BY target')).rows;
  await until('they are recorded', 10_000, async () => (await recorded()).length > 0);
  await removal.stop();
  assert.deepEqual(
    (await recorded()).map(({ target, record }) => [target, JSON.parse(record).after]),
    [
      ['account refused@example.com', { refused: 77 }],
      ['address 203.0.113.7', { refused: 3 }],
    ],
  );
  assert.deepEqual(faults, []);
});

test('a sign-in hardly waits while many refusals are recorded', async (t) => {
  await sql.query(
    `INSERT INTO sign_in_failures SELECT 'email many-' || n || '@example.com', 10, world_now() - interval '40 minutes', 3
     FROM generate_series(1, 250) n`,
  );
  let trips = 0;
  const pool = new pg.Pool({ ...sql.options, max: 1 });
  t.after(() => pool.end());
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...given: unknown[]) => unknown;
    const counted = (...given: unknown[]) => {
      trips += 1;
      return query(...given);
    };
    Object.assign(client, { query: counted });
  });
  const faults: unknown[] = [];
  const removal = startStaffRemoval(
    { pool, isDatabaseUp: () => true, onFault: (error) => faults.push(error) },
    { idleMin: 15, hours: 12, pauseMs: 3_600_000 },
  );
  const recorded = async () =>
    (await sql.query(`SELECT count(*)::int AS n FROM audit WHERE target LIKE 'account many-%' GROUP BY xmin::text`))
      .rows;
  const countAll = async () => (await recorded()).reduce((sum, { n }) => sum + n, 0);
  await until('they are recorded', 10_000, async () => (await countAll()) === 250);
  await removal.stop();
  // The end of the record is held for as long as a transaction takes.
  assert.deepEqual(
    (await recorded()).map(({ n }) => n).toSorted((a, b) => b - a),
    [100, 100, 50],
  );
  assert.ok(trips < 20, `${trips} round trips`);
  assert.deepEqual(faults, []);
});

test('an invitation takes the place of the one before', async () => {
  const { staffId } = await newPerson(sql);
  const [first, second] = [randomBytes(32), randomBytes(32)];
  for (const hash of [first, second]) await ask(sql, insertInvitation(hash, staffId, false));
  const { rows } = await sql.query('SELECT token_hash FROM invitations WHERE staff_id = $1', [staffId]);
  assert.deepEqual(rows, [{ token_hash: second }]);
});
