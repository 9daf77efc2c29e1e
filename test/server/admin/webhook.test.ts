import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accepted } from '../../support/answers.ts';
import { call, demo, type Partner, rival } from '../../support/caller.ts';
import { testDatabase } from '../../support/database.ts';
import { directIssue } from '../../support/requests.ts';
import { testServer } from '../../support/server.ts';
import { fails, succeeds, succeedsWith } from './terminal.ts';

// Nothing is sent here, so counts do not change. webhook-sending.test.ts tests sending.

const { env, sql } = await testDatabase();
const { url: server } = await testServer({ ...env, WORKER: 'off' });
const webhook = (...args: string[]) => succeeds(env, 'client', 'webhook', ...args);
const webhookWith = (...args: string[]) => succeedsWith(env, 'client', 'webhook', ...args);
const webhookFails = (...args: string[]) => fails(env, 'client', 'webhook', ...args);

/** Refusals change nothing, so they run in parallel. */
const refuses = (refusals: [string[], RegExp][]) =>
  Promise.all(refusals.map(async ([args, form]) => assert.match(await webhookFails(...args), form)));

const place = 'https://partner.example/events';

/** Every free bet issued is an event. */
async function makeEvents(partner: Partner, count: number): Promise<void> {
  for (let i = 0; i < count; i++) accepted('Issue', await call(server, 'Issue', directIssue(), partner));
}

const stored = async () =>
  (await sql.query('SELECT w::text FROM webhooks w UNION ALL SELECT d::text FROM webhook_deliveries d ORDER BY 1'))
    .rows;

test('a new webhook starts with new events, and one that is set again continues where it stopped', async () => {
  await makeEvents(rival, 2);
  assert.equal(
    await webhook('set', '2', place),
    `Events of partner 2 go to ${place}; the next event is number 3. Waiting to be sent: 0.\n`,
  );
  await makeEvents(rival, 1);
  await webhook('off', '2');
  await makeEvents(rival, 1);
  const elsewhere = 'http://partner.example:8080/other?a=b';
  assert.deepEqual(await webhookWith('set', '2', elsewhere), {
    client_id: 2,
    url: elsewhere,
    next_sequence: 3,
    waiting: 2,
  });
});

test('--from starts with any existing event, and refuses a future one', async () => {
  assert.match(
    await webhook('set', '2', place, '--from', '1'),
    /the next event is number 1\. Waiting to be sent: 4\.$/m,
  );
  assert.equal((await webhookWith('set', '2', place, '--from', '5')).waiting, 0);
  const before = await stored();
  assert.equal(
    await webhookFails('set', '2', place, '--from', '6'),
    'There is no event 6 yet: --from can be 5 at most.',
  );
  await refuses([
    ...['0', '1.5', 'x', '1000000000000000'].map((from): [string[], RegExp] => [
      ['set', '2', place, '--from', from],
      /--from must be a whole number of at least 1/,
    ]),
    [['set', '2', place, '--from', '-1'], /--from.*Usage: freebets client webhook set/],
  ]);
  assert.deepEqual(await stored(), before);
});

test('deleted events do not count as waiting', async () => {
  await sql.query('DELETE FROM event_batches WHERE client_id = 2 AND last_sequence <= 2');
  const set = await webhookWith('set', '2', place, '--from', '1');
  assert.deepEqual([set.next_sequence, set.waiting], [3, 2]);
  assert.equal((await webhookWith('deliveries', '2')).length, 2);
  await sql.query('DELETE FROM event_batches WHERE client_id = 2');
  const none = await webhookWith('set', '2', place, '--from', '1');
  assert.deepEqual([none.next_sequence, none.waiting], [5, 0]);
  assert.deepEqual(await webhookWith('deliveries', '2'), []);
  assert.deepEqual(await webhookWith('deliveries', '2', '--state', 'waiting'), []);
});

test('sequences above 32 bits are accepted', async () => {
  await sql.query('UPDATE event_heads SET last_sequence = 5000000000 WHERE client_id = 2');
  const set = await webhookWith('set', '2', place, '--from', '4999999999');
  assert.equal(set.client_id, 2);
  assert.match(await webhookFails('resend', '2', '--sequence', '4999999990'), /Event 4999999990 is no longer kept\./);
});

