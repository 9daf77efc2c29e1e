import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { EventBody } from '@freebets/contract';
import { accepted } from '../../../support/answers.ts';
import { call, demo, rival } from '../../../support/caller.ts';
import { testDatabase } from '../../../support/database.ts';
import { readFeed } from '../../../support/feed.ts';
import { campaign, directIssue, job, jobItems } from '../../../support/requests.ts';
import { testServer } from '../../../support/server.ts';
import { answered, signedIn, staffCall } from '../../../support/staff.ts';
import { until } from '../../../support/waiting.ts';

// The event search: everything in the feed, the latest first.

const { env, sql } = await testDatabase();
const { url } = await testServer(env);
const viewer = await signedIn(sql, 'viewer');
const strange = `"a"\\',"id":"x'`;

for (const id of ['one', strange]) {
  accepted(
    'CampaignCreate',
    await call(url, 'CampaignCreate', campaign({ campaign_id: id, name: '"campaignId":"one"' })),
  );
}
const issue = async (body: object) => accepted('Issue', await call(url, 'Issue', body)).issue_id as string;
const issued: string[] = [];
for (let i = 0; i < 12; i++) {
  const player_id = i % 3 === 0 ? strange : `player-${i % 3}`;
  issued.push(await issue(i % 2 ? { campaign_id: 'one', player_id, currency: 'EUR' } : directIssue({ player_id })));
}
accepted('Cancel', await call(url, 'Cancel', { issue_id: issued[3] }));
const items = Array.from({ length: 30 }, (_, i) => directIssue({ player_id: `batch-${i}` }));
accepted('IssueBatch', await call(url, 'IssueBatch', { items }));
const wanted = job(strange);
accepted('JobCreate', await call(url, 'JobCreate', wanted));
accepted('JobAdd', await call(url, 'JobAdd', { job_id: wanted.job_id, part: 1, items: jobItems(2) }));
accepted('JobStart', await call(url, 'JobStart', { job_id: wanted.job_id, parts: 1, items: 2 }));
await until('the job is finished', 10_000, async () => (await readFeed(url)).at(-1)?.type === 'job.finished');
accepted('Issue', await call(url, 'Issue', directIssue({ player_id: 'player-1' }), rival));

const feed = (await readFeed(url)).toReversed();

const search = (body: object) => answered(url, 'EventSearch', { client_id: demo.clientId, ...body }, viewer);

/** Over all pages. */
async function found(body: object, limit = 200): Promise<EventBody[]> {
  const events: EventBody[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await search({ ...body, limit, ...(cursor !== undefined && { cursor }) });
    assert.ok(page.events.length <= limit);
    events.push(...page.events);
    cursor = page.next_cursor;
  }
  return events;
}

const campaignOf = ({ data }: EventBody): unknown => {
  if ('campaign' in data) return data.campaign.campaign_id;
  if ('job' in data) return 'campaign_id' in data.job ? data.job.campaign_id : null;
  return data.free_bet.campaign_id;
};
const freeBetOf = ({ data }: EventBody) => ('free_bet' in data ? data.free_bet : undefined);

test('all of them, whole in pages of any size', async () => {
  for (const limit of [1, 7, 30, 200]) assert.deepEqual(await found({}, limit), feed, `${limit} at a time`);
});

test('of a type, a free bet, a campaign, a player, a job, or several of these', async () => {
  const cases: [object, (event: EventBody) => boolean][] = [
    [{ type: 'freebet.issued' }, ({ type }) => type === 'freebet.issued'],
    [{ type: 'freebet.settled' }, () => false],
    [{ issue_id: issued[3]?.toUpperCase() }, (event) => freeBetOf(event)?.issue_id === issued[3]],
    [{ campaign_id: 'one' }, (event) => campaignOf(event) === 'one'],
    [{ campaign_id: strange }, (event) => campaignOf(event) === strange],
    [{ player_id: strange }, (event) => freeBetOf(event)?.player_id === strange],
    [{ player_id: 'player-1' }, (event) => freeBetOf(event)?.player_id === 'player-1'],
    [{ player_id: 'batch-7' }, (event) => freeBetOf(event)?.player_id === 'batch-7'],
    [{ player_id: 'batch' }, () => false],
    [{ job_id: wanted.job_id }, ({ type }) => type === 'job.finished'],
    [
      { campaign_id: 'one', type: 'freebet.cancelled' },
      (event) => event.type === 'freebet.cancelled' && campaignOf(event) === 'one',
    ],
  ];
  for (const [filter, isWanted] of cases) {
    for (const limit of [1, 200]) {
      assert.deepEqual(await found(filter, limit), feed.filter(isWanted), JSON.stringify(filter));
    }
  }
});

