import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { beforeEach, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { accepted } from '../../../support/answers.ts';
import { call, rival } from '../../../support/caller.ts';
import { setClock } from '../../../support/clock.ts';
import { testDatabase } from '../../../support/database.ts';
import { readFeed } from '../../../support/feed.ts';
import { assertFoldsToRows } from '../../../support/fold.ts';
import { assertCountsHold } from '../../../support/invariants.ts';
import { addParts, getJob, jobOver, refusalsOf, startJob } from '../../../support/jobs.ts';
import { freshMetrics } from '../../../support/metrics.ts';
import { campaign, directIssue, directJob, job, jobItems } from '../../../support/requests.ts';
import { testServer } from '../../../support/server.ts';
import { until } from '../../../support/waiting.ts';

// What becomes of a job once it is started.

const { env, sql } = await testDatabase();
const { url } = await testServer(env);
beforeEach(() => setClock(sql, null));

async function newCampaign(config: object = {}, changes: object = {}): Promise<string> {
  const campaign_id = randomUUID();
  accepted('CampaignCreate', await call(url, 'CampaignCreate', campaign({ campaign_id, config, ...changes })));
  return campaign_id;
}

const isHeld = async ({ job_id }: { job_id: string }) =>
  (await sql.query('SELECT FROM jobs WHERE job_id = $1 AND lease_holder IS NOT NULL', [job_id])).rowCount === 1;

const freeBetsOf = async (campaign_id: string) =>
  accepted('FreeBetList', await call(url, 'FreeBetList', { campaign_id, limit: 200 })).free_bets;

test('every item becomes a free bet, with its own id or one that is made', async () => {
  const campaign_id = await newCampaign();
  const own = randomUUID();
  const request = job(campaign_id);
  const started = await startJob(url, request, [jobItems(3), [{ player_id: 'own', currency: 'USD', issue_id: own }]]);
  assert.equal(started.status, 'running');
  const over = await jobOver(url, request);
  assert.deepEqual(
    { status: over.status, issued: over.issued, refused: over.refused, remaining: over.remaining },
    { status: 'finished', issued: 4, refused: {}, remaining: 0 },
  );
  assert.deepEqual([over.per_second, over.eta], [null, null]);
  const freeBets = await freeBetsOf(campaign_id);
  const players = freeBets.map((one: { player_id: string }) => one.player_id).toSorted();
  assert.deepEqual(players, ['own', 'player-0', 'player-1', 'player-2']);
  const byOwn = accepted('FreeBetGet', await call(url, 'FreeBetGet', { issue_id: own }));
  assert.deepEqual([byOwn.player_id, byOwn.bet_amount], ['own', '1.20']);
  for (const { issue_id, player_id } of freeBets) {
    if (player_id !== 'own')
      assert.match(issue_id, /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  }
});

test('a direct job issues the shared terms, or the terms of the item, under the name of the job', async () => {
  const request = directJob({ name: 'Sorry', duration_min: 60, config: { max_coefficient: '5.00' } });
  const [shared, other] = [randomUUID(), randomUUID()];
  const items = [
    { player_id: 'a', currency: 'EUR', issue_id: shared },
    { player_id: 'b', currency: 'EUR', issue_id: other, bet_amount: '2.00', quantity: 1 },
  ];
  await startJob(url, request, [items]);
  assert.equal((await jobOver(url, request)).issued, 2);
  const get = async (issue_id: string) => accepted('FreeBetGet', await call(url, 'FreeBetGet', { issue_id }));
  const [first, second] = [await get(shared), await get(other)];
  assert.deepEqual([first.bet_amount, first.quantity, second.bet_amount, second.quantity], ['1.00', 3, '2.00', 1]);
  assert.equal(first.config.max_coefficient, '5.00');
  const { rows } = await sql.query(
    `SELECT DISTINCT terms ->> 'name' AS name FROM free_bets WHERE issue_id = ANY ($1)`,
    [[shared, other]],
  );
  assert.deepEqual(rows, [{ name: 'Sorry' }]);
});

test('refused items are counted by error and listed with their position; the job continues', async () => {
  const campaign_id = await newCampaign({ bonus_limit_per_user: 1 });
  const taken = randomUUID();
  accepted('Issue', await call(url, 'Issue', directIssue({ issue_id: taken })));
  const first = [...jobItems(3), { player_id: 'p', currency: 'BRL' }];
  const second = [
    { player_id: 'player-1', currency: 'EUR' },
    { player_id: 'q', currency: 'EUR', issue_id: taken },
  ];
  const request = job(campaign_id);
  await startJob(url, request, [first, second, jobItems(1, 'last')]);
  const over = await jobOver(url, request);
  assert.equal(over.issued, 4);
  assert.deepEqual(over.refused, { currency_not_allowed: 1, bonus_limit_per_user_reached: 1, id_reused: 1 });
  const refusals = await refusalsOf(url, request);
  assert.deepEqual(
    refusals.map(({ part, item, player_id, error }) => [part, item, player_id, error.error]),
    [
      [1, 3, 'p', 'currency_not_allowed'],
      [2, 0, 'player-1', 'bonus_limit_per_user_reached'],
      [2, 1, 'q', 'id_reused'],
    ],
  );
  assert.deepEqual(refusals[0]?.error.details, [{ field: 'currency', reason: 'is not a currency of the campaign' }]);
  assert.equal(refusals[2]?.issue_id, taken);
  assert.deepEqual(await refusalsOf(url, request, 1), refusals, 'page by page they are the same');
  assert.deepEqual(await refusalsOf(url, request, 2), refusals);
});

test('an item whose free bet was issued before, with the same content, is as good as issued', async () => {
  const campaign_id = await newCampaign({ bonus_limit: 2 });
  const issue_id = randomUUID();
  const item = { player_id: 'x', currency: 'EUR', issue_id };
  accepted('Issue', await call(url, 'Issue', { campaign_id, ...item }));
  const request = job(campaign_id);
  await startJob(url, request, [[item, item, { player_id: 'y', currency: 'EUR' }]]);
  assert.equal((await jobOver(url, request)).issued, 3);
  assert.equal((await freeBetsOf(campaign_id)).length, 2);
});

test('so is one that was issued directly under the name of the job; another name is another content', async () => {
  const { job_id, ...shared } = directJob({ name: 'Sorry' });
  const { name: _, ...nameless } = shared;
  const named = { player_id: 'x', currency: 'EUR', issue_id: randomUUID() };
  const other = { ...named, issue_id: randomUUID() };
  accepted('Issue', await call(url, 'Issue', { ...shared, ...named }));
  accepted('Issue', await call(url, 'Issue', { ...nameless, ...other }));
  await startJob(url, { job_id, ...shared }, [[named, other]]);
  const { issued, refused } = await jobOver(url, { job_id });
  assert.deepEqual([issued, refused], [1, { id_reused: 1 }]);
});

test('a campaign that is over refuses every item, and so does one that was stopped', async () => {
  const campaign_id = await newCampaign();
  const request = job(campaign_id);
  accepted('JobCreate', await call(url, 'JobCreate', request));
  accepted('CampaignStop', await call(url, 'CampaignStop', { campaign_id }));
  await startJob(url, request, [jobItems(5)]);
  assert.deepEqual((await jobOver(url, request)).refused, { campaign_stopped: 5 });
  const short = await newCampaign({}, { valid_until: new Date(Date.now() + 1000).toISOString() });
  const later = job(short);
  accepted('JobCreate', await call(url, 'JobCreate', later));
  await delay(1100);
  await startJob(url, later, [jobItems(5)]);
  assert.deepEqual((await jobOver(url, later)).refused, { campaign_ended: 5 });
});

test('while the campaign is paused a job waits, and can be stopped; when it is resumed it goes on', async () => {
  const campaign_id = await newCampaign();
  accepted('CampaignPause', await call(url, 'CampaignPause', { campaign_id }));
  const request = job(campaign_id);
  await startJob(url, request, [jobItems(5)]);
  await until('it is held', 10_000, () => isHeld(request));
  await new Promise((resolve) => setTimeout(resolve, 300));
  const waiting = await getJob(url, request);
  assert.deepEqual([waiting.status, waiting.remaining, waiting.per_second, waiting.eta], ['running', 5, null, null]);
  accepted('CampaignResume', await call(url, 'CampaignResume', { campaign_id }));
  const over = await jobOver(url, request);
  assert.deepEqual([over.issued, over.refused], [5, {}]);
  const another = await newCampaign();
  accepted('CampaignPause', await call(url, 'CampaignPause', { campaign_id: another }));
  const [stopped, next] = [job(another), directJob()];
  await startJob(url, stopped, [jobItems(5, 'never')]);
  await startJob(url, next, [jobItems(2)]);
  accepted('JobStop', await call(url, 'JobStop', { job_id: stopped.job_id }));
  assert.deepEqual([(await getJob(url, stopped)).status, (await jobOver(url, next)).issued], ['stopped', 2]);
  assert.equal((await getJob(url, stopped)).remaining, 5);
});

test('the jobs of a disabled partner stand still until it is enabled again', async () => {
  // A job that waits, so that it is under way for as long as it takes.
  const campaign_id = randomUUID();
  accepted('CampaignCreate', await call(url, 'CampaignCreate', campaign({ campaign_id }), rival));
  accepted('CampaignPause', await call(url, 'CampaignPause', { campaign_id }, rival));
  const request = job(campaign_id);
  await startJob(url, request, [jobItems(5)], rival);
  await until('it is held', 10_000, () => isHeld(request));
  await sql.query('UPDATE partners SET disabled_at = now() WHERE client_id = 2');
  await until('it is given back', 10_000, async () => !(await isHeld(request)));
  await new Promise((resolve) => setTimeout(resolve, 700));
  assert.equal(await isHeld(request), false);
  await sql.query('UPDATE partners SET disabled_at = NULL WHERE client_id = 2');
  await until('it is held again', 10_000, () => isHeld(request));
  const resume = () => call(url, 'CampaignResume', { campaign_id }, rival);
  await until('the partner is known again', 10_000, async () => (await resume()).status === 200);
  assert.equal((await jobOver(url, request, 20_000, rival)).issued, 5);
});

test('an item of a direct job is refused with the details of its own issue', async () => {
  const request = directJob();
  const items = ['EUR', 'ZZZ'].map((currency) => ({ player_id: 'a', currency }));
  const own = { player_id: 'b', currency: 'ZZZ', bet_amount: '7.70', quantity: 9 };
  await startJob(url, request, [[...items, own]]);
  assert.deepEqual((await jobOver(url, request)).refused, { currency_not_allowed: 2 });
  const refusals = await refusalsOf(url, request);
  assert.deepEqual([refusals[0]?.item, refusals[0]?.error.details?.[0]?.field], [1, 'currency']);
  assert.deepEqual(
    refusals.map(({ part: _, item: __, issue_id: ___, error: ____, ...given }) => given),
    [items[1], own],
    'what the item said, so that it can be given again',
  );
});

test('a scheduled job begins at its time, and not before', async () => {
  const campaign_id = await newCampaign();
  const start_at = new Date(Date.now() + 1500).toISOString();
  const request = job(campaign_id, { start_at });
  assert.equal((await startJob(url, request, [jobItems(2)])).status, 'scheduled');
  const over = await jobOver(url, request);
  assert.equal(over.issued, 2);
  const { rows } = await sql.query('SELECT min(issued_at) >= $2 AS ok FROM free_bets WHERE campaign_id = $1', [
    campaign_id,
    start_at,
  ]);
  assert.deepEqual(rows, [{ ok: true }]);
});

test('two jobs of a partner run one after the other, those of two partners side by side', async () => {
  const campaign_id = await newCampaign();
  const [first, second, theirs] = [job(campaign_id), job(campaign_id), directJob()];
  for (const one of [first, second]) accepted('JobCreate', await call(url, 'JobCreate', one));
  await addParts(url, first, [jobItems(1500, 'first-a'), jobItems(500, 'first-b')]);
  await addParts(url, second, [jobItems(1500, 'second-a'), jobItems(500, 'second-b')]);
  accepted('JobCreate', await call(url, 'JobCreate', theirs, rival));
  await addParts(url, theirs, [jobItems(100)], rival);
  const start = { parts: 2, items: 2000 };
  // The second one is the first to be started.
  accepted('JobStart', await call(url, 'JobStart', { job_id: second.job_id, ...start }));
  accepted('JobStart', await call(url, 'JobStart', { job_id: first.job_id, ...start }));
  accepted('JobStart', await call(url, 'JobStart', { job_id: theirs.job_id, parts: 1, items: 100 }, rival));
  await until('both run', 10_000, async () => (await getJob(url, second)).issued > 0);
  assert.equal((await getJob(url, first)).issued, 0);
  const [secondOver, theirsOver] = [await jobOver(url, second), await jobOver(url, theirs, 20_000, rival)];
  const firstOver = await jobOver(url, first);
  assert.deepEqual([firstOver.issued, secondOver.issued, theirsOver.issued], [2000, 2000, 100]);
  const { rows } = await sql.query(
    `SELECT min(issued_at) >= $2 AS ok FROM free_bets WHERE campaign_id = $1 AND player_id LIKE 'first-%'`,
    [campaign_id, secondOver.finished_at],
  );
  assert.deepEqual(rows, [{ ok: true }]);
  assert.ok(Date.parse(theirsOver.finished_at ?? '') < Date.parse(firstOver.finished_at ?? ''));
});

test('a running job shows its counts, rate and remaining time', async () => {
  const request = job(await newCampaign());
  await startJob(
    url,
    request,
    Array.from({ length: 3 }, (_, i) => jobItems(2000, `p${i}`)),
  );
  const seen: { issued: number; remaining: number; per_second: number | null; eta: string | null }[] = [];
  await until('it is over', 60_000, async () => {
    const now = await getJob(url, request);
    if (now.status === 'running') seen.push(now);
    return now.status === 'finished';
  });
  assert.ok(seen.every(({ issued, remaining }) => issued + remaining === 6000));
  const rated = seen.filter(({ per_second }) => per_second !== null);
  assert.ok(rated.length > 0);
  for (const { per_second, eta } of rated) {
    assert.ok((per_second ?? 0) > 100);
    assert.ok(Math.abs(Date.parse(eta ?? '') - Date.now()) < 60_000);
  }
});

test('a job that is stopped in the middle issues nothing more', async () => {
  const campaign_id = await newCampaign();
  const request = job(campaign_id);
  await startJob(
    url,
    request,
    Array.from({ length: 3 }, (_, i) => jobItems(2000, `p${i}`)),
  );
  await until('it has begun', 10_000, async () => (await getJob(url, request)).issued > 0);
  accepted('JobStop', await call(url, 'JobStop', { job_id: request.job_id }));
  const stopped = await getJob(url, request);
  assert.equal(stopped.status, 'stopped');
  assert.ok(stopped.remaining > 0);
  const counts = async () => accepted('CampaignGet', await call(url, 'CampaignGet', { campaign_id })).counts;
  assert.equal((await counts()).issued, stopped.issued);
  await new Promise((resolve) => setTimeout(resolve, 700));
  assert.equal((await counts()).issued, stopped.issued);
  assert.deepEqual(await getJob(url, request), stopped);
});

test('each free bet and each finished job emits exactly one event', async () => {
  await assertCountsHold(sql);
  const events = await readFeed(url);
  await assertFoldsToRows(sql, events);
  const { rows } = await sql.query(
    `SELECT CASE WHEN finished_at IS NOT NULL THEN 'job.finished' ELSE 'job.stopped' END || ' ' || job_id AS key
     FROM jobs WHERE client_id = 1 ORDER BY 1`,
  );
  const emitted = events.flatMap(({ type, data }) => ('job' in data ? [`${type} ${data.job.job_id}`] : []));
  assert.deepEqual(
    emitted.toSorted(),
    rows.map(({ key }) => key),
  );
  assert.ok(emitted.length > 5);
});

test('processed items are counted by result', async () => {
  const text = await freshMetrics(url);
  const { rows } = await sql.query(`SELECT sum(issued)::int AS issued FROM jobs`);
  assert.match(text, new RegExp(`freebets_job_items_total\\{result="issued"\\} ${rows[0].issued}\n`));
  assert.match(text, /freebets_job_items_total\{result="campaign_stopped"\} 5\n/);
  assert.match(text, /freebets_jobs_running 0\n/);
});

test('a job left open for seven days is removed, and a stopped job keeps no parts', async () => {
  const [open, stopped, young] = [job(await newCampaign()), directJob(), directJob()];
  for (const one of [open, stopped, young]) accepted('JobCreate', await call(url, 'JobCreate', one));
  for (const one of [open, stopped, young]) await addParts(url, one, [jobItems(2), jobItems(3)]);
  accepted('JobStop', await call(url, 'JobStop', { job_id: stopped.job_id }));
  const old = new Date(Date.now() - 7 * 24 * 3600 * 1000);
  await sql.query('UPDATE jobs SET created_at = $2 WHERE job_id = ANY ($1)', [[open.job_id, stopped.job_id], old]);
  // A server removes old jobs as soon as it starts.
  await testServer(env);
  const partsOf = async ({ job_id }: { job_id: string }) =>
    (await sql.query('SELECT count(*)::int AS n FROM job_parts WHERE job_id = $1', [job_id])).rows[0].n;
  await until('they are gone', 10_000, async () => (await partsOf(open)) + (await partsOf(stopped)) === 0);
  await until('it is gone', 10_000, async () => (await call(url, 'JobGet', { job_id: open.job_id })).status === 404);
  assert.equal((await getJob(url, stopped)).status, 'stopped');
  assert.deepEqual([(await getJob(url, young)).status, await partsOf(young)], ['open', 2]);
  // Its id is free again.
  accepted('JobCreate', await call(url, 'JobCreate', directJob({ job_id: open.job_id })));
});
