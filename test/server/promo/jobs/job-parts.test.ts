import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { beforeEach, test } from 'node:test';
import { accepted, fieldsOf, refused } from '../../../support/answers.ts';
import { type Answer, call, rival } from '../../../support/caller.ts';
import { setClock } from '../../../support/clock.ts';
import { testDatabase } from '../../../support/database.ts';
import { campaign, directJob, games, inDays, job, jobItems } from '../../../support/requests.ts';
import { testServer } from '../../../support/server.ts';
import { stopwatch } from '../../../support/waiting.ts';

// What a caller does with a job until it is carried out. Nothing carries it out here.

const { env, sql } = await testDatabase();
const { url } = await testServer({ ...env, WORKER: 'off' });
beforeEach(() => setClock(sql, null));
accepted(
  'CampaignCreate',
  await call(url, 'CampaignCreate', campaign({ campaign_id: 'weekend', valid_until: inDays(4000) })),
);

const create = (body: object) => call(url, 'JobCreate', body);
const add = (job_id: string, part: unknown, items: unknown) => call(url, 'JobAdd', { job_id, part, items });
const start = (job_id: string, parts: number, items: number) => call(url, 'JobStart', { job_id, parts, items });
const get = async (job_id: string) => accepted('JobGet', await call(url, 'JobGet', { job_id }));

async function opened(changes: object = {}): Promise<string> {
  const body = job('weekend', changes);
  accepted('JobCreate', await create(body));
  return body.job_id;
}

const nothingDone = {
  issued: 0,
  refused: {},
  per_second: null,
  eta: null,
  started_at: null,
  finished_at: null,
  stopped_at: null,
  failure: null,
};

test('a job of a campaign is answered whole, and read as it was answered', async () => {
  const body = job('weekend', { start_at: `${inDays(1).slice(0, 10)}T00:00:00Z` });
  const answer = accepted('JobCreate', await create({ ...body, job_id: body.job_id.toUpperCase() }));
  const { created_at, ...rest } = answer;
  assert.deepEqual(rest, {
    ...body,
    start_at: `${inDays(1).slice(0, 10)}T00:00:00.000Z`,
    status: 'open',
    parts: 0,
    items: 0,
    remaining: 0,
    ...nothingDone,
  });
  assert.ok(Math.abs(Date.parse(created_at) - Date.now()) < 60_000);
  assert.deepEqual(await get(body.job_id), answer);
  assert.deepEqual(await get(body.job_id.toUpperCase()), answer);
});

test('the first instant of all is a time to start like any other', async () => {
  const start_at = '1970-01-01T00:00:00.000Z';
  const { job_id } = accepted('JobCreate', await create(job('weekend', { start_at })));
  assert.equal((await get(job_id)).start_at, start_at);
});

test('a direct job keeps what its items share', async () => {
  const shared = { valid_from: inDays(-1), duration_min: 60, config: { min_coefficient: '1.5' } };
  const body = directJob(shared);
  const { job_id, name, games: kept, ...rest } = accepted('JobCreate', await create(body));
  assert.deepEqual({ job_id, name, games: kept }, { job_id: body.job_id, name: body.name, games: body.games });
  assert.equal(rest.bet_amount, '1.00');
  assert.equal(rest.valid_from, shared.valid_from);
  assert.equal(rest.duration_min, 60);
  assert.deepEqual(rest.config, { min_coefficient: '1.50', max_coefficient: null });
  assert.equal('campaign_id' in rest, false);
  const bare = accepted('JobCreate', await create(directJob()));
  assert.deepEqual([bare.valid_from, bare.duration_min], [null, null]);
});

