import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { testDatabase } from '../../support/database.ts';
import { testServer } from '../../support/server.ts';
import { cookieOf, newPerson, type Person, signIn } from '../../support/sign-in.ts';
import { acceptedStaffCall, type Staff, signedIn, staffCall } from '../../support/staff.ts';

// To an admin of some partners, an address that belongs to a member out of scope looks like one that does not exist,
// and the member's account stays as it is.

const { env, sql } = await testDatabase();
const { url } = await testServer({ ...env, STAFF_MFA: 'off' });
const [admin, ofOne, ofTwo] = [
  await signedIn(sql, 'admin'),
  await signedIn(sql, 'admin', [1]),
  await signedIn(sql, 'admin', [2]),
];
const reason = 'For this test';

const staff = (path: string, body: object, by: Staff) => staffCall(url, `/Staff${path}`, { ...body, reason }, by);
const listed = async (by: Staff, search: string) =>
  (await acceptedStaffCall(url, '/Staff/List', { search }, by)).staff as Record<string, unknown>[];
const tokenOf = ({ link }: { link: string }) => link.slice(link.indexOf('#') + 1);
const rowOf = async (staffId: string) =>
  (await sql.query('SELECT * FROM staff WHERE staff_id = $1', [staffId])).rows[0];

const lastRecord = async () => {
  const { rows } = await sql.query(
    `SELECT record FROM audit WHERE client_id = 0 AND action = 'StaffInvite' ORDER BY sequence DESC LIMIT 1`,
  );
  return JSON.parse(rows[0].record);
};

/** What differs by chance: ids, times, links and the addresses themselves. */
const shapeOf = (value: unknown, email: string): unknown =>
  JSON.parse(
    JSON.stringify(value)
      .replaceAll(email, 'EMAIL')
      .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'ID')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
      .replaceAll(/#[\w-]{43}/g, '#TOKEN'),
  );

/**
 * All that an admin of one partner can see of inviting an address, again with another name, and of what they do to it
 * then.
 */
async function seenBy(by: Staff, email: string): Promise<unknown[][]> {
  const seen: unknown[] = [];
  const see = async (path: string, body: object) => {
    const { status, body: answer, headers } = await staff(path, body, by);
    seen.push([path, status, answer, [...headers.keys()].toSorted(), headers.get('content-length')]);
    return answer;
  };
  await see('/Invite', { email });
  const invited = { email, name: 'New Person', role: 'manager', partners: [1] };
  const { staff_id, link } = await see('/Invite', invited);
  seen.push(await lastRecord(), await listed(by, email));
  // A search for the id finds no member.
  seen.push(await listed(by, `${email} ${staff_id.slice(0, 8)}`), await listed(by, ` ${staff_id}`));
  const { next_cursor } = await acceptedStaffCall(url, '/Staff/List', { search: email, limit: 1 }, by);
  seen.push(next_cursor);
  seen.push((await staffCall(url, '/Invitation/Get', { token: tokenOf({ link }) })).body);
  await see('/Invite', { ...invited, email: email.toUpperCase(), name: 'Another name' });
  seen.push((await staffCall(url, '/Invitation/Get', { token: tokenOf({ link }) })).body.error);
  await see('/Invite', { email });
  for (const path of ['/Get', '/Sessions', '/SecondFactor/Reset', '/Sessions/End']) await see(path, { staff_id });
  await see('/Update', { staff_id, role: 'viewer' });
  await see('/Disable', { staff_id });
  await see('/Invite', { email });
  await see('/Enable', { staff_id });
  const request_id = /"request_id":"[^"]*"/g;
  const text = JSON.stringify(shapeOf(seen, email)).replaceAll(email.toUpperCase(), 'EMAIL');
  return JSON.parse(text.replaceAll(request_id, '"request_id":"ID"').replaceAll(by.email, 'ADMIN'));
}

const addressOf = (kind: string) => `${kind}-${randomUUID().slice(0, 8)}@example.com`;

async function memberOf(partners: number[] | null, email: string): Promise<Person> {
  const person = await newPerson(sql, 'manager');
  await sql.query('UPDATE staff SET email = $2, email_key = $2, all_partners = $3 WHERE staff_id = $1', [
    ...[person.staffId, email, partners === null],
  ]);
  for (const id of partners ?? []) await sql.query('INSERT INTO staff_partners VALUES ($1, $2)', [person.staffId, id]);
  return { ...person, email };
}

test('inviting an address of a member out of scope looks like inviting a new one, in all that follows', async () => {
  // All addresses have one length, because the lengths of responses are compared.
  const expected = await seenBy(ofOne, addressOf('none'));
  assert.deepEqual(expected[1]?.slice(0, 2), ['/Invite', 200]);
  for (const partners of [null, [2], [1, 2]]) {
    const person = await memberOf(partners, addressOf('some'));
    const before = await rowOf(person.staffId);
    assert.deepEqual(await seenBy(ofOne, person.email), expected, JSON.stringify(partners));
    assert.deepEqual(await rowOf(person.staffId), before, 'the account stays as it is');
    assert.equal((await signIn(url, person)).status, 200);
  }
  const disabled = await memberOf([2], addressOf('some'));
  await sql.query('UPDATE staff SET disabled_at = now() WHERE staff_id = $1', [disabled.staffId]);
  assert.deepEqual(await seenBy(ofOne, disabled.email), expected, 'of a disabled member');
  const invited = await memberOf([2], addressOf('some'));
  await sql.query('UPDATE staff SET password = NULL WHERE staff_id = $1', [invited.staffId]);
  assert.deepEqual(await seenBy(ofOne, invited.email), expected, 'of a member who has not accepted');
});

