import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { openPool } from '../../../../packages/server/src/engine/connection.ts';
import { ask } from '../../../../packages/server/src/engine/statement.ts';
import { inTransaction } from '../../../../packages/server/src/engine/transaction.ts';
import { findOldEvents, removeOldEvents } from '../../../../packages/server/src/events/feed/sql/retention.ts';
import { startRetention } from '../../../../packages/server/src/events/feed/work.ts';
import { findDeliveries } from '../../../../packages/server/src/events/webhooks/sql/deliveries.ts';
import {
  readBacklog,
  readWebhook,
  removeWebhook,
} from '../../../../packages/server/src/events/webhooks/sql/webhooks.ts';
import { accepted } from '../../../support/answers.ts';
import { call, demo, type Partner, rival } from '../../../support/caller.ts';
import { later, setClock } from '../../../support/clock.ts';
import { testDatabase } from '../../../support/database.ts';
import { whileChanged } from '../../../support/held-batch.ts';
import { callAs, lantern } from '../../../support/provider.ts';
import { campaign, directIssue, games } from '../../../support/requests.ts';
import { testServer } from '../../../support/server.ts';
import { poolsOnSingleNode } from '../../../support/single-node.ts';
import { until } from '../../../support/waiting.ts';
import { setWebhook } from '../../../support/webhooks.ts';

// Old events are removed in small steps, with the results of their deliveries; free bets and bets are kept. The server
// in this test runs no retention itself.

const { env, sql } = await testDatabase();
const { url } = await testServer({ ...env, WORKER: 'off' });

const day = 24 * 3600 * 1000;
const start = '2027-03-01T12:00:00.000Z';
const onDay = (days: number) => setClock(sql, later(start, days * day));
const until2030 = { valid_from: start, valid_until: '2030-01-01T00:00:00Z' };
await onDay(0);

const issue = async (partner?: Partner): Promise<string> =>
  accepted('Issue', await call(url, 'Issue', directIssue({ quantity: 1, ...until2030 }), partner)).issue_id;
/** This many events, each in its own batch: one is issued, and its batch is copied with the following numbers. */
const issueMany = async (count: number) => {
  await issue();
  await sql.query(
    `WITH head AS (UPDATE event_heads SET last_sequence = last_sequence + $1 WHERE client_id = 1 RETURNING last_sequence)
     INSERT INTO event_batches
     SELECT client_id, b.first_sequence + i, b.last_sequence + i, occurred_at, events
     FROM event_batches b, head, generate_series(1, $1::bigint) i
     WHERE client_id = 1 AND b.last_sequence = head.last_sequence - $1`,
    [count - 1],
  );
};

const list = async (after: number, limit: number, partner?: Partner): Promise<number[]> => {
  const { events, last_sequence } = accepted('EventsList', await call(url, 'EventsList', { after, limit }, partner));
  assert.equal(last_sequence, events.at(-1)?.sequence ?? after);
  return events.map(({ sequence }: { sequence: number }) => sequence);
};
const range = (from: number, through: number) => Array.from({ length: through - from + 1 }, (_, i) => from + i);

/** From any first page, reading covers all kept events, from the oldest. */
async function assertLeft(from: number, through: number): Promise<void> {
  for (const limit of [1, 7, 1000]) {
    const first = await list(0, limit);
    assert.deepEqual(first, range(from, Math.min(from + limit - 1, through)));
    for (const after of [Math.floor(from / 2), from - 1]) assert.deepEqual(await list(after, limit), first);
    assert.deepEqual(await list(from, limit), range(from + 1, Math.min(from + limit, through)));
  }
  const read: number[] = [];
  for (let page = await list(0, 50); page.length > 0; page = await list(page.at(-1) as number, 50)) read.push(...page);
  assert.deepEqual(read, range(from, through));
}