test('what can never be issued is refused at once', async () => {
  refused('campaign_not_found', await create(job('no-such-campaign')));
  refused('invalid_validity', await create(directJob({ valid_until: inDays(-1) })), ['valid_until']);
  const late = directJob({ valid_until: inDays(3), start_at: inDays(3) });
  refused('invalid_validity', await create(late), ['start_at']);
  accepted('JobCreate', await create({ ...late, start_at: inDays(2) }));
  const afterEnd = refused('invalid_validity', await create(job('weekend', { start_at: inDays(4001) })));
  assert.deepEqual(afterEnd.details, [{ field: 'start_at', reason: 'must be before the end of the campaign' }]);
  accepted('CampaignCreate', await call(url, 'CampaignCreate', campaign({ campaign_id: 'stopped' })));
  const before = job('stopped');
  const first = accepted('JobCreate', await create(before));
  accepted('CampaignStop', await call(url, 'CampaignStop', { campaign_id: 'stopped' }));
  refused('campaign_stopped', await create(job('stopped')));
  assert.deepEqual(accepted('JobCreate', await create(before)), first, 'one that was created answers again');
  refused('game_not_available', await create(directJob({ games: [games.one, 'x'] })), ['games[1]']);
  refused('game_without_free_bets', await create(directJob({ games: [games.withoutFreeBets] })), ['games[0]']);
});

test('every field that is wrong is named, in the form that was meant', async () => {
  const wrong = { job_id: 'x', name: '', start_at: 'soon' };
  refused('invalid_request', await create({ ...job('weekend'), ...wrong }), ['job_id', 'name', 'start_at']);
  refused('invalid_request', await create({ ...job('weekend'), bet_amount: '1.00', x: 1 }), ['bet_amount', 'x']);
  refused('invalid_request', await create(directJob({ bet_amount: 1, quantity: 0, games: [], valid_until: null })), [
    'bet_amount',
    'games',
    'quantity',
    'valid_until',
  ]);
  refused('invalid_request', await call(url, 'JobCreate', {}), [
    'bet_amount',
    'games',
    'job_id',
    'name',
    'quantity',
    'valid_until',
  ]);
});

test('a repeated create returns the first response; other content with the same id is refused', async () => {
  const body = job('weekend');
  const first = accepted('JobCreate', await create(body));
  accepted('JobAdd', await add(body.job_id, 1, jobItems(2)));
  accepted('JobStart', await start(body.job_id, 1, 2));
  assert.deepEqual(accepted('JobCreate', await create(body)), first);
  for (const changes of [{ name: 'B' }, { start_at: inDays(1) }]) {
    refused('id_reused', await create({ ...body, ...changes }));
  }
  refused('id_reused', await create(directJob({ job_id: body.job_id })));
});

test('parts are counted, in any order, and each once', async () => {
  const job_id = await opened();
  assert.deepEqual(accepted('JobAdd', await add(job_id, 3, jobItems(5))), { job_id, part: 3, items: 5 });
  accepted('JobAdd', await add(job_id, 1, jobItems(2)));
  accepted('JobAdd', await add(job_id, 10_000, jobItems(1)));
  // However it is written: the content is what counts.
  const again = jobItems(5).map(({ player_id, currency }) => ({ currency, player_id }));
  assert.deepEqual(accepted('JobAdd', await add(job_id.toUpperCase(), 3, again)), { job_id, part: 3, items: 5 });
  const { parts, items, remaining, status } = await get(job_id);
  assert.deepEqual({ parts, items, remaining, status }, { parts: 3, items: 8, remaining: 8, status: 'open' });
  refused('id_reused', await add(job_id, 3, jobItems(6)));
  refused('id_reused', await add(job_id, 3, jobItems(5).toReversed()));
  refused('id_reused', await add(job_id, 3, jobItems(5, 'other')));
  assert.equal((await get(job_id)).items, 8);
});

test('5000 items are a part, and one more are too many', async () => {
  const job_id = await opened();
  const tookMs = stopwatch();
  assert.equal(accepted('JobAdd', await add(job_id, 1, jobItems(5000))).items, 5000);
  assert.ok(tookMs() < 2000, `${tookMs()} ms`);
  refused('invalid_request', await add(job_id, 2, jobItems(5001)), ['items']);
  refused('invalid_request', await add(job_id, 2, []), ['items']);
  refused('invalid_request', await add(job_id, 0, jobItems(1)), ['part']);
  refused('invalid_request', await add(job_id, 10_001, jobItems(1)), ['part']);
  refused('invalid_request', await add(job_id, '1', 'x'), ['items', 'part']);
  assert.equal((await get(job_id)).parts, 1);
});

