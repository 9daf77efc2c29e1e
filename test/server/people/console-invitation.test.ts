import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ask } from '../../../packages/server/src/engine/statement.ts';
import { insertInvitation } from '../../../packages/server/src/people/sql/invitations.ts';
import { hashToken } from '../../../packages/server/src/people/tokens.ts';
import { later, setClock } from '../../support/clock.ts';
import { testDatabase } from '../../support/database.ts';
import { listenLive } from '../../support/live.ts';
import { testServer } from '../../support/server.ts';
import {
  cookieOf,
  from,
  newAddress,
  newPerson,
  type Person,
  signIn,
  password as usual,
} from '../../support/sign-in.ts';
import { newInvitationToken, type StaffAnswer, session, staffCall } from '../../support/staff.ts';
import { stopwatch } from '../../support/waiting.ts';

// An invited person sets a password and is signed in.

const { env, sql } = await testDatabase();
const settings = { ...env, STAFF_MFA: 'on', TRUSTED_PROXIES: '127.0.0.0/8,::1/128' };
const { url } = await testServer(settings);
const { url: otherUrl } = await testServer(settings);

const password = 'nine purple umbrellas';

async function invited(): Promise<Person & { token: string }> {
  const person = await newPerson(sql, 'manager');
  await sql.query('UPDATE staff SET password = NULL WHERE staff_id = $1', [person.staffId]);
  return { ...person, token: await invitation(person) };
}

async function invitation({ staffId }: Person): Promise<string> {
  const token = newInvitationToken();
  await ask(sql, insertInvitation(hashToken(token), staffId, false));
  return token;
}

const haveSecondFactor = ({ staffId }: Person) =>
  sql.query('UPDATE staff SET totp_secret = $2, totp_since = world_now() WHERE staff_id = $1', [
    staffId,
    Buffer.from('sealed'),
  ]);

const get = (token: unknown): Promise<StaffAnswer> => staffCall(url, '/Invitation/Get', { token });
const accept = (body: object, at = url, address = newAddress()): Promise<StaffAnswer> =>
  staffCall(at, '/Invitation/Accept', { password, ...body }, {}, from(address));

test('an invitation identifies its user and works once', async () => {
  const person = await invited();
  const { token, email } = person;
  assert.deepEqual((await get(token)).body, { email, name: 'A manager', role: 'manager', sso: false });
  const { body: weak } = await accept({ token, password: 'password1234' });
  assert.deepEqual(weak.details, [{ field: 'password', reason: 'must not be one that many people have' }]);
  const { body: own } = await accept({ token, name: 'Hildegard Bingen', password: 'HildegardBingen12' });
  assert.equal(own.details?.[0].field, 'password');
  const accepted = await accept({ token, name: 'Hildegard' });
  assert.deepEqual(
    [accepted.status, accepted.body.name, accepted.body.must_set_up_second_factor],
    [200, 'Hildegard', true],
  );
  const cookie = cookieOf(accepted) as string;
  assert.equal((await staffCall(url, '/Session/Get', {}, { cookie })).body.email, email);
  for (const { body } of [await get(token), await accept({ token })]) assert.equal(body.error, 'invitation_not_valid');
  assert.equal((await signIn(url, person, { password })).status, 200);
  const { rows } = await sql.query(`SELECT record FROM audit WHERE action = 'InvitationAccept'`);
  const [record] = rows.map((row) => JSON.parse(row.record));
  assert.deepEqual([record.actor.email, record.target], [email, { kind: 'staff', id: person.staffId }]);
  assert.ok(!rows[0].record.includes(token) && !rows[0].record.includes('umbrella'));
});

test('only one of several simultaneous accepts succeeds', async () => {
  const { token } = await invited();
  const answers = await Promise.all([url, otherUrl, url, otherUrl].map((at) => accept({ token }, at)));
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 404, 404, 404]);
});

test('an unknown, replaced or expired invitation, or one of a disabled member, is refused', async (t) => {
  t.after(() => setClock(sql, null));
  const [replaced, old, disabled] = [await invited(), await invited(), await invited()];
  await invitation(replaced);
  await sql.query('UPDATE staff SET disabled_at = world_now() WHERE staff_id = $1', [disabled.staffId]);
  const isRefused = async (token: string) => {
    for (const { status, body } of [await get(token), await accept({ token })]) {
      assert.deepEqual([status, body.error], [404, 'invitation_not_valid']);
    }
  };
  for (const token of [replaced.token, disabled.token, newInvitationToken()]) await isRefused(token);
  const { rows } = await sql.query('SELECT created_at FROM invitations WHERE staff_id = $1', [old.staffId]);
  await setClock(sql, later(rows[0].created_at.toISOString(), 72 * 3_600_000 - 1000));
  assert.equal((await get(old.token)).status, 200);
  await setClock(sql, later(rows[0].created_at.toISOString(), 72 * 3_600_000));
  await isRefused(old.token);
  for (const token of [7, null, '', 'x', `${old.token}x`, `${old.token.slice(0, 42)}\u0000`]) {
    assert.equal((await get(token)).status, 400, String(token));
  }
});

test('changing the password invalidates earlier invitation links', async () => {
  const person = await newPerson(sql);
  await haveSecondFactor(person);
  const token = await invitation(person);
  const cookie = await session(sql, person.staffId);
  const change = { password: usual, new_password: 'eleven silver kettles' };
  assert.equal((await staffCall(url, '/Account/Password', change, { cookie })).status, 200);
  for (const { body } of [await get(token), await accept({ token })]) assert.equal(body.error, 'invitation_not_valid');
});

test('a second invitation ends sessions and a lock, but does not stand in for a second factor', async () => {
  const person = await newPerson(sql);
  const cookie = cookieOf(await signIn(url, person)) as string;
  await sql.query(`INSERT INTO sign_in_failures VALUES ('email ' || $1, 10, world_now())`, [person.email]);
  assert.equal((await signIn(url, person)).status, 401);
  assert.equal((await accept({ token: await invitation(person) })).status, 200);
  assert.equal((await staffCall(url, '/Session/Get', {}, { cookie })).status, 401);
  assert.equal((await signIn(url, person, { password })).status, 200);
  await haveSecondFactor(person);
  const listening = await listenLive(url, { ...person, cookie: await session(sql, person.staffId) });
  const tookMs = stopwatch();
  const again = await accept({ token: await invitation(person), password: 'ten orange lanterns' });
  assert.deepEqual([again.body.error, cookieOf(again)], ['code_needed', undefined]);
  await listening.ended;
  assert.ok(tookMs() < 10_000, `${tookMs()} ms`);
  assert.equal((await signIn(url, person, { password: 'ten orange lanterns' })).body.error, 'code_needed');
});
