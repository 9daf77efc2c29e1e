import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { compileSchema, staffOperations } from '@freebets/contract';
import { accepted } from '../../support/answers.ts';
import { call } from '../../support/caller.ts';
import { testDatabase } from '../../support/database.ts';
import { directIssue, inDays } from '../../support/requests.ts';
import { testServer } from '../../support/server.ts';
import { acceptedStaffCall, signedIn } from '../../support/staff.ts';

// The state of the service in the console.

const { env, sql } = await testDatabase();
const { url } = await testServer({ ...env, WORKER: 'off' });
const viewer = await signedIn(sql, 'viewer', [1]);

const read = async () => {
  const body = await acceptedStaffCall(url, '/System/Get', {}, viewer);
  assert.deepEqual(compileSchema(staffOperations.SystemGet.response)(body), []);
  return body;
};

test('what this server has done lately, and how the database is', async () => {
  for (let i = 0; i < 20; i++) accepted('Issue', await call(url, 'Issue', directIssue()));
  await delay(1100);
  const { requests, lanes, database, memory, version, jobs, activity } = await read();
  assert.ok(requests.per_second > 0 && requests.p50_ms > 0 && requests.p99_ms >= requests.p50_ms);
  assert.ok(lanes.batches_per_second > 0 && lanes.load_ms > 0 && lanes.commit_ms > 0);
  assert.deepEqual([lanes.depth, lanes.last_size, lanes.mean_size], [0, 1, 1]);
  assert.ok(database.is_up && database.size_bytes > 1_000_000);
  assert.match(database.version, /^\d+/);
  assert.ok(database.connections.lanes.open >= 1 && database.connections.staff.most === 4);
  assert.ok(memory.resident_bytes > memory.heap_bytes);
  assert.match(version, /^\d+\.\d+\.\d+/);
  assert.deepEqual(jobs, { running: 0 });
  assert.ok(activity.lag_s >= 0 && activity.lag_s < 60, String(activity.lag_s));
});

test('what waits: events for webhooks, and free bets for the sweeper', async () => {
  assert.deepEqual((await read()).sweeper, { overdue: 0 });
  const issue_id = accepted('Issue', await call(url, 'Issue', directIssue({ valid_until: inDays(1) }))).issue_id;
  await sql.query("UPDATE free_bets SET expires_at = world_now() - interval '1 s' WHERE issue_id = $1", [issue_id]);
  await delay(1050);
  const { sweeper, webhooks } = await read();
  assert.deepEqual(sweeper, { overdue: 1 });
  assert.deepEqual(webhooks, { waiting: 0, oldest_s: 0 });
});

test('requests within a second share one read', async () => {
  await delay(1050);
  const began = performance.now();
  const all = await Promise.all(Array.from({ length: 20 }, read));
  // On a slow machine they are not all asked within one.
  const seconds = Math.ceil((performance.now() - began) / 1000);
  const reads = new Set(all.map((each) => JSON.stringify(each))).size;
  assert.ok(reads <= seconds, `read ${reads} times in ${seconds} s`);
});

test('reading it is no use of the session: a page that is left open does so by itself', async () => {
  const { staffId, cookie } = await signedIn(sql, 'viewer');
  const seen = async (): Promise<Date> =>
    (await sql.query('SELECT seen_at FROM sessions WHERE staff_id = $1', [staffId])).rows[0].seen_at;
  await sql.query("UPDATE sessions SET seen_at = world_now() - interval '10 minutes' WHERE staff_id = $1", [staffId]);
  const before = await seen();
  await acceptedStaffCall(url, '/System/Get', {}, { cookie });
  assert.deepEqual(await seen(), before);
  await acceptedStaffCall(url, '/Session/Get', {}, { cookie });
  assert.notDeepEqual(await seen(), before);
});