test('a list that ends with such a member has a cursor like any other', async () => {
  const person = await memberOf([2], addressOf('a'));
  const body = { email: person.email, name: 'New Person', role: 'viewer', partners: [1] };
  const { staff_id } = (await staff('/Invite', body, ofOne)).body;
  await staff('/Invite', { ...body, email: addressOf('z') }, ofOne);
  const all = (await acceptedStaffCall(url, '/Staff/List', {}, ofOne)).staff.map(
    (each: { staff_id: string }) => each.staff_id,
  );
  const limit = all.indexOf(staff_id) + 1;
  const { next_cursor } = await acceptedStaffCall(url, '/Staff/List', { limit }, ofOne);
  assert.equal(Buffer.from(next_cursor, 'base64url').toString(), JSON.stringify([staff_id]));
  const rest = await acceptedStaffCall(url, '/Staff/List', { cursor: next_cursor }, ofOne);
  assert.deepEqual(
    rest.staff.map((each: { staff_id: string }) => each.staff_id),
    all.slice(limit),
  );
});

test('its link gives no access to the member and no second account, and the attempt is recorded and uses it up', async () => {
  const person = await memberOf([2], addressOf('some'));
  const invited = (await staff('/Invite', { email: person.email, name: 'X', role: 'admin', partners: [1] }, ofOne))
    .body;
  const accept = { token: tokenOf(invited), password: 'nine purple umbrellas' };
  for (let i = 0; i < 2; i++) {
    const { status, body, headers } = await staffCall(url, '/Invitation/Accept', accept);
    assert.deepEqual([status, body.error, headers.get('set-cookie')], [404, 'invitation_not_valid', null]);
  }
  const { rows } = await sql.query(
    `SELECT record FROM audit WHERE action = 'InvitationAccept' AND target = 'staff ' || $1`,
    [invited.staff_id],
  );
  const found = rows.map(({ record }) => JSON.parse(record));
  assert.deepEqual(
    found.map(({ actor, after }) => [actor, after]),
    [[{ kind: 'unknown', email: person.email }, { failed: 'address_taken' }]],
  );
  assert.equal((await rowOf(invited.staff_id)).password, null);
  assert.equal((await signIn(url, person, { password: accept.password })).status, 401);
  const entered = await signIn(url, person);
  assert.equal(entered.status, 200);
  const who = await staffCall(url, '/Session/Get', {}, { cookie: cookieOf(entered) });
  assert.deepEqual([who.body.staff_id, who.body.role, who.body.partners], [person.staffId, 'manager', [2]]);
});

test('an admin of all partners sees the member and the invitation, and gives the member the partner', async () => {
  const person = await memberOf([2], addressOf('some'));
  const invitation = { email: person.email, name: 'X', role: 'viewer', partners: [1] };
  const { staff_id } = (await staff('/Invite', invitation, ofOne)).body;
  const ids = (await listed(admin, person.email)).map((each) => each.staff_id);
  assert.deepEqual(ids, [person.staffId, staff_id]);
  assert.equal((await staff('/Invite', invitation, admin)).body.error, 'already_exists');
  const given = await staff('/Update', { staff_id: person.staffId, partners: [1, 2] }, admin);
  assert.deepEqual(given.body.partners, [1, 2]);
  assert.equal((await staff('/Disable', { staff_id }, admin)).body.status, 'disabled');
});

test('admins of different partners who invite one address do not see each other’s invitations', async () => {
  const email = addressOf('both');
  const invite = async (by: Staff, partner: number) =>
    (await staff('/Invite', { email, name: 'X', role: 'viewer', partners: [partner] }, by)).body;
  const [first, second] = [await invite(ofOne, 1), await invite(ofTwo, 2)];
  const both = await Promise.all([invite(ofOne, 1), invite(ofTwo, 2), invite(ofTwo, 2)]);
  assert.deepEqual(
    both.map(({ staff_id }) => staff_id),
    [first.staff_id, second.staff_id, second.staff_id],
  );
  for (const [by, { staff_id }] of [
    [ofOne, first],
    [ofTwo, second],
  ] as const) {
    assert.deepEqual(
      (await listed(by, email)).map((each) => each.staff_id),
      [staff_id],
    );
  }
  const race = addressOf('race');
  const raced = await Promise.all(
    [ofOne, ofTwo, ofOne, ofTwo].map(
      async (by) =>
        (await staff('/Invite', { email: race, name: 'X', role: 'viewer', partners: [by === ofOne ? 1 : 2] }, by)).body,
    ),
  );
  assert.deepEqual([raced[0].staff_id, raced[1].staff_id], [raced[2].staff_id, raced[3].staff_id]);
  assert.notEqual(raced[0].staff_id, raced[1].staff_id);
});
