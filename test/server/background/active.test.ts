import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { dueKeysInTurn } from '../../../packages/server/src/background/active.ts';
import { deactivate, markActive } from '../../../packages/server/src/background/sql/due.ts';
import { singleNode } from '../../../packages/server/src/engine/connection.ts';
import { ask } from '../../../packages/server/src/engine/statement.ts';
import { inTransaction } from '../../../packages/server/src/engine/transaction.ts';
import { allWork } from '../../../packages/server/src/ops/worker.ts';
import { accepted } from '../../support/answers.ts';
import { call, type Partner, rival } from '../../support/caller.ts';
import { later, setClock } from '../../support/clock.ts';
import { testDatabase } from '../../support/database.ts';
import { somebodyWaits } from '../../support/held-batch.ts';
import { addParts, type JobRequest, jobOver, startJob } from '../../support/jobs.ts';
import { type Reply, startReceiver } from '../../support/receiver.ts';
import { directIssue, directJob, jobItems } from '../../support/requests.ts';
import { runCommand, testServer } from '../../support/server.ts';
import { until } from '../../support/waiting.ts';
import { createPartners, deliveriesOf, issue, setWebhook } from '../../support/webhooks.ts';

// Partners without work become inactive, and active again by a change or when work is due. One server handles requests, another does
// background work. The test moves the clock of the service.

const database = await testDatabase();
const { env, sql } = database;
const [first, second, third, fourth, fifth, sixth, seventh] = (await createPartners(database, 7)) as [
  Partner,
  Partner,
  Partner,
  Partner,
  Partner,
  Partner,
  Partner,
];
const { url } = await testServer({ ...env, WORKER: 'off', WEBHOOK_ALLOW_PRIVATE: 'yes' });
let now = new Date().toISOString();
await setClock(sql, now);
await testServer({ ...env, WEBHOOK_ALLOW_PRIVATE: 'yes', SWEEP_PAUSE_MS: '100' });

const minute = 60_000;
const moveClock = (ms: number) => {
  now = later(now, ms);
  return setClock(sql, now);
};

interface Row {
  active: boolean;
  active_in_s: number | null;
}

async function dueOf({ clientId }: Partner): Promise<Row | undefined> {
  const { rows } = await sql.query<Row>(
    `SELECT awake_until IS NOT NULL AS active, extract(epoch FROM wake_at - world_now())::float8 AS active_in_s
     FROM due_partners WHERE client_id = $1`,
    [clientId],
  );
  return rows[0];
}

/** As if its latest change were long ago: it becomes inactive, for some seconds or for good. */
async function isInactive(partner: Partner, isRight: (activeInS: number | undefined) => boolean): Promise<void> {
  let row: Row | undefined;
  const isSo = async () => {
    await sql.query(
      `UPDATE due_partners SET awake_until = statement_timestamp() - interval '1 s' WHERE client_id = $1 AND awake_until IS NOT NULL`,
      [partner.clientId],
    );
    row = await dueOf(partner);
    return !row?.active && isRight(row?.active_in_s ?? undefined);
  };
  await until('it is inactive', 10_000, isSo).catch((error: Error) =>
    assert.fail(`${error.message}: ${JSON.stringify(row)}`),
  );
}

const isInactiveFor = (partner: Partner, seconds: number) => isInactive(partner, (activeInS) => activeInS === seconds);
const isInactiveForGood = (partner: Partner) => isInactive(partner, (activeInS) => activeInS === undefined);

const issueFor = async (minutes: number, partner: Partner): Promise<string> =>
  accepted(
    'Issue',
    await call(
      url,
      'Issue',
      directIssue({ duration_min: minutes, valid_until: later(now, 90 * 1440 * minute) }),
      partner,
    ),
  ).issue_id;

const isSwept = async (issueId: string) =>
  (await sql.query('SELECT FROM free_bets WHERE issue_id = $1 AND swept', [issueId])).rowCount === 1;