test('a partner that adds more at a time than it may is answered 503, and others are not', async () => {
  const job_id = await opened();
  const holder = await sql.connect();
  await holder.query('BEGIN');
  await holder.query('SELECT FROM jobs WHERE job_id = $1 FOR UPDATE', [job_id]);
  const adds = Array.from({ length: 30 }, (_, i) => add(job_id, i + 1, jobItems(2)));
  const refusals = await Promise.race([
    Promise.all(adds.slice(20)),
    new Promise((resolve) => setTimeout(resolve, 5000)),
  ]);
  for (const answer of refusals as Answer[]) refused('unavailable', answer);
  await holder.query('ROLLBACK');
  holder.release();
  for (const answer of await Promise.all(adds.slice(0, 20))) accepted('JobAdd', answer);
  assert.equal((await get(job_id)).parts, 20);
});

test('wrong items are named with their positions, all at once, also far behind', async () => {
  const job_id = await opened();
  const items: unknown[] = jobItems(5000);
  items[17] = { player_id: '', currency: 'eur' };
  items[18] = 'player';
  items[4999] = { player_id: 'x', currency: 'EUR', issue_id: 'x', bet_amount: '0.00', quantity: 1001, other: 1 };
  const answer = await call(url, 'JobAdd', { job_id, part: 'x', items });
  refused('invalid_request', answer, [
    'items[17].currency',
    'items[17].player_id',
    'items[18]',
    'items[4999].bet_amount',
    'items[4999].issue_id',
    'items[4999].other',
    'items[4999].quantity',
    'part',
  ]);
  const allWrong = refused('invalid_request', await add(job_id, 1, Array(5000).fill({})));
  assert.equal(allWrong.details.length, 100);
});

test('an amount and a quantity of its own has an item of a direct job only', async () => {
  const own = [
    { player_id: 'a', currency: 'EUR' },
    { player_id: 'b', currency: 'EUR', bet_amount: '2.00', quantity: 1 },
  ];
  const job_id = await opened();
  refused('invalid_request', await add(job_id, 1, own), ['items[1].bet_amount', 'items[1].quantity']);
  const body = directJob();
  accepted('JobCreate', await create(body));
  accepted('JobAdd', await add(body.job_id, 1, own));
  refused('id_reused', await add(body.job_id, 1, [own[0], { ...own[1], quantity: 2 }]));
});

test('a job holds ten million items and not one more', async () => {
  const job_id = await opened();
  accepted('JobAdd', await add(job_id, 1, jobItems(3)));
  await sql.query('UPDATE jobs SET items = 9999997 WHERE job_id = $1', [job_id]);
  refused('invalid_request', await add(job_id, 2, jobItems(4)), ['items']);
  accepted('JobAdd', await add(job_id, 2, jobItems(3)));
  refused('invalid_request', await start(job_id, 2, 10_000_001), ['items']);
});

test('a start with wrong totals is refused, with both totals and the missing parts', async () => {
  const job_id = await opened();
  accepted('JobAdd', await add(job_id, 1, jobItems(2)));
  accepted('JobAdd', await add(job_id, 4, jobItems(3)));
  const { details } = refused('job_incomplete', await start(job_id, 5, 9));
  assert.deepEqual(details, [
    { field: 'parts', reason: 'you sent 5, 2 are here' },
    { field: 'items', reason: 'you sent 9, 5 are here' },
    { field: 'parts', reason: 'part 2 is missing' },
    { field: 'parts', reason: 'part 3 is missing' },
    { field: 'parts', reason: 'part 5 is missing' },
  ]);
  assert.equal(refused('job_incomplete', await start(job_id, 9000, 9)).details.length, 100);
  assert.deepEqual(fieldsOf(refused('job_incomplete', await start(job_id, 2, 6))), ['items', 'parts']);
  assert.equal((await get(job_id)).status, 'open');
  // Not numbered from 1 on, but all are there.
  assert.equal(accepted('JobStart', await start(job_id, 2, 5)).status, 'running');
  refused('job_incomplete', await start(job_id, 2, 6));
  refused('invalid_request', await call(url, 'JobStart', { job_id, parts: 0, items: '1' }), ['items', 'parts']);
  refused('job_incomplete', await start(await opened(), 1, 1));
});

