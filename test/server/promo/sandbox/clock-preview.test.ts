import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Connection } from '../../../../packages/server/src/engine/connection.ts';
import { ask } from '../../../../packages/server/src/engine/statement.ts';
import { inTransaction } from '../../../../packages/server/src/engine/transaction.ts';
import type { Instant } from '../../../../packages/server/src/primitives/amounts.ts';
import { abandonJobs } from '../../../../packages/server/src/promo/jobs/sql/work.ts';
import { previewClock } from '../../../../packages/server/src/promo/sandbox/sql.ts';
import { accepted } from '../../../support/answers.ts';
import { call, demo, type Partner } from '../../../support/caller.ts';
import { later } from '../../../support/clock.ts';
import { testDatabase } from '../../../support/database.ts';
import { submitted } from '../../../support/drafts.ts';
import { addParts, type JobRequest, jobOver } from '../../../support/jobs.ts';
import { campaign, directIssue, directJob } from '../../../support/requests.ts';
import { testServer } from '../../../support/server.ts';
import { answered, signedIn, staffCall } from '../../../support/staff.ts';
import { createPartners } from '../../../support/webhooks.ts';

// What would happen if the clock of a sandbox were set, before it is.

const { env, sql } = await testDatabase();
const [real] = (await createPartners({ env, sql }, 1)) as [Partner];
const { url } = await testServer(env);
const viewer = await signedIn(sql, 'viewer');
const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
const preview = (now: string) => answered(url, 'ClockPreview', { client_id: demo.clientId, now }, viewer);

test('what expires, begins and ends on the way, and what then does', async () => {
  const issue = async (valid_until: string): Promise<string> =>
    accepted('Issue', await call(url, 'Issue', directIssue({ valid_until }))).issue_id;
  const [second, first, later, cancelled] = [
    await issue(inHours(3)),
    await issue(inHours(2)),
    await issue(inHours(30)),
    await issue(inHours(1)),
  ];
  accepted('Cancel', await call(url, 'Cancel', { issue_id: cancelled }));
  const create = async (campaign_id: string, from: number, until: number) => {
    const terms = campaign({ campaign_id, valid_from: inHours(from), valid_until: inHours(until) });
    accepted('CampaignCreate', await call(url, 'CampaignCreate', terms));
  };
  await create('begins', 5, 50);
  await create('both', 4, 6);
  await create('stays', -1, 50);
  await create('stopped', 5, 7);
  accepted('CampaignStop', await call(url, 'CampaignStop', { campaign_id: 'stopped' }));

  const to = inHours(24);
  const { free_bets, campaigns, to: answeredTo } = await preview(to);
  assert.equal(answeredTo, to);
  assert.deepEqual(free_bets.expire, { count: 2, is_more: false });
  assert.deepEqual(
    free_bets.next.map((each: { issue_id: string }) => each.issue_id),
    [first, second],
  );
  assert.deepEqual([campaigns.begin.count, campaigns.end.count], [2, 1]);
  assert.deepEqual(
    campaigns.next.map((each: { campaign_id: string; what: string }) => `${each.campaign_id} ${each.what}`),
    ['both begins', 'begins begins', 'both ends'],
  );
  accepted('SandboxClockSet', await call(url, 'SandboxClockSet', { now: to }));
  const { free_bets: listed } = accepted('FreeBetList', await call(url, 'FreeBetList', { status: 'expired' }));
  assert.deepEqual(listed.map((each: { issue_id: string }) => each.issue_id).toSorted(), [first, second].toSorted());
  assert.equal((await preview(inHours(31))).free_bets.next[0].issue_id, later);
});

test('more than can be counted is said to be so', async () => {
  await sql.query(
    `INSERT INTO free_bets (client_id, issue_id, player_id, currency, bet_amount, quantity, terms, valid_from, issued_at, expires_at,
       content_hash)
     SELECT 1, gen_random_uuid(), 'many', 'EUR', 100, 1, '{}', now(), now(), now() + interval '40 hours', ''
     FROM generate_series(1, 10001)`,
  );
  assert.deepEqual((await preview(inHours(41))).free_bets.expire, { count: 10_000, is_more: true });
});

test('what has nothing left to expire is not counted, and not walked without end', async () => {
  await sql.query(`UPDATE free_bets SET cancelled_at = now() WHERE client_id = 1 AND player_id = 'many'`);
  const { expire } = (await preview(inHours(41))).free_bets;
  assert.ok(expire.count < 10, `${expire.count} are counted`);
  assert.equal(expire.is_more, true, 'later ones are unknown');
});

