import assert from 'node:assert/strict';
import { test } from 'node:test';
import { later, setClock } from '../../support/clock.ts';
import { testDatabase } from '../../support/database.ts';
import { testServer } from '../../support/server.ts';
import { codeAt, cookieOf, from, newAddress, newPerson, type Person, password, signIn } from '../../support/sign-in.ts';
import { acceptedStaffCall, type StaffAnswer, staffCall } from '../../support/staff.ts';

// The second factor, on two servers that require it and one that does not. The clock moves only when a test moves it.

const { env, sql } = await testDatabase();
const settings = { ...env, TRUSTED_PROXIES: '127.0.0.0/8,::1/128' };
const { url } = await testServer({ ...settings, STAFF_MFA: 'on' });
const { url: otherUrl } = await testServer({ ...settings, STAFF_MFA: 'on' });
const { url: laxUrl } = await testServer({ ...settings, STAFF_MFA: 'off' });

let now = '2027-06-01T12:00:00.000Z';
/** Moves to the next time step, so that the previous code does not interfere. */
async function nextStep(steps = 1): Promise<void> {
  now = later(now, steps * 30_000);
  await setClock(sql, now);
}
await nextStep();

interface Protected extends Person {
  secret: string;
  recoveryCodes: string[];
  cookie: string;
}

const codeOf = ({ secret }: { secret: string }, steps = 0) => codeAt(secret, now, steps);
const post = (path: string, body: object, cookie: string, { address }: Person, at = url) =>
  staffCall(at, path, body, { cookie }, from(address));

/** A user who set up a second factor one step ago. */
async function protectedPerson(): Promise<Protected> {
  const person = await newPerson(sql);
  const first = cookieOf(await signIn(url, person)) as string;
  const { body } = await post('/Account/SecondFactor/Begin', {}, first, person);
  const confirmed = await post('/Account/SecondFactor/Confirm', { code: codeOf(body) }, first, person);
  assert.equal(confirmed.status, 200, JSON.stringify(confirmed.body));
  await nextStep();
  return {
    ...person,
    secret: body.secret,
    recoveryCodes: confirmed.body.recovery_codes,
    cookie: cookieOf(confirmed) as string,
  };
}

const errorOf = ({ status, body }: StaffAnswer) => (status === 200 ? 'signed in' : body.error);
/** From a new address each time, which has no failures. */
const enter = async ({ email }: Person, body: object, at = url) =>
  errorOf(await signIn(at, { email, address: newAddress() }, body));

test('a user without a second factor can only set one up, and gets a new session for it', async () => {
  const person = await newPerson(sql);
  const answer = await signIn(url, person);
  assert.equal(answer.body.must_set_up_second_factor, true);
  const cookie = cookieOf(answer) as string;
  for (const path of ['/Session/List', '/Account/Password', '/Account/RecoveryCodes', '/FreeBets/List']) {
    assert.equal((await post(path, {}, cookie, person)).body.error, 'second_factor_needed', path);
  }
  const other = cookieOf(await signIn(url, person)) as string;
  const { secret, uri } = await acceptedStaffCall(url, '/Account/SecondFactor/Begin', {}, { cookie });
  assert.match(secret, /^[A-Z2-7]{32}$/);
  const read = new URL(uri);
  assert.equal(decodeURIComponent(read.pathname), `/Freebets:${person.email}`);
  assert.deepEqual(Object.fromEntries(read.searchParams), {
    secret,
    issuer: 'Freebets',
    algorithm: 'SHA1',
    digits: '6',
    period: '30',
  });
  assert.equal(
    (await post('/Account/SecondFactor/Confirm', { code: '000000' }, cookie, person)).body.error,
    'sign_in_failed',
  );
  const confirmed = await post('/Account/SecondFactor/Confirm', { code: codeOf({ secret }) }, cookie, person);
  assert.equal(new Set(confirmed.body.recovery_codes).size, 10);
  const renewed = cookieOf(confirmed) as string;
  for (const old of [cookie, other]) assert.equal((await post('/Session/Get', {}, old, person)).status, 401);
  const { body } = await post('/Session/Get', {}, renewed, person);
  assert.equal(body.must_set_up_second_factor, false);
  const { rows } = await sql.query('SELECT totp_secret, totp_next FROM staff WHERE staff_id = $1', [person.staffId]);
  assert.equal(rows[0].totp_next, null);
  assert.ok(!rows[0].totp_secret.toString('latin1').includes(secret), 'it is sealed');
  const hashes = await sql.query('SELECT code_hash FROM recovery_codes WHERE staff_id = $1', [person.staffId]);
  assert.equal(hashes.rows.length, 10);
  const records = JSON.stringify((await sql.query('SELECT record FROM audit')).rows);
  for (const hidden of [secret, ...confirmed.body.recovery_codes]) assert.ok(!records.includes(hidden));
});

