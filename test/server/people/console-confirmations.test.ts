import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { staffOperations } from '@freebets/contract';
import { testDatabase } from '../../support/database.ts';
import { inEuro } from '../../support/drafts.ts';
import { runCommand, testServer } from '../../support/server.ts';
import { acceptedStaffCall, answered, type Staff, session, signedIn, staffCall } from '../../support/staff.ts';

const { env, sql } = await testDatabase();
const on = { ...env, STAFF_CONFIRMATION: 'on', STAFF_MFA: 'off' };
const { url } = await testServer(on);
const { url: urlWithout } = await testServer({ ...on, STAFF_CONFIRMATION: 'off' });

type Name = keyof typeof staffOperations;
const reason = 'As agreed';

const asked = (name: Name, body: object, who: Staff) =>
  staffCall(url, staffOperations[name].path, { ...body, reason }, who);

/** Sends a request that needs a second admin, and returns the ID of the pending request. */
async function pending(name: Name, body: object, who: Staff): Promise<string> {
  const { status, body: answer } = await asked(name, body, who);
  assert.equal(`${status} ${answer.error}`, '409 confirmation_needed', JSON.stringify(answer));
  assert.equal(answer.details[0].field, 'confirmation_id');
  return answer.details[0].reason;
}

const confirm = (confirmation_id: string, who: Staff) =>
  staffCall(url, '/Confirmation/Confirm', { confirmation_id, reason: 'I called them' }, who);

async function refused(answer: ReturnType<typeof staffCall>): Promise<string> {
  const { status, body } = await answer;
  return `${status} ${body.error}`;
}

const done = async (name: Name, body: object, who: Staff) =>
  acceptedStaffCall(url, staffOperations[name].path, { ...body, reason }, who);

const stateOf = async (id: string): Promise<string> =>
  (await sql.query('SELECT state FROM confirmations WHERE confirmation_id = $1', [id])).rows[0].state;

const newcomer = (role: string, partners: number[] | null = null) => ({
  email: `${randomUUID()}@example.com`,
  name: 'New Person',
  role,
  partners,
});

/** A member of staff with a second factor. */
async function colleague(role: 'viewer' | 'manager' | 'admin', partners: number[] | null = null): Promise<Staff> {
  const who = await signedIn(sql, role, partners);
  await sql.query(`UPDATE staff SET totp_secret = 'x', totp_since = world_now(), password = 'x' WHERE staff_id = $1`, [
    who.staffId,
  ]);
  return who;
}

const passTime = (id: string) =>
  sql.query(
    `UPDATE confirmations SET requested_at = requested_at - interval '73 hours', decided_at = decided_at - interval '73 hours'
     WHERE confirmation_id = $1`,
    [id],
  );

test('every change that gives approval rights or shows a secret needs a second admin, and then works once', async () => {
  const [admin, second] = [await colleague('admin'), await colleague('admin')];
  const viewer = await colleague('viewer', [1]);
  const narrow = await colleague('manager', [1]);
  const disabled = await colleague('manager');
  await sql.query('UPDATE staff SET disabled_at = world_now() WHERE staff_id = $1', [disabled.staffId]);
  const waiting = newcomer('admin');
  await acceptedStaffCall(urlWithout, '/Staff/Invite', { ...waiting, reason }, admin);
  const changes: [Name, object][] = [
    ['StaffInvite', newcomer('manager')],
    ['StaffInvite', newcomer('admin', [1])],
    ['StaffInvite', { email: waiting.email }],
    ['StaffUpdate', { staff_id: viewer.staffId, role: 'manager' }],
    ['StaffUpdate', { staff_id: narrow.staffId, role: 'admin' }],
    ['StaffUpdate', { staff_id: narrow.staffId, partners: [1, 2] }],
    ['StaffUpdate', { staff_id: narrow.staffId, partners: null }],
    ['StaffEnable', { staff_id: disabled.staffId }],
    ['StaffResetSecondFactor', { staff_id: narrow.staffId }],
    ['PartnerCreate', { name: 'New partner' }],
    ['PartnerCreate', { name: 'New sandbox', sandbox: true }],
    ['ProviderCreate', { name: 'New provider', currencies: ['EUR'] }],
    ['PartnerRotateSecret', { client_id: 1 }],
    ['ProviderRotateSecret', { provider_id: 'lantern-quay' }],
    ['PartnerUpdate', { client_id: 1, stake_returned: true }],
  ];
  for (const [name, body] of changes) {
    const id = await pending(name, body, admin);
    const what = `${name} ${JSON.stringify(body)}`;
    assert.equal(await pending(name, body, admin), id, `${what}: the same request stays one`);
    assert.equal(await refused(confirm(id, admin)), '409 own_confirmation', what);
    assert.equal((await confirm(id, second)).body.state, 'confirmed', what);
    await done(name, body, admin);
    assert.equal(await stateOf(id), 'done', what);
  }
  const again = await pending('PartnerRotateSecret', { client_id: 1 }, admin);
  assert.equal(await stateOf(again), 'pending', 'a confirmation is used once');
});

