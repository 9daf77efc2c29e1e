import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testDatabase } from '../../support/database.ts';
import { until } from '../../support/waiting.ts';
import { fails, succeeds, succeedsWith } from './terminal.ts';

const { env: base, sql } = await testDatabase();
const env = { ...base, PUBLIC_URL: 'https://bets.example' };
await sql.query('TRUNCATE staff CASCADE');

const link = /^https:\/\/bets\.example\/console\/invitation#[\w-]{43}$/;

const lastRecord = async () => {
  const { rows } = await sql.query('SELECT record FROM audit WHERE client_id = 0 ORDER BY sequence DESC LIMIT 1');
  return JSON.parse(rows[0].record);
};

const accept = (email: string) => sql.query(`UPDATE staff SET password = 'not a hash' WHERE email_key = $1`, [email]);

test('invite creates the first admin and prints the link', async () => {
  const invited = await succeedsWith(env, 'staff', 'invite', 'First@Example.com', '--role', 'admin');
  assert.match(invited.link, link);
  const { rows } = await sql.query('SELECT email, email_key, name, role, all_partners, password FROM staff');
  const expected = { email: 'First@Example.com', email_key: 'first@example.com', name: 'First' };
  assert.deepEqual(rows, [{ ...expected, role: 'admin', all_partners: true, password: null }]);
  const { actor, action, reason, before, after, address } = await lastRecord();
  assert.deepEqual(
    [actor, action, reason, before, after.role, address],
    [{ kind: 'cli' }, 'StaffInvite', null, null, 'admin', null],
  );
  assert.ok(!JSON.stringify(await lastRecord()).includes(invited.link.split('#')[1]));
});

test('invite without --json takes all options, and a second invite replaces the link', async () => {
  const args = ['--role', 'manager', '--name', 'Second Person', '--partners', '2,1', '--reason', 'She joins on Monday'];
  const printed = await succeeds(env, 'staff', 'invite', 'second@example.com', ...args);
  assert.match(printed, /^second@example\.com is invited\. The link .* until 20\d\d-.*Z:\nhttps:\/\/bets.*\n$/);
  assert.equal((await lastRecord()).reason, 'She joins on Monday');
  await succeeds(env, 'staff', 'invite', 'SECOND@example.com', ...args);
  const { rows } = await sql.query('SELECT FROM invitations JOIN staff USING (staff_id) WHERE email_key = $1', [
    'second@example.com',
  ]);
  assert.equal(rows.length, 1);
});

test('invalid arguments are refused in one sentence and change nothing', async () => {
  const before = (await sql.query('SELECT s::text FROM staff s ORDER BY 1')).rows;
  const invite = (...args: string[]) => fails(env, 'staff', 'invite', ...args);
  assert.match(await invite('third@example.com'), /--role/);
  assert.match(await invite('third@example.com', '--role', 'chief'), /admin/);
  assert.match(await invite('third', '--role', 'admin'), /name@example\.com/);
  assert.match(await invite('third@example.com', '--role', 'admin', '--name', 'bad\ufffdname'), /in UTF-8/);
  assert.match(
    await invite('third@example.com', '--role', 'admin', '--partners', '1,77'),
    /contains unknown partners: 77/,
  );
  assert.match(await invite('third@example.com', '--role', 'admin', '--partners', 'some'), /whole number/);
  assert.match(await invite('third@example.com', '--role', 'admin', '--reason', 'x'), /3 to 500/);
  assert.match(await invite('third@example.com', '--role', 'admin', '--sso'), /OIDC_ISSUER/);
  assert.match(
    await fails(env, 'staff', 'disable', 'third@example.com'),
    /No staff member has the address third@example\.com/,
  );
  await accept('second@example.com');
  assert.match(await invite('second@example.com', '--role', 'admin'), /belongs to an existing person/);
  await sql.query(`UPDATE staff SET password = NULL`);
  assert.deepEqual((await sql.query('SELECT s::text FROM staff s ORDER BY 1')).rows, before);
});

