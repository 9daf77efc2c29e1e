import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { testDatabase } from '../../support/database.ts';
import { manyWait } from '../../support/held-batch.ts';
import { whileHeld } from '../../support/held-table.ts';
import { testServer } from '../../support/server.ts';
import { acceptedStaffCall, type Staff, session, signedIn, staffCall } from '../../support/staff.ts';

// Admins invite, change and disable staff.

const { env, sql } = await testDatabase();
const { url } = await testServer(env);
const admin = await signedIn(sql, 'admin');
const auditor = await signedIn(sql, 'auditor');
const ofOne = await signedIn(sql, 'admin', [1]);
const reason = 'For this test';

const does = (path: string, body: object, by: Staff = admin) =>
  acceptedStaffCall(url, `/Staff${path}`, { ...body, reason }, by);
const refuses = async (path: string, body: object, by: Staff = admin) =>
  (await staffCall(url, `/Staff${path}`, { ...body, reason }, by)).body;

/** Who can sign in, as far as the table knows. */
const withPassword = (staffId: string) =>
  sql.query(`UPDATE staff SET password = 'not a hash' WHERE staff_id = $1`, [staffId]);

async function active(...who: Parameters<typeof signedIn> extends [unknown, ...infer Rest] ? Rest : never) {
  const person = await signedIn(sql, ...who);
  await withPassword(person.staffId);
  return person;
}

/** As the list has it, and as it is read alone. */
const memberOf = async ({ staffId }: { staffId: string }) => {
  const { staff } = await acceptedStaffCall(url, '/Staff/List', { limit: 1000 }, admin);
  const listed = staff.find((each: { staff_id: string }) => each.staff_id === staffId);
  assert.deepEqual(await acceptedStaffCall(url, '/Staff/Get', { staff_id: staffId.toUpperCase() }, admin), listed);
  return listed;
};

const lastRecord = async () => {
  const { rows } = await sql.query('SELECT record FROM audit WHERE client_id = 0 ORDER BY sequence DESC LIMIT 1');
  return JSON.parse(rows[0].record);
};
const records = async () => (await sql.query('SELECT count(*)::int AS n FROM audit')).rows[0].n;
const signedInAs = async ({ cookie }: Staff) => (await staffCall(url, '/Session/Get', {}, { cookie })).status === 200;

const invitation = { email: 'New.Person@Example.com', name: 'New Person', role: 'support', partners: [2, 1] };

test('an invitation makes the person and a link that is good for 72 hours; the token is kept nowhere', async () => {
  const { staff_id, email, link, expires_at } = await does('/Invite', invitation);
  assert.equal(email, invitation.email);
  const [, token = ''] = new RegExp(`^${url}/console/invitation#([A-Za-z0-9_-]{43})$`).exec(link) ?? [];
  const { rows } = await sql.query('SELECT * FROM invitations WHERE staff_id = $1', [staff_id]);
  assert.deepEqual(rows[0].token_hash, createHash('sha256').update(token).digest());
  const hours = (rows[0].expires_at.getTime() - rows[0].created_at.getTime()) / 3_600_000;
  assert.deepEqual([rows.length, hours, rows[0].expires_at.toISOString()], [1, 72, expires_at]);
  const member = await memberOf({ staffId: staff_id });
  const { created_at, ...rest } = member;
  assert.ok(Math.abs(Date.parse(created_at) - Date.now()) < 60_000);
  assert.deepEqual(rest, {
    staff_id,
    ...invitation,
    partners: [1, 2],
    status: 'invited',
    second_factor: false,
    sso: false,
    sessions: 0,
    last_seen_at: null,
    invited_until: expires_at,
  });
  const record = await lastRecord();
  assert.deepEqual(
    [record.action, record.target, record.reason, record.before, record.after.role, record.after.partners],
    ['StaffInvite', { kind: 'staff', id: staff_id }, reason, null, 'support', [1, 2]],
  );
  const { rows: all } = await sql.query('SELECT record FROM audit');
  assert.ok(!JSON.stringify(all).includes(token));
});