test('a time that it cannot be set to is refused as the clock itself does, and so is a partner without one', async () => {
  for (const now of [inHours(-100), inHours(24 * 365 * 3)]) {
    const { status, body } = await staffCall(url, '/Sandbox/Clock/Preview', { client_id: 1, now }, viewer);
    assert.equal(status, 400);
    const { details } = (await call(url, 'SandboxClockSet', { now })).body;
    // The clock goes on between the two.
    const withoutTime = (each: { reason: string }[]) => each.map(({ reason }) => reason.replace(/\d{4}-\S+Z/, ''));
    assert.deepEqual(withoutTime(body.details), withoutTime(details));
  }
  const wanted = { client_id: real.clientId, now: inHours(1) };
  const refused = await staffCall(url, '/Sandbox/Clock/Preview', wanted, viewer);
  assert.equal(refused.body.error, 'not_a_sandbox');
});

/** From the times at which they begin and are removed, and up to them. A partner that is disabled has its lists begin when it is not any more. */
async function assertAtItsTime([begins, removed]: { at: string }[]): Promise<void> {
  const [begin, removal] = [begins, removed].map((turn) => Date.parse(turn?.at ?? '')) as [Instant, Instant];
  const between = async (from: number, to: number, connection: Connection = sql) => {
    const found = await ask(connection, previewClock(demo.clientId, from as Instant, to as Instant));
    return [found.jobs_begin, found.jobs_removed].map(Number);
  };
  assert.deepEqual(await between(begin - 1, begin), [1, 0]);
  assert.deepEqual(await between(begin, removal - 1), [0, 0]);
  assert.deepEqual(await between(begin, removal), [0, 1]);
  assert.deepEqual(await between(removal, removal + 1), [0, 0]);
  await inTransaction(sql, async (connection) => {
    await connection.query('UPDATE partners SET disabled_at = now() WHERE client_id = 1');
    assert.deepEqual(await between(begin - 1, removal, connection), [0, 1]);
    await connection.query('UPDATE partners SET disabled_at = NULL WHERE client_id = 1');
  });
}

test('the preview shows jobs that begin, and unstarted jobs that are removed', async () => {
  const { now } = accepted('SandboxClockGet', await call(url, 'SandboxClockGet', {}));
  const after = (hours: number) => later(now, hours * 3_600_000);
  const create = async (changes: object) => {
    const list = directJob({ valid_until: after(24 * 400), config: { max_coefficient: '10' }, ...changes });
    accepted('JobCreate', await call(url, 'JobCreate', list));
    await addParts(url, list, [[{ player_id: 'ann', currency: 'EUR' }]]);
    return list;
  };
  const start = async ({ job_id }: JobRequest) =>
    accepted('JobStart', await call(url, 'JobStart', { job_id, parts: 1, items: 1 }));
  const scheduled = await create({ name: 'scheduled', start_at: after(24) });
  await start(scheduled);
  await start(await create({ name: 'begins later', start_at: after(24 * 9) }));
  await create({ name: 'left open' });
  const asked = await create({ name: 'waits for approval' });
  const author = await signedIn(sql, 'manager');
  await submitted(url, { job_id: asked.job_id, parts: 1, items: 1 }, author, { kind: 'job' });
  const stopped = await create({ name: 'stopped' });
  const given = await create({ name: 'stopped before its time', start_at: after(24) });
  await start(given);
  for (const { job_id } of [stopped, given]) accepted('JobStop', await call(url, 'JobStop', { job_id }));

  const to = after(24 * 8);
  const none = { count: 0, is_more: false };
  assert.deepEqual((await preview(after(23))).jobs, { begin: none, removed: none, next: [] });
  const { jobs } = await preview(to);
  assert.deepEqual([jobs.begin.count, jobs.removed.count], [1, 1]);
  const names = jobs.next.map(({ name, what }: { name: string; what: string }) => `${name} ${what}`);
  assert.deepEqual(names, ['scheduled begins', 'left open removed']);
  await assertAtItsTime(jobs.next);
  accepted('SandboxClockSet', await call(url, 'SandboxClockSet', { now: to }));
  assert.equal((await jobOver(url, scheduled)).issued, 1);
  await abandonJobs(sql, [demo.clientId]);
  const { jobs: open } = accepted('JobList', await call(url, 'JobList', { status: 'open' }));
  assert.deepEqual(
    open.map(({ job_id }: JobRequest) => job_id),
    [asked.job_id],
  );
});
