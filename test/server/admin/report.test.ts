import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type pg from 'pg';
import { rebuildActivity } from '../../../packages/server/src/events/activity/rebuild.ts';
import { removeOldEvents } from '../../../packages/server/src/events/feed/sql/retention.ts';
import { migrate, migrations } from '../../../packages/server/src/ops/schema/migrations.ts';
import { activityRows, assertActivityHolds } from '../../support/activity.ts';
import { accepted } from '../../support/answers.ts';
import { call, type Partner, rival } from '../../support/caller.ts';
import { later, setClock } from '../../support/clock.ts';
import { testDatabase } from '../../support/database.ts';
import { callAs, lantern } from '../../support/provider.ts';
import { campaign, directIssue, games } from '../../support/requests.ts';
import { runCommand, testServer } from '../../support/server.ts';
import { until } from '../../support/waiting.ts';
import { createPartners } from '../../support/webhooks.ts';
import { fails, succeeds, succeedsWith } from './terminal.ts';

// `freebets report` verifies the activity against the rows and rebuilds it.

const { env, sql } = await testDatabase();
const [idle] = (await createPartners({ env, sql }, 1)) as [Partner];
const { url } = await testServer({ ...env, SWEEP_PAUSE_MS: '20' });
const start = '2031-03-30T00:30:00.000Z';
await setClock(sql, start);
const terms = { valid_from: start, valid_until: later(start, 86_400_000) };

async function bet(issue_id: string): Promise<string> {
  const body = { bet_id: randomUUID(), issue_id, player_id: 'player-1', game_id: games.one };
  accepted('RoundsBet', await callAs(lantern, url, 'RoundsBet', body));
  return body.bet_id;
}
const settle = (bet_id: string) => callAs(lantern, url, 'RoundsSettle', { bet_id, result: 'won', coefficient: '3.33' });
const rollback = (bet_id: string) => callAs(lantern, url, 'RoundsRollback', { bet_id });

accepted(
  'CampaignCreate',
  await call(url, 'CampaignCreate', campaign({ campaign_id: 'c', ...terms, duration_min: 90 })),
);
const issue = async (body: object, partner?: Partner): Promise<string> =>
  accepted('Issue', await call(url, 'Issue', body, partner)).issue_id;
const player = { campaign_id: 'c', player_id: 'player-1', currency: 'EUR' };
const [first, second] = [await issue(player), await issue(player)];
await issue(directIssue(terms), rival);
accepted('Cancel', await call(url, 'Cancel', { issue_id: await issue(directIssue(terms)) }));
const bets = [await bet(first), await bet(first), await bet(first), await bet(second)];
await setClock(sql, later(start, 3_600_000));
accepted('RoundsSettle', await settle(bets[0] as string));
accepted('RoundsRollback', await rollback(bets[1] as string));
await setClock(sql, later(start, 91 * 60_000));
await until(
  'they have expired',
  5000,
  async () => (await sql.query('SELECT FROM activity WHERE expired = 2')).rows.length > 0,
);
await assertActivityHolds(sql);

const wrongIn = (stdout: string) => JSON.parse(stdout).flatMap((each: { differences: unknown[] }) => each.differences);

test('verify succeeds for correct activity, for all partners or one', async () => {
  const stdout = await succeeds(env, 'report', 'verify');
  assert.match(stdout, /^The activity counts of \d+ partners match the free bets and bets exactly\.\n$/);
  const [only] = await succeedsWith(env, 'report', 'verify', '--client', '2');
  assert.deepEqual(only, { client_id: 2, through: 1, differences: [] });
  for (const word of ['verify', 'rebuild']) {
    assert.equal(await fails(env, 'report', word, '--client', '99'), 'There is no partner 99.');
  }
});