test('inviting again replaces the invitation, also with another case; an accepted one is refused', async () => {
  const first = await does('/Invite', { ...invitation, email: 'again@example.com' });
  const second = await does('/Invite', {
    ...invitation,
    email: 'AGAIN@example.com',
    role: 'viewer',
    partners: null,
  });
  assert.equal(second.staff_id, first.staff_id);
  const { rows } = await sql.query('SELECT token_hash FROM invitations WHERE staff_id = $1', [first.staff_id]);
  const hash = createHash('sha256').update(second.link.split('#')[1]).digest();
  assert.deepEqual(rows, [{ token_hash: hash }]);
  const member = await memberOf({ staffId: first.staff_id });
  assert.deepEqual([member.role, member.partners], ['viewer', null]);
  await withPassword(first.staff_id);
  const { error, details } = await refuses('/Invite', { ...invitation, email: 'again@example.com' });
  assert.deepEqual([error, details], ['already_exists', [{ field: 'email', reason: 'belongs to an existing person' }]]);
  await does('/Disable', { staff_id: first.staff_id });
  assert.match((await refuses('/Invite', { ...invitation, email: 'again@example.com' })).details[0].reason, /disabled/);
});

test('a repeated invitation does not restore rights that a colleague has removed; a new member needs all settings', async () => {
  const email = 'new-link@example.com';
  const { staff_id, link } = await does('/Invite', { ...invitation, email, role: 'admin', partners: null });
  assert.equal((await refuses('/Invite', { email }, ofOne)).error, 'invalid_request', 'as of an address that is new');
  await does('/Update', { staff_id, role: 'viewer', partners: [1] });
  const again = await does('/Invite', { email }, ofOne);
  assert.notEqual(again.link, link);
  const { name, role, partners } = await memberOf({ staffId: staff_id });
  assert.deepEqual([name, role, partners], [invitation.name, 'viewer', [1]]);
  assert.equal((await lastRecord()).action, 'StaffInvite');
  const { error, details } = await refuses('/Invite', { email: 'unknown@example.com', name: 'Unknown Person' });
  const needed = (field: string) => ({ field, reason: 'is required for a new person' });
  assert.deepEqual([error, details], ['invalid_request', [needed('role'), needed('partners')]]);
});

test('an invitation to single sign-on is refused on a server without it', async () => {
  const { error, details } = await refuses('/Invite', { ...invitation, email: 'sso@example.com', sso: true });
  assert.deepEqual([error, details[0].field], ['invalid_request', 'sso']);
});

test('a scope must name existing partners within the scope of the admin', async () => {
  const invite = (email: string, partners: number[] | null, by: Staff) =>
    refuses('/Invite', { ...invitation, email, partners }, by);
  const nowhere = await invite('scope@example.com', [1, 98, 99], admin);
  assert.deepEqual(
    [nowhere.error, nowhere.details],
    ['partner_not_found', [{ field: 'partners', reason: 'contains unknown partners: 98, 99' }]],
  );
  assert.equal((await invite('scope@example.com', [1, 2], ofOne)).error, 'partner_not_found');
  assert.equal((await invite('scope@example.com', null, ofOne)).error, 'not_allowed');
  const { rows } = await sql.query(`SELECT FROM staff WHERE email_key = 'scope@example.com'`);
  assert.equal(rows.length, 0, 'nothing of it has happened');
  const mine = await does('/Invite', { ...invitation, email: 'scope@example.com', partners: [1] }, ofOne);
  assert.equal(
    (await refuses('/Update', { staff_id: mine.staff_id, partners: [2] }, ofOne)).error,
    'partner_not_found',
  );
  assert.equal((await refuses('/Update', { staff_id: mine.staff_id, partners: null }, ofOne)).error, 'not_allowed');
});

