import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { change } from '../../../packages/server/src/audit/change.ts';
import { accepted } from '../../support/answers.ts';
import { call, demo, rival } from '../../support/caller.ts';
import { testDatabase } from '../../support/database.ts';
import { times } from '../../support/long.ts';
import { directIssue } from '../../support/requests.ts';
import { runCommand, testServer } from '../../support/server.ts';
import { acceptedStaffCall, signedIn, staffCall } from '../../support/staff.ts';
import { stopwatch } from '../../support/waiting.ts';

// The record, for those of the staff who may read it.

const { env, sql } = await testDatabase();
const { url } = await testServer(env);
/** Its lanes have one connection, and so share transactions. */
const other = await testServer({ ...env, DATABASE_CONNECTIONS: '3' });
const support = await signedIn(sql, 'support');
const auditor = await signedIn(sql, 'auditor');
const partial = await signedIn(sql, 'auditor', [2]);
const folder = await mkdtemp(join(tmpdir(), 'freebets-audit-'));
after(() => rm(folder, { recursive: true }));

const actor = { kind: 'cli' } as const;
const record = (clientId: number, action: string, id: string) =>
  change({ pool: sql, by: { actor, action, address: null, requestId: null, reason: null } }, async () => ({
    answer: undefined,
    clientId,
    changed: { target: { kind: 'thing', id }, before: { n: 1 }, after: { n: 2 } },
  }));
for (let i = 0; i < 5; i++) for (const chain of [0, 1, 2]) await record(chain, i % 2 ? 'Odd' : 'Even', `t${i}`);

/** Where there are many machines, only who says to know the danger may change triggers. */
async function guarded(isSo: boolean): Promise<void> {
  const connection = await sql.connect();
  try {
    await connection.query('SET citus.enable_unsafe_triggers = on');
    await connection.query(`ALTER TABLE audit ${isSo ? 'ENABLE' : 'DISABLE'} TRIGGER USER`);
  } finally {
    connection.release(true);
  }
}

const cancel = async (server: string, partner = demo) => {
  const { issue_id } = accepted('Issue', await call(server, 'Issue', directIssue(), partner));
  const body = { client_id: partner.clientId, issue_id, reason: 'A test' };
  return () => acceptedStaffCall(server, '/FreeBets/Cancel', body, support);
};
await (await cancel(url))();

type Listed = { client_id: number | null; sequence: number; at: string; action: string };
const list = async (body: object, who = auditor): Promise<Listed[]> =>
  (await acceptedStaffCall(url, '/Audit/List', body, who)).records;
const places = (records: Listed[]) => records.map(({ client_id, sequence }) => `${client_id} ${sequence}`);

test('who may not read the record', async () => {
  for (const role of ['viewer', 'support', 'manager'] as const) {
    const who = await signedIn(sql, role);
    for (const path of ['/Audit/List', '/Audit/Export', '/Audit/Verify']) {
      assert.equal((await staffCall(url, path, {}, who)).body.error, 'not_allowed');
    }
  }
});

test('the newest first, with before and after, page by page', async () => {
  const all = await list({ limit: 500 });
  assert.equal(all.length, 16);
  assert.deepEqual(
    all.map(({ at }) => at),
    all
      .map(({ at }) => at)
      .toSorted()
      .toReversed(),
  );
  const [newest] = (await acceptedStaffCall(url, '/Audit/List', { limit: 1 }, auditor)).records;
  assert.deepEqual(
    [newest.client_id, newest.sequence, newest.action, newest.reason, newest.actor.email],
    [1, 6, 'Cancel', 'A test', support.email],
  );
  assert.deepEqual([newest.before.status, newest.after.status], ['active', 'cancelled']);
  assert.match(newest.hash, /^[0-9a-f]{64}$/);
  const paged: Listed[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await acceptedStaffCall(url, '/Audit/List', { limit: 3, ...(cursor && { cursor }) }, auditor);
    paged.push(...page.records);
    if (page.next_cursor === null) break;
    cursor = page.next_cursor;
  }
  assert.deepEqual(paged, all);
  const wrong = await staffCall(url, '/Audit/List', { cursor: 'abc' }, auditor);
  assert.equal(wrong.body.error, 'invalid_request');
});

test('filters: partner, none, actor, action, target, time', async () => {
  assert.deepEqual(places(await list({ client_id: 2 })), ['2 5', '2 4', '2 3', '2 2', '2 1']);
  assert.deepEqual(places(await list({ client_id: null })), ['null 5', 'null 4', 'null 3', 'null 2', 'null 1']);
  assert.deepEqual(places(await list({ client_id: 2, action: 'Odd' })), ['2 4', '2 2']);
  assert.deepEqual(places(await list({ action: 'Odd', limit: 2 })).length, 2);
  assert.deepEqual(places(await list({ actor: support.staffId })), ['1 6']);
  assert.deepEqual(places(await list({ actor: support.email.toUpperCase() })), ['1 6']);
  assert.deepEqual(await list({ actor: 'unknown@example.com' }), []);
  assert.equal((await list({ actor: 'cli', limit: 500 })).length, 15);
  assert.deepEqual(places(await list({ target: { kind: 'thing', id: 't3' } })), ['2 4', '1 4', 'null 4']);
  const things = await list({ target: { kind: 'thing' }, limit: 500 });
  assert.deepEqual([things.length, places(await list({ target: { kind: 'thin' } }))], [15, []]);
  const [, , third] = await list({ client_id: 2 });
  assert.deepEqual(places(await list({ client_id: 2, from: third?.at })), ['2 5', '2 4', '2 3']);
  assert.deepEqual(places(await list({ client_id: 2, until: third?.at })), ['2 2', '2 1']);
  assert.deepEqual(await list({ action: 'Nothing' }), []);
});

