import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { isTimestamp } from '@freebets/contract';
import { parse } from 'csv-parse/sync';
import { activityRows, allCounted, assertActivityHolds } from '../../support/activity.ts';
import { accepted } from '../../support/answers.ts';
import { call, demo, type Partner, rival } from '../../support/caller.ts';
import { setClock } from '../../support/clock.ts';
import { testDatabase } from '../../support/database.ts';
import { callAs, lantern } from '../../support/provider.ts';
import { campaign, directIssue, games } from '../../support/requests.ts';
import { testServer } from '../../support/server.ts';
import { acceptedStaffCall, signedIn, staffCall } from '../../support/staff.ts';
import { until } from '../../support/waiting.ts';
import { createPartners } from '../../support/webhooks.ts';

// Activity and reports, as the console asks for them.

const { env, sql } = await testDatabase();
const [real] = (await createPartners({ env, sql }, 1)) as [Partner];
const { url } = await testServer(env);
const year = { valid_from: '2031-01-01T00:00:00Z', valid_until: '2032-01-01T00:00:00Z' };
const formula = '=HYPERLINK("https://evil.example";"a")';

const issue = async (body: object, partner?: Partner): Promise<string> =>
  accepted('Issue', await call(url, 'Issue', body, partner)).issue_id;

async function play(issue_id: string, coefficient: string | null): Promise<string> {
  const bet_id = randomUUID();
  const bet = { bet_id, issue_id, player_id: 'player-1', game_id: games.one };
  accepted('RoundsBet', await callAs(lantern, url, 'RoundsBet', bet));
  if (coefficient !== null)
    accepted('RoundsSettle', await callAs(lantern, url, 'RoundsSettle', { bet_id, result: 'won', coefficient }));
  return bet_id;
}

// On both sides of midnight in Berlin, of the beginning of a month, and on the two days on which clocks are set there.
const hours = [
  '2031-03-29T22:30:00Z',
  '2031-03-29T23:10:00Z',
  '2031-03-30T21:59:59Z',
  '2031-03-30T22:00:00Z',
  '2031-03-31T22:00:00Z',
  '2031-10-26T22:59:00Z',
];
let latest = '';
for (const [i, hour] of hours.entries()) {
  await setClock(sql, hour);
  if (i === 0) {
    accepted('CampaignCreate', await call(url, 'CampaignCreate', campaign({ ...year, campaign_id: formula })));
    const player = { campaign_id: formula, player_id: 'player-1' };
    await play(await issue({ ...player, currency: 'EUR' }), '2.35');
    await play(await issue({ ...player, currency: 'USD' }), null);
    await issue(directIssue(year), rival);
    accepted('Cancel', await call(url, 'Cancel', { issue_id: await issue(directIssue(year)) }));
  } else latest = await issue(directIssue(year));
}
// A bet rolled back after it was counted: no series, report or file has a line of zeros for it.
await setClock(sql, '2031-12-24T12:00:00Z');
const rolledBack = await play(latest, null);
await assertActivityHolds(sql);
accepted('RoundsRollback', await callAs(lantern, url, 'RoundsRollback', { bet_id: rolledBack }));
await assertActivityHolds(sql);
// In the time of the world at which they are asked.
const [manager, ofRival, auditor, viewer] = await Promise.all([
  signedIn(sql, 'manager'),
  signedIn(sql, 'manager', [rival.clientId]),
  signedIn(sql, 'auditor'),
  signedIn(sql, 'viewer', [demo.clientId]),
]);

const whole = { from: '2031-01-01T00:00:00Z', until: '2032-01-01T00:00:00Z' };
const none = { issued: 0, cancelled: 0, expired: 0, bets: 0, settled: 0, staked: '0.00', won: '0.00' };
/** Of sandboxes too, as the partners of the demo are. */
const report = (body: object, staff = manager) =>
  acceptedStaffCall(url, '/Report/Get', { ...whole, sandboxes: true, ...body }, staff);

