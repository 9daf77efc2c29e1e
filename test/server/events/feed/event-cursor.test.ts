import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { EventBody } from '@freebets/contract';
import { removeOldEvents } from '../../../../packages/server/src/events/feed/sql/retention.ts';
import { migrate, migrations } from '../../../../packages/server/src/ops/schema/migrations.ts';
import { accepted, refused } from '../../../support/answers.ts';
import { type Answer, call, demo, type Partner, rival } from '../../../support/caller.ts';
import { later, setClock } from '../../../support/clock.ts';
import { testDatabase } from '../../../support/database.ts';
import { readFeed } from '../../../support/feed.ts';
import { somebodyWaits } from '../../../support/held-batch.ts';
import { directIssue } from '../../../support/requests.ts';
import { testServer } from '../../../support/server.ts';

// A cursor is the number and the id of the last event processed. A feed that has another event at that number, that
// ends before it, or that has removed events after it, refuses the cursor.

const start = '2027-03-01T12:00:00.000Z';
const day = 24 * 3600 * 1000;
const { env, sql } = await testDatabase();
await setClock(sql, start);
const { url } = await testServer({ ...env, WORKER: 'off', LANE_BATCH: '10' });

const ask = (after: number, after_event_id: unknown, more: object = {}, partner?: Partner): Promise<Answer> =>
  call(url, 'EventsList', { after, after_event_id, ...more }, partner);
const read = async (after: number, after_event_id: unknown, more: object = {}, partner?: Partner) =>
  accepted('EventsList', await ask(after, after_event_id, more, partner));
const valid = { valid_from: start, valid_until: '2100-01-01T00:00:00Z' };
const issue = async (count: number, partner?: Partner) => {
  const items = Array.from({ length: count }, () => ({ issue_id: randomUUID(), ...directIssue(valid) }));
  const { results } = accepted('IssueBatch', await call(url, 'IssueBatch', { items }, partner));
  for (const { status } of results) assert.equal(status, 'active');
};

function changed(answer: Answer, last: number, after: number): void {
  const { details } = refused('feed_changed', answer, ['last_sequence']);
  const reason = `is ${last}, and event ${after} is not the one you processed`;
  assert.deepEqual(details, [{ field: 'last_sequence', reason, value: String(last) }]);
}

function removed(answer: Answer, oldest: number): void {
  const { details } = refused('events_removed', answer, ['oldest_sequence']);
  const reason = `is ${oldest}: the events before it have been removed`;
  assert.deepEqual(details, [{ field: 'oldest_sequence', reason, value: String(oldest) }]);
}

let feed: EventBody[] = [];
const idOf = (sequence: number) => feed[sequence - 1]?.event_id as string;

test('a feed without events refuses every cursor with an id', async () => {
  const empty = { events: [], last_sequence: 0, oldest_sequence: 1 };
  assert.deepEqual(accepted('EventsList', await call(url, 'EventsList', {})), empty);
  changed(await ask(1, randomUUID()), 0, 1);
});

test('a cursor with the id of its event reads the same as a number alone, from every event on', async () => {
  await issue(45);
  await issue(1);
  feed = await readFeed(url);
  assert.equal(feed.length, 46);
  const { rows } = await sql.query('SELECT count(*)::int AS n FROM event_batches');
  assert.ok(rows[0].n > 2 && rows[0].n < 46, `${rows[0].n} batches`);
  for (const { sequence, event_id } of feed) {
    const page = await read(sequence, event_id, { limit: 7 });
    assert.deepEqual(page, await read(sequence, undefined, { limit: 7 }));
    assert.deepEqual(page.events, feed.slice(sequence, sequence + 7));
    assert.equal(page.oldest_sequence, 1);
  }
  assert.deepEqual(await read(3, idOf(3).toUpperCase()), await read(3, idOf(3)));
});

test('a cursor with the id of another event is refused, wherever that event is', async () => {
  await issue(46, rival);
  const [theirs] = await readFeed(url, rival);
  for (const { sequence } of feed) {
    for (const id of [randomUUID(), idOf(sequence - 1) ?? idOf(46), theirs?.event_id]) {
      changed(await ask(sequence, id), 46, sequence);
    }
  }
});

test('a cursor ahead of the feed is refused: by 643 with an id, by 400 without', async () => {
  for (const after of [47, 1000, 2 ** 31, 2 ** 32 + 1, Number.MAX_SAFE_INTEGER]) {
    for (const id of [randomUUID(), idOf(46)]) changed(await ask(after, id), 46, after);
    refused('invalid_request', await ask(after, undefined), ['after']);
  }
});

test('the start of the feed takes no id, and an id is a UUID', async () => {
  for (const body of [{ after: 0, after_event_id: idOf(1) }, { after_event_id: idOf(1) }]) {
    refused('invalid_request', await call(url, 'EventsList', body), ['after_event_id']);
  }
  for (const id of ['', 'x', null, 1, true, [], {}, `${idOf(1)}x`, idOf(1).replaceAll('-', ''), `${idOf(1)}\0`]) {
    refused('invalid_request', await ask(1, id), ['after_event_id']);
  }
});

/** No activity reader runs here, and retention keeps events that are not counted. */
const countAll = () =>
  sql.query(
    `INSERT INTO activity_heads SELECT client_id, last_sequence FROM event_heads
     ON CONFLICT (client_id) DO UPDATE SET position = excluded.position`,
  );
const oldestOf = async () => (await read(0, undefined)).oldest_sequence;

