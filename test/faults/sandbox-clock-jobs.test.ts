import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { EventBody } from '@freebets/contract';
import { assertActivityHolds } from '../support/activity.ts';
import { accepted } from '../support/answers.ts';
import { call } from '../support/caller.ts';
import { later } from '../support/clock.ts';
import { testDatabase } from '../support/database.ts';
import { follow } from '../support/feed.ts';
import { assertFoldsToRows } from '../support/fold.ts';
import { assertCountsHold } from '../support/invariants.ts';
import { assertEveryItemOnce, carriedOut, getJob, jobOver, startJob } from '../support/jobs.ts';
import { times } from '../support/long.ts';
import { campaign, job, jobItems } from '../support/requests.ts';
import { testServer } from '../support/server.ts';
import { until } from '../support/waiting.ts';

// The clock of a sandbox is set forward again and again while a job, single requests and two sweepers are at work on the same
// campaign, on two servers: past the time at which the job begins, past the expiry of what it has issued, and past the end of
// the campaign while items are left.

const items = times(600, 900);
const partSize = times(100, 300);
const sets = times(6, 12);
const minute = 60_000;
const durationMin = 45;

const { env, sql } = await testDatabase();
// Steps are short, so that every Set finds the job under way.
const settings = { ...env, SWEEP_PAUSE_MS: '20', SWEEP_BATCH: '7', LANE_BATCH: times(8, 32).toString() };
const servers = await Promise.all([1, 2].map(() => testServer(settings)));
const urlOf = (turn: number) => (servers[turn % servers.length] as { url: string }).url;

const clockAt = async (url: string): Promise<string> =>
  accepted('SandboxClockGet', await call(url, 'SandboxClockGet', {})).now;

const setTo = async (turn: number, now: string) =>
  accepted('SandboxClockSet', await call(urlOf(turn), 'SandboxClockSet', { now }));

const begun = await clockAt(urlOf(0));
const startAt = later(begun, 24 * 60 * minute);
/** Each Set goes on by half of what a free bet lasts; the last one meets the campaign at its end. */
const setAt = (i: number) => later(startAt, i * (durationMin / 2) * minute);
const endsAt = setAt(sets + 1);

const terms = { campaign_id: 'c', quantity: 1, valid_from: begun, valid_until: endsAt, duration_min: durationMin };
accepted('CampaignCreate', await call(urlOf(0), 'CampaignCreate', campaign(terms)));
const request = job('c', { start_at: startAt });
const parts = Array.from({ length: items / partSize }, (_, i) => jobItems(partSize, `job-${i}`));
const follower = follow(
  servers.map(({ url }) => url),
  () => 100,
);

let isOver = false;
const requested: string[] = [];

/** Issues from the campaign of the job at the same time, until the campaign ends. */
async function keepRequesting(first: number): Promise<void> {
  for (let turn = first; !isOver; turn += 2) {
    const issue = { issue_id: randomUUID(), campaign_id: 'c', player_id: `single-${turn % 5}`, currency: 'EUR' };
    const answer = await call(urlOf(turn), 'Issue', issue);
    if (answer.status !== 200) return assert.equal(answer.body.error, 'campaign_ended', answer.text);
    requested.push(issue.issue_id);
    if (turn % 3 === 0) await call(urlOf(turn + 1), 'SandboxRound', { issue_id: issue.issue_id, result: 'lost' });
    if (turn % 5 === 0) await call(urlOf(turn + 1), 'Cancel', { issue_id: issue.issue_id });
  }
}

const hasComeTo = (count: number) =>
  until(`${count} items are carried out`, 120_000, async () => (await carriedOut(sql, request)) >= count);

test('a job that waits for its time begins when the clock is set to it, and no sooner', async () => {
  const started = await startJob(urlOf(0), request, parts);
  assert.equal(started.status, 'scheduled');
  await setTo(0, later(startAt, -minute));
  // Longer than a server takes to find a job whose turn it is.
  await new Promise((resolve) => setTimeout(resolve, 600));
  assert.deepEqual([(await getJob(urlOf(1), request)).status, await carriedOut(sql, request)], ['scheduled', 0]);
  await setTo(1, startAt);
  await hasComeTo(1);
});

test('it goes on across every Set, and the remaining items are refused when the campaign ends', async (t) => {
  const requesting = Promise.all([0, 1].map(keepRequesting));
  requesting.catch(() => {});
  for (let i = 1; i <= sets; i++) {
    await hasComeTo(Math.round((items * i) / (2 * sets)));
    await setTo(i, setAt(i));
  }
  assert.equal((await getJob(urlOf(0), request)).status, 'running');
  await setTo(0, endsAt);
  await jobOver(urlOf(1), request, 120_000);
  isOver = true;
  await requesting;
  const { issued, refused } = await assertEveryItemOnce(sql, urlOf(1), request, parts);
  t.diagnostic(
    `${issued} issued by the job, ${requested.length} by single requests, refused ${JSON.stringify(refused)}`,
  );
  assert.deepEqual(Object.keys(refused), ['campaign_ended']);
  assert.ok(issued > 0 && requested.length > 0);
});

const freeBetsOf = (events: EventBody[], type: EventBody['type']) =>
  events.flatMap((event) =>
    event.type === type && 'free_bet' in event.data ? [{ ...event.data.free_bet, at: event.occurred_at }] : [],
  );

test('nothing expires twice, and the feed has every change, and the end of the job once', async (t) => {
  await until('all is swept', times(20_000, 120_000), async () => {
    const { rows } = await sql.query('SELECT FROM free_bets WHERE client_id = 1 AND NOT swept');
    return rows.length === 0;
  });
  const events = await follower.end();
  await assertFoldsToRows(sql, events);
  await assertCountsHold(sql);
  await assertActivityHolds(sql);
  const ofJob = events.filter(({ data }) => 'job' in data);
  assert.deepEqual(
    ofJob.map(({ type }) => type),
    ['job.finished'],
  );
  const over = await getJob(urlOf(0), request);
  assert.deepEqual(ofJob[0]?.data, { job: over });
  assert.ok(over.finished_at !== null && over.finished_at >= endsAt);
  const issued = freeBetsOf(events, 'freebet.issued');
  assert.equal(issued.length, over.issued + requested.length);
  const ofItems = issued.filter(({ player_id }) => player_id.startsWith('job-'));
  assert.deepEqual(
    ofItems.map(({ player_id }) => player_id),
    parts
      .flat()
      .slice(0, over.issued)
      .map(({ player_id }) => player_id),
    'in the order of the items, up to the end of the campaign',
  );
  for (const { issued_at } of issued) assert.ok(issued_at < endsAt);
  for (const { issued_at } of ofItems) assert.ok(issued_at >= startAt);
  const expired = freeBetsOf(events, 'freebet.expired');
  for (const { at, expires_at } of expired) assert.ok(at >= expires_at, `expired at ${at}, before ${expires_at}`);
  const onTheWay = expired.filter(({ player_id, at }) => player_id.startsWith('job-') && at < endsAt);
  t.diagnostic(`${expired.length} expired, ${onTheWay.length} of the job while it went on`);
  assert.ok(onTheWay.length > 0, 'some expire while the job goes on');
});

test('the counts of the campaign match the states of its free bets', async () => {
  const { counts } = accepted('CampaignGet', await call(urlOf(1), 'CampaignGet', { campaign_id: 'c' }));
  const { issued } = await getJob(urlOf(0), request);
  assert.equal(counts.issued, issued + requested.length);
  assert.equal(counts.expired + counts.cancelled + counts.finished, counts.issued);
  assert.equal(counts.finished, counts.bets_placed);
});
