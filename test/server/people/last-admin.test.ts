import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { citusUrl, testDatabase } from '../../support/database.ts';
import { testServer } from '../../support/server.ts';
import { type Staff, type StaffAnswer, signedIn, staffCall } from '../../support/staff.ts';
import { until } from '../../support/waiting.ts';

// At least one admin of all partners can always sign in, even under concurrent requests to two servers.

const { env, sql } = await testDatabase();
const servers = [await testServer(env), await testServer(env)] as const;
const reason = 'For this test';

let one: Staff;
let other: Staff;
/** An admin who has no way to sign in, and so is not counted. */
const guest = await signedIn(sql, 'admin');

async function active(): Promise<Staff> {
  const person = await signedIn(sql, 'admin');
  await sql.query(`UPDATE staff SET password = 'not a hash' WHERE staff_id = $1`, [person.staffId]);
  return person;
}

beforeEach(async () => {
  await sql.query(`UPDATE staff SET disabled_at = world_now() WHERE staff_id <> $1`, [guest.staffId]);
  one = await active();
  other = await active();
});

const does = (path: string, body: object, by: Staff, server = 0) =>
  staffCall(servers[server]?.url as string, `/Staff${path}`, { ...body, reason }, by);

const left = async () => {
  const { rows } = await sql.query(
    `SELECT staff_id FROM staff
     WHERE role = 'admin' AND all_partners AND disabled_at IS NULL AND password IS NOT NULL`,
  );
  return rows.length;
};

const takings = [
  ['/Disable', {}],
  ['/Update', { role: 'manager' }],
  ['/Update', { partners: [1] }],
] as const;

for (const [path, body] of takings) {
  test(`the last admin is kept: ${path} ${JSON.stringify(body)}`, async () => {
    assert.equal((await does(path, { staff_id: other.staffId, ...body }, one)).status, 200);
    const refused = await does(path, { staff_id: one.staffId, ...body }, guest);
    assert.deepEqual([refused.status, refused.body.error, await left()], [409, 'last_admin', 1]);
    const { rows } = await sql.query('SELECT count(*)::int AS n FROM sessions WHERE staff_id = $1', [one.staffId]);
    assert.equal(rows[0].n, 1, 'nothing of it has happened');
    assert.equal((await does('/Update', { staff_id: one.staffId, name: 'Still here' }, guest)).status, 200);
  });

  test(`two servers at the same time: ${path} ${JSON.stringify(body)}`, async () => {
    await does('/Update', { staff_id: one.staffId, name: 'Recorded' }, other);
    const answers = await bothAtATime(() => [
      does(path, { staff_id: other.staffId, ...body }, one, 0),
      does(path, { staff_id: one.staffId, ...body }, other, 1),
    ]);
    const outcomes = answers.map(({ status, body }) => body.error ?? status).toSorted();
    assert.deepEqual([outcomes, await left()], [[200, 'last_admin'], 1]);
  });
}

// On many machines the lock is waited for at another one.
const isWaiting =
  citusUrl() === undefined
    ? `wait_event_type = 'Lock'`
    : `application_name = 'freebets staff' AND state = 'active' AND query_start < clock_timestamp() - interval '0.3 s'`;

/** Decisions wait before they are recorded, until all others have decided or wait for them. */
async function bothAtATime(begin: () => Promise<StaffAnswer>[]): Promise<StaffAnswer[]> {
  const client = await sql.connect();
  await client.query('BEGIN');
  await client.query('SELECT FROM audit_heads WHERE client_id = 0 FOR UPDATE');
  const answers = begin();
  await until('both wait', 10_000, async () => {
    const { rowCount } = await sql.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND ${isWaiting}`,
    );
    return rowCount === answers.length;
  });
  await client.query('ROLLBACK');
  client.release();
  return Promise.all(answers);
}

test('one who cannot sign in may be taken', async () => {
  assert.equal((await does('/Disable', { staff_id: other.staffId }, one)).status, 200);
  const invited = await signedIn(sql, 'admin');
  assert.equal((await does('/Disable', { staff_id: invited.staffId }, one)).status, 200);
});
