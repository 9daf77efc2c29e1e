import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { test } from 'node:test';
import { consolePath } from '@freebets/contract';
import { accepted } from '../../support/answers.ts';
import { call } from '../../support/caller.ts';
import { testDatabase } from '../../support/database.ts';
import { type Held, holdCampaign, holdRows } from '../../support/held-batch.ts';
import { freshMetrics } from '../../support/metrics.ts';
import { sendRaw } from '../../support/raw.ts';
import { campaign, directIssue } from '../../support/requests.ts';
import { testServer } from '../../support/server.ts';
import { acceptedStaffCall, type Staff, signedIn, staffCall } from '../../support/staff.ts';
import { until } from '../../support/waiting.ts';

// The edge of the console: staff calls to operations of partners.

const { env, sql } = await testDatabase();
const { url } = await testServer(env);
const admin = await signedIn(sql, 'admin');
const support = await signedIn(sql, 'support', [1]);

const issue = async () => accepted('Issue', await call(url, 'Issue', directIssue()));
const read = { client_id: 1, limit: 1 };

test('without a session, with a wrong one, and from another origin nothing is answered', async () => {
  const path = '/FreeBets/List';
  assert.equal((await staffCall(url, path, read)).body.error, 'not_signed_in');
  assert.equal((await staffCall(url, path, read, { cookie: `freebets=${'A'.repeat(43)}` })).status, 401);
  for (const headers of [
    {},
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'none' },
    { origin: 'https://elsewhere.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site', origin: url },
  ] as Record<string, string>[]) {
    const { status, body } = await staffCall(url, path, read, admin, headers);
    assert.deepEqual([status, body.error], [403, 'wrong_origin'], JSON.stringify(headers));
  }
  assert.equal((await staffCall(url, path, read, admin, { origin: url })).status, 200);
  assert.equal((await staffCall(url, path, read, admin)).status, 200);
});

test('a page that was loaded by another user is refused', async () => {
  const { issue_id } = await issue();
  const given = { client_id: 1, issue_id, reason: 'A wrong one' };
  const cancelAs = (staffId: string) =>
    staffCall(url, '/FreeBets/Cancel', given, admin, { 'sec-fetch-site': 'same-origin', 'x-signed-in-as': staffId });
  const { status, body } = await cancelAs(support.staffId);
  assert.deepEqual([status, body.error], [403, 'another_signed_in']);
  assert.equal((await acceptedStaffCall(url, '/FreeBets/Get', { client_id: 1, issue_id }, admin)).status, 'active');
  assert.equal((await cancelAs(admin.staffId)).status, 200);
});

test('Me returns the signed-in user; unknown operations return 404', async () => {
  const person = await acceptedStaffCall(url, '/Session/Get', {}, support);
  assert.deepEqual(person, {
    staff_id: support.staffId,
    email: support.email,
    name: 'A support',
    role: 'support',
    partners: [1],
    must_set_up_second_factor: false,
  });
  for (const path of ['/FreeBets/Issue/Batch', '/Rounds/Bet', '/Nowhere']) {
    assert.equal((await staffCall(url, path, {}, admin)).body.error, 'unknown_operation');
  }
  const got = await fetch(`${url}/console/api/Session/Get`);
  assert.deepEqual([got.status, got.headers.get('allow')], [405, 'POST']);
});

test('a path with an operation and a page names the methods of both', async () => {
  const got = await fetch(`${url}/console/api/Session/Sso`, { method: 'PUT' });
  assert.deepEqual([got.status, got.headers.get('allow')], [405, 'POST, GET, HEAD']);
});