test('people who see more than oneself are as if they did not exist', async () => {
  const other = await active('manager', [2]);
  const both = await active('manager', [1, 2]);
  for (const { staffId: staff_id } of [admin, other, both, { staffId: crypto.randomUUID() }]) {
    for (const path of [
      '/Get',
      '/Update',
      '/Disable',
      '/Enable',
      '/SecondFactor/Reset',
      '/Sessions',
      '/Sessions/End',
    ]) {
      assert.equal((await refuses(path, { staff_id }, ofOne)).error, 'staff_not_found', path);
    }
  }
  const { staff } = await acceptedStaffCall(url, '/Staff/List', {}, ofOne);
  assert.ok(staff.length > 0);
  for (const { partners } of staff) assert.deepEqual(partners, [1]);
});

test('another role or scope ends the sessions, another name does not; the same again is no change', async () => {
  const person = await active('support', [1]);
  const { staffId: staff_id } = person;
  assert.equal((await does('/Update', { staff_id, name: '=Renamed' })).name, '=Renamed');
  assert.ok(await signedInAs(person));
  const before = await records();
  await does('/Update', { staff_id, role: 'support', partners: [1], name: '=Renamed' });
  assert.ok((await signedInAs(person)) && (await records()) === before);
  const after = await does('/Update', { staff_id, role: 'manager' });
  assert.deepEqual([after.role, after.sessions, await signedInAs(person)], ['manager', 0, false]);
  const record = await lastRecord();
  assert.deepEqual([record.before.role, record.after.role, record.before.sessions], ['support', 'manager', 1]);
  const again = { ...person, cookie: await session(sql, staff_id) };
  await does('/Update', { staff_id, partners: [2, 1] });
  assert.equal(await signedInAs(again), false);
});

test('a report that waits, or is under way, when its session ends is not answered', async () => {
  const person = await active('manager', [1]);
  const day = { from: '2031-05-01T00:00:00Z', until: '2031-05-02T00:00:00Z', by: ['campaign'], client_id: 1 };
  const asked = await whileHeld(sql, 'activity', async () => {
    const reports = Array.from({ length: 3 }, () => staffCall(url, '/Report/Get', day, person));
    // Of one person two are under way.
    await manyWait(sql, 2);
    await does('/Update', { staff_id: person.staffId, partners: [2] });
    return reports;
  });
  for (const { status, body } of await Promise.all(asked)) {
    assert.deepEqual([status, body.error], [401, 'not_signed_in']);
  }
});

test('rights that a colleague has changed since they were read are not changed', async () => {
  const { staffId: staff_id } = await active('support', [1, 2]);
  const as_read = { role: 'support', partners: [2, 1] };
  assert.equal((await does('/Update', { staff_id, name: 'Renamed', as_read })).name, 'Renamed');
  await does('/Update', { staff_id, partners: [1] });
  const before = await records();
  for (const read of [as_read, { partners: [1, 2] }, { role: 'viewer' }, { partners: null }]) {
    const asked = { staff_id, role: 'manager', partners: [1, 2], as_read: read, reason };
    const { status, body } = await staffCall(url, '/Staff/Update', asked, admin);
    assert.deepEqual([status, body.error], [409, 'changed_meanwhile'], JSON.stringify(read));
  }
  const { role, partners } = await memberOf({ staffId: staff_id });
  assert.deepEqual([role, partners, await records()], ['support', [1], before]);
  // Of two at the same moment one comes second, and has not read what the first did.
  const atOnce = ['viewer', 'manager'].map((other) =>
    refuses('/Update', { staff_id, role: other, as_read: { role: 'support', partners: [1] } }),
  );
  const errors = (await Promise.all(atOnce)).map(({ error }) => error);
  assert.deepEqual(errors.toSorted(), ['changed_meanwhile', undefined]);
});