test('a started job takes no more parts, and starts once', async () => {
  await setClock(sql, '2027-06-01T12:00:00Z');
  const job_id = await opened();
  accepted('JobAdd', await add(job_id, 1, jobItems(2)));
  const first = accepted('JobStart', await start(job_id, 1, 2));
  assert.equal(first.started_at, '2027-06-01T12:00:00.000Z');
  await setClock(sql, '2027-06-01T12:00:01Z');
  assert.deepEqual(accepted('JobStart', await start(job_id, 1, 2)), first);
  refused('job_started', await add(job_id, 2, jobItems(1)));
  refused('job_started', await add(job_id, 1, jobItems(2)));
});

test('a job that is to start later is scheduled until then', async () => {
  await setClock(sql, '2027-06-01T12:00:00Z');
  const job_id = await opened({ start_at: '2027-06-01T12:00:01Z' });
  assert.equal((await get(job_id)).status, 'open');
  accepted('JobAdd', await add(job_id, 1, jobItems(2)));
  assert.equal(accepted('JobStart', await start(job_id, 1, 2)).status, 'scheduled');
  const scheduled = accepted('JobList', await call(url, 'JobList', { status: 'scheduled' }));
  assert.deepEqual(
    scheduled.jobs.map((one: { job_id: string }) => one.job_id),
    [job_id],
  );
  await setClock(sql, '2027-06-01T12:00:00.999Z');
  assert.equal((await get(job_id)).status, 'scheduled');
  await setClock(sql, '2027-06-01T12:00:01Z');
  assert.equal((await get(job_id)).status, 'running');
});

test('a job can be stopped for good in every state, with one event', async () => {
  const feed = async () => {
    const { events } = (await call(url, 'EventsList', { limit: 1000 })).body;
    return events.filter(({ type }: { type: string }) => type.startsWith('job.'));
  };
  const stop = (job_id: string) => call(url, 'JobStop', { job_id });
  const open = await opened();
  accepted('JobAdd', await add(open, 1, jobItems(2)));
  const scheduled = await opened({ start_at: inDays(1) });
  accepted('JobAdd', await add(scheduled, 1, jobItems(2)));
  accepted('JobStart', await start(scheduled, 1, 2));
  const running = await opened();
  accepted('JobAdd', await add(running, 1, jobItems(2)));
  accepted('JobStart', await start(running, 1, 2));
  const before = (await feed()).length;
  for (const job_id of [open, scheduled, running]) {
    assert.deepEqual(accepted('JobStop', await stop(job_id)), {});
    assert.deepEqual(accepted('JobStop', await stop(job_id)), {});
    const { status, remaining, stopped_at } = await get(job_id);
    assert.deepEqual([status, remaining], ['stopped', 2]);
    assert.ok(Math.abs(Date.parse(stopped_at) - Date.now()) < 60_000);
    refused('job_started', await add(job_id, 2, jobItems(1)));
    assert.equal(accepted('JobStart', await start(job_id, 1, 2)).status, 'stopped');
  }
  const emitted = (await feed()).slice(before);
  assert.deepEqual(
    emitted.map(({ type, data }: { type: string; data: { job: object } }) => [type, data.job]),
    [
      ['job.stopped', await get(open)],
      ['job.stopped', await get(scheduled)],
      ['job.stopped', await get(running)],
    ],
  );
  assert.equal((await get(open)).started_at, null);
});