test('with the setting off, and for changes without such rights, one admin is enough', async () => {
  const admin = await colleague('admin');
  const manager = await colleague('manager');
  const viewer = await colleague('viewer', [1]);
  await done('StaffInvite', newcomer('viewer'), admin);
  await done('StaffInvite', newcomer('support'), admin);
  await done('StaffInvite', newcomer('auditor'), admin);
  await done('StaffUpdate', { staff_id: viewer.staffId, partners: null, name: 'Renamed' }, admin);
  await done('StaffUpdate', { staff_id: manager.staffId, partners: [1] }, admin);
  await done('StaffUpdate', { staff_id: manager.staffId, role: 'viewer' }, admin);
  await done('StaffDisable', { staff_id: viewer.staffId }, admin);
  await done('StaffEnable', { staff_id: viewer.staffId }, admin);
  await done('PartnerUpdate', { client_id: 1, stake_returned: false, name: 'Demo' }, admin);
  for (const [path, body] of [
    ['/Staff/Invite', newcomer('admin')],
    ['/Staff/Update', { staff_id: manager.staffId, role: 'admin' }],
    ['/Staff/SecondFactor/Reset', { staff_id: manager.staffId }],
    ['/Partner/Secret/Rotate', { client_id: 2 }],
    ['/Partner/Update', { client_id: 2, stake_returned: true }],
    ['/Provider/Secret/Rotate', { provider_id: 'lantern-quay' }],
  ] as const) {
    await acceptedStaffCall(urlWithout, path, { ...body, reason }, admin);
  }
});

test('a confirmation applies only to the exact request and the state it was sent for', async () => {
  const [admin, other, second] = [await colleague('admin'), await colleague('admin'), await colleague('admin')];
  const { secrets_version } = await acceptedStaffCall(url, '/Partner/Get', { client_id: 3 }, admin);
  const asFirst = { client_id: 3, secrets_version };
  const id = await pending('PartnerRotateSecret', asFirst, admin);
  await confirm(id, second);
  await pending('PartnerRotateSecret', { client_id: 2 }, admin);
  await pending('PartnerRotateSecret', { client_id: 3 }, admin);
  await pending('PartnerRotateSecret', asFirst, other);
  await runCommand(on, 'client', 'rotate-secret', '3');
  assert.equal(await refused(asked('PartnerRotateSecret', asFirst, admin)), '409 secrets_changed');

  const viewer = await colleague('viewer', [1]);
  const promotion = { staff_id: viewer.staffId, role: 'manager' };
  const promoting = await pending('StaffUpdate', promotion, admin);
  await confirm(promoting, second);
  await done('StaffUpdate', { staff_id: viewer.staffId, partners: [1, 2] }, other);
  assert.notEqual(
    await pending('StaffUpdate', promotion, admin),
    promoting,
    'a person whose rights have changed needs another confirmation',
  );
  await assert.rejects(
    sql.query(`UPDATE confirmations SET content = '{}' WHERE confirmation_id = $1`, [promoting]),
    /as_requested/,
  );
});

test('the database refuses a confirmation by the requester, and one that comes too late', async () => {
  const admin = await colleague('admin');
  const id = await pending('PartnerRotateSecret', { client_id: 1 }, admin);
  const set = (columns: string) => sql.query(`UPDATE confirmations SET ${columns} WHERE confirmation_id = $1`, [id]);
  const hash = `decided_hash = sha256(convert_to(content, 'UTF8'))`;
  await assert.rejects(
    set(`state = 'confirmed', decided_by = requested_by, decided_at = requested_at, ${hash}`),
    /not_decided_by_the_requester/,
  );
  await assert.rejects(
    set(`state = 'confirmed', decided_at = requested_at + interval '72 hours', ${hash}`),
    /confirmed_in_time/,
  );
  await assert.rejects(set(`state = 'done', done_at = requested_at`), /as_requested|confirmed_in_time/);
});