test('disabling ends sessions and invitations; enabling gives neither back', async () => {
  const person = await active('viewer');
  const { staffId: staff_id } = person;
  assert.deepEqual([(await does('/Disable', { staff_id })).status, await signedInAs(person)], ['disabled', false]);
  const before = await records();
  await does('/Disable', { staff_id });
  assert.equal(await records(), before);
  assert.deepEqual([(await does('/Enable', { staff_id })).status, await signedInAs(person)], ['active', false]);
  const invited = await does('/Invite', { ...invitation, email: 'soon-gone@example.com' });
  await does('/Disable', { staff_id: invited.staff_id });
  const { rows } = await sql.query('SELECT FROM invitations WHERE staff_id = $1', [invited.staff_id]);
  assert.equal(rows.length, 0);
  const enabled = await does('/Enable', { staff_id: invited.staff_id });
  assert.deepEqual([enabled.status, enabled.invited_until], ['invited', null]);
  assert.ok((await does('/Invite', { ...invitation, email: 'soon-gone@example.com' })).link);
});

test('a second factor is reset with its recovery codes, and the sessions end', async () => {
  const person = await active('manager');
  const { staffId: staff_id } = person;
  await sql.query(
    `UPDATE staff SET totp_secret = '\\x01', totp_since = world_now(), totp_last_step = 5 WHERE staff_id = $1`,
    [staff_id],
  );
  await sql.query(`INSERT INTO recovery_codes (staff_id, code_hash) VALUES ($1, '\\x02')`, [staff_id]);
  assert.equal((await memberOf(person)).second_factor, true);
  const after = await does('/SecondFactor/Reset', { staff_id });
  assert.deepEqual([after.second_factor, after.sessions, await signedInAs(person)], [false, 0, false]);
  const { rows } = await sql.query(
    `SELECT totp_secret, totp_since, totp_last_step, (SELECT count(*)::int FROM recovery_codes r WHERE r.staff_id = s.staff_id) AS codes
     FROM staff s WHERE staff_id = $1`,
    [staff_id],
  );
  assert.deepEqual(rows[0], { totp_secret: null, totp_since: null, totp_last_step: null, codes: 0 });
});

test('sessions of a member are listed, and ended one by one or all at once', async () => {
  const person = await active('viewer');
  const { staffId: staff_id } = person;
  const second = { ...person, cookie: await session(sql, staff_id) };
  await session(sql, staff_id);
  await sql.query(
    `UPDATE sessions SET seen_at = now() - interval '1 day' WHERE session_id =
     (SELECT session_id FROM sessions WHERE staff_id = $1 ORDER BY created_at DESC LIMIT 1)`,
    [staff_id],
  );
  const { sessions } = await does('/Sessions', { staff_id });
  assert.deepEqual([sessions.length, (await memberOf(person)).sessions], [2, 2], 'one has been idle for too long');
  assert.ok(!JSON.stringify(sessions).includes('token'));
  const [{ session_id }] = sessions;
  const missing = { staff_id, session_id: crypto.randomUUID() };
  assert.equal((await refuses('/Sessions/End', missing)).error, 'session_not_found');
  const [{ session_id: mine }] = (await does('/Sessions', { staff_id: admin.staffId })).sessions;
  assert.equal((await refuses('/Sessions/End', { staff_id, session_id: mine })).error, 'session_not_found');
  assert.deepEqual(await does('/Sessions/End', { staff_id, session_id }), { ended: 1 });
  assert.deepEqual([await signedInAs(person), await signedInAs(second)].toSorted(), [false, true]);
  assert.equal((await does('/Sessions/End', { staff_id })).ended, 2);
  assert.deepEqual([await signedInAs(person), await signedInAs(second)], [false, false]);
});

test('admins cannot change their own role or scope, disable or enable themselves, or reset their own second factor', async () => {
  const { staffId: staff_id } = admin;
  for (const [path, body] of [
    ['/Update', { role: 'viewer' }],
    ['/Update', { partners: [1] }],
    ['/Disable', {}],
    ['/Enable', {}],
    ['/SecondFactor/Reset', {}],
  ] as const) {
    assert.equal((await refuses(path, { staff_id, ...body })).error, 'own_account', path);
  }
  assert.equal((await does('/Update', { staff_id, name: 'My new name' })).name, 'My new name');
  assert.ok(await signedInAs(admin));
});

