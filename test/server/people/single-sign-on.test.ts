import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PoolClient } from 'pg';
import { ask } from '../../../packages/server/src/engine/statement.ts';
import { unbindSingleSignOn } from '../../../packages/server/src/people/sql/single-sign-on.ts';
import { testDatabase } from '../../support/database.ts';
import { type Held, holdRows, manyWait, whileChanged } from '../../support/held-batch.ts';
import { listenHere, openIdClient, serveOpenId } from '../../support/openid-provider.ts';
import { testServer } from '../../support/server.ts';
import { acceptedStaffCall, signedIn, staffCall } from '../../support/staff.ts';
import { isCallback, isPage, openBrowser, type WebBrowser } from '../../support/web-browser.ts';

// Single sign-on with a real provider.

const { env, sql } = await testDatabase();
const listening = await listenHere();
const { issuer } = listening;
const { url } = await testServer({ ...env, ...openIdClient, OIDC_ISSUER: issuer });
const provider = await serveOpenId(listening, url);
const admin = await signedIn(sql, 'admin');
const reason = 'For this test';
const sso = `${url}/console/api/Session/Sso`;

const invite = async (email: string, isSso = true, by = admin): Promise<{ staffId: string; token: string }> => {
  const body = { email, name: 'New Person', role: 'manager', partners: [1], sso: isSso, reason };
  const { staff_id, link } = await acceptedStaffCall(url, '/Staff/Invite', body, by);
  return { staffId: staff_id, token: link.split('#')[1] };
};

let subjects = 0;
/** A new account at the provider, which signs in next. */
function newSubject(email = 'at.provider@example.com'): string {
  subjects += 1;
  provider.account = { subject: `subject-${subjects}`, email };
  return provider.account.subject;
}

/** From the page of an invitation to the provider, or to the console with the error word. */
async function accepts(browser: WebBrowser, invitation: string, isThere = isPage(url)): Promise<string> {
  const { status, body } = await browser.post(url, '/Session/Sso', { invitation });
  return status === 200 ? browser.follow(body.location, isThere) : `${url}/console?error=${body.error}`;
}

/** Follows the whole sign-in to a page of the console. */
const signsIn = (browser: WebBrowser, query = '') => browser.follow(sso + query, isPage(url));

/** Invited and bound, with a browser that is signed in. */
async function bound(email: string) {
  const subject = newSubject(email);
  const { staffId, token } = await invite(email);
  const browser = openBrowser();
  assert.equal(await accepts(browser, token), `${url}/console`);
  return { staffId, subject, browser, token };
}

const lastRecord = async () => {
  const { rows } = await sql.query('SELECT record FROM audit WHERE client_id = 0 ORDER BY sequence DESC LIMIT 1');
  return JSON.parse(rows[0].record);
};

/** Asserts that the sign-in fails: the browser gets the error word, and the reason is recorded. */
async function isRefused(browser: WebBrowser, page: string, word: string, why: string): Promise<void> {
  assert.equal(page, `${url}/console?error=${word}`);
  assert.equal((await browser.person(url)).status, 401);
  const { action, after, actor } = await lastRecord();
  assert.deepEqual([action, after, actor.kind], ['SignIn', { failed: why }, 'unknown']);
  await sql.query('DELETE FROM sign_in_failures');
}

/** The same for a browser that did not begin the sign-in: the audit log counts these, and no account is slowed down. */
async function isUnknown(browser: WebBrowser, page: string): Promise<void> {
  assert.equal(page, `${url}/console?error=sso_failed`);
  assert.equal((await browser.person(url)).status, 401);
  const { rows } = await sql.query('SELECT failures, refused FROM sign_in_failures');
  assert.deepEqual(rows, [{ failures: 0, refused: 1 }]);
  await sql.query('DELETE FROM sign_in_failures');
}

test('what ways there are to sign in', async () => {
  const answer = await fetch(`${url}/console/api/Session/Ways`);
  assert.deepEqual(await answer.json(), { sso: true, demo: false });
  assert.equal(answer.headers.get('cache-control'), 'no-store');
});