test('a series by the hour, and by the days of a zone', async () => {
  const series = async (body: object, staff = viewer) =>
    (await acceptedStaffCall(url, '/Activity/Get', { client_id: 1, ...whole, ...body }, staff)).series;
  const march = { from: '2031-03-29T22:00:00Z', until: '2031-03-29T23:00:00Z', by: 'hour' };
  const eur = { ...none, currency: 'EUR', issued: 2, cancelled: 1, bets: 1, settled: 1, staked: '1.00', won: '1.35' };
  const usd = { ...none, currency: 'USD', issued: 1, bets: 1, staked: '1.20' };
  const at = '2031-03-29T22:00:00Z';
  assert.deepEqual(await series(march), [
    { at, ...eur },
    { at, ...usd },
  ]);
  assert.deepEqual(await series({ ...march, currency: 'USD' }), [{ at, ...usd }]);
  assert.deepEqual(await series({ ...march, campaign_id: null }), [
    { at, ...none, currency: 'EUR', issued: 1, cancelled: 1 },
  ]);
  assert.deepEqual(await series({ ...march, from: '2031-03-29T22:00:00.001Z' }), [], 'the hour begins before');
  const days = (await series({ by: 'day', time_zone: 'Europe/Berlin' })) as { at: string; issued: number }[];
  assert.deepEqual(
    days.map(({ at, issued }) => `${at} ${issued}`),
    ['2031-03-29 2', '2031-03-29 1', '2031-03-30 2', '2031-03-31 1', '2031-04-01 1', '2031-10-26 1'],
  );
  const inUtc = (await series({ by: 'day', currency: 'EUR' })) as { at: string; issued: number }[];
  assert.deepEqual(
    inUtc.map(({ at, issued }) => `${at} ${issued}`),
    ['2031-03-29 3', '2031-03-30 2', '2031-03-31 1', '2031-10-26 1'],
  );
});

test('a report by what one likes, with totals by currency, and page by page', async () => {
  const { rows, totals, next_cursor } = await report({ client_id: 1, by: ['campaign', 'game'] });
  const EUR = { ...none, currency: 'EUR' };
  const noGame = { game_id: null, game_title: null };
  const inFormula = { campaign_id: formula, campaign_name: campaign().name };
  const inGame = { ...inFormula, game_id: games.one, game_title: 'Skyline Ascent' };
  assert.deepEqual(rows, [
    { campaign_id: null, campaign_name: null, ...noGame, ...EUR, issued: 6, cancelled: 1 },
    { ...inFormula, ...noGame, ...EUR, issued: 1 },
    { ...inFormula, ...noGame, ...none, currency: 'USD', issued: 1 },
    { ...inGame, ...EUR, bets: 1, settled: 1, staked: '1.00', won: '1.35' },
    { ...inGame, ...none, currency: 'USD', bets: 1, staked: '1.20' },
  ]);
  assert.deepEqual(totals, [
    { ...EUR, issued: 7, cancelled: 1, bets: 1, settled: 1, staked: '1.00', won: '1.35' },
    { ...none, currency: 'USD', issued: 1, bets: 1, staked: '1.20' },
  ]);
  assert.equal(next_cursor, null);
  for (const by of [['campaign', 'game'], ['currency'], ['month', 'partner'], ['day', 'provider', 'currency']]) {
    const all = await report({ by });
    for (const limit of [1, 2]) {
      const pages: object[] = [];
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const page = await report({ by, limit, ...(cursor !== undefined && { cursor }) });
        assert.deepEqual(page.totals, all.totals);
        pages.push(...page.rows);
        cursor = page.next_cursor;
      }
      assert.deepEqual(pages, all.rows, `${by}`);
    }
  }
  const most = await report({ by: ['day'], most: 'issued', limit: 1 });
  assert.deepEqual(
    most.rows.map(({ day, currency, issued }: Record<string, unknown>) => [day, currency, issued]),
    [
      ['2031-03-29', 'EUR', 4],
      ['2031-03-29', 'USD', 1],
    ],
  );
  assert.deepEqual([most.next_cursor, most.totals], [null, (await report({ by: ['day'] })).totals]);
  const months = await report({ client_id: 1, by: ['month'], time_zone: 'Europe/Berlin', currency: 'EUR' });
  assert.deepEqual(
    months.rows.map(({ month, issued }: { month: string; issued: number }) => `${month} ${issued}`),
    ['2031-03 5', '2031-04 1', '2031-10 1'],
  );
});

test('rows of partners out of scope are never in it, with or without a partner named', async () => {
  const partnersOf = async (staff: typeof manager) =>
    (await report({ by: ['partner'], currency: 'EUR' }, staff)).rows.map(
      ({ client_id }: { client_id: number }) => client_id,
    );
  assert.deepEqual(await partnersOf(manager), [1, 2]);
  assert.deepEqual(await partnersOf(ofRival), [2]);
  const { totals } = await report({ by: ['campaign'] }, ofRival);
  assert.deepEqual(totals, [{ ...none, currency: 'EUR', issued: 1 }]);
  const withoutPartners = await signedIn(sql, 'manager', []);
  assert.deepEqual((await report({ by: ['partner'] }, withoutPartners)).rows, []);
  const elsewhere = await staffCall(url, '/Report/Get', { ...whole, client_id: 1, by: ['day'] }, ofRival);
  assert.deepEqual([elsewhere.status, elsewhere.body.error], [404, 'partner_not_found']);
  const series = await acceptedStaffCall(url, '/Activity/Get', { ...whole, by: 'day', sandboxes: true }, ofRival);
  assert.deepEqual(series.series, [{ at: '2031-03-29', ...none, currency: 'EUR', issued: 1 }]);
  assert.equal((await staffCall(url, '/Report/Get', { ...whole, by: ['day'] }, viewer)).body.error, 'not_allowed');
});