test('only another admin with the partners in scope can confirm', async () => {
  const [admin, second] = [await colleague('admin'), await colleague('admin')];
  const ofOne = await colleague('admin', [1]);
  const ofTwo = await colleague('admin', [2]);
  const manager = await colleague('manager');
  const id = await pending('PartnerRotateSecret', { client_id: 1 }, admin);
  assert.equal(await refused(confirm(id, manager)), '403 not_allowed');
  assert.equal(await refused(confirm(id, ofTwo)), '404 confirmation_not_found');
  assert.equal(await refused(confirm(randomUUID(), second)), '404 confirmation_not_found');
  const seen = async (who: Staff) =>
    (await answered(url, 'ConfirmationList', { open: true }, who)).confirmations.some(
      (each: { confirmation_id: string }) => each.confirmation_id === id,
    );
  assert.deepEqual([await seen(admin), await seen(ofOne), await seen(ofTwo)], [true, true, false]);
  assert.equal((await confirm(id, ofOne)).body.state, 'confirmed');
  assert.equal((await confirm(id, ofOne)).body.state, 'confirmed', 'confirming again returns the same request');
  assert.equal(await refused(confirm(id, second)), '409 confirmation_not_open');

  const widening = await colleague('manager', [1]);
  const wide = await pending('StaffUpdate', { staff_id: widening.staffId, partners: [1, 2] }, admin);
  assert.equal(await refused(confirm(wide, ofOne)), '404 confirmation_not_found');
  const provider = await pending('ProviderRotateSecret', { provider_id: 'lantern-quay' }, admin);
  assert.equal(await refused(confirm(provider, ofOne)), '404 confirmation_not_found');
});

/** A user who was invited by one admin without a second one. */
async function letIn(by: Staff, role = 'admin'): Promise<Staff> {
  const given = newcomer(role);
  const { link } = await acceptedStaffCall(urlWithout, '/Staff/Invite', { ...given, reason }, by);
  const token = link.split('#')[1];
  const answer = await staffCall(url, '/Invitation/Accept', { token, password: `long enough ${randomUUID()}` });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  const [cookie = ''] = answer.headers.getSetCookie()[0]?.split(';') ?? [];
  return { staffId: answer.body.staff_id, email: given.email, cookie };
}

test('a user invited by the author alone cannot approve the author’s draft', async () => {
  const [admin, second] = [await colleague('admin'), await colleague('admin')];
  const own = await letIn(admin, 'manager');
  const content = inEuro(1000);
  const { draft_id } = await answered(url, 'DraftSave', { client_id: 1, kind: 'campaign', content }, admin);
  const meant = { client_id: 1, draft_id, revision: 1, reason };
  const submitted = await acceptedStaffCall(url, '/Draft/Submit', meant, admin);
  assert.equal(submitted.needs_approval, true);
  assert.equal(await refused(staffCall(url, '/Draft/Approve', meant, own)), '409 own_draft');
  assert.equal((await acceptedStaffCall(url, '/Draft/Approve', meant, second)).state, 'approved');
});

test('two sessions of one user, or users invited by one admin alone, count as one person', async () => {
  const [admin, second] = [await colleague('admin'), await colleague('admin')];
  const own = await letIn(admin);
  const ownOfOwn = await letIn(own);
  const ownToo = await letIn(admin);
  const people = [admin, own, ownOfOwn, ownToo];
  const inAnotherBrowser = { ...admin, cookie: await session(sql, admin.staffId) };
  for (const requester of people) {
    const id = await pending('PartnerRotateSecret', { client_id: 1 }, requester);
    for (const confirmer of [...people, inAnotherBrowser]) {
      assert.equal(await refused(confirm(id, confirmer)), '409 own_confirmation');
    }
    const { rows } = await sql.query(`SELECT decided_by FROM confirmations WHERE confirmation_id = $1`, [id]);
    assert.equal(rows[0].decided_by, null);
    assert.equal((await confirm(id, second)).body.state, 'confirmed');
  }
  // A user counts as a second person after a confirmed change of rights, or a confirmation on the command line.
  const id = await pending('PartnerRotateSecret', { client_id: 2 }, admin);
  assert.equal((await runCommand(on, 'staff', 'confirm', own.email)).code, 0);
  assert.equal((await confirm(id, own)).body.state, 'confirmed');
});