test('an invitation is accepted at the provider: it binds the subject and starts a session without a local second factor', async () => {
  const { staffId, subject, browser, token } = await bound('first@example.com');
  const { body: person } = await browser.person(url);
  assert.deepEqual(
    [person.staff_id, person.role, person.partners, person.must_set_up_second_factor],
    [staffId, 'manager', [1], false],
  );
  const { rows } = await sql.query(
    'SELECT oidc_issuer, oidc_subject, password, used_at FROM staff JOIN invitations USING (staff_id) WHERE staff_id = $1',
    [staffId],
  );
  assert.deepEqual([rows[0].oidc_issuer, rows[0].oidc_subject, rows[0].password], [issuer, subject, null]);
  assert.ok(rows[0].used_at);
  const { actor, action, target, after } = await lastRecord();
  assert.deepEqual([actor.staff_id, action, target], [staffId, 'SignIn', { kind: 'staff', id: staffId }]);
  assert.deepEqual(after.bound, { issuer, subject, email: 'first@example.com' });
  assert.equal(JSON.stringify(await sql.query('SELECT record FROM audit')).includes(token), false);
  const { staff } = await acceptedStaffCall(url, '/Staff/List', {}, admin);
  const member = staff.find((each: { staff_id: string }) => each.staff_id === staffId);
  assert.deepEqual([member.status, member.sso, member.invited_until], ['active', true, null]);
});

test('who is bound signs in without an invitation, and goes where they wanted to', async () => {
  const { staffId } = await bound('returns@example.com');
  const browser = openBrowser();
  const wanted = '/console/campaigns?status=active&q=a%20b#top';
  const page = await signsIn(browser, `?return_to=${encodeURIComponent(wanted)}`);
  assert.equal(page, url + wanted);
  assert.equal((await browser.person(url)).body.staff_id, staffId);
  assert.deepEqual(await sql.query('SELECT FROM sso_attempts').then(({ rowCount }) => rowCount), 0);
});

test('a redirect elsewhere leads to the console', async () => {
  await bound('elsewhere@example.com');
  for (const wanted of [
    'https://elsewhere.example/',
    '//elsewhere.example/',
    '/.//elsewhere.example/',
    '/..//elsewhere.example/',
    '/%2e//elsewhere.example/',
    '/console/..//elsewhere.example/',
    '/\\elsewhere.example/',
    '\\\\elsewhere.example',
    '/\t/elsewhere.example',
    '/\n/elsewhere.example',
    '/%0d%0aset-cookie:a=b\r\nx: y',
    ' /console',
    'javascript:alert(1)',
    'console',
    '/console/api/Session/Sso',
    '',
  ]) {
    const page = await signsIn(openBrowser(), `?return_to=${encodeURIComponent(wanted)}`);
    assert.equal(page, `${url}/console`, JSON.stringify(wanted));
  }
  const twice = await signsIn(openBrowser(), '?return_to=/console/a&return_to=//elsewhere.example');
  assert.equal(twice, `${url}/console`);
});

test('the cookie that binds a sign-in to its browser is short-lived, and no page can read it', async () => {
  const { headers, to } = await openBrowser().go(sso);
  const [cookie = ''] = headers.getSetCookie();
  assert.match(cookie, /^freebets-sso=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/);
  assert.deepEqual([headers.get('cache-control'), headers.get('referrer-policy')], ['no-store', 'no-referrer']);
  const asked = new URL(to ?? '').searchParams;
  assert.equal(asked.get('code_challenge_method'), 'S256');
  for (const name of ['state', 'nonce', 'code_challenge']) assert.ok((asked.get(name) ?? '').length >= 43, name);
  assert.equal(asked.get('redirect_uri'), `${sso}/Callback`);
  const { rows } = await sql.query('SELECT * FROM sso_attempts');
  assert.ok(!JSON.stringify(rows).includes(asked.get('state') ?? '-'));
});

test('a return from the provider is accepted once, within ten minutes, from the browser that began', async () => {
  await bound('one-time@example.com');
  const first = openBrowser();
  const callback = await first.follow(sso, isCallback);
  const other = openBrowser();
  await other.go(sso);
  await isUnknown(other, (await other.go(callback)).to ?? '');
  const none = openBrowser();
  await isUnknown(none, (await none.go(callback)).to ?? '');
  assert.equal((await first.go(callback)).to, `${url}/console`, 'the browser that began is not in its way');
  assert.equal((await first.person(url)).status, 200);
  first.cookiesOf(url).delete('freebets');
  await isUnknown(first, (await first.go(callback)).to ?? '');

  const late = openBrowser();
  const tooLate = await late.follow(sso, isCallback);
  await sql.query(`UPDATE sso_attempts SET created_at = now() - interval '601 seconds'`);
  await isUnknown(late, (await late.go(tooLate)).to ?? '');
});