test('the code is requested only after the right password, on every server', async () => {
  const person = await protectedPerson();
  for (const at of [url, laxUrl]) assert.equal(await enter(person, {}, at), 'code_needed');
  assert.equal(await enter(person, { password: 'seven green bottle!' }), 'sign_in_failed');
  assert.equal(await enter(person, { password: 'seven green bottle!', code: codeOf(person) }), 'sign_in_failed');
  assert.equal(
    await enter(person, { code: codeOf(person) }),
    'signed in',
    'a code with a wrong password is not used up',
  );
});

test('a code works once, and one step early or late', async () => {
  const person = await protectedPerson();
  await nextStep(5);
  assert.equal(await enter(person, { code: codeOf(person, -2) }), 'sign_in_failed');
  assert.equal(await enter(person, { code: codeOf(person, 2) }), 'sign_in_failed');
  assert.equal(await enter(person, { code: codeOf(person, -1) }), 'signed in');
  assert.equal(await enter(person, { code: codeOf(person, -1) }), 'sign_in_failed');
  assert.equal(await enter(person, { code: codeOf(person, 1).replace(/(...)/, '$1 ') }), 'signed in');
  assert.equal(await enter(person, { code: codeOf(person, 1) }), 'sign_in_failed');
  assert.equal(await enter(person, { code: codeOf(person) }), 'sign_in_failed', 'one before the latest that was used');
});

test('the code of the setup does not sign in', async () => {
  const person = await newPerson(sql);
  const cookie = cookieOf(await signIn(url, person)) as string;
  const { body } = await post('/Account/SecondFactor/Begin', {}, cookie, person);
  const code = codeOf(body);
  assert.equal((await post('/Account/SecondFactor/Confirm', { code }, cookie, person)).status, 200);
  assert.equal(await enter(person, { code }), 'sign_in_failed');
});

test('only one of several simultaneous sign-ins with one code succeeds, across two servers', async () => {
  for (const kind of ['code', 'recovery code'] as const) {
    const person = await protectedPerson();
    const code = kind === 'code' ? codeOf(person) : person.recoveryCodes[0];
    const answers = await Promise.all([url, otherUrl, url, otherUrl].map((at) => enter(person, { code }, at)));
    assert.deepEqual(answers.toSorted(), ['sign_in_failed', 'sign_in_failed', 'sign_in_failed', 'signed in'], kind);
  }
});

test('a recovery code works once, in any spelling, for its owner', async () => {
  const [person, other] = [await protectedPerson(), await protectedPerson()];
  const [first = '', second = ''] = person.recoveryCodes;
  assert.match(first, /^([A-Z2-7]{4}-){3}[A-Z2-7]{4}$/);
  assert.equal(await enter(other, { code: first }), 'sign_in_failed');
  assert.equal(await enter(other, { code: codeOf(person) }), 'sign_in_failed');
  assert.equal(await enter(person, { code: first }), 'signed in');
  assert.equal(await enter(person, { code: first }), 'sign_in_failed');
  assert.equal(await enter(person, { code: second.toLowerCase().replaceAll('-', ' ') }), 'signed in');
  const { cookie } = person;
  assert.equal((await post('/Account/RecoveryCodes', { code: '000000' }, cookie, person)).body.error, 'sign_in_failed');
  const renewed = await post('/Account/RecoveryCodes', { code: codeOf(person) }, cookie, person);
  assert.equal(new Set([...renewed.body.recovery_codes, ...person.recoveryCodes]).size, 20);
  assert.equal(await enter(person, { code: person.recoveryCodes[3] }), 'sign_in_failed', 'earlier codes do not work');
  assert.equal(await enter(person, { code: renewed.body.recovery_codes[3] }), 'signed in');
});