/** For every tenth event a delivery of its own, and a run of receipts for the rest of each ten. */
async function noteDeliveries(from: number, through: number): Promise<void> {
  await sql.query(
    `INSERT INTO webhook_deliveries (client_id, sequence, state, attempts, next_attempt_at)
     SELECT 1, s, 'failed', 3, world_now() FROM generate_series($1::bigint, $2::bigint, 10) s`,
    [from, through],
  );
  await sql.query(
    `INSERT INTO webhook_receipts (client_id, first_sequence, last_sequence, received_at)
     SELECT 1, s, s + 9, world_now() FROM generate_series($1::bigint, $2::bigint, 10) s`,
    [from, through],
  );
}

async function numbersIn(table: string, column: string): Promise<number[]> {
  const { rows } = await sql.query(`SELECT ${column}::int AS n FROM ${table} WHERE client_id = 1 ORDER BY 1`);
  return rows.map(({ n }) => n);
}

const kept = ['campaigns', 'campaign_states', 'campaign_totals', 'free_bets', 'bets', 'event_heads'];
async function everythingElse(): Promise<unknown> {
  const all = await Promise.all(kept.map((table) => sql.query(`SELECT t::text FROM ${table} t ORDER BY 1`)));
  return all.map(({ rows }) => rows);
}

const days = 5;
/** No activity reader runs here, and uncounted events would be kept. */
const countAll = () =>
  sql.query(
    `INSERT INTO activity_heads SELECT client_id, last_sequence FROM event_heads
     ON CONFLICT (client_id) DO UPDATE SET position = excluded.position`,
  );
const removeAll = async (clientId = 1) => {
  await countAll();
  while (await removeOldEvents(sql, clientId, days, 200));
};

test('the oldest events are removed first, a limited number at a time, and the rest stay readable', async () => {
  accepted('CampaignCreate', await call(url, 'CampaignCreate', campaign({ campaign_id: 'c', ...until2030 })));
  const issue_id = await issue();
  const bet = { bet_id: randomUUID(), issue_id, player_id: 'player-1', game_id: games.one };
  accepted('RoundsBet', await callAs(lantern, url, 'RoundsBet', bet));
  await issueMany(247);
  await issue(rival);
  await onDay(3);
  await issueMany(50);
  await noteDeliveries(1, 300);
  await countAll();
  await onDay(days);
  assert.equal(await removeOldEvents(sql, 1, days, 100), false, 'exactly so old is not too old');
  await assertLeft(1, 300);

  await setClock(sql, later(start, days * day + 1));
  const before = await everythingElse();
  assert.equal(await removeOldEvents(sql, 1, days, 100), true);
  await assertLeft(101, 300);
  assert.equal(await removeOldEvents(sql, 1, days, 100), true);
  await assertLeft(201, 300);
  assert.equal(await removeOldEvents(sql, 1, days, 100), false);
  await assertLeft(251, 300);
  assert.deepEqual(await numbersIn('webhook_deliveries', 'sequence'), [251, 261, 271, 281, 291]);
  assert.deepEqual(await numbersIn('webhook_receipts', 'first_sequence'), [251, 261, 271, 281, 291]);
  assert.deepEqual(await everythingElse(), before);
  assert.deepEqual(await list(0, 10, rival), [1], "another partner's are its own");
});

test('the newest event stays when all are old, and reading and the numbers go on', async () => {
  await onDay(100);
  const before = await everythingElse();
  await removeAll();
  assert.deepEqual(await numbersIn('event_batches', 'first_sequence'), [300]);
  assert.deepEqual(await numbersIn('webhook_deliveries', 'sequence'), []);
  assert.deepEqual(await numbersIn('webhook_receipts', 'last_sequence'), [300]);
  assert.deepEqual(await everythingElse(), before);
  for (const after of [0, 17, 299]) assert.deepEqual(await list(after, 10), [300]);
  assert.deepEqual(await list(300, 10), []);
  assert.deepEqual(await ask(sql, findOldEvents([1], days)), [], 'there is nothing left to remove');
  await issue();
  await issue();
  await assertLeft(300, 302);
});

test('a batch goes as a whole, and only when it is too old', async () => {
  await onDay(110);
  await removeAll();
  const items = Array.from({ length: 300 }, () => directIssue(until2030));
  accepted('IssueBatch', await call(url, 'IssueBatch', { items }));
  await removeAll();
  await assertLeft(303, 602);
  await onDay(120);
  await issue();
  await removeAll();
  await assertLeft(603, 603);
});