test('a partner with free bets is inactive until the first expiry, which is then recorded', async () => {
  const late = await issueFor(60, first);
  const soon = await issueFor(30, first);
  await isInactiveFor(first, 30 * 60);
  await moveClock(30 * minute);
  await until('the first is written down', 5000, () => isSwept(soon));
  await isInactiveFor(first, 30 * 60);
  await moveClock(30 * minute);
  await until('so is the other', 5000, () => isSwept(late));
  await isInactiveForGood(first);
});

test('an inactive sandbox becomes active according to its clock, even after the clock is moved', async () => {
  accepted('SandboxClockSet', await call(url, 'SandboxClockSet', { now: later(now, 1440 * minute) }, rival));
  const valid_until = later(now, 1500 * minute);
  const { issue_id } = accepted('Issue', await call(url, 'Issue', directIssue({ valid_until }), rival));
  await isInactiveFor(rival, 60 * 60);
  const moved = await runCommand(env, 'client', 'clock', '2', '--set', valid_until);
  assert.equal(moved.code, 0, moved.stderr);
  await until('it is written down', 5000, () => isSwept(issue_id));
  await isInactiveForGood(rival);
});

test('a failed delivery of an inactive partner is retried when due', async () => {
  const replies: Reply[] = [500];
  const receiver = await startReceiver(() => replies.shift() ?? 204);
  await setWebhook(sql, second, receiver.url);
  await issue(url, second);
  await until('one attempt', 10_000, async () => (await deliveriesOf(sql, second))[0]?.attempts === 1);
  await until('the courier has left', 15_000, async () => {
    const { rowCount } = await sql.query('SELECT FROM webhooks WHERE client_id = $1 AND lease_holder IS NULL', [
      second.clientId,
    ]);
    return rowCount === 1;
  });
  await isInactive(second, (activeInS = 0) => activeInS > 1 && activeInS <= 6);
  await moveClock(6000);
  await until('the other', 10_000, () => receiver.requests.length === 2);
});

test('scheduled jobs and jobs of re-enabled partners run', async () => {
  const request = directJob({ start_at: later(now, 20 * minute), valid_until: later(now, 1440 * minute) });
  await startJob(url, request, [jobItems(2)], third);
  await isInactiveFor(third, 20 * 60);
  const disabled = await runCommand(env, 'client', 'disable', String(third.clientId));
  assert.equal(disabled.code, 0, disabled.stderr);
  await moveClock(20 * minute);
  await isInactiveForGood(third);
  await runCommand(env, 'client', 'enable', String(third.clientId));
  assert.equal((await jobOver(url, request, 20_000, third)).issued, 2);
});

test('a transaction that creates work while its partner is deactivated keeps it active', async () => {
  await issueFor(60, fourth);
  // In one order: the transaction that marks the partner holds the row, which is skipped.
  await inTransaction(sql, async (connection) => {
    await ask(connection, markActive([fourth.clientId]));
    await inTransaction(sql, (other) => deactivate(other, allWork, 0, [fourth.clientId]));
  });
  assert.equal((await dueOf(fourth))?.active, true);
  // And in the other: that transaction waits, and marks the partner that was deactivated meanwhile.
  let marking: Promise<unknown> | undefined;
  await inTransaction(sql, async (connection) => {
    await connection.query(
      `UPDATE due_partners SET awake_until = statement_timestamp() - interval '1 s' WHERE client_id = $1`,
      [fourth.clientId],
    );
    await deactivate(connection, allWork, 0, [fourth.clientId]);
    marking = ask(sql, markActive([fourth.clientId]));
    await somebodyWaits(sql);
  });
  await marking;
  assert.equal((await dueOf(fourth))?.active, true);
});

test('partner changes and commands take locks in the same order', async () => {
  const { clientId } = fourth;
  await ask(sql, markActive([clientId]));
  assert.equal((await runCommand(env, 'client', 'disable', String(clientId))).code, 0);
  const enabled = await inTransaction(sql, async (connection) => {
    // As a batch with a record does.
    await connection.query('SELECT FROM audit_heads WHERE client_id = $1 FOR UPDATE', [clientId]);
    const enabling = runCommand(env, 'client', 'enable', String(clientId));
    await somebodyWaits(sql);
    await ask(connection, markActive([clientId]));
    return { enabling };
  });
  const { code, stderr } = await enabled.enabling;
  assert.equal(code, 0, stderr);
});