test('list shows the role and the partners of each person', async () => {
  await accept('first@example.com');
  const [head = '', first = '', second = ''] = (await succeeds(env, 'staff', 'list')).split('\n');
  assert.match(head, /^EMAIL +NAME +ROLE +PARTNERS +STATUS +SECOND FACTOR +SESSIONS +LAST SEEN$/);
  assert.match(first, /^First@Example\.com +First +admin +all +active +no +0 +never$/);
  assert.match(second, /^second@example\.com +Second Person +manager +1, 2 +invited +no +0 +never$/);
  const listed = await succeedsWith(env, 'staff', 'list');
  assert.deepEqual(
    listed.map(({ email, partners }: { email: string; partners: number[] | null }) => [email, partners]),
    [
      ['First@Example.com', null],
      ['second@example.com', [1, 2]],
    ],
  );
});

test('disable, enable and reset-mfa', async () => {
  await accept('second@example.com');
  await sql.query(
    `UPDATE staff SET totp_secret = '\\x01', totp_since = world_now() WHERE email_key = 'second@example.com'`,
  );
  assert.equal(await succeeds(env, 'staff', 'disable', 'Second@Example.com'), 'second@example.com is disabled.\n');
  assert.equal((await lastRecord()).action, 'StaffDisable');
  assert.equal((await succeedsWith(env, 'staff', 'enable', 'second@example.com')).status, 'active');
  const reset = await succeedsWith(env, 'staff', 'reset-mfa', 'second@example.com', '--reason', 'Lost the phone');
  assert.equal(reset.second_factor, false);
  assert.deepEqual(
    [(await lastRecord()).action, (await lastRecord()).reason],
    ['StaffResetSecondFactor', 'Lost the phone'],
  );
  assert.match(await fails(env, 'staff', 'disable', 'first@example.com'), /last admin/);
});

test('reset-password prints a link, and the old password works until the link is used', async () => {
  const made = await succeedsWith(env, 'staff', 'reset-password', 'first@example.com');
  assert.match(made.link, link);
  const { rows } = await sql.query(
    `SELECT password, sso FROM staff JOIN invitations USING (staff_id) WHERE email_key = 'first@example.com' AND used_at IS NULL`,
  );
  assert.deepEqual(rows, [{ password: 'not a hash', sso: false }]);
  assert.equal((await lastRecord()).action, 'StaffResetPassword');
  await succeeds(env, 'staff', 'disable', 'second@example.com');
  assert.match(await fails(env, 'staff', 'reset-password', 'second@example.com'), /disabled/);
});

test('concurrent invitations of one person succeed, and only the newest link works', async () => {
  // There is no admin yet, so the two do not wait for each other.
  await sql.query('UPDATE staff SET password = NULL');
  const other = await sql.connect();
  try {
    await other.query('BEGIN');
    await other.query(
      `INSERT INTO staff (staff_id, email, email_key, name, role, all_partners)
       VALUES (gen_random_uuid(), 'race@example.com', 'race@example.com', 'Race', 'support', true)`,
    );
    const invited = succeedsWith(env, 'staff', 'invite', 'race@example.com', '--role', 'admin');
    const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    await until('it waits', 20_000, async () => (await sql.query(waiting)).rows.length > 0);
    await other.query('COMMIT');
    assert.match((await invited).link, link);
  } finally {
    other.release(true);
  }
  const { rows } = await sql.query(`SELECT role FROM staff WHERE email_key = 'race@example.com'`);
  assert.deepEqual(rows, [{ role: 'admin' }]);
});

test('without PUBLIC_URL the link leads to the address of the server', async () => {
  const hosts = { '::': 'localhost', '0.0.0.0': 'localhost', '::1': '[::1]', '10.0.0.7': '10.0.0.7' };
  for (const [HOST, name] of Object.entries(hosts)) {
    const made = await succeedsWith({ ...base, HOST, PORT: '8090' }, 'staff', 'reset-password', 'first@example.com');
    assert.ok(made.link.startsWith(`http://${name}:8090/console/invitation#`), made.link);
  }
});