test('old events wait for earlier ones, so that there is no gap', async () => {
  await onDay(130);
  await removeAll();
  await issueMany(300);
  // As when the batch that read the clock last was the first to be numbered, though never by so much.
  await sql.query('UPDATE event_batches SET written_at = $1 WHERE client_id = 1 AND first_sequence = 604', [
    later(start, 131 * day),
  ]);
  await setClock(sql, later(start, 135 * day + 1));
  await removeAll();
  await assertLeft(604, 903);
  await setClock(sql, later(start, 136 * day + 1));
  await removeAll();
  assert.deepEqual(await list(0, 10), [903]);
});

test("two that remove at the same time do not get in each other's way", async () => {
  await onDay(140);
  await issueMany(700);
  await noteDeliveries(904, 1603);
  await onDay(150);
  await issue();
  await countAll();
  const faults: unknown[] = [];
  const resources = {
    pools: poolsOnSingleNode(sql),
    isDatabaseUp: () => true,
    onFault: (error: unknown) => faults.push(error),
  };
  const both = [1, 2].map(() => startRetention(resources, { keptDays: days, pauseMs: 20 }));
  await until('the old ones are gone', 20_000, async () => (await list(0, 1))[0] === 1604);
  await until(
    'their delivery results too',
    20_000,
    async () => (await numbersIn('webhook_receipts', 'first_sequence')).length === 0,
  );
  await Promise.all(both.map((retention) => retention.stop()));
  assert.deepEqual(faults, []);
  assert.deepEqual(await numbersIn('webhook_deliveries', 'sequence'), []);
  await assertLeft(1604, 1604);
});

test('a server removes events older than its setting, for every partner', async () => {
  await onDay(160);
  await issue();
  await issue(rival);
  await onDay(161);
  await testServer({ ...env, EVENTS_KEPT_DAYS: '2' });
  await until('the old ones are gone', 20_000, async () => (await list(0, 1))[0] === 1605);
  await until("and the rival's", 20_000, async () => (await list(0, 1, rival))[0] === 2);
  assert.deepEqual(await list(0, 10, demo), [1605]);
});

test('events of a sandbox age in world time, regardless of its clock', async () => {
  await onDay(166);
  await removeAll(rival.clientId);
  const { now } = accepted('SandboxClockGet', await call(url, 'SandboxClockGet', {}, rival));
  accepted('SandboxClockSet', await call(url, 'SandboxClockSet', { now: later(now, 400 * day) }, rival));
  await issue(rival);
  await removeAll(rival.clientId);
  const [sequence = 0] = await list(0, 10, rival);
  const { rows } = await sql.query(
    'SELECT (occurred_at - written_at)::text AS ahead FROM event_batches WHERE client_id = 2',
  );
  assert.deepEqual(rows, [{ ahead: '400 days' }]);
  await sql.query(`INSERT INTO webhooks (client_id, url, attempted_through) VALUES (2, 'https://partner.example/', 0)`);
  await onDay(169);
  await removeAll(rival.clientId);
  assert.deepEqual(await list(0, 10, rival), [sequence]);
  assert.equal((await readBacklog(sql)).oldest_s, 3 * 86_400);
  await sql.query('DELETE FROM webhooks WHERE client_id = 2');
  await onDay(172);
  await issue(rival);
  await removeAll(rival.clientId);
  assert.deepEqual(await list(0, 10, rival), [sequence + 1]);
});

