import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accepted } from '../../../support/answers.ts';
import { call, demo, type Partner, rival } from '../../../support/caller.ts';
import { testDatabase } from '../../../support/database.ts';
import { readFeed } from '../../../support/feed.ts';
import { recordedBy, refuseRecords } from '../../../support/records.ts';
import { campaign, directIssue } from '../../../support/requests.ts';
import { testServer } from '../../../support/server.ts';
import { acceptedStaffCall, signedIn, staffCall } from '../../../support/staff.ts';
import { fails, succeedsWith } from '../../admin/terminal.ts';

// Webhooks and deliveries in the console and on the command line. Nothing is sent here, so the numbers do not change.

const { env, sql } = await testDatabase();
const { url: server } = await testServer({ ...env, WORKER: 'off' });
const admin = await signedIn(sql, 'admin');
const viewer = await signedIn(sql, 'viewer', [1]);
const reason = 'The partner has moved';
const place = 'https://partner.example/events';

const change = (path: string, body: object) =>
  acceptedStaffCall(server, path, { client_id: 1, ...body, reason }, admin);
const show = (path: string, body: object = {}) => acceptedStaffCall(server, path, { client_id: 1, ...body }, viewer);
const refusal = async (path: string, body: object, member = admin) =>
  (await staffCall(server, path, { client_id: 1, ...body, reason }, member)).body;

async function makeEvents(partner: Partner, count: number): Promise<void> {
  for (let i = 0; i < count; i++) accepted('Issue', await call(server, 'Issue', directIssue(), partner));
}

test('a webhook is set, turned off, set again and removed, each with its record', async () => {
  assert.equal((await refusal('/Webhook/Off', {})).error, 'webhook_not_found');
  assert.equal((await staffCall(server, '/Webhook/Get', { client_id: 1 }, viewer)).body.error, 'webhook_not_found');
  await makeEvents(demo, 2);
  const records = await recordedBy(sql, async () => {
    const set = await change('/Webhook/Set', { url: place });
    const { set_at, ...rest } = set;
    assert.ok(Math.abs(Date.parse(set_at) - Date.now()) < 60_000);
    assert.deepEqual(rest, {
      client_id: 1,
      url: place,
      off_at: null,
      off_reason: null,
      failing_since: null,
      last_attempt_at: null,
      attempted_through: 2,
      last_sequence: 2,
      oldest_kept: 1,
      next_sequence: 3,
      waiting: 0,
      failed: 0,
    });
    assert.deepEqual(await show('/Webhook/Get'), set);
    for (let i = 0; i < 2; i++) assert.equal((await change('/Webhook/Off', {})).off_reason, 'by hand');
    await succeedsWith(env, 'client', 'webhook', 'off', '1');
    await succeedsWith(env, 'client', 'webhook', 'set', '1', place, '--from', '1', '--reason', 'all of it again');
    await change('/Webhook/Remove', {});
  });
  assert.deepEqual(
    records.map(({ client_id, actor, action, reason: why }) => [client_id, actor.kind, action, why]),
    [
      [1, 'staff', 'WebhookSet', reason],
      [1, 'staff', 'WebhookOff', reason],
      [1, 'cli', 'WebhookSet', 'all of it again'],
      [1, 'staff', 'WebhookRemove', reason],
    ],
  );
  const [set, off, again, removed] = records;
  assert.deepEqual([set?.before, set?.after.url, set?.after.next_sequence], [null, place, 3]);
  assert.deepEqual([off?.before.off_at, off?.after.off_reason], [null, 'by hand']);
  assert.deepEqual([again?.before.off_reason, again?.after.off_at, again?.after.next_sequence], ['by hand', null, 1]);
  assert.deepEqual([removed?.before.url, removed?.after], [place, { dropped: { waiting: 2, received: 0, failed: 0 } }]);
});