test('a request ends with the rights of its requester, and a confirmation with those of its confirmer', async () => {
  const [admin, second, third] = [await colleague('admin'), await colleague('admin'), await colleague('admin')];
  const id = await pending('PartnerRotateSecret', { client_id: 1 }, admin);
  await done('StaffUpdate', { staff_id: admin.staffId, role: 'manager' }, third);
  assert.equal(await refused(confirm(id, second)), '409 requester_not_allowed');
  await done('StaffDisable', { staff_id: admin.staffId }, third);
  assert.equal(await refused(confirm(id, second)), '409 requester_not_allowed');

  const other = await pending('PartnerRotateSecret', { client_id: 1 }, third);
  await confirm(other, second);
  await sql.query('UPDATE staff SET disabled_at = world_now() WHERE staff_id = $1', [second.staffId]);
  assert.notEqual(await pending('PartnerRotateSecret', { client_id: 1 }, third), other);
});

test('a request expires after 72 hours, pending or confirmed, and can be withdrawn or refused', async () => {
  const [admin, second] = [await colleague('admin'), await colleague('admin')];
  const body = { client_id: 1 };
  const late = await pending('PartnerRotateSecret', body, admin);
  await passTime(late);
  const { body: expired } = await confirm(late, second);
  assert.deepEqual([expired.error, expired.details[0].reason], ['confirmation_not_open', 'is expired']);
  const unused = await pending('PartnerRotateSecret', body, admin);
  assert.notEqual(unused, late);
  await confirm(unused, second);
  await passTime(unused);
  const withdrawn = await pending('PartnerRotateSecret', body, admin);
  assert.notEqual(withdrawn, unused);
  const withdraw = (who: Staff) => staffCall(url, '/Confirmation/Withdraw', { confirmation_id: withdrawn }, who);
  assert.equal(await refused(withdraw(second)), '404 confirmation_not_found');
  await confirm(withdrawn, second);
  for (let i = 0; i < 2; i++) assert.equal((await withdraw(admin)).body.state, 'withdrawn');
  const no = await pending('PartnerRotateSecret', body, admin);
  assert.notEqual(no, withdrawn);
  const refuse = { confirmation_id: no, reason: 'Not now' };
  assert.equal(await refused(staffCall(url, '/Confirmation/Refuse', refuse, admin)), '409 own_confirmation');
  assert.equal((await staffCall(url, '/Confirmation/Refuse', refuse, second)).body.state, 'refused');
  assert.equal(await refused(confirm(no, second)), '409 confirmation_not_open');
  assert.notEqual(await pending('PartnerRotateSecret', body, admin), no);
});

test('a request that is confirmed and applied twice at the same moment takes effect once', async () => {
  const [admin, second, third] = [await colleague('admin'), await colleague('admin'), await colleague('admin')];
  for (let round = 0; round < 10; round++) {
    const { secrets_version } = await acceptedStaffCall(url, '/Partner/Get', { client_id: 1 }, admin);
    const body = { client_id: 1, secrets_version };
    const id = await pending('PartnerRotateSecret', body, admin);
    const answers = await Promise.all([confirm(id, second), confirm(id, third)]);
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 409]);
    const rotations = await Promise.all([1, 2, 3].map(() => asked('PartnerRotateSecret', body, admin)));
    assert.equal(rotations.filter(({ status }) => status === 200).length, 1);
    assert.equal(new Set(rotations.flatMap(({ body: { secret } }) => secret ?? [])).size, 1);
  }
});

test('a confirmation and the change that uses it do not deadlock', async () => {
  const [admin, second] = [await colleague('admin'), await colleague('admin')];
  const before = Date.now();
  for (let round = 0; round < 10; round++) {
    const body = newcomer('manager');
    const id = await pending('StaffInvite', body, admin);
    const [invited, confirmed] = await Promise.all([asked('StaffInvite', body, admin), confirm(id, second)]);
    assert.equal(confirmed.status, 200, JSON.stringify(confirmed.body));
    assert.ok([200, 409].includes(invited.status), JSON.stringify(invited.body));
  }
  assert.ok(Date.now() - before < 10_000, 'a deadlock takes a second');
});