test('events that were removed before an attempt no longer wait', async () => {
  // No server knows this partner, so nothing is delivered.
  const clientId = 77;
  const stateOf = async () => {
    const webhook = await readWebhook(sql, clientId);
    assert(webhook);
    return [webhook.attempted_through, webhook.waiting, (await readBacklog(sql)).waiting].map(Number);
  };
  const set = () => setWebhook(sql, { clientId, secret: '' }, 'https://partner.example/', 1);
  await sql.query('INSERT INTO event_heads VALUES ($1, 12)', [clientId]);
  await sql.query(
    `INSERT INTO event_batches VALUES ($1, 1, 4, $2, '[]'), ($1, 5, 10, $3, '[]'), ($1, 11, 12, $4, '[]')`,
    [clientId, later(start, 100 * day), later(start, 170 * day), later(start, 172 * day)],
  );
  await set();
  assert.deepEqual(await stateOf(), [0, 12, 12]);
  await removeAll(clientId);
  assert.deepEqual(await stateOf(), [4, 8, 8]);
  await set();
  assert.deepEqual(await stateOf(), [4, 8, 8], 'from the oldest that is kept');
  await onDay(180);
  await removeAll(clientId);
  assert.deepEqual(await stateOf(), [10, 2, 2]);
  await set();
  assert.deepEqual(await stateOf(), [10, 2, 2]);
  await sql.query('DELETE FROM webhooks WHERE client_id = $1', [clientId]);
});

test('received events stay received when an older event of the same run is removed', async () => {
  const clientId = 79;
  await sql.query('INSERT INTO event_heads VALUES ($1, 9)', [clientId]);
  await sql.query(`INSERT INTO event_batches VALUES ($1, 1, 4, $2, '[]'), ($1, 5, 9, $3, '[]')`, [
    clientId,
    later(start, 100 * day),
    later(start, 180 * day),
  ]);
  await setWebhook(sql, { clientId, secret: '' }, 'https://partner.example/', 1);
  await sql.query('UPDATE webhooks SET attempted_through = 9 WHERE client_id = $1', [clientId]);
  await sql.query(
    'INSERT INTO webhook_receipts VALUES ($1, 1, 2, world_now()), ($1, 3, 7, world_now()), ($1, 8, 8, world_now())',
    [clientId],
  );
  const found = async (state: 'received' | null) => {
    const deliveries = await findDeliveries(sql, clientId, { state, from: 1, to: 100, limit: 100 });
    return deliveries.map((each) => `${each.sequence} ${each.state}`);
  };
  await removeAll(clientId);
  const received = ['8 received', '7 received', '6 received', '5 received'];
  assert.deepEqual(await found(null), ['9 not sent', ...received]);
  assert.deepEqual(await found('received'), received);
  assert.deepEqual(await ask(sql, findOldEvents([clientId], days)), [], 'nothing is left to be removed');
  const removed = await inTransaction(sql, (connection) => removeWebhook(connection, clientId));
  assert.deepEqual(Object.values(removed).map(Number), [0, 0, 4]);
});

/** Ten batches of three events of day 100, one of each failed, waiting and received later, and one event of day `last`, received at once. */
async function givenDeliveries(clientId: number, last: number): Promise<void> {
  await sql.query('INSERT INTO event_heads VALUES ($1, 31)', [clientId]);
  await sql.query(
    `INSERT INTO event_batches SELECT $1, s, least(s + 2, 31), CASE s WHEN 31 THEN $3 ELSE $2::timestamptz END, '[]'
     FROM generate_series(1, 31, 3) s`,
    [clientId, later(start, 100 * day), later(start, last * day)],
  );
  await setWebhook(sql, { clientId, secret: '' }, 'https://partner.example/', 1);
  await sql.query('UPDATE webhooks SET attempted_through = 31 WHERE client_id = $1', [clientId]);
  await sql.query(
    'INSERT INTO webhook_receipts SELECT $1, s, least(s + 1, 31), world_now() FROM generate_series(1, 31, 2) s',
    [clientId],
  );
  await sql.query(
    `INSERT INTO webhook_deliveries (client_id, sequence, state, attempts, next_attempt_at)
     SELECT $1, s, (ARRAY['failed', 'waiting', 'received'])[s % 3 + 1], 3, world_now() FROM generate_series(1, 30) s`,
    [clientId],
  );
  await countAll();
}