test('two sign-ins of one browser do not end each other', async () => {
  await bound('two-tabs@example.com');
  const browser = openBrowser();
  const one = await browser.follow(sso, isCallback);
  const two = await browser.follow(sso, isCallback);
  assert.equal((await browser.go(two)).to, `${url}/console`);
  assert.equal((await browser.go(one)).to, `${url}/console`);
});

test('a person whom only the provider knows is refused, even with the address of a member', async () => {
  const { browser: theirs } = await bound('known@example.com');
  newSubject('known@example.com');
  const browser = openBrowser();
  await isRefused(browser, await signsIn(browser), 'sso_unknown', 'no_account');
  assert.equal((await theirs.person(url)).status, 200);
});

test('a disabled member is refused, and so is a subject that was bound to another account', async () => {
  const { staffId } = await bound('disabled@example.com');
  await acceptedStaffCall(url, '/Staff/Disable', { staff_id: staffId, reason }, admin);
  const browser = openBrowser();
  await isRefused(browser, await signsIn(browser), 'sso_unknown', 'disabled');
  await sql.query(`UPDATE staff SET disabled_at = NULL, oidc_issuer = 'https://other.example' WHERE staff_id = $1`, [
    staffId,
  ]);
  await isRefused(browser, await signsIn(browser), 'sso_unknown', 'no_account');
});

test('a sign-in that waits while its binding is ended is refused', async () => {
  const { staffId } = await bound('unbound@example.com');
  const browser = openBrowser();
  const callback = await browser.follow(sso, isCallback);
  const unbind = (connection: PoolClient) => ask(connection, unbindSingleSignOn(staffId));
  const { to } = await whileChanged(sql, unbind, () => browser.go(callback));
  await isRefused(browser, to ?? '', 'sso_unknown', 'no_account');
});

test('an invitation works once, only for its way of signing in, and binds no subject twice', async () => {
  const { token, subject } = await bound('used@example.com');
  const browser = openBrowser();
  await isRefused(browser, await accepts(browser, token), 'invitation_not_valid', 'invitation');
  const second = await invite('second-account@example.com');
  provider.account = { subject, email: 'x@example.com' };
  await isRefused(browser, await accepts(browser, second.token), 'sso_unknown', 'bound_to_another');
  const accepted = { token: second.token, password: 'seven green bottles' };
  assert.equal((await staffCall(url, '/Invitation/Accept', accepted)).body.error, 'invitation_not_valid');
  assert.equal((await acceptedStaffCall(url, '/Invitation/Get', { token: second.token })).sso, true);
  const withPassword = await invite('with-password@example.com', false);
  const page = await accepts(browser, withPassword.token);
  await isRefused(browser, page, 'invitation_not_valid', 'invitation');
  newSubject();
  assert.equal(await accepts(openBrowser(), second.token), `${url}/console`, 'it was not used up');
});

/** Both come back from the provider, and continue when both wait for the held row. Returns the one that got in, and where the other ended. */
async function together(held: Held, browsers: WebBrowser[], callbacks: string[]) {
  const coming = Promise.all(browsers.map((browser, i) => browser.go(callbacks[i] ?? '')));
  await manyWait(sql, 2);
  await held.letGo();
  const pages = (await coming).map(({ to, status }) => to ?? `${status}`);
  const first = pages.indexOf(`${url}/console`);
  assert.notEqual(first, -1, pages.join());
  return { first, second: 1 - first, page: pages[1 - first] ?? '' };
}

const bindingOf = async (staffId: string) => {
  const { rows } = await sql.query(
    `SELECT oidc_subject AS subject, used_at IS NOT NULL AS used,
       (SELECT count(*)::int FROM sessions WHERE staff_id = $1) AS sessions
     FROM staff JOIN invitations USING (staff_id) WHERE staff_id = $1`,
    [staffId],
  );
  return rows;
};