test('an address that events cannot be sent to, or an event still to come, is refused, and not recorded', async () => {
  const records = await recordedBy(sql, async () => {
    const reasonOf = async (body: object) => {
      const { error, details } = await refusal('/Webhook/Set', body);
      assert.equal(error, 'invalid_request');
      return `${details[0].field}: ${details[0].reason}`;
    };
    assert.match(await reasonOf({ url: 'ftp://partner.example/' }), /^url: the URL must begin with https:/);
    assert.match(await reasonOf({ url: 'https://user:word@partner.example/' }), /^url: .* must not hold a user name/);
    assert.match(
      await reasonOf({ url: 'http://169.254.169.254/' }),
      /^url: 169\.254\.169\.254 is not a public address/,
    );
    assert.match(await reasonOf({ url: place, from: 4 }), /^from: there is no event 4 yet: from can be 3 at most$/);
    assert.match(await fails(env, 'client', 'webhook', 'set', '1', place, '--from', '4'), /--from can be 3 at most\.$/);
    assert.equal((await refusal('/Webhook/Set', { url: place }, viewer)).error, 'not_allowed');
    const scoped = await signedIn(sql, 'admin', [1]);
    assert.equal((await refusal('/Webhook/Set', { client_id: 2, url: place }, scoped)).error, 'partner_not_found');
    assert.equal((await refusal('/Webhook/Deliveries', { client_id: 2 }, scoped)).error, 'partner_not_found');
    const allow = await refuseRecords(sql);
    assert.equal((await refusal('/Webhook/Set', { url: place })).error, 'internal_error');
    await allow();
  });
  assert.deepEqual(records, []);
  assert.deepEqual((await sql.query('SELECT FROM webhooks')).rows, []);
});

test('three admins set the webhook at the same moment: each record begins with what the other left', async () => {
  const records = await recordedBy(sql, () =>
    Promise.all(Array.from({ length: 3 }, (_, i) => change('/Webhook/Set', { url: `${place}/${i}` }))),
  );
  const inOrder = records.toSorted((one, two) => one.sequence - two.sequence);
  assert.equal(inOrder.length, 3);
  for (const [i, { before }] of inOrder.entries()) assert.equal(before?.url, inOrder[i - 1]?.after.url);
});

test('a webhook that a colleague has changed since it was read is neither set back nor ended', async () => {
  const { url, off_at } = await show('/Webhook/Get');
  const as_read = { url, off_at };
  const moved = await change('/Webhook/Set', { url: place, as_read });
  const records = await recordedBy(sql, async () => {
    for (const read of [as_read, { url: null }, { url: place, off_at: moved.set_at }]) {
      for (const path of ['/Webhook/Set', '/Webhook/Off', '/Webhook/Remove']) {
        const body = { client_id: 1, ...(path === '/Webhook/Set' && { url }), as_read: read, reason };
        const answer = await staffCall(server, path, body, admin);
        assert.deepEqual([answer.status, answer.body.error], [409, 'changed_meanwhile'], path);
      }
    }
  });
  assert.deepEqual(records, []);
  const off = await change('/Webhook/Off', { as_read: { url: place, off_at: null } });
  assert.equal((await refusal('/Webhook/Set', { url: place, as_read })).error, 'changed_meanwhile', 'it is off by now');
  await change('/Webhook/Remove', { as_read: { url: place, off_at: off.off_at } });
  assert.equal((await refusal('/Webhook/Set', { url, as_read })).error, 'changed_meanwhile', 'there is none by now');
  assert.equal((await change('/Webhook/Set', { url, as_read: { url: null, off_at: null } })).url, url);
});

const sequencesIn = async (body: object): Promise<number[]> =>
  (await show('/Webhook/Deliveries', body)).deliveries.map((each: { sequence: number }) => each.sequence);