test('delivery results of removed events are neither listed nor counted, though they are removed later', async () => {
  const states = ['waiting', 'failed', 'received'] as const;
  const afterStep = async (clientId: number, last: number, batches: number) => {
    await givenDeliveries(clientId, last);
    await removeOldEvents(sql, clientId, days, batches);
    const listed: number[] = [];
    for (const state of states) {
      listed.push((await findDeliveries(sql, clientId, { state, from: 1, to: 100, limit: 100 })).length);
    }
    const shown = await readWebhook(sql, clientId);
    assert.deepEqual([Number(shown?.waiting), Number(shown?.failed)], listed.slice(0, 2));
    const backlog = await readBacklog(sql);
    const age = listed[0] === 0 ? 0 : 80 * 86_400;
    assert.deepEqual([Number(backlog.waiting), backlog.oldest_s], [listed[0], age], 'the metrics agree');
    const removed = await inTransaction(sql, (connection) => removeWebhook(connection, clientId));
    const counted = states.map((state) => Number(removed[state]));
    assert.deepEqual(listed, counted);
    return counted;
  };
  assert.deepEqual(await afterStep(80, 180, 0), [10, 10, 11]);
  assert.deepEqual(await afterStep(81, 180, 5), [5, 5, 6], 'half of them are gone');
  assert.deepEqual(await afterStep(82, 100, 11), [0, 0, 1], 'all but the newest are gone');
});

test('a run of receipts that is made longer while it is to be removed stays', async () => {
  const clientId = 83;
  await givenDeliveries(clientId, 180);
  const lengthen = `UPDATE webhook_receipts SET last_sequence = 31 WHERE client_id = $1 AND first_sequence = 29`;
  await sql.query('DELETE FROM webhook_receipts WHERE client_id = $1 AND first_sequence = 31', [clientId]);
  await whileChanged(
    sql,
    (courier) => courier.query(lengthen, [clientId]),
    () => removeOldEvents(sql, clientId, days, 100),
  );
  const [latest] = await findDeliveries(sql, clientId, { state: null, from: 1, to: 100, limit: 1 });
  assert.deepEqual([Number(latest?.sequence), latest?.state], [31, 'received']);
});

test('events are removed and skipped in one transaction: if one fails, neither happens', async () => {
  const clientId = 78;
  await sql.query('INSERT INTO event_heads VALUES ($1, 5)', [clientId]);
  const old = later(start, 100 * day);
  await sql.query(`INSERT INTO event_batches VALUES ($1, 1, 4, $2, '[]'), ($1, 5, 5, $2, '[]')`, [clientId, old]);
  await setWebhook(sql, { clientId, secret: '' }, 'https://partner.example/', 1);
  await countAll();
  const connection = { connectionString: env.DATABASE_URL };
  const session = { lock_timeout: '100' };
  const hasty = openPool({ connection, max: 1, queryTimeoutMs: 5000, applicationName: 't', session });
  const holder = await sql.connect();
  try {
    await holder.query('BEGIN');
    await holder.query('SELECT FROM webhooks WHERE client_id = $1 FOR UPDATE', [clientId]);
    await assert.rejects(removeOldEvents(hasty, clientId, days, 10), /lock timeout/);
  } finally {
    await holder.query('ROLLBACK');
    holder.release();
    await hasty.end();
  }
  assert.deepEqual(await ask(sql, findOldEvents([clientId], days)), [clientId], 'it is found again');
  await removeAll(clientId);
  const webhook = await readWebhook(sql, clientId);
  assert.deepEqual([webhook?.attempted_through, webhook?.waiting].map(Number), [4, 1]);
});

test('uncounted events are kept, at any age', async () => {
  await onDay(200);
  await removeAll();
  await issueMany(20);
  await removeAll();
  await onDay(300);
  const [first = 0] = await list(0, 1);
  await sql.query('UPDATE activity_heads SET position = $1 WHERE client_id = 1', [first + 4]);
  assert.equal(await removeOldEvents(sql, 1, days, 10), false);
  await assertLeft(first + 5, first + 19);
  await sql.query('DELETE FROM activity_heads WHERE client_id = 1');
  assert.equal(await removeOldEvents(sql, 1, days, 10), false);
  await assertLeft(first + 5, first + 19);
  await removeAll();
  assert.deepEqual(await list(0, 10), [first + 19]);
});