test('while events are removed, a cursor reads without a gap or is refused', async () => {
  await countAll();
  await setClock(sql, later(start, 10 * day));
  for (const oldestBefore = await oldestOf(); await removeOldEvents(sql, 1, 5, 1); ) {
    const oldest = await oldestOf();
    assert.ok(oldest > oldestBefore);
    for (const { sequence } of feed) {
      const answer = await ask(sequence, idOf(sequence), { limit: 3 });
      if (sequence < oldest - 1) removed(answer, oldest);
      else assert.deepEqual(accepted('EventsList', answer).events, feed.slice(sequence, sequence + 3));
    }
    for (const id of [randomUUID(), idOf(oldest)]) changed(await ask(oldest - 1, id), 46, oldest - 1);
    assert.equal((await read(1, undefined)).events[0].sequence, oldest, 'a number alone reads on as before');
  }
});

test('a reader that has caught up is never refused, even after a long time without events', async () => {
  await setClock(sql, later(start, 1000 * day));
  await countAll();
  while (await removeOldEvents(sql, 1, 5, 100));
  const page = { events: [], last_sequence: 46, oldest_sequence: 46 };
  assert.deepEqual(await read(46, idOf(46)), page);
  changed(await ask(46, randomUUID()), 46, 46);
  assert.deepEqual((await read(45, idOf(45))).events, feed.slice(45));
  await issue(2);
  feed = [...feed, ...(await readFeed(url, demo, 46))];
  assert.deepEqual((await read(46, idOf(46))).events, feed.slice(46));
});

test('events are removed and read at the same time: no page has a gap', async () => {
  await issue(400);
  feed = [...feed, ...(await readFeed(url, demo, 48))];
  await setClock(sql, later(start, 2000 * day));
  await countAll();
  for (let isMore = true, oldest = 46; isMore; oldest = await oldestOf()) {
    const removing = removeOldEvents(sql, 1, 5, 1);
    for (let after = oldest - 1; after < Math.min(oldest + 12, 449); after += 2) {
      const answer = await ask(after, idOf(after), { limit: 1 });
      if (answer.status === 200) assert.deepEqual(answer.body.events, feed.slice(after, after + 1));
      else refused('events_removed', answer);
    }
    isMore = await removing;
  }
  assert.equal(await oldestOf(), 439);
});

test('of two servers that remove events, the slower one does not bring back an older id', async () => {
  await issue(30);
  feed = [...feed, ...(await readFeed(url, demo, 448))];
  await setClock(sql, later(start, 2500 * day));
  await countAll();
  const through = 458;
  const faster = await sql.connect();
  await faster.query('BEGIN; SELECT FROM event_tails WHERE client_id = 1 FOR UPDATE');
  const { rows } = await faster.query('SELECT pg_backend_pid() AS pid');
  const slower = removeOldEvents(sql, 1, 5, 1);
  await somebodyWaits(sql, rows[0].pid);
  await faster.query('UPDATE event_tails SET sequence = $1, event_id = $2 WHERE client_id = 1', [
    through,
    idOf(through),
  ]);
  await faster.query('DELETE FROM event_batches WHERE client_id = 1 AND first_sequence <= $1', [through]);
  await faster.query('COMMIT');
  faster.release();
  await slower;
  assert.deepEqual((await read(through, idOf(through), { limit: 1 })).events, feed.slice(through, through + 1));
  changed(await ask(through, randomUUID()), 478, through);
});

test('if a server of the version before has removed events, only the number of the cursor is checked', async () => {
  const oldest = await oldestOf();
  await issue(1);
  // A database that is upgraded, as that version has left it.
  const name = migrations.find((each) => each.name.endsWith('_event_tails.sql'))?.name;
  await sql.query('DROP TABLE event_tails');
  await sql.query('DELETE FROM migrations WHERE name = $1', [name]);
  assert.deepEqual((await migrate(sql, migrations)).ran, [name]);
  assert.equal((await read(oldest - 1, randomUUID())).events[0].sequence, oldest);
  removed(await ask(oldest - 2, randomUUID()), oldest);
  changed(await ask(oldest, randomUUID()), 479, oldest);
  await sql.query('DELETE FROM event_batches WHERE client_id = 1 AND first_sequence = $1', [oldest]);
  const now = await oldestOf();
  assert.ok(now > oldest);
  assert.equal((await read(now - 1, randomUUID())).events[0].sequence, now);
  removed(await ask(now - 2, randomUUID()), now);
  await sql.query('DELETE FROM event_batches WHERE client_id = 1');
  assert.deepEqual(await read(479, randomUUID()), { events: [], last_sequence: 479, oldest_sequence: 480 });
  changed(await ask(480, randomUUID()), 479, 480);
});

test('event ids are random: the same changes with the same numbers and times have other ids in another database', async () => {
  const items = Array.from({ length: 20 }, () => ({ issue_id: randomUUID(), ...directIssue(valid) }));
  const feeds: EventBody[][] = [];
  for (const database of [await testDatabase(), await testDatabase()]) {
    await setClock(database.sql, start);
    const server = await testServer({ ...database.env, WORKER: 'off', LANE_BATCH: '10' });
    accepted('IssueBatch', await call(server.url, 'IssueBatch', { items }));
    feeds.push(await readFeed(server.url));
  }
  const [facts, others] = feeds.map((events) => events.map(({ event_id: _, ...rest }) => rest));
  assert.equal(facts?.length, 20);
  assert.deepEqual(others, facts);
  // The end of a UUID of version 7 is random. No two events have it in common, in one batch or in two databases.
  const ends = feeds.flat().map(({ event_id }) => event_id.slice(24));
  assert.equal(new Set(ends).size, 40);
});