test('an auditor of some partners sees their chains, and nothing of what belongs to none', async () => {
  assert.deepEqual(places(await list({}, partial)), ['2 5', '2 4', '2 3', '2 2', '2 1']);
  for (const body of [{ client_id: 1 }, { client_id: null }, { client_id: 99 }]) {
    for (const path of ['/Audit/List', '/Audit/Export', '/Audit/Verify']) {
      assert.equal((await staffCall(url, path, body, partial)).body.error, 'partner_not_found', JSON.stringify(body));
    }
  }
  const { chains, is_whole } = await acceptedStaffCall(url, '/Audit/Verify', {}, partial);
  assert.deepEqual(
    [is_whole, chains.map(({ client_id, length }: { client_id: number; length: number }) => [client_id, length])],
    [true, [[2, 5]]],
  );
});

test('a rare action or kind is looked for so far and no further, and the page says where to go on', async () => {
  await record(2, 'Rare', 'first');
  await sql.query(
    `INSERT INTO audit (client_id, sequence, at, record, hash)
     SELECT 60, i, world_now(), '{"action":"Often"}', '' FROM generate_series(1, 10050) i`,
  );
  for (const [rare, found] of [
    [{ action: 'Rare' }, 1],
    [{ target: { kind: 'thing' } }, 16],
  ] as const) {
    const first = await acceptedStaffCall(url, '/Audit/List', rare, auditor);
    assert.deepEqual(first.records, []);
    const next = { ...rare, cursor: first.next_cursor };
    const { records, next_cursor } = await acceptedStaffCall(url, '/Audit/List', next, auditor);
    assert.deepEqual([records.length, next_cursor], [found, null]);
  }
  await guarded(false);
  await sql.query('DELETE FROM audit WHERE client_id = 60');
  await guarded(true);
});

test('an export is recorded, has the selected records, and can be verified on its own', async () => {
  await sql.query('DELETE FROM due_partners WHERE client_id = 0');
  const answer = await staffCall(url, '/Audit/Export', {}, auditor);
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get('content-type'), 'application/x-ndjson');
  assert.equal(answer.headers.get('content-disposition'), 'attachment; filename="audit.ndjson"');
  const file = join(folder, 'export.ndjson');
  await writeFile(file, answer.body);
  const { code, stdout } = await runCommand(env, 'audit', 'verify', '--file', file);
  assert.equal(code, 0, stdout);
  const [newest] = await list({ limit: 1 });
  assert.deepEqual([newest?.client_id, newest?.action], [null, 'AuditExport']);
  assert.equal((await runCommand(env, 'audit', 'export')).code, 0);
  const { rowCount } = await sql.query('SELECT FROM due_partners WHERE client_id = 0');
  assert.equal(rowCount, 0, 'only partners are marked active');
  const lines = (await staffCall(url, '/Audit/Export', { action: 'Odd' }, partial)).body.trim().split('\n');
  const [head, ...rest] = lines.map((line: string) => JSON.parse(line));
  assert.deepEqual([head.has_gaps, head.filter], [true, { action: 'Odd' }]);
  const ofKind = (await staffCall(url, '/Audit/Export', { target: { kind: 'thing' } }, partial)).body;
  assert.match(ofKind, /"has_gaps":true/);
  assert.equal(ofKind.match(/"kind\\":\\"thing/g)?.length, 6);
  assert.deepEqual(
    rest.map((line: { chain?: number; sequence?: number }) => [line.chain, line.sequence]),
    [
      [2, 2],
      [2, 4],
      [undefined, undefined],
    ],
  );
});

test('verification reports every change', async () => {
  const change = (action: string, into: string) =>
    sql.query(
      `UPDATE audit SET record = replace(record, '"${action}"', '"${into}"') WHERE client_id = 2 AND sequence = 2`,
    );
  await guarded(false);
  await change('Odd', 'Odder');
  const { is_whole, chains } = await acceptedStaffCall(url, '/Audit/Verify', { client_id: 2 }, auditor);
  await change('Odder', 'Odd');
  await guarded(true);
  assert.equal(is_whole, false);
  assert.deepEqual(
    chains[0].breaks.map(({ sequence, problem }: { sequence: number; problem: string }) => [sequence, problem]),
    [[2, 'changed']],
  );
});

test('two servers, lanes and other changes at the same moment: one chain without a gap, and no deadlock', async () => {
  const cancels = await Promise.all(
    Array.from({ length: times(40, 80) }, (_, i) => cancel(i % 2 ? url : other.url, i % 3 ? demo : rival)),
  );
  const tookMs = stopwatch();
  await Promise.all(cancels.flatMap((run, i) => [run(), record(1, 'Race', `r${i}`), record(i % 3, 'Race', `s${i}`)]));
  assert.ok(tookMs() < 20_000, `${tookMs()} ms`);
  const { is_whole } = await acceptedStaffCall(url, '/Audit/Verify', {}, auditor);
  assert.ok(is_whole);
  const cancelled = await sql.query("SELECT count(*)::int AS n FROM audit WHERE action = 'Cancel'");
  assert.equal(cancelled.rows[0].n, cancels.length + 1);
});