test('what cannot be answered is refused with its field', async () => {
  const fields = async (path: string, body: object) => {
    const { status, body: answer } = await staffCall(url, path, { ...whole, ...body }, manager);
    assert.equal(status, 400, JSON.stringify(answer));
    return answer.details.map(({ field }: { field: string }) => field);
  };
  assert.deepEqual(await fields('/Activity/Get', { by: 'hour' }), ['until']);
  assert.deepEqual(await fields('/Report/Get', { by: ['day'], until: '2033-01-01T00:00:00Z' }), ['until']);
  // In Berlin 367 days, one of which has 25 hours.
  await report({ by: ['day'], from: '2030-10-25T22:00:00Z', until: '2031-10-27T23:00:00Z' });
  for (const time_zone of ['Europe/Nowhere', 'XYZ5', 'Factory']) {
    assert.deepEqual(await fields('/Report/Get', { by: ['day'], time_zone }), ['time_zone'], time_zone);
  }
  assert.deepEqual(await fields('/Report/Get', { by: [] }), ['by']);
  assert.deepEqual(await fields('/Report/Get', { by: ['day', 'day'] }), ['by']);
  assert.deepEqual(await fields('/Report/Get', { by: ['player'] }), ['by[0]']);
  const { next_cursor } = await report({ by: ['partner'], limit: 1 });
  assert.deepEqual(await fields('/Report/Get', { by: ['day'], cursor: next_cursor }), ['cursor']);
  assert.deepEqual(await fields('/Report/Get', { by: ['partner'], cursor: 'bm9uZQ' }), ['cursor']);
  const most = { by: ['partner'], most: 'won' };
  assert.deepEqual(await fields('/Report/Get', { ...most, limit: 401, cursor: next_cursor }), ['limit', 'cursor']);
});

test('up to the last second that can be written there may be a report, of nothing', async () => {
  const last = { from: '9999-12-31T23:30:00Z', until: '9999-12-31T23:59:59Z' };
  assert.deepEqual((await report({ by: ['day'], ...last })).rows, []);
  const activity = await staffCall(url, '/Activity/Get', { ...whole, by: 'hour', ...last }, manager);
  assert.equal(activity.status, 200, JSON.stringify(activity.body));
});

test('an export is the whole report as a file, harmless in a spreadsheet, and recorded', async () => {
  const wanted = { ...whole, client_id: 1, by: ['campaign', 'game'] };
  const { status, body, headers } = await staffCall(url, '/Report/Export', wanted, auditor);
  assert.equal(status, 200);
  assert.equal(headers.get('content-type'), 'text/csv; charset=utf-8');
  assert.equal(headers.get('content-disposition'), 'attachment; filename="report-2031-01-01-2031-12-31.csv"');
  const [head, ...lines] = parse(body as string, { bom: true });
  const { rows } = await report({ client_id: 1, by: ['campaign', 'game'] });
  assert.deepEqual(head, Object.keys(rows[0]));
  const cells = rows.map((row: object) => Object.values(row).map((cell) => String(cell ?? '')));
  assert.deepEqual(
    lines,
    cells.map((line: string[]) => line.map((cell) => (cell === formula ? `'${formula}` : cell))),
  );
  const { rows: records } = await sql.query(`SELECT client_id, actor, record FROM audit WHERE action = 'ReportExport'`);
  assert.deepEqual(
    records.map(({ client_id, actor }) => [client_id, actor]),
    [[1, auditor.staffId]],
  );
  const { counted_until, ...after } = JSON.parse(records[0].record).after;
  assert.deepEqual(after, { ...wanted, sandboxes: true });
  assert.ok(isTimestamp(counted_until));
  await staffCall(url, '/Report/Export', { ...whole, by: ['day'] }, manager);
  const { rows: chains } = await sql.query(`SELECT client_id FROM audit WHERE action = 'ReportExport' ORDER BY 1`);
  assert.deepEqual(chains, [{ client_id: 0 }, { client_id: 1 }]);
});

