import assert from 'node:assert/strict';
import { argon2Sync, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { errors } from '@freebets/contract';
import { hashPassword } from '../../../packages/server/src/people/passwords.ts';
import { openConsoleTurns } from '../../../packages/server/src/people/turns.ts';
import { later, setClock } from '../../support/clock.ts';
import { testDatabase } from '../../support/database.ts';
import { whileHeld } from '../../support/held-table.ts';
import { times } from '../../support/long.ts';
import { testServer } from '../../support/server.ts';
import { cookieOf, from, newAddress, newPerson, password, signIn } from '../../support/sign-in.ts';
import { acceptedStaffCall, staffCall } from '../../support/staff.ts';
import { until } from '../../support/waiting.ts';

// Sign-in with a password, and attacks on it. Two servers share one database, without a second factor.

const { env, sql } = await testDatabase();
const settings = { ...env, STAFF_MFA: 'off', TRUSTED_PROXIES: '127.0.0.0/8,::1/128' };
const { url } = await testServer(settings);
const { url: otherUrl } = await testServer(settings);

const wrong = { password: 'seven green bottle!' };
const records = async (email: string) => {
  const { rows } = await sql.query('SELECT client_id, record FROM audit WHERE target = $1 ORDER BY sequence', [
    `account ${email}`,
  ]);
  return rows.map(({ client_id, record }) => ({ client_id, ...JSON.parse(record) }));
};
/** Checked sign-ins that failed. */
const failures = async (email: string) => (await records(email)).filter(({ after }) => 'failed' in after);
const signedInAs = async (cookie: string | undefined, at = url) =>
  (await staffCall(at, '/Session/Get', {}, { ...(cookie && { cookie }) })).body;

test('the right password signs in, in any case of the address, and is recorded', async () => {
  const person = await newPerson(sql, 'support');
  const answer = await signIn(url, { ...person, email: person.email.toUpperCase() });
  assert.deepEqual(answer.body, {
    staff_id: person.staffId,
    email: person.email,
    name: 'A support',
    role: 'support',
    partners: null,
    must_set_up_second_factor: false,
  });
  assert.match(answer.headers.get('set-cookie') ?? '', /^freebets=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/);
  assert.deepEqual(await signedInAs(cookieOf(answer), otherUrl), answer.body);
  const [record, ...more] = await records(person.email);
  assert.deepEqual(more, []);
  assert.deepEqual(
    [record.client_id, record.action, record.address, record.actor],
    [0, 'SignIn', person.address, { kind: 'staff', staff_id: person.staffId, email: person.email, role: 'support' }],
  );
});

test('unknown, disabled and invited accounts are refused like a wrong password', async () => {
  const [known, disabled, invited] = [await newPerson(sql), await newPerson(sql), await newPerson(sql)];
  await sql.query('UPDATE staff SET disabled_at = world_now() WHERE staff_id = $1', [disabled.staffId]);
  await sql.query('UPDATE staff SET password = NULL WHERE staff_id = $1', [invited.staffId]);
  const unknown = { email: 'unknown@example.com', address: newAddress() };
  const answers = [
    await signIn(url, known, wrong),
    await signIn(url, disabled),
    await signIn(url, invited),
    await signIn(url, unknown),
  ];
  for (const { status, body, headers } of answers) {
    const { request_id: _, doc_url, ...rest } = body;
    const { code, message } = errors.sign_in_failed;
    assert.deepEqual([status, rest], [401, { code, error: 'sign_in_failed', message }]);
    assert.match(doc_url, /#sign_in_failed$/);
    assert.equal(headers.get('set-cookie'), null);
  }
  const [record] = await records(unknown.email);
  assert.deepEqual(
    [record.client_id, record.action, record.address, record.actor, record.after],
    [0, 'SignIn', unknown.address, { kind: 'unknown', email: unknown.email }, { failed: 'no_account' }],
  );
  const { rows } = await sql.query('SELECT record FROM audit');
  assert.ok(
    !rows.some(({ record }) => record.includes('bottle') || record.includes('argon2')),
    'no password is recorded',
  );
});

test('a known account takes as long as an unknown one', async () => {
  // Compares the shortest processor times: other work in this process can only make single measurements longer.
  const shortestMs = { known: Infinity, unknown: Infinity };
  for (let i = 0; i < 8; i++) {
    const known = await newPerson(sql);
    const unknown = { email: `unknown-${i}@example.com`, address: newAddress() };
    const both = [['known', known] as const, ['unknown', unknown] as const];
    for (const [kind, who] of i % 2 === 0 ? both : both.toReversed()) {
      const before = process.cpuUsage();
      await signIn(url, who, wrong);
      const { user, system } = process.cpuUsage(before);
      shortestMs[kind] = Math.min(shortestMs[kind], (user + system) / 1000);
    }
  }
  const ratio = shortestMs.known / shortestMs.unknown;
  assert.ok(ratio > 0.5 && ratio < 2, `known ${shortestMs.known} ms, unknown ${shortestMs.unknown} ms`);
});

/** Fails a number of times, each from a new address, and returns the time of the last failure. */
async function fail(email: string, count: number, startIso: string): Promise<string> {
  let at = startIso;
  for (let i = 0; i < count; i++) {
    at = later(at, 31_000);
    await setClock(sql, at);
    assert.equal((await signIn(i % 2 === 0 ? url : otherUrl, { email, address: newAddress() }, wrong)).status, 401);
  }
  return at;
}

test('five failures slow an account down, ten lock it, whether it exists or not, counted by both servers', async (t) => {
  t.after(() => setClock(sql, null));
  const person = await newPerson(sql);
  const start = '2027-03-01T12:00:00.000Z';
  for (const email of [person.email, 'locked-unknown@example.com']) {
    const outcome = async (iso: string, server = url) => {
      await setClock(sql, iso);
      const before = (await failures(email)).length;
      const { status, body } = await signIn(server, { email, address: newAddress() });
      const recorded = (await failures(email)).length - before;
      return status === 200 ? 'signed in' : recorded === 1 ? body.error : 'not even looked at';
    };
    const right = email === person.email ? 'signed in' : 'sign_in_failed';
    const fifth = await fail(email, 5, start);
    assert.equal(await outcome(later(fifth, 999)), 'not even looked at');
    assert.equal(await outcome(later(fifth, 999), otherUrl), 'not even looked at');
    assert.equal(await outcome(later(fifth, 1000)), right);
    const tenth = await fail(email, right === 'signed in' ? 10 : 4, later(fifth, 1000));
    for (const ms of [31_000, 60_000, 30 * 60_000 - 1]) {
      assert.equal(
        await outcome(later(tenth, ms), otherUrl),
        'not even looked at',
        `the right password after ${ms} ms`,
      );
    }
    assert.equal(await outcome(later(tenth, 30 * 60_000)), right);
  }
});

test('five failures slow an address down for every account', async (t) => {
  t.after(() => setClock(sql, null));
  const person = await newPerson(sql);
  const { address } = person;
  let now = '2027-04-01T12:00:00.000Z';
  const tryAt = async (iso: string, who: { email: string; address: string }, body?: object) => {
    await setClock(sql, iso);
    return (await signIn(url, who, body)).status;
  };
  for (let i = 0; i < 12; i++) {
    now = later(now, 30_000);
    assert.equal(await tryAt(now, { email: `person-${i}@example.com`, address }, wrong), 401);
  }
  assert.equal(await tryAt(later(now, 29_999), person), 401);
  assert.equal(await tryAt(later(now, 29_999), { ...person, address: newAddress() }), 200, 'from elsewhere');
  assert.equal(await tryAt(later(now, 30_000), person), 200);
  assert.equal(
    (await sql.query('SELECT 1 FROM sign_in_failures WHERE subject = $1', [`address ${address}`])).rowCount,
    1,
  );
});

test('simultaneous guesses count like sequential ones', async () => {
  const person = await newPerson(sql);
  const guess = (i: number, body: object) =>
    signIn(i % 2 === 0 ? url : otherUrl, { email: person.email, address: newAddress() }, body);
  const answers = await Promise.all(Array.from({ length: 14 }, (_, i) => guess(i, wrong)));
  assert.ok(answers.every(({ status }) => status === 401 || status === 503));
  const failed = (await failures(person.email)).length;
  assert.ok(failed >= 5 && failed <= 7, `${failed} were looked at`);
});

test('a flood of wrong passwords uses at most two hashes at a time, and other users can sign in', async () => {
  const person = await newPerson(sql);
  const victim = await newPerson(sql);
  const address = newAddress();
  const count = times(300, 400);
  const began = process.cpuUsage();
  const start = performance.now();
  const statuses = new Map<number, number>();
  let sent = 0;
  const flood = Array.from({ length: 50 }, async () => {
    while (sent < count) {
      const guess = { password: `wrong password ${sent++}` };
      const { status } = await signIn(url, { email: victim.email, address }, guess);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  });
  const other = await signIn(url, person);
  await Promise.all(flood);
  assert.equal(other.status, 200);
  assert.deepEqual([...statuses.keys()].toSorted(), [401, 503]);
  const { rows } = await sql.query('SELECT failures FROM sign_in_failures WHERE subject = $1', [`address ${address}`]);
  assert.ok(rows[0].failures <= 12, `${rows[0].failures} were looked at`);
  const { user, system } = process.cpuUsage(began);
  const each = (user + system) / 1000 / count;
  assert.ok(each < 20, `${each} ms of the processor for each, ${performance.now() - start} ms in all`);
});

test('anonymous callers at eight addresses do not keep a ninth address from its turn', async () => {
  const { signInTurns: turns } = openConsoleTurns(sql);
  let begin = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const anonymous = Array.from({ length: 8 }, (_, i) =>
    Array.from({ length: 5 }, () => turns.take(`address 203.0.113.${i}`, () => begun)),
  ).flat();
  const person = turns.take('address 198.51.100.1', async () => 'signed in');
  begin();
  assert.equal(await person, 'signed in');
  await Promise.all(anonymous);
});

test('a blocked address is refused at once and does not queue', async () => {
  const stranger = { email: 'unknown@example.com', address: newAddress() };
  const guesses = await whileHeld(sql, 'staff', async () => {
    const sent = Array.from({ length: 6 }, () => signIn(url, stranger));
    assert.equal((await Promise.race(sent)).status, 503, 'no more may wait');
    const failed = 'INSERT INTO sign_in_failures (subject, failures, failed_at) VALUES ($1, 11, world_now())';
    await sql.query(failed, [`address ${stranger.address}`]);
    assert.equal((await signIn(url, stranger)).body.error, 'sign_in_failed');
    return sent;
  });
  await Promise.all(guesses);
});

test('the server creates a new session ID at each sign-in', async () => {
  const person = await newPerson(sql);
  const fixed = `freebets=${'F'.repeat(43)}`;
  const first = cookieOf(await signIn(url, person, {}, { cookie: fixed }));
  assert.notEqual(first, fixed);
  assert.equal((await signedInAs(fixed)).error, 'not_signed_in');
  const second = cookieOf(await signIn(url, person, {}, { cookie: first as string }));
  assert.notEqual(second, first);
  assert.equal((await signedInAs(first)).error, 'not_signed_in', 'the browser has another');
  assert.equal((await signedInAs(second)).email, person.email);
});

test('signing out ends the session on every server', async () => {
  const cookie = cookieOf(await signIn(url, await newPerson(sql))) as string;
  const { status, headers } = await staffCall(url, '/Session/SignOut', {}, { cookie });
  assert.equal(status, 200);
  assert.match(headers.get('set-cookie') ?? '', /^freebets=; .*Expires=Thu, 01 Jan 1970/);
  for (const at of [url, otherUrl]) assert.equal((await signedInAs(cookie, at)).error, 'not_signed_in');
});

test('users list and end only their own sessions', async () => {
  const [person, stranger] = [await newPerson(sql), await newPerson(sql)];
  const browsers = ['Firefox', 'Safari', `Chrome ${'x'.repeat(400)}`];
  const cookies: string[] = [];
  for (const agent of browsers) {
    cookies.push(cookieOf(await signIn(url, person, {}, { headers: { 'user-agent': agent } })) as string);
  }
  const [first, second, third] = cookies as [string, string, string];
  const { sessions } = await acceptedStaffCall(url, '/Session/List', {}, { cookie: first });
  assert.deepEqual(
    sessions.map(({ browser, current, address }: Record<string, unknown>) => [browser, current, address]).toSorted(),
    browsers.map((agent) => [agent.slice(0, 300), agent === 'Firefox', person.address]).toSorted(),
  );
  const strange = cookieOf(await signIn(url, stranger)) as string;
  const { session_id } = sessions.find(({ browser }: { browser: string }) => browser === 'Safari');
  const end = (cookie: string, body: object) => staffCall(url, '/Session/End', body, { cookie });
  assert.equal((await end(strange, { session_id })).body.error, 'session_not_found');
  for (const body of [{}, { all_others: false }, { session_id, all_others: true }]) {
    assert.equal((await end(first, body)).body.error, 'invalid_request');
  }
  assert.deepEqual((await end(first, { session_id: session_id.toUpperCase() })).body, { ended: 1 });
  assert.equal((await end(first, { session_id })).body.error, 'session_not_found');
  assert.equal((await signedInAs(second)).error, 'not_signed_in');
  assert.deepEqual((await end(first, { all_others: true })).body, { ended: 1 });
  assert.equal((await signedInAs(third)).error, 'not_signed_in');
  assert.equal((await signedInAs(first)).email, person.email);
  assert.equal((await signedInAs(strange)).email, stranger.email);
});

test('changing a password needs the current one and invalidates a stolen cookie', async () => {
  const person = await newPerson(sql);
  const cookie = cookieOf(await signIn(url, person)) as string;
  const elsewhere = cookieOf(await signIn(otherUrl, person)) as string;
  const to = (body: object) =>
    staffCall(
      url,
      '/Account/Password',
      { password, new_password: 'eight blue kettles', ...body },
      { cookie },
      from(person.address),
    );
  assert.equal((await to(wrong)).body.error, 'sign_in_failed');
  const [local = ''] = person.email.split('@');
  for (const [new_password, reason] of [
    ['too short', 'must have at least 12 characters'],
    ['e\u0301'.repeat(11), 'must have at least 12 characters'],
    ['Password2026!', 'must not be one that many people have'],
    ['123456789012', 'must not be a sequence or a repetition'],
    [`${local}!`, 'must not be made of your name, your e-mail address or the name of the service'],
    [password, 'must be another than before'],
  ]) {
    const { body } = await to({ new_password });
    assert.deepEqual(body.details, [{ field: 'new_password', reason }]);
  }
  const changed = await to({});
  assert.deepEqual(changed.body, { ended: 1 });
  for (const stolen of [cookie, elsewhere]) assert.equal((await signedInAs(stolen, otherUrl)).error, 'not_signed_in');
  assert.equal((await signedInAs(cookieOf(changed))).email, person.email);
  assert.equal((await signIn(url, person)).status, 401);
  assert.equal((await signIn(url, person, { password: 'eight blue kettles' })).status, 200);
});

test('a sign-in with the old password does not survive the change', async () => {
  const person = await newPerson(sql);
  const cookie = cookieOf(await signIn(url, person)) as string;
  const change = { password, new_password: 'eight blue kettles' };
  const [changed, ...answers] = await Promise.all([
    staffCall(url, '/Account/Password', change, { cookie }, from(person.address)),
    ...Array.from({ length: times(6, 8) }, (_, i) =>
      signIn(i % 2 === 0 ? url : otherUrl, { ...person, address: newAddress() }),
    ),
  ]);
  assert.equal(changed.status, 200);
  for (const answer of answers.filter(({ status }) => status === 200)) {
    assert.equal((await signedInAs(cookieOf(answer))).error, 'not_signed_in');
  }
});

test('a password that was changed during its check does not sign in; one that was rehashed does', async () => {
  const rehashed = await hashPassword(password);
  for (const [stored, status, recorded] of [
    [rehashed.replace('m=19456', 'm=19457'), 401, { failed: 'changed' }],
    [rehashed, 200, undefined],
  ] as const) {
    const person = await newPerson(sql);
    const holder = await sql.connect();
    await holder.query('BEGIN');
    await holder.query('INSERT INTO sign_in_failures VALUES ($1, 0, world_now())', [`email ${person.email}`]);
    const answer = signIn(url, person);
    // The sign-in cannot finish while the row is locked; on many machines it has not reached the lock yet.
    await until('the sign-in is about to be counted', 5000, async () => {
      const { rows } = await sql.query(
        `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'freebets staff'
         AND state = 'active' AND query LIKE 'INSERT INTO sign_in_failures%'`,
      );
      return rows.length > 0;
    });
    await sql.query('UPDATE staff SET password = $2 WHERE staff_id = $1', [person.staffId, stored]);
    await holder.query('COMMIT');
    holder.release();
    assert.equal((await answer).status, status);
    const [first, ...more] = (await records(person.email)).map(({ after }) => after);
    assert.deepEqual(more, [], 'one record');
    if (recorded) assert.deepEqual(first, recorded);
    else assert.ok('session_id' in first);
  }
});

test('sign-in rehashes a password that was hashed with weaker parameters', async () => {
  const person = await newPerson(sql);
  const nonce = randomBytes(16);
  const weak = argon2Sync('argon2id', {
    message: password,
    nonce,
    parallelism: 1,
    tagLength: 32,
    memory: 64,
    passes: 1,
  });
  const text = (bytes: Buffer) => bytes.toString('base64').replace(/=/g, '');
  const stored = async () =>
    (await sql.query('SELECT password FROM staff WHERE staff_id = $1', [person.staffId])).rows[0].password;
  const before = `$argon2id$v=19$m=64,t=1,p=1$${text(nonce)}$${text(weak)}`;
  await sql.query('UPDATE staff SET password = $2 WHERE staff_id = $1', [person.staffId, before]);
  assert.equal((await signIn(url, person, wrong)).status, 401);
  assert.equal(await stored(), before);
  for (let i = 0; i < 2; i++) assert.equal((await signIn(url, person)).status, 200);
  assert.match(await stored(), /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
});

test('a session ends when it is idle, and at its maximum age', async (t) => {
  t.after(() => setClock(sql, null));
  const person = await newPerson(sql);
  const start = '2027-05-01T08:00:00.000Z';
  const minutes = (count: number) => later(start, count * 60_000);
  await setClock(sql, start);
  const idle = cookieOf(await signIn(url, person));
  const used = cookieOf(await signIn(url, person));
  for (let at = 0; at < 12 * 60; at += 14) {
    await setClock(sql, minutes(at));
    assert.equal((await signedInAs(used)).email, person.email, `after ${at} minutes`);
  }
  assert.equal((await signedInAs(idle)).error, 'not_signed_in');
  await setClock(sql, minutes(12 * 60));
  assert.equal((await signedInAs(used)).error, 'not_signed_in');
  await signIn(url, person);
  const { rows } = await sql.query('SELECT 1 FROM sessions WHERE staff_id = $1', [person.staffId]);
  assert.equal(rows.length, 1, 'expired ones are removed');
});
