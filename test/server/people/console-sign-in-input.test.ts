import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testDatabase } from '../../support/database.ts';
import { testServer } from '../../support/server.ts';
import { cookieOf, from, newPerson, signIn } from '../../support/sign-in.ts';
import { acceptedStaffCall, staffCall } from '../../support/staff.ts';

// Validation of sign-in requests, and of their origin.

const { env, sql } = await testDatabase();
const { url } = await testServer({ ...env, STAFF_MFA: 'off', TRUSTED_PROXIES: '127.0.0.0/8,::1/128' });

test('every kind of invalid input is refused without a record', async () => {
  const { email, address } = await newPerson(sql);
  const before = (await sql.query('SELECT count(*)::int AS n FROM audit')).rows[0].n;
  for (const body of [
    { password: 'x'.repeat(257) },
    { password: 'seven green\u0000bottles' },
    { password: 7 },
    { password: ['seven green bottles'] },
    { password: { length: 12 } },
    { password: null },
    { password: '' },
    { email: `${'x'.repeat(64)}@${'y'.repeat(200)}` },
    { email: { $ne: null } },
    { email: 'unknown' },
    { email: 'a\u0000b@example.com' },
    { code: 123456 },
    { code: 'x'.repeat(41) },
    { code: "' OR 1=1" },
    { admin: true },
  ]) {
    assert.equal((await signIn(url, { email, address }, body)).status, 400, JSON.stringify(body).slice(0, 60));
  }
  for (const text of [`{"email":"${email}","password":"seven green \\ud800 bottles"}`, '{"email":', '[]']) {
    assert.equal((await staffCall(url, '/Session/SignIn', text, {}, from(address))).status, 400, text);
  }
  const large = JSON.stringify({ email, password: 'x'.repeat(20_000) });
  assert.equal((await staffCall(url, '/Session/SignIn', large, {}, from(address))).status, 413);
  assert.equal((await sql.query('SELECT count(*)::int AS n FROM audit')).rows[0].n, before);
});

test('another site cannot sign a user in', async () => {
  const person = await newPerson(sql);
  const { status } = await signIn(url, person, {}, { headers: { 'sec-fetch-site': 'cross-site' } });
  assert.equal(status, 403);
});

test('control characters in the user agent are not listed', async () => {
  const person = await newPerson(sql);
  const agent = 'Fox\tfire \u0085<script>\u00ad';
  const cookie = cookieOf(await signIn(url, person, {}, { headers: { 'user-agent': agent } })) as string;
  const { sessions } = await acceptedStaffCall(url, '/Session/List', {}, { cookie });
  assert.equal(sessions[0].browser, 'Foxfire <script>');
});