test('the list goes on behind its cursor, and knows who is locked', async () => {
  const locked = await active('viewer');
  await sql.query(`INSERT INTO sign_in_failures VALUES ($1, 10, world_now())`, [`email ${locked.email}`]);
  // One that grows in lower case, one whose cursor is long, and one behind them.
  for (const local of ['İ'.repeat(40), '名'.repeat(64), '龍'])
    await does('/Invite', { ...invitation, email: `${local}@${'株式会社'.repeat(20)}.example` });
  const { staff: all } = await does('/List', { limit: 1000 });
  const pages: object[] = [];
  let cursor: string | null = null;
  do {
    const page: { staff: object[]; next_cursor: string | null } = await does('/List', {
      limit: 1,
      ...(cursor && { cursor }),
    });
    pages.push(...page.staff);
    cursor = page.next_cursor;
  } while (cursor !== null);
  assert.equal((await does('/List', { limit: all.length })).next_cursor, null, 'nothing follows');
  assert.notEqual((await does('/List', { limit: all.length - 1 })).next_cursor, null);
  const steady = ({ last_seen_at: _, ...member }: Record<string, unknown>) => member;
  assert.deepEqual(
    pages.map((each) => steady(each as Record<string, unknown>)),
    all.map(steady),
  );
  assert.equal((await memberOf(locked)).status, 'locked');
  const found = async (search: string) =>
    (await does('/List', { search, limit: 1000 })).staff.map((each: { email: string }) => each.email);
  assert.deepEqual(await found(locked.email.toUpperCase().slice(2)), [locked.email]);
  const viewers = all.filter(({ name }: { name: string }) => name.includes('viewer'));
  assert.deepEqual(
    await found('A VIEWER'),
    viewers.map((each: { email: string }) => each.email),
  );
  assert.deepEqual(await found('%'), []);
  for (const forged of ['none', '[7]', '["\\u0000"]']) {
    const cursor = Buffer.from(forged).toString('base64url');
    assert.equal((await refuses('/List', { cursor })).error, 'invalid_request');
  }
});

test('the time of last use is kept after the session is gone', async () => {
  const person = await signedIn(sql, 'admin');
  await withPassword(person.staffId);
  await does('/Invite', { ...invitation, email: 'by-another@example.com' }, person);
  await sql.query('DELETE FROM sessions WHERE staff_id = $1', [person.staffId]);
  const seen = Date.parse((await memberOf(person)).last_seen_at);
  assert.ok(Math.abs(seen - Date.now()) < 60_000);
});

test('the review is a row a person, whose formulas are harmless, and is recorded', async () => {
  const name = '=HYPERLINK("http://elsewhere.example";"x")';
  const { staff_id } = await does('/Invite', { ...invitation, email: '+formula@example.com', name });
  const { staff } = await does('/List', { limit: 1000 });
  const answer = await staffCall(url, '/Staff/Review', {}, auditor);
  assert.equal(answer.headers.get('content-type'), 'text/csv; charset=utf-8');
  const [head, ...lines] = answer.body.trimEnd().split('\r\n');
  assert.match(head, /^email,name,role,partners,status,second_factor,sso,created_at,last_seen_at/);
  assert.equal(lines.length, staff.length);
  const line = lines.find((each: string) => each.includes(staff_id));
  assert.ok(
    line.startsWith(`"'+formula@example.com","'=HYPERLINK(""http://elsewhere.example"";""x"")",support,1 2,invited,`),
  );
  const record = await lastRecord();
  assert.deepEqual(
    [record.action, record.actor.staff_id, record.after],
    ['StaffReview', auditor.staffId, { people: staff.length }],
  );
});