test('only the requester sees the secret, and no secret is stored', async () => {
  const [admin, second] = [await colleague('admin'), await colleague('admin')];
  const id = await pending('PartnerRotateSecret', { client_id: 1 }, admin);
  const confirmed = await confirm(id, second);
  assert.deepEqual(
    Object.keys(confirmed.body).filter((field) => field.includes('secret')),
    [],
  );
  const { secret } = await done('PartnerRotateSecret', { client_id: 1 }, admin);
  const { rows } = await sql.query('SELECT row_to_json(c)::text AS text FROM confirmations c');
  const { rows: records } = await sql.query('SELECT record AS text FROM audit');
  assert.ok(secret.length > 20);
  assert.ok([...rows, ...records].every(({ text }) => !text.includes(secret)));
});

test('each step is in the audit log, and changes with such rights are counted', async () => {
  const [admin, second] = [await colleague('admin'), await colleague('admin')];
  const counted = async (): Promise<number> => {
    const text = await (await fetch(`${url}/metrics`)).text();
    const line = /^freebets_power_changes_total\{operation="PartnerRotateSecret",confirmed="yes"\} (\d+)$/m.exec(text);
    return Number(line?.[1]);
  };
  const before = await counted();
  const id = await pending('PartnerRotateSecret', { client_id: 1 }, admin);
  await confirm(id, second);
  await done('PartnerRotateSecret', { client_id: 1 }, admin);
  const { rows } = await sql.query(
    `SELECT record::json AS record FROM audit WHERE client_id = 1 ORDER BY sequence DESC LIMIT 3`,
  );
  const [rotated, confirmed, requested] = rows.map(({ record }) => record);
  const target = { kind: 'confirmation', id };
  assert.deepEqual(
    [requested.action, requested.target, requested.actor.email, requested.after.state],
    ['ConfirmationRequest', target, admin.email, 'pending'],
  );
  assert.deepEqual(
    [confirmed.action, confirmed.target, confirmed.actor.email, confirmed.after.state, confirmed.reason],
    ['ConfirmationConfirm', target, second.email, 'confirmed', 'I called them'],
  );
  assert.deepEqual(
    [rotated.action, rotated.after.secret_shown, rotated.after.confirmation],
    ['PartnerRotateSecret', true, { confirmation_id: id, by: second.email }],
  );
  for (let i = 0; i < 40 && (await counted()) === before; i++) await new Promise((resolve) => setTimeout(resolve, 100));
  assert.equal(await counted(), before + 1);
});

test('the waiting count contains the requests that a user can confirm or apply', async () => {
  const [admin, second] = [await colleague('admin'), await colleague('admin')];
  const waiting = async (who: Staff) => (await answered(url, 'ConfirmationsWaiting', {}, who)).for_me;
  const [mine, theirs] = [await waiting(admin), await waiting(second)];
  const id = await pending('PartnerRotateSecret', { client_id: 1 }, admin);
  assert.deepEqual([await waiting(admin), await waiting(second)], [mine, theirs + 1]);
  await confirm(id, second);
  assert.deepEqual([await waiting(admin), await waiting(second)], [mine + 1, theirs]);
  await done('PartnerRotateSecret', { client_id: 1 }, admin);
  assert.deepEqual([await waiting(admin), await waiting(second)], [mine, theirs]);
});

test('the command line confirms what the only admin has requested', async () => {
  const admin = await colleague('admin');
  const id = await pending('PartnerRotateSecret', { client_id: 2 }, admin);
  const listed = await runCommand(on, 'staff', 'requests');
  assert.match(listed.stdout, new RegExp(`${id}.*${admin.email}.*PartnerRotateSecret`));
  const { stdout, code } = await runCommand(on, 'staff', 'confirm', id, '--reason', 'Asked them in person');
  assert.deepEqual([code, stdout.includes(admin.email)], [0, true], stdout);
  const { secret } = await done('PartnerRotateSecret', { client_id: 2 }, admin);
  assert.ok(secret);
  const { rows } = await sql.query(
    `SELECT record::json AS record FROM audit WHERE action = 'ConfirmationConfirm' ORDER BY at DESC LIMIT 1`,
  );
  assert.deepEqual([rows[0].record.actor, rows[0].record.target.id], [{ kind: 'cli' }, id]);
  const again = await runCommand(on, 'staff', 'confirm', id);
  assert.deepEqual([again.code, again.stderr.includes('is done')], [1, true], again.stderr);
  const unknown = await runCommand(on, 'staff', 'confirm', randomUUID());
  assert.equal(unknown.code, 1);
});