/** Which subjects were bound since then, and why others were not, as it is recorded. */
const recordedSince = async (sequence: string) => {
  const text = 'SELECT record FROM audit WHERE client_id = 0 AND sequence > $1 ORDER BY sequence';
  const { rows } = await sql.query(text, [sequence]);
  return rows.map(({ record }) => JSON.parse(record).after).map(({ bound, failed }) => failed ?? bound.subject);
};

const recordsNow = async () =>
  (await sql.query('SELECT sequence FROM audit_heads WHERE client_id = 0')).rows[0].sequence;

test('of two accounts that are bound to one subject at the same moment one is, and the other can still be bound', async () => {
  const subject = newSubject();
  const browsers = [openBrowser(), openBrowser()];
  const invited = [await invite('one-subject-1@example.com'), await invite('one-subject-2@example.com')];
  const callbacks = await Promise.all(browsers.map((each, i) => accepts(each, invited[i]?.token ?? '', isCallback)));
  const staffIds = invited.map(({ staffId }) => staffId);
  const before = await recordsNow();
  // By then each request has found that the subject has no account.
  const held = await holdRows(sql, 'SELECT FROM invitations WHERE staff_id = ANY($1) FOR UPDATE', staffIds);
  const { first, second, page } = await together(held, browsers, callbacks);
  await isRefused(browsers[second] as WebBrowser, page, 'sso_unknown', 'bound_to_another');
  assert.equal((await browsers[first]?.person(url))?.body.staff_id, staffIds[first]);
  assert.deepEqual(await recordedSince(before), [subject, 'bound_to_another']);
  assert.deepEqual(await bindingOf(staffIds[first] ?? ''), [{ subject, used: true, sessions: 1 }]);
  assert.deepEqual(await bindingOf(staffIds[second] ?? ''), [{ subject: null, used: false, sessions: 0 }]);
  newSubject();
  assert.equal(await accepts(openBrowser(), invited[second]?.token ?? ''), `${url}/console`, 'it was not used up');
});

test('an invitation that two accept at the same moment is good for one, whether they are the same to the provider or not', async () => {
  for (const same of [true, false]) {
    const browsers = [openBrowser(), openBrowser()];
    const { staffId, token } = await invite(`two-browsers-${same}@example.com`);
    const subjects: string[] = [];
    const callbacks: string[] = [];
    for (const browser of browsers) {
      subjects.push(same && subjects[0] ? subjects[0] : newSubject());
      callbacks.push(await accepts(browser, token, isCallback));
    }
    const before = await recordsNow();
    const held = await holdRows(sql, 'SELECT FROM staff WHERE staff_id = $1 FOR UPDATE', staffId);
    const { first, second, page } = await together(held, browsers, callbacks);
    await isRefused(browsers[second] as WebBrowser, page, 'invitation_not_valid', 'invitation');
    assert.equal((await browsers[first]?.person(url))?.body.staff_id, staffId);
    assert.deepEqual(await recordedSince(before), [subjects[first], 'invitation']);
    assert.deepEqual(await bindingOf(staffId), [{ subject: subjects[first], used: true, sessions: 1 }]);
  }
});

test('an invitation binds nothing if a member out of the admin’s scope has the address', async () => {
  const { staffId } = await bound('scope@example.com');
  await sql.query('UPDATE staff SET all_partners = true WHERE staff_id = $1', [staffId]);
  const { staffId: duplicate, token } = await invite('scope@example.com', true, await signedIn(sql, 'admin', [1]));
  newSubject('scope@example.com');
  const browser = openBrowser();
  await isRefused(browser, await accepts(browser, token), 'invitation_not_valid', 'address_taken');
  assert.deepEqual(await bindingOf(duplicate), [{ subject: null, used: true, sessions: 0 }]);
});