test('an operation has one address; what comes to it written otherwise is not there, and is counted so', async () => {
  const ask = (target: string) => {
    const head = ['Host: x', 'Sec-Fetch-Site: same-origin', `Cookie: ${admin.cookie}`, 'Connection: close'];
    const body = ['Content-Type: application/json', 'Content-Length: 2', '', '{}'];
    return sendRaw(url, [`POST ${target} HTTP/1.1`, ...head, ...body].join('\r\n'));
  };
  const path = `${consolePath}/Session/Get`;
  const others = ['/console/%61pi/Session/Get', `${consolePath}/Session/%47et`, `${path}#x`, `http://x?${path}`];
  for (const target of others) assert.match(await ask(target), /^HTTP\/1\.1 404 .*"unknown_operation"/s, target);
  assert.match(await ask(`http://x${path}?x`), /^HTTP\/1\.1 200 /, 'the same address, whole');
  const metrics = await freshMetrics(url);
  assert.match(metrics, /operation="unknown"/);
  assert.doesNotMatch(metrics, /operation="\/console\/api/);
});

test('a role that does not reach, and a partner out of scope', async () => {
  const stop = { client_id: 1, campaign_id: 'none', reason: 'to see' };
  assert.equal((await staffCall(url, '/FreeBets/Campaign/Stop', stop, support)).body.error, 'not_allowed');
  assert.equal((await staffCall(url, '/FreeBets/Campaign/Stop', stop, admin)).body.error, 'campaign_not_found');
  const elsewhere = await staffCall(url, '/FreeBets/List', { client_id: 2 }, support);
  const nowhere = await staffCall(url, '/FreeBets/List', { client_id: 99 }, support);
  for (const { status, body } of [elsewhere, nowhere])
    assert.deepEqual([status, body.error], [404, 'partner_not_found']);
  assert.equal((await staffCall(url, '/FreeBets/List', { client_id: 2 }, admin)).status, 200);
});

test('a change needs its reason, and is recorded with it in the transaction that makes it', async () => {
  const { issue_id } = await issue();
  const cancel = { client_id: 1, issue_id };
  for (const [reason, expected] of [
    [undefined, 'is missing'],
    ['no', 'must have at least 3 characters'],
    [7, 'must be a string'],
  ] as const) {
    const { status, body } = await staffCall(url, '/FreeBets/Cancel', { ...cancel, reason }, support);
    assert.equal(status, 400);
    assert.deepEqual(
      body.details.map(({ field }: { field: string }) => field),
      ['reason'],
      expected,
    );
  }
  assert.equal((await staffCall(url, '/FreeBets/Cancel', { ...cancel, dry_run: true }, support)).status, 200);
  const before = (await sql.query('SELECT count(*)::int AS n FROM audit')).rows[0].n;
  const reason = 'The player asked for it';
  for (let i = 0; i < 2; i++) await acceptedStaffCall(url, '/FreeBets/Cancel', { ...cancel, reason }, support);
  const { rows } = await sql.query('SELECT client_id, sequence, record FROM audit ORDER BY at, sequence');
  assert.equal(rows.length, before + 1, 'the second call changed nothing');
  const record = JSON.parse(rows.at(-1).record);
  assert.equal(rows.at(-1).client_id, 1);
  assert.deepEqual(record.actor, { kind: 'staff', staff_id: support.staffId, email: support.email, role: 'support' });
  assert.deepEqual(
    [record.action, record.reason, record.target, record.before.status, record.after.status, record.address],
    ['Cancel', reason, { kind: 'free_bet', id: issue_id }, 'active', 'cancelled', '127.0.0.1'],
  );
  const refused = await staffCall(
    url,
    '/FreeBets/Cancel',
    { client_id: 1, issue_id: crypto.randomUUID(), reason },
    support,
  );
  assert.equal(refused.body.error, 'free_bet_not_found');
  assert.equal((await sql.query('SELECT count(*)::int AS n FROM audit')).rows[0].n, before + 1);
});

test('a reason of another type is refused, with and without a session', async () => {
  for (const reason of [{ toString: 1 }, { toString: null, valueOf: null }, [{ toString: 1 }], {}, null, true]) {
    for (const [path, who] of [
      ['/Session/Get', support],
      ['/Session/SignIn', { cookie: '' }],
    ] as const) {
      const { status, body } = await staffCall(url, path, { reason }, who);
      assert.equal(status, 400, JSON.stringify(reason));
      assert.ok(body.details.some(({ field }: { field: string }) => field === 'reason'));
    }
  }
});

test('what partners do themselves is not in the record', async () => {
  const before = (await sql.query('SELECT count(*)::int AS n FROM audit')).rows[0].n;
  const { issue_id } = await issue();
  await call(url, 'Cancel', { issue_id });
  assert.equal((await sql.query('SELECT count(*)::int AS n FROM audit')).rows[0].n, before);
});

test('the record cannot be changed', async () => {
  for (const text of ['UPDATE audit SET record = record', 'DELETE FROM audit', 'TRUNCATE audit']) {
    await assert.rejects(sql.query(text), /cannot be changed/);
  }
});

test('bodies that are none, are too large, or of another type', async () => {
  assert.equal((await staffCall(url, '/FreeBets/List', '[', admin)).status, 400);
  assert.equal((await staffCall(url, '/FreeBets/List', '{"client_id":1,"client_id":2}', admin)).status, 400);
  assert.equal((await staffCall(url, '/FreeBets/List', '{"client_id":1,"more":1}', admin)).status, 400);
  const large = await staffCall(url, '/FreeBets/List', `{"a":"${'x'.repeat(1024 * 1024)}"}`, admin);
  assert.equal(large.body.error, 'body_too_large');
  const plain = { 'sec-fetch-site': 'same-origin', 'content-type': 'text/plain' };
  assert.equal((await staffCall(url, '/FreeBets/List', '{}', admin, plain)).body.error, 'not_json');
  const none = await fetch(`${url}/console/api/FreeBets/List`, {
    method: 'POST',
    headers: { 'sec-fetch-site': 'same-origin', cookie: admin.cookie },
  });
  assert.deepEqual([none.status, ((await none.json()) as { error: string }).error], [415, 'not_json']);
});

test('bytes that are no UTF-8 are refused, and not read as something else', async () => {
  const body = JSON.stringify({ client_id: 1, reason: 'A present', ...directIssue({ player_id: 'J\u00fcrgen' }) });
  const { status, body: answer } = await staffCall(url, '/FreeBets/Issue', Buffer.from(body, 'latin1'), admin);
  assert.deepEqual([status, answer.details], [400, [{ field: '', reason: 'must be a JSON object in UTF-8' }]]);
});

test('what partners get as bytes that are ready is JSON for staff too', async () => {
  const { headers, body } = await staffCall(url, '/Game/List', { client_id: 1 }, admin);
  assert.equal(headers.get('content-type'), 'application/json; charset=utf-8');
  assert.equal(typeof body, 'object');
});

test('requests of an unattended page do not extend the session', async () => {
  const { staffId, cookie } = await signedIn(sql, 'viewer');
  const earlier = `UPDATE sessions SET seen_at = now() - interval '10 minutes' WHERE staff_id = $1 RETURNING seen_at`;
  const seen = `SELECT seen_at FROM sessions WHERE staff_id = $1`;
  const [before] = (await sql.query(earlier, [staffId])).rows;
  const byItself = { 'sec-fetch-site': 'same-origin', 'x-unattended': 'yes' };
  assert.equal((await staffCall(url, '/FreeBets/List', read, { cookie }, byItself)).status, 200);
  assert.deepEqual((await sql.query(seen, [staffId])).rows, [before]);
  assert.equal((await staffCall(url, '/FreeBets/List', read, { cookie })).status, 200);
  assert.notDeepEqual((await sql.query(seen, [staffId])).rows, [before]);
});

/** A request whose body waits; resolves when the server has looked who it is. */
async function begun(path: string, body: object, { cookie, staffId }: Staff) {
  await sql.query('UPDATE sessions SET seen_at = $2 WHERE staff_id = $1', [staffId, new Date(Date.now() - 60_000)]);
  const seenAt = async () =>
    (await sql.query('SELECT seen_at FROM sessions WHERE staff_id = $1', [staffId])).rows[0].seen_at.getTime();
  const before = await seenAt();
  const headers = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', cookie };
  const sent = request(url + consolePath + path, { method: 'POST', headers });
  sent.flushHeaders();
  await until('its session was used', 10_000, async () => (await seenAt()) > before);
  return {
    async finish(): Promise<string> {
      sent.end(JSON.stringify(body));
      const [answer] = await once(sent, 'response');
      return JSON.parse((await answer.toArray()).join('')).error ?? 'done';
    },
  };
}

test('who is shut out, or may less, while the body of a request is on its way is refused', async () => {
  const rogue = await signedIn(sql, 'admin');
  const enabling = await begun('/Staff/Enable', { staff_id: rogue.staffId, reason: 'I am back' }, rogue);
  await acceptedStaffCall(url, '/Staff/Disable', { staff_id: rogue.staffId, reason: 'Dismissed' }, admin);
  assert.equal(await enabling.finish(), 'not_signed_in');
  const { rows } = await sql.query('SELECT disabled_at FROM staff WHERE staff_id = $1', [rogue.staffId]);
  assert.ok(rows[0].disabled_at);

  const manager = await signedIn(sql, 'manager');
  const stopping = await begun(
    '/FreeBets/Campaign/Stop',
    { client_id: 1, campaign_id: 'x', reason: 'to see' },
    manager,
  );
  await sql.query(`UPDATE staff SET role = 'viewer' WHERE staff_id = $1`, [manager.staffId]);
  assert.equal(await stopping.finish(), 'not_allowed');

  const confined = await signedIn(sql, 'viewer', [1]);
  const reading = await begun('/FreeBets/List', read, confined);
  await sql.query('UPDATE staff_partners SET client_id = 2 WHERE staff_id = $1', [confined.staffId]);
  assert.equal(await reading.finish(), 'partner_not_found');
});

const reason = 'For this test';

/** Sends a request that waits for the held row, and runs `meanwhile`. */
async function answeredAfter(held: Held, path: string, body: object, who: Staff, meanwhile: () => Promise<unknown>) {
  const answering = staffCall(url, path, { ...body, reason }, who);
  try {
    await held.isWaitedFor();
    await meanwhile();
  } finally {
    await held.letGo();
  }
  return (await answering).body.error ?? 'done';
}

const actsOf = async ({ staffId }: Staff) =>
  (await sql.query('SELECT action FROM audit WHERE actor = $1', [staffId])).rows.map(({ action }) => action);

const shutOut = ({ staffId }: Staff) => acceptedStaffCall(url, '/Staff/Disable', { staff_id: staffId, reason }, admin);

for (const [path, body] of [
  ['/Staff/Disable', {}],
  ['/Staff/Update', { role: 'viewer' }],
  ['/Staff/Update', { partners: [1] }],
  ['/Staff/Sessions/End', {}],
] as const) {
  test(`a member whose session ends while a change waits changes nothing: ${path} ${JSON.stringify(body)}`, async () => {
    const rogue = await signedIn(sql, 'admin');
    const given = { staff_id: rogue.staffId, ...body, reason };
    const held = await holdRows(sql, 'SELECT FROM reference FOR UPDATE');
    const error = await answeredAfter(held, '/Partner/Secret/Rotate', { client_id: 2 }, rogue, () =>
      acceptedStaffCall(url, path, given, admin),
    );
    assert.deepEqual([error, await actsOf(rogue)], ['not_signed_in', []]);
  });
}

test('a disabled member cannot invite after the record of it', async () => {
  const rogue = await signedIn(sql, 'admin');
  await sql.query(`UPDATE staff SET password = 'not a hash' WHERE staff_id = $1`, [admin.staffId]);
  await acceptedStaffCall(url, '/Staff/Update', { staff_id: rogue.staffId, name: 'Recorded', reason }, admin);
  const head = await holdRows(sql, 'SELECT FROM audit_heads WHERE client_id = 0 FOR UPDATE');
  const inviting = { email: 'friend@example.com', name: 'A friend', role: 'admin', partners: null };
  let late: ReturnType<typeof staffCall> | undefined;
  const error = await answeredAfter(head, '/Staff/Disable', { staff_id: rogue.staffId }, admin, async () => {
    late = staffCall(url, '/Staff/Invite', { ...inviting, reason }, rogue);
    await until('both wait', 10_000, async () => {
      const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      return (await sql.query(waiting)).rowCount === 2;
    });
  });
  assert.deepEqual([error, (await late)?.body.error], ['done', 'not_signed_in']);
  const { rowCount } = await sql.query('SELECT FROM staff WHERE email = $1', [inviting.email]);
  assert.deepEqual([rowCount, await actsOf(rogue)], [0, []]);
});

test('a member whose session ends while a command waits in a lane changes nothing', async () => {
  const campaign_id = 'held-at-the-edge';
  accepted('CampaignCreate', await call(url, 'CampaignCreate', campaign({ campaign_id })));
  const given = { campaign_id, player_id: 'player', currency: 'EUR' };
  const issue_ids = [accepted('Issue', await call(url, 'Issue', given)).issue_id, (await issue()).issue_id];
  const asked = [
    ['/FreeBets/Campaign/Stop', { client_id: 1, campaign_id }],
    ['/FreeBets/Cancel/Batch', { client_id: 1, issue_ids }],
    ['/FreeBets/Issue', { client_id: 1, ...given }],
  ] as const;
  for (const [path, body] of asked) {
    const rogue = await signedIn(sql, 'manager');
    const error = await answeredAfter(await holdCampaign(sql, campaign_id), path, body, rogue, () => shutOut(rogue));
    assert.deepEqual([error, await actsOf(rogue)], ['not_signed_in', []], path);
  }
  const { status, counts } = await acceptedStaffCall(
    url,
    '/FreeBets/Campaign/Get',
    { client_id: 1, campaign_id },
    admin,
  );
  assert.deepEqual([status, counts.issued], ['active', 1]);
});

test('an ended session cannot set up a second factor; ending your own session returns a response', async () => {
  const rogue = await signedIn(sql, 'admin');
  const held = await holdRows(sql, 'SELECT FROM staff WHERE staff_id = $1 FOR UPDATE', rogue.staffId);
  const error = await answeredAfter(held, '/Account/SecondFactor/Begin', {}, rogue, () =>
    sql.query('DELETE FROM sessions WHERE staff_id = $1', [rogue.staffId]),
  );
  assert.deepEqual([error, await actsOf(rogue)], ['not_signed_in', []]);

  const leaver = await signedIn(sql, 'admin');
  const own = { staff_id: leaver.staffId, reason };
  assert.deepEqual(await acceptedStaffCall(url, '/Staff/Sessions/End', own, leaver), { ended: 1 });
});
