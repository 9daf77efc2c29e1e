import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { EventBody } from '@freebets/contract';
import { accepted, refused } from '../../../support/answers.ts';
import { call, demo, type Partner, rival, send } from '../../../support/caller.ts';
import { testDatabase } from '../../../support/database.ts';
import { readFeed } from '../../../support/feed.ts';
import { callAs, lantern } from '../../../support/provider.ts';
import { campaign, directIssue } from '../../../support/requests.ts';
import { testServer } from '../../../support/server.ts';

// Pages of the feed: their contents at every boundary, for every caller, and the validation of requests.

const { env, sql } = await testDatabase();
// Batches of up to 40, so that a thousand items are many batches and pages begin and end within them.
const { url } = await testServer({ ...env, LANE_BATCH: '40' });

const list = async (body: object, partner?: Partner) =>
  accepted('EventsList', await call(url, 'EventsList', body, partner));
const sequences = (events: EventBody[]) => events.map(({ sequence }) => sequence);
const range = (from: number, through: number) => Array.from({ length: through - from + 1 }, (_, i) => from + i);

test('a partner with no events reads an empty page', async () => {
  assert.deepEqual(await list({}), { events: [], last_sequence: 0, oldest_sequence: 1 });
  await assertAhead({ after: 7, limit: 1 }, 0);
});

/** Events up to there would never be read. */
async function assertAhead(body: object, last: number): Promise<void> {
  const { details } = refused('invalid_request', await call(url, 'EventsList', body), ['after']);
  assert.equal(details[0].reason, `is ahead of your last event, ${last}`);
}

const many = 1050;
const items = Array.from({ length: many }, (_, i) => ({
  ...directIssue({ player_id: `p-${i}` }),
  issue_id: randomUUID(),
}));

test('the events of the items of batches are in their order, and numbered from 1 without a gap', async () => {
  for (const half of [items.slice(0, many / 2), items.slice(many / 2)]) {
    const { results } = accepted('IssueBatch', await call(url, 'IssueBatch', { items: half }));
    assert.deepEqual(
      results.filter((result: { error?: object }) => result.error !== undefined),
      [],
    );
  }
  const { rows } = await sql.query(
    'SELECT count(*)::int AS n, max(last_sequence - first_sequence)::int AS most FROM event_batches',
  );
  assert.ok(rows[0].n > 10 && rows[0].most > 10, 'many batches of many');
  const events = await readFeed(url);
  assert.deepEqual(sequences(events), range(1, many));
  const issued = events.map(({ data }) => ('free_bet' in data ? data.free_bet.issue_id : undefined));
  assert.deepEqual(
    issued,
    items.map(({ issue_id }) => issue_id),
  );
});

test('from every event on, a page holds the next ones, as many as asked for', async () => {
  for (let after = 0; after <= 130; after++) {
    for (const limit of [1, 2, 39, 40, 41]) {
      const { events, last_sequence } = await list({ after, limit });
      assert.deepEqual(sequences(events), range(after + 1, after + limit));
      assert.equal(last_sequence, after + limit);
    }
  }
});

test('the pages of any size lead through the same feed', async () => {
  const whole = await readFeed(url);
  for (const limit of [7, 100, 999, 1000]) assert.deepEqual(await readFeed(url, demo, 0, limit), whole);
});

test('a limit is 100 unless it is given, and a start is 0', async () => {
  assert.deepEqual(sequences((await list({})).events), range(1, 100));
  assert.deepEqual(sequences((await list({ after: 100 })).events), range(101, 200));
  assert.equal((await list({ limit: 1000 })).events.length, 1000);
});

test('the last page is shorter, and a cursor ahead of the feed is refused', async () => {
  for (const after of [many + 1, many + 5000, 2 ** 31, 2 ** 32 + 1, Number.MAX_SAFE_INTEGER]) {
    await assertAhead({ after, limit: 2 }, many);
  }
  for (const after of [many - 2, many - 1, many]) {
    for (const limit of [1, 2, 1000]) {
      const { events, last_sequence } = await list({ after, limit });
      assert.deepEqual(sequences(events), range(after + 1, Math.min(after + limit, many)));
      assert.equal(last_sequence, events.at(-1)?.sequence ?? after);
    }
  }
});

test('a start and a limit are whole numbers within their bounds', async () => {
  for (const after of [-1, 1.5, '1', null, true, [], {}, Number.MAX_SAFE_INTEGER + 1, 1e21, -0.5]) {
    refused('invalid_request', await call(url, 'EventsList', { after }), ['after']);
  }
  for (const limit of [0, 1001, -1, 1.5, '10', null, 1e21]) {
    refused('invalid_request', await call(url, 'EventsList', { limit }), ['limit']);
  }
  const wrong = { after: -1, limit: 0, cursor: 'x', type: 'freebet.issued' };
  refused('invalid_request', await call(url, 'EventsList', wrong), ['after', 'cursor', 'limit', 'type']);
  refused('invalid_request', await send(url, 'EventsList', { after: 0 }), ['client_id']);
});

test('each partner has numbers of its own, and reads its own events only', async () => {
  const issue_id = items[0]?.issue_id;
  assert.deepEqual(await list({}, rival), { events: [], last_sequence: 0, oldest_sequence: 1 });
  accepted('Issue', await call(url, 'Issue', directIssue({ issue_id, player_id: 'theirs' }), rival));
  accepted('CampaignCreate', await call(url, 'CampaignCreate', campaign({ campaign_id: 'theirs' }), rival));
  const theirs = await readFeed(url, rival);
  assert.deepEqual(
    theirs.map(({ sequence, type, client_id }) => [sequence, type, client_id]),
    [
      [1, 'freebet.issued', rival.clientId],
      [2, 'campaign.created', rival.clientId],
    ],
  );
  assert.deepEqual(await list({ after: 2 }, rival), { events: [], last_sequence: 2, oldest_sequence: 1 });
  assert.equal((await readFeed(url)).length, many);
});

test('only the partner itself may read them', async () => {
  refused('forbidden', await send(url, 'EventsList', { client_id: demo.clientId }, rival));
  refused('forbidden', await send(url, 'EventsList', { client_id: 999 }, demo));
  refused('forbidden', await callAs(lantern, url, 'EventsList', {}));
});

test('the id of an event is a UUID of version 7, and none comes twice', async () => {
  const ids = (await readFeed(url)).map(({ event_id }) => event_id);
  assert.equal(new Set(ids).size, many);
  for (const id of ids) assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});