test('an export is called by its first and its last day, as they are in the time zone', async () => {
  const month = {
    from: '2026-10-31T18:15:00Z',
    until: '2026-11-30T18:15:00Z',
    time_zone: 'Asia/Kathmandu',
    by: ['day'],
  };
  const { headers } = await staffCall(url, '/Report/Export', month, manager);
  assert.equal(headers.get('content-disposition'), 'attachment; filename="report-2026-11-01-2026-11-30.csv"');
});

test('a report over several partners adds up real ones, or sandboxes if they are asked for, and never both', async () => {
  const [from, until] = ['2031-12-01T00:00:00Z', '2031-12-02T00:00:00Z'];
  await sql.query(
    `INSERT INTO activity SELECT client, $1, '', 'EUR', '', '', issued, 0, 0, 0, 0, 0, 0 FROM (VALUES (1, 7), ($2, 1)) v (client, issued)`,
    [from, real.clientId],
  );
  const issued = async (body: object, staff = manager) => {
    const both = { from, until, ...body };
    const { totals, sandboxes } = await acceptedStaffCall(url, '/Report/Get', { ...both, by: ['partner'] }, staff);
    const series = await acceptedStaffCall(url, '/Activity/Get', { ...both, by: 'day' }, staff);
    const sum = (points: { issued: number }[]) => points.reduce((all, point) => all + point.issued, 0);
    assert.deepEqual([sum(series.series), series.sandboxes], [sum(totals), sandboxes]);
    return [sum(totals), sandboxes];
  };
  assert.deepEqual(await issued({}), [1, false]);
  assert.deepEqual(await issued({ sandboxes: false }), [1, false]);
  assert.deepEqual(await issued({ sandboxes: true }), [7, true]);
  assert.deepEqual(await issued({ client_id: 1 }), [7, true], 'one that is named is shown');
  assert.deepEqual(await issued({ client_id: 1, sandboxes: false }), [7, true]);
  assert.deepEqual(await issued({ client_id: real.clientId, sandboxes: true }), [1, false]);
  const ofBoth = await signedIn(sql, 'manager', [1, real.clientId]);
  assert.deepEqual(await issued({}, ofBoth), [1, false]);
  assert.deepEqual(await issued({ sandboxes: true }, ofBoth), [7, true]);
  assert.deepEqual(await issued({ sandboxes: true }, await signedIn(sql, 'manager', [real.clientId])), [0, false]);
  assert.deepEqual(await issued({}, ofRival), [0, false]);
  const file = async (body: object) =>
    (await staffCall(url, '/Report/Export', { from, until, by: ['partner'], ...body }, manager)).body as string;
  const partnersIn = (text: string) => parse(text, { bom: true }).map(([client]: string[]) => client);
  assert.deepEqual(partnersIn(await file({})), ['client_id', `${real.clientId}`]);
  assert.deepEqual(partnersIn(await file({ sandboxes: true })), ['client_id', '1']);
  await sql.query('DELETE FROM activity WHERE hour = $1', [from]);
});

test('a report says until when everything is in it: of the partners that it is of', async () => {
  const other = await testDatabase();
  const [behind, ahead] = (await createPartners(other, 2)) as [Partner, Partner];
  const { url: idle } = await testServer({ ...other.env, WORKER: 'off' });
  const at = (minute: number) => `2031-03-29T10:0${minute}:00.000Z`;
  for (const [minute, partner] of [behind, behind, ahead, demo].entries()) {
    await setClock(other.sql, at(minute));
    accepted('Issue', await call(idle, 'Issue', directIssue(year), partner));
  }
  await setClock(other.sql, at(8));
  const staff = await signedIn(other.sql, 'manager');
  const isClose = (text: string, minute: number) => {
    const lateMs = Date.parse(text) - Date.parse(at(minute));
    return lateMs >= 0 && lateMs < 60_000;
  };
  const untilOf = async (body: object, minute: number) => {
    const got = await acceptedStaffCall(idle, '/Report/Get', { ...whole, by: ['partner'], ...body }, staff);
    const series = await acceptedStaffCall(idle, '/Activity/Get', { ...whole, by: 'day', ...body }, staff);
    assert.ok(isClose(got.counted_until, minute), got.counted_until);
    assert.ok(isClose(series.counted_until, minute), series.counted_until);
  };
  await untilOf({}, 0);
  await untilOf({ client_id: behind.clientId }, 0);
  await untilOf({ client_id: ahead.clientId }, 2);
  await untilOf({ client_id: 1 }, 3);
  await untilOf({ client_id: rival.clientId }, 8);
  await other.sql.query('INSERT INTO activity_heads VALUES ($1, 1)', [behind.clientId]);
  await untilOf({}, 1);
  await other.sql.query('UPDATE activity_heads SET position = 2');
  await untilOf({}, 2);
  await other.sql.query('INSERT INTO activity_heads VALUES ($1, 1)', [ahead.clientId]);
  await untilOf({}, 8);
  await untilOf({ sandboxes: true }, 3);
});