test('an invitation is taken from a body of our own pages, and never from an address', async () => {
  newSubject('in-a-body@example.com');
  const { token } = await invite('in-a-body@example.com');
  const browser = openBrowser();
  await isRefused(browser, await signsIn(browser, `?invitation=${token}`), 'sso_unknown', 'no_account');
  const elsewhere = { 'sec-fetch-site': 'cross-site' };
  const foreign = await staffCall(url, '/Session/Sso', { invitation: token }, {}, elsewhere);
  assert.equal(foreign.body.error, 'wrong_origin');
  assert.equal((await browser.post(url, '/Session/Sso', { invitation: 'none' })).body.error, 'invalid_request');
  const wanted = { invitation: token, return_to: '/console/games' };
  const { body, headers } = await browser.post(url, '/Session/Sso', wanted);
  assert.match(
    headers.get('set-cookie') ?? '',
    /^freebets-sso=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/,
  );
  assert.equal(await browser.follow(body.location, isPage(url)), `${url}/console/games`);
  assert.equal((await browser.person(url)).status, 200);
});

test('an invitation that was replaced while its sign-in was under way is not good any more', async () => {
  const email = 'replaced@example.com';
  newSubject(email);
  const browser = openBrowser();
  const { token } = await invite(email);
  const callback = await accepts(browser, token, isCallback);
  await invite(email);
  await isRefused(browser, (await browser.go(callback)).to ?? '', 'invitation_not_valid', 'invitation');
});

test('a fixed session is not taken over: each sign-in has one of its own', async () => {
  const { browser, staffId } = await bound('fixed@example.com');
  const before = browser.cookiesOf(url).get('freebets') ?? '';
  await signsIn(browser);
  const after = browser.cookiesOf(url).get('freebets');
  assert.notEqual(after, before);
  assert.equal((await staffCall(url, '/Session/Get', {}, { cookie: `freebets=${before}` })).status, 401);
  const { rows } = await sql.query('SELECT second_factor FROM sessions WHERE staff_id = $1', [staffId]);
  assert.deepEqual(rows, [{ second_factor: true }]);
});

test('sign-ins in progress are limited per address, and further failures are no longer recorded', async () => {
  for (let i = 0; i < 105; i++) await openBrowser().go(sso);
  const { rows } = await sql.query('SELECT count(*)::int AS n FROM sso_attempts');
  assert.equal(rows[0].n, 100);
  const count = async () => (await sql.query('SELECT count(*)::int AS n FROM audit')).rows[0].n;
  const before = await count();
  for (let i = 0; i < 12; i++) {
    const browser = openBrowser();
    const { to } = await browser.go(sso);
    const { to: page } = await browser.go(`${sso}/Callback?state=${new URL(to ?? '').searchParams.get('state')}`);
    assert.equal(page, `${url}/console?error=sso_failed`);
  }
  const recorded = (await count()) - before;
  assert.ok(recorded >= 5 && recorded < 12, `${recorded} records`);
  await sql.query('DELETE FROM sign_in_failures');
});

test('a page of another site cannot block sign-ins, neither by what it loads nor by redirecting browsers', async () => {
  await bound('undisturbed@example.com');
  const browser = openBrowser();
  const callback = await browser.follow(sso, isCallback);
  const rowsOf = async (table: string) => (await sql.query(`SELECT FROM ${table}`)).rowCount;
  const before = await rowsOf('sso_attempts');
  for (const loaded of [
    { 'sec-fetch-dest': 'image' },
    { 'sec-fetch-dest': 'iframe' },
    { 'sec-fetch-dest': 'empty' },
    { 'sec-fetch-dest': 'document', 'sec-purpose': 'prefetch' },
  ]) {
    for (const path of ['', '/Callback?state=x']) {
      const { status, body } = await openBrowser().go(sso + path, loaded);
      assert.deepEqual([status, JSON.parse(body).error], [403, 'wrong_origin'], JSON.stringify(loaded));
    }
  }
  assert.deepEqual([await rowsOf('sso_attempts'), await rowsOf('sign_in_failures')], [before, 0]);
  for (let i = 0; i < 12; i++) await openBrowser().go(`${sso}/Callback?state=${i}&code=x`);
  const password = { email: 'unknown@example.com', password: 'seven green bottles' };
  const records = async () => (await sql.query(`SELECT record FROM audit WHERE record LIKE '%"refused":12%'`)).rows;
  assert.deepEqual(await records(), []);
  assert.equal((await staffCall(url, '/Session/SignIn', password)).status, 401);
  assert.equal((await records()).length, 1, 'it was checked, and those before it are recorded as a number');
  assert.equal((await browser.go(callback)).to, `${url}/console`);
  await sql.query('DELETE FROM sign_in_failures');
});