test('deliveries are listed by state, type and number, page by page', async () => {
  await change('/Webhook/Set', { url: place, from: 1 });
  await makeEvents(demo, 5);
  accepted('CampaignCreate', await call(server, 'CampaignCreate', campaign()));
  await makeEvents(demo, 2);
  // As a courier would leave it: the campaign is number 8, and 9 and 10 were not attempted yet.
  await sql.query('UPDATE webhooks SET attempted_through = 8 WHERE client_id = 1');
  await sql.query(`INSERT INTO webhook_receipts VALUES (1, 2, 8, '2026-01-01T00:00:00Z')`);
  await sql.query(`INSERT INTO webhook_deliveries VALUES
    (1, 3, 'waiting', 2, '2026-01-01T00:00:03Z', '2026-01-01T00:05:03Z', 'answered 500'),
    (1, 4, 'failed', 9, '2026-01-01T00:00:04Z', '2026-01-01T00:00:04Z', 'connection refused'),
    (1, 8, 'failed', 9, '2026-01-01T00:00:05Z', '2026-01-01T00:00:05Z', 'answered 404')`);
  assert.deepEqual(await sequencesIn({}), [10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
  assert.deepEqual(await sequencesIn({ state: 'failed' }), [8, 4]);
  assert.deepEqual(await sequencesIn({ state: 'waiting' }), [10, 9, 3]);
  assert.deepEqual(await sequencesIn({ state: 'received', from: 5, to: 6 }), [6, 5]);
  assert.deepEqual(await sequencesIn({ type: 'campaign.created' }), [8]);
  assert.deepEqual(await sequencesIn({ type: 'freebet.issued', from: 7, to: 9 }), [9, 7]);
  assert.deepEqual(await sequencesIn({ type: 'freebet.issued', state: 'failed' }), [4]);
  const idOf = new Map((await readFeed(server)).map((event) => [event.sequence, event.event_id]));
  assert.deepEqual((await show('/Webhook/Deliveries', { from: 3, to: 4 })).deliveries, [
    {
      sequence: 4,
      event_id: idOf.get(4),
      type: 'freebet.issued',
      state: 'failed',
      attempts: 9,
      attempted_at: '2026-01-01T00:00:04.000Z',
      next_attempt_at: null,
      answer_status: null,
      outcome: 'connection refused',
    },
    {
      sequence: 3,
      event_id: idOf.get(3),
      type: 'freebet.issued',
      state: 'waiting',
      attempts: 2,
      attempted_at: '2026-01-01T00:00:03.000Z',
      next_attempt_at: '2026-01-01T00:05:03.000Z',
      answer_status: 500,
      outcome: 'answered 500',
    },
  ]);
  const [first] = (await show('/Webhook/Deliveries', { to: 1 })).deliveries;
  assert.equal(first.state, 'not_sent');
  for (const filter of [{}, { type: 'freebet.issued' }, { state: 'received' }]) {
    const whole = await sequencesIn(filter);
    const found: number[] = [];
    let cursor: string | undefined;
    do {
      const page = await show('/Webhook/Deliveries', { ...filter, limit: 2, ...(cursor && { cursor }) });
      found.push(...page.deliveries.map((each: { sequence: number }) => each.sequence));
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
    assert.deepEqual(found, whole);
  }
  assert.equal((await show('/Webhook/Get')).last_attempt_at, '2026-01-01T00:00:05.000Z');
});

test('events are sent again by number or by filter: all that match, and it is recorded how many', async () => {
  const resend = (body: object) => acceptedStaffCall(server, '/Webhook/Resend', { client_id: 1, ...body }, admin);
  const dry = async (body: object) => (await resend({ ...body, dry_run: true })).matched;
  const none = await recordedBy(sql, async () => {
    assert.deepEqual(await resend({ state: 'failed', dry_run: true }), {
      client_id: 1,
      matched: 2,
      is_on: true,
      dry_run: true,
    });
    assert.equal(await dry({ from: 1 }), 8, 'those not attempted yet are sent in turn');
    assert.equal(await dry({ from: 5, to: 6 }), 2);
    assert.equal(await dry({ sequences: [1, 8, 9, 99] }), 2);
    assert.equal(await dry({ type: 'campaign.created' }), 1);
    assert.equal(await dry({ state: 'failed', type: 'freebet.issued' }), 1);
    assert.equal(await dry({ type: 'campaign.stopped' }), 0);
    assert.equal((await resend({ type: 'campaign.stopped', reason })).matched, 0);
    for (const body of [{}, { sequences: [1], state: 'failed' }]) {
      assert.equal((await refusal('/Webhook/Resend', body)).error, 'invalid_request');
    }
    assert.equal((await refusal('/Webhook/Resend', { client_id: 2, from: 1 })).error, 'webhook_not_found');
    assert.equal((await refusal('/Webhook/Resend', { from: 1 }, viewer)).error, 'not_allowed');
  });
  assert.deepEqual(none, []);
  assert.deepEqual(await sequencesIn({ state: 'failed' }), [8, 4]);
  const records = await recordedBy(sql, async () => {
    assert.equal((await change('/Webhook/Resend', { state: 'failed', type: 'campaign.created' })).matched, 1);
    assert.deepEqual(await sequencesIn({ state: 'failed' }), [4]);
    await succeedsWith(env, 'client', 'webhook', 'resend', '1', '--failed', '--reason', 'it is mended');
    assert.equal((await change('/Webhook/Resend', { sequences: [2, 1] })).matched, 2);
  });
  assert.deepEqual(await sequencesIn({ state: 'waiting' }), [10, 9, 8, 4, 3, 2, 1]);
  assert.deepEqual(
    records.map(({ action, actor, after }) => [action, actor.kind, after]),
    [
      ['DeliveryResend', 'staff', { state: 'failed', type: 'campaign.created', resent: 1 }],
      ['DeliveryResend', 'cli', { state: 'failed', resent: 1 }],
      ['DeliveryResend', 'staff', { sequences: [2, 1], resent: 2 }],
    ],
  );
});

test('more than ten thousand are not sent again at a time, and it says why', async () => {
  await change('/Webhook/Set', { client_id: 2, url: place });
  await makeEvents(rival, 1);
  await sql.query(`UPDATE event_batches SET last_sequence = 20000 WHERE client_id = 2;
    UPDATE event_heads SET last_sequence = 20000 WHERE client_id = 2;
    UPDATE webhooks SET attempted_through = 20000 WHERE client_id = 2`);
  const { error, details } = await refusal('/Webhook/Resend', { client_id: 2, from: 1 });
  assert.deepEqual(
    [error, details[0].reason],
    ['invalid_request', 'more than 10000 events match: choose fewer, by from and to'],
  );
  assert.equal((await change('/Webhook/Resend', { client_id: 2, from: 1, to: 10_000 })).matched, 10_000);
});

test('those of a type are sent again, however many others there are', async () => {
  // As many issued as make 25 batches of a thousand, with a campaign on each side of every tenth.
  const issued = `{"type": "freebet.issued"}`;
  const created = `{"type": "campaign.created"}`;
  await sql.query('DELETE FROM event_batches WHERE client_id = 2');
  await sql.query('DELETE FROM webhook_deliveries WHERE client_id = 2');
  await sql.query(
    `INSERT INTO event_batches (client_id, first_sequence, last_sequence, occurred_at, events)
     SELECT 2, i * 1000 + 1, (i + 1) * 1000, now(), (
       SELECT json_agg(CASE WHEN i % 10 = 0 AND n IN (1, 1000) THEN $1::json ELSE $2::json END ORDER BY n)
       FROM generate_series(1, 1000) n)
     FROM generate_series(0, 24) i`,
    [created, issued],
  );
  await sql.query('UPDATE event_heads SET last_sequence = 25000 WHERE client_id = 2');
  await sql.query('UPDATE webhooks SET attempted_through = 24999 WHERE client_id = 2');
  const wanted = { client_id: 2, type: 'campaign.created' };
  assert.equal((await acceptedStaffCall(server, '/Webhook/Resend', { ...wanted, dry_run: true }, admin)).matched, 6);
  const { details } = await refusal('/Webhook/Resend', { client_id: 2, type: 'freebet.issued' });
  assert.match(details[0].reason, /^more than 10000 events match/);
  assert.equal((await change('/Webhook/Resend', wanted)).matched, 6);
  const { rows } = await sql.query('SELECT sequence::int FROM webhook_deliveries WHERE client_id = 2 ORDER BY 1');
  assert.deepEqual(
    rows.map(({ sequence }) => sequence),
    [1, 1000, 10_001, 11_000, 20_001, 21_000],
  );
  // Where it is too long to be walked, a part of it is to be chosen.
  await sql.query(
    `INSERT INTO event_batches (client_id, first_sequence, last_sequence, occurred_at, events)
     SELECT 2, i * 1000 + 1, (i + 1) * 1000, now(), (SELECT json_agg($1::json) FROM generate_series(1, 1000))
     FROM generate_series(25, 124) i`,
    [issued],
  );
  await sql.query('UPDATE event_heads SET last_sequence = 125000 WHERE client_id = 2');
  await sql.query('UPDATE webhooks SET attempted_through = 125000 WHERE client_id = 2');
  const { details: why } = await refusal('/Webhook/Resend', wanted);
  assert.match(why[0].reason, /^more than 100000 events would have to be searched: choose fewer/);
  assert.equal((await change('/Webhook/Resend', { ...wanted, from: 20_000, to: 30_000 })).matched, 2);
});