test('verify finds differences of one cent or one bet', async () => {
  const changes = [
    ['won = won + 1', 'settled > 0', 'won', '2.34', '2.33'],
    ['staked = staked - 1', 'bets > 0', 'staked', '2.99', '3.00'],
    ['issued = issued + 1', "issued > 0 AND campaign_id = 'c'", 'issued', '3', '2'],
    ['expired = expired - 2', 'expired > 0', 'expired', '0', '2'],
    ['cancelled = 5', 'cancelled > 0', 'cancelled', '5', '1'],
  ];
  for (const [change, where, measure, counted, in_rows] of changes) {
    const before = (await sql.query('SELECT * FROM activity')).rows;
    await sql.query(`UPDATE activity SET ${change} WHERE client_id = 1 AND ${where}`);
    const { code, stdout } = await runCommand(env, '--json', 'report', 'verify');
    assert.equal(code, 1, `${change}`);
    const differences = wrongIn(stdout);
    assert.deepEqual(
      differences.map((each: Record<string, string>) => [each.measure, each.counted, each.in_rows]),
      [[measure, counted, in_rows]],
    );
    const text = await runCommand(env, 'report', 'verify', '--client', '1');
    assert.equal(text.code, 1);
    assert.match(text.stdout, new RegExp(`^1 +(2031\\S+)? .* ${measure} +${counted} +${in_rows}$`, 'm'));
    await succeeds(env, 'report', 'rebuild', '--client', '1');
    assert.deepEqual((await sql.query('SELECT * FROM activity')).rows.length, before.length);
    await assertActivityHolds(sql);
  }
});

test('verify finds counts in a wrong hour, except expirations', async () => {
  const hours = (differences: Record<string, string>[]) =>
    differences.map(({ measure, hour, counted, in_rows }) => `${measure} ${hour}: ${counted} ${in_rows}`);
  await sql.query(`UPDATE activity SET hour = hour + interval '1 day' WHERE client_id = 2`);
  const { code, stdout } = await runCommand(env, '--json', 'report', 'verify');
  assert.equal(code, 1);
  assert.deepEqual(hours(wrongIn(stdout)), [
    'issued 2031-03-30T00:00:00.000Z: 0 1',
    'issued 2031-03-31T00:00:00.000Z: 1 0',
  ]);
  const text = await runCommand(env, 'report', 'verify', '--client', '2');
  assert.match(text.stdout, /^2 +2031-03-31T00:00:00\.000Z .* issued +1 +0$/m);
  await sql.query(`UPDATE activity SET hour = hour - interval '1 day' WHERE client_id = 2`);
  await sql.query(
    `WITH moved AS (UPDATE activity SET expired = 0 WHERE client_id = 1 AND expired = 2 RETURNING *)
     INSERT INTO activity SELECT client_id, hour + interval '2 hours', campaign_id, currency, '', '', 0, 0, 2, 0, 0, 0, 0 FROM moved`,
  );
  await succeeds(env, 'report', 'verify');
  await succeeds(env, 'report', 'rebuild', '--client', '1');
  await assertActivityHolds(sql);
});

test('verify counts events in memory that the reader has not processed', async () => {
  const other = await testDatabase();
  const server = await testServer({ ...other.env, WORKER: 'off' });
  for (let i = 0; i < 3; i++) accepted('Issue', await call(server.url, 'Issue', directIssue()));
  const [only] = await succeedsWith(other.env, 'report', 'verify', '--client', '1');
  assert.deepEqual(only, { client_id: 1, through: 3, differences: [] });
  assert.deepEqual(await activityRows(other.sql), []);
});

test('rebuild from events gives the same counts and is in the audit log', async () => {
  const before = await activityRows(sql);
  const rebuilt = await succeedsWith(env, 'report', 'rebuild');
  assert.ok(rebuilt.every(({ from }: { from: string }) => from === 'feed'));
  assert.deepEqual(await activityRows(sql), before);
  const { rows } = await sql.query(
    `SELECT client_id FROM audit WHERE action = 'ReportRebuild' AND actor = 'cli' AND client_id = 2`,
  );
  assert.equal(rows.length, 1);
  await succeedsWith(env, 'report', 'rebuild', '--client', '2', '--reason', 'it was wrong');
  const { rows: records } = await sql.query(
    `SELECT record::json ->> 'reason' AS reason FROM audit WHERE action = 'ReportRebuild' AND client_id = 2 ORDER BY sequence`,
  );
  assert.deepEqual(records, [{ reason: null }, { reason: 'it was wrong' }]);
  assert.match(
    await fails(env, 'report', 'rebuild', '--reason', 'no'),
    /^The reason must have 3 to 500 printable characters/,
  );
  // After the rebuild, counting continues from there.
  await issue(directIssue(terms));
  await assertActivityHolds(sql);
});