test('wrong codes count like wrong passwords, and a right password alone resets nothing', async () => {
  const person = await protectedPerson();
  for (let i = 0; i < 10; i++) {
    await nextStep(1.2);
    assert.equal(await enter(person, {}), 'code_needed');
    assert.equal(await enter(person, { code: codeOf(person, 5) }), 'sign_in_failed');
  }
  await nextStep(2);
  assert.equal(await enter(person, {}), 'sign_in_failed');
  assert.equal(await enter(person, { code: codeOf(person) }), 'sign_in_failed', 'locked');
  await nextStep(60);
  assert.equal(await enter(person, { code: codeOf(person) }), 'signed in');
});

test('a session does not help to guess a code or the password', async () => {
  const person = await protectedPerson();
  const { cookie } = person;
  for (let i = 0; i < 10; i++) {
    await nextStep(1.2);
    const at = { ...person, address: newAddress() };
    const [path, body] =
      i % 3 === 0
        ? ['/Account/RecoveryCodes', { code: codeOf(person, 5) }]
        : i % 3 === 1
          ? ['/Account/SecondFactor/Begin', { password: 'seven green bottle!' }]
          : ['/Account/SecondFactor/Confirm', { code: codeOf(person, 5) }];
    assert.equal((await post(path as string, body as object, cookie, at)).body.error, 'sign_in_failed');
  }
  const at = { ...person, address: newAddress() };
  const locked = await post('/Account/SecondFactor/Begin', { password }, cookie, at);
  assert.equal(locked.body.error, 'sign_in_failed');
  await nextStep(61);
});

test('replacing a second factor needs its code, and it stays valid until the new one is confirmed', async () => {
  const person = await protectedPerson();
  const { cookie } = person;
  assert.equal((await post('/Account/SecondFactor/Begin', {}, cookie, person)).body.error, 'code_needed');
  const begun = await post('/Account/SecondFactor/Begin', { code: codeOf(person) }, cookie, person);
  assert.equal(begun.status, 200);
  await nextStep();
  assert.equal(await enter(person, { code: codeOf(begun.body) }), 'sign_in_failed');
  assert.equal(await enter(person, { code: codeOf(person) }), 'signed in', 'the one before holds');
  const byPassword = await post('/Account/SecondFactor/Begin', { password }, cookie, person);
  assert.equal(byPassword.body.error, 'code_needed');
  await nextStep();
  const both = { password, code: codeOf(person) };
  const again = await post('/Account/SecondFactor/Begin', both, cookie, person);
  const confirm = (code: string) => post('/Account/SecondFactor/Confirm', { code }, cookie, person);
  assert.equal((await confirm(codeOf(begun.body))).body.error, 'sign_in_failed', 'another was begun since');
  assert.equal((await confirm(codeOf(again.body))).status, 200);
  await nextStep();
  assert.equal(await enter(person, { code: codeOf(person) }), 'sign_in_failed');
  assert.equal(await enter(person, { code: person.recoveryCodes[0] }), 'sign_in_failed');
  assert.equal(await enter(person, { code: codeOf(again.body) }), 'signed in');
});

test("a sealed secret that is copied to another account can't be opened", async () => {
  const [person, thief] = [await protectedPerson(), await protectedPerson()];
  await sql.query(
    'UPDATE staff SET totp_secret = (SELECT totp_secret FROM staff WHERE staff_id = $2) WHERE staff_id = $1',
    [person.staffId, thief.staffId],
  );
  assert.equal(await enter(person, { code: codeOf(thief) }), 'sign_in_failed');
});