test('a stalled courier cannot record retries after its partner became inactive', async () => {
  const holder = randomUUID();
  await setWebhook(sql, fifth, 'https://partner.example/');
  await sql.query(
    `UPDATE webhooks SET lease_holder = $2, leased_until = statement_timestamp() - interval '1 s' WHERE client_id = $1`,
    [fifth.clientId, holder],
  );
  await isInactiveForGood(fifth);
  const { rows } = await sql.query('SELECT lease_holder FROM webhooks WHERE client_id = $1', [fifth.clientId]);
  assert.deepEqual(rows, [{ lease_holder: null }]);
});

test('the survey of a starting server finds unmarked work', async () => {
  const missed = await issueFor(10, first);
  await sql.query('DELETE FROM due_partners WHERE client_id = $1', [first.clientId]);
  await testServer(env);
  await until('it is known when it expires', 10_000, async () => (await dueOf(first)) !== undefined);
  await moveClock(10 * minute);
  await until('it is written down', 10_000, () => isSwept(missed));
});

test('a job that is left open, when its seven days are over; and one that was stopped, until its parts are gone', async () => {
  const [left, stopped] = [directJob(), directJob()];
  const make = async (request: JobRequest, partner: Partner) => {
    accepted('JobCreate', await call(url, 'JobCreate', request, partner));
    await addParts(url, request, [jobItems(2), jobItems(2)], partner);
  };
  await make(left, sixth);
  await isInactiveFor(sixth, 7 * 1440 * 60);
  await moveClock(7 * 1440 * minute);
  const isGone = async () => (await call(url, 'JobGet', { job_id: left.job_id }, sixth)).status === 404;
  await until('it is removed', 20_000, isGone);
  await isInactiveForGood(sixth);

  await make(stopped, seventh);
  accepted('JobStop', await call(url, 'JobStop', { job_id: stopped.job_id }, seventh));
  await isInactiveForGood(seventh);
  const { rowCount } = await sql.query('SELECT FROM job_parts WHERE client_id = $1', [seventh.clientId]);
  assert.equal(rowCount, 0, 'it was not inactive before');
});

test('dueKeys are polled in turn, and a busy node continues where it stopped', () => {
  const of = (dueKeys: Map<number, number[]>) => dueKeysInTurn(() => ({ ...singleNode, dueKeys }));
  const next = of(
    new Map([
      [1, [11, 12, 13]],
      [2, [21]],
    ]),
  );
  const idle = () => false;
  assert.deepEqual(
    [next(idle), next(idle), next(idle)],
    [
      [1, [11]],
      [2, [21]],
      [1, [12]],
    ],
  );
  assert.deepEqual(
    [next(idle), next((node) => node === 1), next(idle)],
    [
      [2, [21]],
      [1, []],
      [2, [21]],
    ],
  );
  assert.deepEqual(
    [next(idle), next(idle), next(idle)],
    [
      [1, [13]],
      [2, [21]],
      [1, [11]],
    ],
  );
  // Of many, several at a time: all of them within a round.
  const dueKeys = Array.from({ length: 33 }, (_, i) => i);
  const many = of(new Map([[0, dueKeys]]));
  const asked = Array.from({ length: 11 }, () => many(idle)[1]);
  assert.deepEqual(asked.flat(), dueKeys);
  assert.deepEqual(many(idle)[1], [0, 1, 2]);
  // However unevenly they are spread.
  const uneven = of(new Map([[0, dueKeys], ...[1, 2, 3, 4].map((node): [number, number[]] => [node, [node]])]));
  const round = Array.from({ length: 16 }, () => uneven(idle)).filter(([node]) => node === 0);
  assert.deepEqual(
    round.slice(0, 3).flatMap(([, some]) => some),
    dueKeys,
  );
});