test('rebuild counts from rows where old events are removed, and later events match', async () => {
  const before = await activityRows(sql);
  const upTo =
    'DELETE FROM event_batches WHERE client_id = 1 AND first_sequence < (SELECT last_sequence - 2 FROM event_heads WHERE client_id = 1)';
  await sql.query(upTo);
  const [rebuilt] = await succeedsWith(env, 'report', 'rebuild', '--client', '1');
  assert.equal(rebuilt.from, 'rows');
  assert.deepEqual(await activityRows(sql), before, 'here what has expired was found in its hour');
  accepted('RoundsRollback', await rollback(bets[2] as string));
  accepted('RoundsSettle', await settle(bets[3] as string));
  await assertActivityHolds(sql);
  const stdout = await succeeds(env, 'report', 'rebuild', '--client', '1');
  assert.match(stdout, /because older events are removed/);
});

test('rebuild switches to rows if events are removed during it', async () => {
  const removals = ['first_sequence = 1', 'first_sequence = 3', 'first_sequence < 5', 'true'];
  const other = await testDatabase();
  const partners = await createPartners(other, removals.length);
  const server = await testServer(other.env);
  const issueTo = async (partner: Partner) => {
    for (let i = 0; i < 6; i++) accepted('Issue', await call(server.url, 'Issue', directIssue(), partner));
  };
  await Promise.all(partners.map(issueTo));
  await assertActivityHolds(other.sql);
  const before = await activityRows(other.sql);
  const by = { actor: { kind: 'cli' }, action: 'ReportRebuild', address: null, requestId: null, reason: null } as const;
  for (const [i, { clientId }] of partners.entries()) {
    const removal = `DELETE FROM event_batches WHERE client_id = ${clientId} AND ${removals[i]}`;
    const pool = interrupted(other.sql, 'stored_events_after', () => other.sql.query(removal));
    assert.equal((await rebuildActivity({ pool, by }, clientId)).from, 'rows', removal);
    assert.deepEqual(await activityRows(other.sql), before, removal);
  }
});

/** Something happens before a statement of this name is sent for the first time. */
function interrupted(sql: pg.Pool, name: string, happens: () => Promise<unknown>): pg.Pool {
  let isOver = false;
  const connect = async () => {
    const client = await sql.connect();
    const query = async (statement: pg.QueryConfig) => {
      if (statement.name === name && !isOver) {
        isOver = true;
        await happens();
      }
      return client.query(statement);
    };
    return new Proxy(client, { get: (of, key) => (key === 'query' ? query : Reflect.get(of, key)) });
  };
  return new Proxy(sql, { get: (of, key) => (key === 'connect' ? connect : Reflect.get(of, key)) });
}

test('rebuild includes free bets from before the event feed', async () => {
  await sql.query(
    `INSERT INTO free_bets (client_id, issue_id, player_id, currency, bet_amount, quantity, terms, valid_from, issued_at,
       expires_at, content_hash)
     SELECT $1, gen_random_uuid(), 'p', 'EUR', 100, 1, '{}', $2, $2, $3, '\\x00' FROM generate_series(1, 3)`,
    [idle.clientId, '2020-01-01T00:00:00Z', '2040-01-01T00:00:00Z'],
  );
  const rebuild = () => succeedsWith(env, 'report', 'rebuild', '--client', String(idle.clientId));
  assert.equal((await rebuild())[0].from, 'rows');
  await assertActivityHolds(sql);
  await issue(directIssue(terms), idle);
  assert.equal((await rebuild())[0].from, 'rows');
  await assertActivityHolds(sql);
});

test('a new activity table includes earlier events', async () => {
  const before = await activityRows(sql);
  await sql.query('DROP TABLE activity, activity_heads');
  await sql.query('DROP FUNCTION IF EXISTS activity_in_rows');
  await sql.query(`DELETE FROM migrations WHERE name = '0012_activity.sql'`);
  assert.deepEqual((await migrate(sql, migrations)).ran, ['0012_activity.sql']);
  assert.deepEqual(await activityRows(sql), before);
  await issue(directIssue(terms));
  await assertActivityHolds(sql);
  await setClock(sql, later(start, 100 * 86_400_000));
  await removeOldEvents(sql, 1, 90, 1000);
  await succeeds(env, 'report', 'verify');
});