test('the job of another partner is as if there were none', async () => {
  const job_id = await opened();
  accepted('JobAdd', await add(job_id, 1, jobItems(1)));
  const calls = {
    JobAdd: { part: 2, items: jobItems(1) },
    JobStart: { parts: 1, items: 1 },
    JobGet: {},
    JobRefusals: {},
    JobStop: {},
  } as const;
  for (const [name, body] of Object.entries(calls) as [keyof typeof calls, object][]) {
    refused('job_not_found', await call(url, name, { job_id, ...body }, rival));
    refused('job_not_found', await call(url, name, { job_id: randomUUID(), ...body }));
    refused('invalid_request', await call(url, name, { ...body, job_id: 1 }), ['job_id']);
  }
  // Another partner can use the same id.
  accepted('JobCreate', await call(url, 'JobCreate', directJob({ job_id }), rival));
  assert.equal((await get(job_id)).parts, 1);
});

test('jobs are listed newest first, page by page, by their status', async () => {
  await setClock(sql, '2028-01-01T00:00:00Z');
  const ids: string[] = [];
  for (let i = 0; i < 5; i++) {
    await setClock(sql, `2028-01-01T00:00:0${i}Z`);
    ids.unshift(await opened());
  }
  const list = async (body: object) => accepted('JobList', await call(url, 'JobList', body));
  const idsOf = (page: { jobs: { job_id: string }[] }) => page.jobs.map(({ job_id }) => job_id);
  const first = await list({ limit: 3 });
  assert.deepEqual(idsOf(first), ids.slice(0, 3));
  const second = await list({ limit: 2, cursor: first.next_cursor });
  assert.deepEqual(idsOf(second), ids.slice(3));
  accepted('JobStop', await call(url, 'JobStop', { job_id: ids[1] }));
  assert.deepEqual(idsOf(await list({ status: 'stopped', limit: 1 })), [ids[1]]);
  assert.deepEqual((await list({ limit: 1 })).jobs, [await get(ids[0] as string)]);
  const other = accepted(
    'CampaignCreate',
    await call(url, 'CampaignCreate', campaign({ valid_until: '2029-01-01T00:00:00Z' })),
  ).campaign_id;
  const ofOther = [];
  for (let i = 5; i < 8; i++) {
    await setClock(sql, `2028-01-01T00:00:0${i}Z`);
    const made = job(other);
    accepted('JobCreate', await call(url, 'JobCreate', made));
    ofOther.unshift(made.job_id);
  }
  const [latest, ...rest] = ofOther;
  const page = await list({ campaign_id: other, limit: 1 });
  assert.deepEqual(idsOf(page), [latest]);
  assert.deepEqual(idsOf(await list({ campaign_id: other, cursor: page.next_cursor })), rest);
  assert.deepEqual(idsOf(await list({ campaign_id: other, status: 'stopped' })), []);
  assert.deepEqual(idsOf(await list({ campaign_id: 'nothing' })), []);
  refused('invalid_request', await call(url, 'JobList', { status: 'paused', limit: 201, cursor: '!' }), [
    'cursor',
    'limit',
    'status',
  ]);
  refused('invalid_request', await call(url, 'JobList', { cursor: 'eA' }), ['cursor']);
  assert.deepEqual((await call(url, 'JobList', {}, rival)).body.jobs.length, 1);
});

test('a job that refused nothing has an empty list of refusals', async () => {
  const job_id = await opened();
  const answer = accepted('JobRefusals', await call(url, 'JobRefusals', { job_id }));
  assert.deepEqual(answer, { refusals: [], next_cursor: null });
  refused('invalid_request', await call(url, 'JobRefusals', { job_id, limit: 1001 }), ['limit']);
  refused('invalid_request', await call(url, 'JobRefusals', { job_id, cursor: 'eA' }), ['cursor']);
  const last = Buffer.from('[2147483647,2147483647]').toString('base64url');
  assert.deepEqual(accepted('JobRefusals', await call(url, 'JobRefusals', { job_id, cursor: last })), answer);
});