test('a long export is read bit by bit, and one that is broken off leaves its connection to others', async () => {
  const before = await activityRows(sql);
  await sql.query(`INSERT INTO activity
    SELECT 1, '2031-05-01', 'c' || i, 'EUR', '', '', 1, 0, 0, 0, 0, 0, 0 FROM generate_series(1, 30000) i`);
  const wanted = { ...whole, client_id: 1, by: ['campaign'] };
  const { body } = await staffCall(url, '/Report/Export', wanted, manager);
  assert.equal(parse(body as string, { bom: true }).length, 1 + 30_000 + 3);
  for (let i = 0; i < 6; i++) {
    const stopping = new AbortController();
    const answer = await fetch(`${url}/console/api/Report/Export`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', cookie: manager.cookie },
      body: JSON.stringify(wanted),
      signal: stopping.signal,
    });
    const { value } = (await answer.body?.getReader().read()) ?? {};
    assert.deepEqual([...(value ?? []).slice(0, 3)], [0xef, 0xbb, 0xbf], 'a spreadsheet knows it for UTF-8');
    stopping.abort();
  }
  assert.equal((await report({ by: ['partner'] })).rows.length, 3);
  await sql.query(`DELETE FROM activity WHERE hour = '2031-05-01'`);
  assert.deepEqual(await activityRows(sql), before);
  await allCounted(sql);
});

test('unread files block only other files, and one person holds only a part of the file turns', async () => {
  await sql.query(`INSERT INTO activity
    SELECT 1, '2031-05-01', repeat('x', 1000) || i, 'EUR', '', '', 1, 0, 0, 0, 0, 0, 0 FROM generate_series(1, 20000) i`);
  const { url: impatient } = await testServer({ ...env, WORKER: 'off', REQUEST_DEADLINE_MS: '500' });
  const wanted = { ...whole, client_id: 1, by: ['campaign'] };
  const stopping = new AbortController();
  // Kept here, because an unreferenced response is cancelled at garbage collection.
  const unread: Response[] = [];
  const exportBy = async ({ cookie }: typeof manager) => {
    const answer = await fetch(`${impatient}/console/api/Report/Export`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', cookie },
      body: JSON.stringify(wanted),
      signal: stopping.signal,
    });
    unread.push(answer);
    return answer.status;
  };
  const byOne = await Promise.all(Array.from({ length: 4 }, () => exportBy(manager)));
  assert.deepEqual(byOne.toSorted(), [200, 200, 503, 503]);
  // Concurrent changes can be cleaned up.
  const holding = `SELECT state, query FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'freebets reports' AND (backend_xmin IS NOT NULL OR state ~ 'transaction')`;
  await until('no state of the world is held', 5000, async () => (await sql.query(holding)).rows.length === 0);
  const ask = async (path: string, body: object, staff = auditor) =>
    (await staffCall(impatient, path, body, staff)).status;
  assert.equal(await exportBy(ofRival), 404);
  assert.equal(await exportBy(auditor), 200, 'there is a turn for another');
  const exported = async () => (await sql.query(`SELECT FROM audit WHERE action ~ 'Export|Review'`)).rows.length;
  const recorded = await exported();
  const files = ['/Audit/Export', '/Catalogue/Export', '/Staff/Review'];
  assert.deepEqual(await Promise.all(files.map((path) => ask(path, {}))), [503, 503, 503]);
  assert.equal(await exportBy(auditor), 503);
  assert.equal(await exported(), recorded, 'an export that did not start is not recorded');
  for (const staff of [manager, auditor, viewer]) {
    assert.equal(await ask('/Session/Get', {}, staff), 200);
    assert.equal(await ask('/Overview/Get', {}, staff), 200);
  }
  for (const staff of [manager, auditor]) {
    assert.equal(await ask('/Report/Get', { ...wanted, limit: 1 }, staff), 200);
    assert.equal(await ask('/Activity/Get', { ...whole, client_id: 1, by: 'day' }, staff), 200);
  }
  assert.equal(await ask('/Audit/Verify', {}), 200);
  assert.equal(unread.length, 7);
  stopping.abort();
  await until('their turns are free', 5000, async () => (await ask('/Catalogue/Export', {})) === 200);
  await sql.query(`DELETE FROM activity WHERE hour = '2031-05-01'`);
});