test('an unusable URL is refused with the reason, and nothing is changed', async () => {
  const before = await stored();
  const refusals: [string, RegExp][] = [
    ['partner.example/events', /begin with https:\/\/ or http:\/\//],
    ['ftp://partner.example/', /begin with https:\/\/ or http:\/\//],
    ['https://', /begin with https:\/\/ or http:\/\//],
    ['https://user:word@partner.example/', /must not hold a user name or password/],
    ['https://user@partner.example/', /must not hold a user name or password/],
    [`${place}#top`, /must not have a fragment/],
    [`${place}#`, /must not have a fragment/],
    [place.padEnd(2049, 'x'), /must not be longer than 2048 characters/],
  ];
  await refuses([
    ...refusals.map(([url, form]): [string[], RegExp] => [['set', '1', url], form]),
    [['set', '77', place], /^There is no partner 77\.$/],
    [['set', '0', place], /whole number/],
  ]);
  assert.deepEqual(await stored(), before);
  assert.equal((await webhookWith('set', '1', place.padEnd(2048, 'x'))).waiting, 0);
});

test('a private address is refused in every form unless a setting allows it', async () => {
  const hidden = [
    '127.0.0.1',
    '0x7f.1',
    '2130706433',
    '10.1.2.3',
    '169.254.169.254',
    '[::1]',
    '[::ffff:10.0.0.1]',
    '0',
  ];
  await refuses(
    hidden.map((host) => [
      ['set', '1', `http://${host}/`],
      /^\S+ is not a public address: .*WEBHOOK_ALLOW_PRIVATE=yes\.$/,
    ]),
  );
  const no = await fails({ ...env, WEBHOOK_ALLOW_PRIVATE: 'no' }, 'client', 'webhook', 'set', '1', 'http://[fd00::1]/');
  assert.match(no, /^fd00::1 is not a public address/);
  const yes = { ...env, WEBHOOK_ALLOW_PRIVATE: 'yes' };
  assert.match(
    await succeeds(yes, 'client', 'webhook', 'set', '1', 'http://0x7f.1:81'),
    /go to http:\/\/127\.0\.0\.1:81\/;/,
  );
  assert.match(await webhook('set', '1', 'https://8.8.8.8/'), /go to https:\/\/8\.8\.8\.8\/;/);
  assert.match(await webhook('set', '1', 'https://localhost/'), /go to/, 'a name is checked when it is connected to');
});

test('show prints the URL and delivery state, and off stops delivery and can be repeated', async () => {
  await webhook('set', '1', place);
  await makeEvents(demo, 3);
  const shown = await webhook('show', '1');
  assert.match(shown, /^Events of partner 1 go to https:\/\/partner\.example\/events\nOn since \d{4}-\S+Z\.\n/);
  assert.match(shown, /\nAttempted up to event 0 of 3\.\nWaiting: 3\. Failed: 0\.\n$/);
  await sql.query(`UPDATE webhooks SET failing_since = '2026-01-02T03:04:05Z' WHERE client_id = 1`);
  assert.match(await webhook('show', '1'), /^Failing since 2026-01-02T03:04:05\.000Z\.$/m);

  const off = await webhook('off', '1');
  assert.equal(
    off,
    'The webhook of partner 1 is off; servers apply the change within five seconds. Its events wait until you set a webhook again.\n',
  );
  const { set_at, off_at, ...rest } = await webhookWith('show', '1');
  assert.ok(Date.parse(off_at) >= Date.parse(set_at));
  assert.deepEqual(rest, {
    client_id: 1,
    url: place,
    off_reason: 'by hand',
    failing_since: '2026-01-02T03:04:05.000Z',
    attempted_through: 0,
    last_sequence: 3,
    oldest_kept: 1,
    waiting: 3,
    failed: 0,
  });
  assert.deepEqual(await webhookWith('off', '1'), { client_id: 1 });
  assert.match(await webhook('show', '1'), new RegExp(`^Off since ${off_at}: by hand\\.$`, 'm'));
  await webhook('set', '1', place);
  const on = await webhookWith('show', '1');
  assert.deepEqual([on.off_at, on.off_reason, on.failing_since], [null, null, null]);
});

test('an unknown partner and a partner without a webhook are different errors', async () => {
  await succeeds(env, 'client', 'create', '--name', 'Without', '--id', '3');
  const verbs = [['show'], ['off'], ['remove'], ['deliveries'], ['resend', '--failed']];
  await refuses(
    verbs.flatMap(([verb = '', ...options]): [string[], RegExp][] => [
      [[verb, '77', ...options], /^There is no partner 77\.$/],
      [
        [verb, '3', ...options],
        verb === 'off' || verb === 'remove'
          ? /^Partner 3 has no webhook\.$/
          : /^Partner 3 has no webhook\. Set one with: freebets client webhook set 3 URL$/,
      ],
    ]),
  );
});

test('deliveries lists every state, newest first, and resend sends the selected events', async () => {
  await webhook('set', '1', place, '--from', '1');
  await makeEvents(demo, 7);
  // As a courier would leave it: 1 was before the webhook, 2 to 6 were attempted, the rest was not.
  await sql.query('UPDATE webhooks SET attempted_through = 6 WHERE client_id = 1');
  await sql.query(`INSERT INTO webhook_receipts VALUES (1, 2, 6, '2026-01-01T00:00:00Z')`);
  await sql.query(`INSERT INTO webhook_deliveries VALUES
    (1, 3, 'waiting', 2, '2026-01-01T00:00:03Z', '2026-01-01T00:05:03Z', 'answered 500'),
    (1, 4, 'failed', 9, '2026-01-01T00:00:04Z', '2026-01-01T00:00:04Z', 'connection refused'),
    (1, 5, 'received', 2, '2026-01-01T00:00:05Z', '2026-01-01T00:00:05Z', 'answered 200')`);
  const lines = (await webhook('deliveries', '1')).split('\n');
  assert.match(lines[0] ?? '', /^SEQUENCE +STATE +ATTEMPTS +LAST ATTEMPT +NEXT ATTEMPT +OUTCOME$/);
  assert.deepEqual(
    lines.slice(1, 11).map((line) => line.split(/ {2,}/)),
    [
      ...['10', '9', '8', '7'].map((sequence) => [sequence, 'waiting', '0']),
      ['6', 'received', '1', '2026-01-01T00:00:00.000Z'],
      ['5', 'received', '2', '2026-01-01T00:00:05.000Z', 'answered 200'],
      ['4', 'failed', '9', '2026-01-01T00:00:04.000Z', 'connection refused'],
      ['3', 'waiting', '2', '2026-01-01T00:00:03.000Z', '2026-01-01T00:05:03.000Z', 'answered 500'],
      ['2', 'received', '1', '2026-01-01T00:00:00.000Z'],
      ['1', 'not sent', '0'],
    ],
  );
  const sequencesIn = async (...args: string[]) =>
    (await webhookWith('deliveries', '1', ...args)).map((delivery: { sequence: number }) => delivery.sequence);
  assert.deepEqual(await sequencesIn('--limit', '2'), [10, 9]);
  assert.deepEqual(await sequencesIn('--state', 'waiting'), [10, 9, 8, 7, 3]);
  assert.deepEqual(await sequencesIn('--state', 'waiting', '--limit', '3'), [10, 9, 8]);
  assert.deepEqual(await sequencesIn('--state', 'received'), [6, 5, 2]);
  assert.deepEqual(await sequencesIn('--state', 'received', '--limit', '2'), [6, 5]);
  assert.deepEqual(await webhookWith('deliveries', '1', '--state', 'failed'), [
    {
      sequence: 4,
      state: 'failed',
      attempts: 9,
      attempted_at: '2026-01-01T00:00:04.000Z',
      next_attempt_at: null,
      outcome: 'connection refused',
    },
  ]);

  assert.equal(await webhook('resend', '1', '--failed'), 'Events of partner 1 that will be sent again: 1.\n');
  assert.equal(await webhookFails('resend', '1', '--failed'), 'No event of partner 1 has failed.');
  assert.deepEqual(await webhookWith('resend', '1', '--sequence', '1', '--to', '2'), {
    client_id: 1,
    resent: 2,
    left_out: 0,
    is_on: true,
  });
  assert.deepEqual(await sequencesIn('--state', 'waiting'), [10, 9, 8, 7, 4, 3, 2, 1]);
  assert.match(
    await webhook('resend', '1', '--sequence', '5', '--to', '9'),
    /again: 2\.\nNo longer kept, or not attempted yet: 3\.\n$/,
  );
  await webhook('off', '1');
  assert.match(
    await webhook('resend', '1', '--sequence', '5'),
    /again: 1\.\nThe webhook is off: the events wait until you set a webhook again\.\n$/,
  );
});

test("resend refuses events that it can't send and says why", async () => {
  const before = await stored();
  await refuses([
    [['resend', '1', '--sequence', '8'], /^Event 8 has not been attempted yet; it is sent in order\.$/],
    [
      ['resend', '1', '--sequence', '8', '--to', '9'],
      /^Events 8 to 9 have not been attempted yet; they are sent in order\.$/,
    ],
    [['resend', '1', '--sequence', '99'], /^There is no event 99 yet; the latest is number 10\.$/],
    [['resend', '1'], /^Choose the events: use --sequence N, --sequence N --to M, or --failed\.$/],
    [['resend', '1', '--to', '3'], /^Choose the events/],
    [['resend', '1', '--failed', '--sequence', '3'], /^Choose the events/],
    [['resend', '1', '--sequence', '3', '--to', '2'], /^--to must not be less than --sequence\.$/],
    [['resend', '1', '--sequence', '1', '--to', '10001'], /^You can send at most 10000 events again at a time\.$/],
    [['resend', '1', '--sequence', 'x'], /^--sequence must be a whole number of at least 1\.$/],
    [['deliveries', '1', '--limit', '1001'], /^--limit must be a whole number from 1 to 1000\.$/],
    [['deliveries', '1', '--limit', '0'], /^--limit must be a whole number from 1 to 1000\.$/],
    [
      ['deliveries', '1', '--state', 'lost'],
      /'lost' is invalid\. Allowed choices are waiting, received, failed\. Usage: /,
    ],
  ]);
  assert.deepEqual(await stored(), before);
  await sql.query('DELETE FROM event_batches WHERE client_id = 1 AND last_sequence <= 7');
  await refuses([
    [['resend', '1', '--sequence', '3'], /^Event 3 is no longer kept\.$/],
    [['resend', '1', '--sequence', '3', '--to', '7'], /^Events 3 to 7 are no longer kept\.$/],
    [
      ['resend', '1', '--sequence', '3', '--to', '9'],
      /^Events 3 to 9 are no longer kept, or have not been attempted yet\.$/,
    ],
  ]);
});

test('setting a webhook again retries scheduled attempts at once', async () => {
  await sql.query(`UPDATE webhook_deliveries SET next_attempt_at = now() + interval '1 day' WHERE client_id = 1`);
  await webhook('set', '1', place);
  const { rows } = await sql.query(
    `SELECT 1 FROM webhook_deliveries WHERE client_id = 1 AND state = 'waiting' AND next_attempt_at > world_now()`,
  );
  assert.deepEqual(rows, []);
});

test('remove deletes the webhook with its deliveries and prints their counts', async () => {
  const state = async () => {
    const tables = ['webhooks', 'webhook_deliveries', 'webhook_receipts'];
    const counts = tables.map((name) => sql.query(`SELECT 1 FROM ${name} WHERE client_id = 1`));
    return (await Promise.all(counts)).map(({ rowCount }) => rowCount);
  };
  await sql.query(
    'DELETE FROM webhook_deliveries WHERE client_id = 1; DELETE FROM webhook_receipts WHERE client_id = 1',
  );
  await makeEvents(demo, 18);
  const { last_sequence: last } = await webhookWith('show', '1');
  // The last four are 2 not tried yet, and before them 2 of which one failed; and there are receipts of ten before those.
  await sql.query('UPDATE webhooks SET attempted_through = $1 WHERE client_id = 1', [last - 2]);
  await sql.query('INSERT INTO webhook_receipts VALUES (1, $1, $2, world_now()), (1, $3, $4, world_now())', [
    last - 13,
    last - 9,
    last - 8,
    last - 2,
  ]);
  await sql.query(
    `INSERT INTO webhook_deliveries VALUES (1, $1, 'failed', 9, now(), now()), (1, $2, 'waiting', 2, now(), now()),
       (1, $3, 'received', 2, now(), now()), (1, $4, 'received', 2, now(), now())`,
    [last - 3, last - 4, last - 5, last - 20],
  );
  assert.deepEqual(await webhookWith('remove', '1'), {
    client_id: 1,
    url: place,
    waiting: 3,
    received: 12 - 3 + 2,
    failed: 1,
  });
  assert.deepEqual(await state(), [0, 0, 0]);
  assert.match(await webhookFails('remove', '1'), /^Partner 1 has no webhook/);
  assert.equal((await webhookWith('set', '1', place)).next_sequence, last + 1, 'a new one begins with the next event');
  await makeEvents(demo, 1);
  const removed = await webhook('remove', '1');
  assert.equal(
    removed,
    `The webhook of partner 1 to ${place} is removed; servers apply the change within five seconds.\n` +
      'Its delivery history was deleted: 1 waiting, 0 received, 0 failed.\n' +
      'The events stay in the feed.\n',
  );
});