test('one by its id, also where clocks of servers differ, and none of another partner', async () => {
  for (const event of [feed[0], feed[20], feed.at(-1)] as EventBody[]) {
    assert.deepEqual(await found({ event_id: event.event_id.toUpperCase() }), [event]);
  }
  const other = (await readFeed(url, rival))[0] as EventBody;
  assert.deepEqual(await found({ event_id: other.event_id }), []);
  assert.deepEqual(await found({ event_id: 'ffffffff-ffff-7fff-bfff-ffffffffffff' }), []);
  assert.deepEqual(await found({ event_id: '00000000-0000-7000-8000-000000000000' }), []);
  // Arithmetic on times with a zone depends on a setting, and many machines refuse that in an UPDATE.
  const written = "written_at AT TIME ZONE 'UTC'";
  const later = `(${written} + interval '1 hour') AT TIME ZONE 'UTC'`;
  await sql.query(`UPDATE event_batches SET written_at = ${later} WHERE client_id = 1`);
  assert.deepEqual(await found({ event_id: feed[5]?.event_id }), [feed[5]]);
});

test('between two times, the first of which counts and the second does not', async () => {
  const times = [...new Set(feed.map((event) => event.occurred_at))];
  assert.ok(times.length > 5);
  for (const [from, to] of [
    [times.at(-1), times[0]],
    [times[4], times[2]],
    [times[3], times[3]],
  ] as [string, string][]) {
    const expected = feed.filter((event) => event.occurred_at >= from && event.occurred_at < to);
    assert.deepEqual(await found({ from, until: to }, 3), expected);
  }
});

test('it may be asked for up to the last moment that can be written', async () => {
  assert.deepEqual(await found({ until: '9999-12-31T23:59:59.999Z' }), await found({}));
});

test('in a long feed a page is bounded, and a time is found by halves', async () => {
  const [first] = (
    await sql.query(`SELECT events FROM event_batches WHERE client_id = 1 ORDER BY first_sequence LIMIT 1`)
  ).rows;
  await sql.query(
    `INSERT INTO event_batches (client_id, first_sequence, last_sequence, occurred_at, written_at, events)
     SELECT 3, i, i, t, t, $1::json FROM (
       SELECT i, timestamptz '2031-01-01' + i * interval '1 minute' AS t FROM generate_series(1, 12000) i) each`,
    [JSON.stringify(first.events)],
  );
  await sql.query(`INSERT INTO campaigns SELECT 3, campaign_id, name, quantity, games, bet_amounts, valid_from, valid_until, duration_min,
    bonus_limit, bonus_limit_per_user, min_coefficient, max_coefficient, content_hash, created_at FROM campaigns WHERE client_id = 1`);
  await sql.query(
    `INSERT INTO partners (client_id, name, secret) SELECT 3, 'Long', secret FROM partners WHERE client_id = 1`,
  );
  await sql.query('UPDATE reference SET version = version + 1');
  await until('the partner is known', 5000, async () => {
    return (await staffCall(url, '/Events/Search', { client_id: 3, limit: 1 }, viewer)).status === 200;
  });
  const pages = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const body = { client_id: 3, player_id: 'unknown', ...(cursor !== undefined && { cursor }) };
    const page = await search(body);
    assert.deepEqual(page.events, []);
    pages.push(page);
    cursor = page.next_cursor;
  }
  assert.equal(pages.length, 3);
  const [at, end] = ['2031-01-05T00:00:00Z', '2031-01-05T00:03:00Z'];
  const between = await search({ client_id: 3, from: at, until: end });
  assert.deepEqual(
    between.events.map((event: EventBody) => event.sequence),
    [5762, 5761, 5760],
  );
  assert.equal(between.next_cursor, null);
});

test('an invalid cursor is refused', async () => {
  for (const cursor of [
    'x',
    Buffer.from('["a"]').toString('base64url'),
    Buffer.from('[1e300]').toString('base64url'),
  ]) {
    const { status, body } = await staffCall(url, '/Events/Search', { client_id: 1, cursor }, viewer);
    assert.deepEqual([status, body.details?.[0]?.field], [400, 'cursor']);
  }
  const unknown = await search({ issue_id: randomUUID() });
  assert.deepEqual(unknown, { events: [], next_cursor: null });
});
