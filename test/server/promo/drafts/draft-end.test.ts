import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { migrate, migrations } from '../../../../packages/server/src/ops/schema/migrations.ts';
import { accepted } from '../../../support/answers.ts';
import { call } from '../../../support/caller.ts';
import { setClock } from '../../../support/clock.ts';
import { testDatabase } from '../../../support/database.ts';
import { drafted, inEuro, refusedDraft, submitted } from '../../../support/drafts.ts';
import { addParts } from '../../../support/jobs.ts';
import { directJob, jobItems } from '../../../support/requests.ts';
import { testServer } from '../../../support/server.ts';
import { acceptedStaffCall, session, signedIn } from '../../../support/staff.ts';

// Until when a submitted draft can be approved.

const { env, sql } = await testDatabase();
const { url } = await testServer({ ...env, APPROVAL_LIMITS: 'EUR:1' });
const [author, approver] = [await signedIn(sql, 'manager'), await signedIn(sql, 'admin')];
const dayMs = 24 * 3_600_000;
const inDays = (days: number) => new Date(Math.ceil(Date.now() / 1000) * 1000 + days * dayMs).toISOString();
const expiryOf = async (name: { draft_id: string }) =>
  Date.parse((await drafted(url, 'DraftGet', { draft_id: name.draft_id }, approver)).expires_at);

test('a draft can be approved for 14 days, or less if its campaign ends earlier', async () => {
  const valid_until = inDays(4);
  const short = await submitted(url, inEuro(100, { valid_until }), author);
  assert.equal(await expiryOf(short), Date.parse(valid_until));
  const long = await submitted(url, inEuro(100, { valid_until: inDays(40) }), author);
  assert.ok((await expiryOf(long)) - Date.now() > 13 * dayMs);
  const { drafts } = await drafted(url, 'DraftList', { waiting_for_me: true }, approver);
  const shown = drafts.map((each: { expires_at: string }) => Date.parse(each.expires_at));
  assert.deepEqual(shown, [await expiryOf(long), Date.parse(valid_until)], 'lists say the same');

  await setClock(sql, valid_until);
  approver.cookie = await session(sql, approver.staffId);
  assert.equal((await refusedDraft(url, 'DraftApprove', short, approver)).error, 'invalid_validity');
  await setClock(sql, null);
  author.cookie = await session(sql, author.staffId);
  approver.cookie = await session(sql, approver.staffId);
  const content = inEuro(100, { valid_until: inDays(60) });
  const opened = await drafted(url, 'DraftSave', { ...short, kind: 'campaign', content }, author);
  assert.equal(opened.expires_at, null);
  const again = { draft_id: short.draft_id, revision: opened.revision };
  const { submitted_at, expires_at } = await drafted(url, 'DraftSubmit', again, author);
  assert.equal(Date.parse(expires_at) - Date.parse(submitted_at), 14 * dayMs, 'it ends later now');
});

test('limits can be approved until their campaign ends, and the start of a list until its terms end', async () => {
  const valid_until = inDays(4);
  const campaign_id = `c-${randomUUID()}`;
  accepted('CampaignCreate', await call(url, 'CampaignCreate', inEuro(1, { campaign_id, valid_until })));
  const limits = { campaign_id, bonus_limit: 1000, bonus_limit_per_user: null };
  assert.equal(await expiryOf(await submitted(url, limits, author, { kind: 'limits' })), Date.parse(valid_until));
  const made = directJob({ quantity: 1, bet_amount: '501.00', config: { max_coefficient: '2.00' }, valid_until });
  accepted('JobCreate', await call(url, 'JobCreate', made));
  await addParts(url, made, [jobItems(2)]);
  const start = { job_id: made.job_id, parts: 1, items: 2 };
  assert.equal(await expiryOf(await submitted(url, start, author, { kind: 'job' })), Date.parse(valid_until));
});

test('the campaign of a sandbox ends by its clock, so its draft can be approved for less time', async () => {
  const ahead = { client_id: 1, now: inDays(3), reason: 'To see the end' };
  await acceptedStaffCall(url, '/Sandbox/Clock/Set', ahead, approver);
  const valid_until = inDays(4);
  const name = await submitted(url, inEuro(100, { valid_until }), author);
  const expected = Date.parse(valid_until) - 3 * dayMs;
  assert.ok(Math.abs((await expiryOf(name)) - expected) < 60_000);
});

test('a draft that an earlier version submitted can be approved for 14 days', async () => {
  const [mine, theirs] = [await signedIn(sql, 'manager'), await signedIn(sql, 'manager')];
  const name = await submitted(url, inEuro(100, { valid_until: inDays(20) }), mine);
  await sql.query('ALTER TABLE drafts DROP COLUMN target_ends_at');
  await sql.query(`DELETE FROM migrations WHERE name = '0024_when_drafts_lapse.sql'`);
  assert.deepEqual((await migrate(sql, migrations)).ran, ['0024_when_drafts_lapse.sql']);
  const { state, submitted_at, expires_at } = await drafted(url, 'DraftGet', { draft_id: name.draft_id }, theirs);
  assert.deepEqual([state, Date.parse(expires_at) - Date.parse(submitted_at)], ['submitted', 14 * dayMs]);
  assert.equal((await drafted(url, 'DraftApprove', name, theirs)).state, 'approved');
});
