import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { formatMoney, winOf } from '../../../../packages/server/src/primitives/amounts.ts';
import { abandonJobs } from '../../../../packages/server/src/promo/jobs/sql/work.ts';
import { accepted } from '../../../support/answers.ts';
import { call, demo } from '../../../support/caller.ts';
import { setClock } from '../../../support/clock.ts';
import { testDatabase } from '../../../support/database.ts';
import { draftCall, drafted, errorsOf, inEuro, refusedDraft, saved, submitted } from '../../../support/drafts.ts';
import { readFeed } from '../../../support/feed.ts';
import { holdCampaign, holdRows, manyWait } from '../../../support/held-batch.ts';
import { addParts, getJob, jobOver } from '../../../support/jobs.ts';
import { directJob, job, jobItems } from '../../../support/requests.ts';
import { testServer } from '../../../support/server.ts';
import { acceptedStaffCall, session, signedIn, staffCall } from '../../../support/staff.ts';

// Drafts of other limits for a campaign, and of the start of a direct job: gated as new campaigns are.

const { env, sql } = await testDatabase();
const { url } = await testServer({ ...env, APPROVAL_LIMITS: 'EUR:1000,USD:1000' });
const approver = await signedIn(sql, 'admin');
const newAuthor = () => signedIn(sql, 'manager');
const reason = 'because';

async function newCampaign(bonus_limit: number): Promise<string> {
  const campaign_id = `c-${randomUUID()}`;
  accepted('CampaignCreate', await call(url, 'CampaignCreate', inEuro(bonus_limit, { campaign_id })));
  return campaign_id;
}

const limitOf = async (campaign_id: string): Promise<number | null> =>
  accepted('CampaignGet', await call(url, 'CampaignGet', { campaign_id })).config.bonus_limit;

const limits = (campaign_id: string, bonus_limit: number | null, bonus_limit_per_user: number | null = null) => ({
  campaign_id,
  bonus_limit,
  bonus_limit_per_user,
});

describe('the limits of a campaign', () => {
  const change = (body: object) =>
    staffCall(url, '/FreeBets/Campaign/Limits', { client_id: 1, reason, ...body }, approver);

  it('are lowered at once, and raised by a draft only', async () => {
    const id = await newCampaign(100);
    assert.equal((await change(limits(id, 101))).body.error, 'approval_needed');
    assert.equal((await change(limits(id, null))).body.error, 'approval_needed');
    assert.equal((await change(limits(id, 90, 5))).status, 200);
    assert.equal((await change(limits(id, 90, 6))).body.error, 'approval_needed');
    assert.equal((await change(limits('none', 90))).body.error, 'campaign_not_found');
    assert.equal(await limitOf(id), 90);
    accepted('CampaignLimits', await call(url, 'CampaignLimits', limits(id, 1_000_000)));
  });

  it('count with what they could cost more than before', async () => {
    const author = await newAuthor();
    const id = await newCampaign(100);
    const draft = await drafted(url, 'DraftSave', { kind: 'limits', content: limits(id, 1100) }, author);
    assert.deepEqual(
      [draft.max_exposure, draft.needs_approval, draft.title, draft.target_id],
      [[{ currency: 'EUR', amount: '1000.00' }], false, 'A campaign', id],
    );
    const got = await drafted(url, 'DraftGet', { draft_id: draft.draft_id }, approver);
    assert.deepEqual(got.differences, [{ field: 'bonus_limit', from: 100, to: 1100 }]);
    const { client_id, draft_id, revision } = draft;
    const done = await drafted(url, 'DraftSubmit', { client_id, draft_id, revision }, author);
    assert.deepEqual([done.state, await limitOf(id)], ['approved', 1100]);
    const event = (await readFeed(url)).at(-1);
    assert.equal(event?.type, 'campaign.limits_changed');
    const name = await submitted(url, limits(id, 1101), author, { kind: 'limits' });
    assert.equal(await limitOf(id), 1100, 'the author has had the limit for today');
    await drafted(url, 'DraftApprove', name, approver);
    assert.equal(await limitOf(id), 1101);
  });

  it('that would cost more by the time they are approved are not', async () => {
    const id = await newCampaign(100);
    const name = await submitted(url, limits(id, 5000), await newAuthor(), { kind: 'limits' });
    accepted('CampaignLimits', await call(url, 'CampaignLimits', limits(id, 50)));
    const { error, details } = await refusedDraft(url, 'DraftApprove', name, approver);
    assert.deepEqual([error, details[0].field, await limitOf(id)], ['draft_changed', 'max_exposure', 50]);
  });

  it('without a bound need approval; those of one player alone cost no more', async () => {
    const id = await newCampaign(100);
    const unbounded = await saved(url, limits(id, null), await newAuthor(), { kind: 'limits' });
    const { draft_id } = unbounded;
    assert.equal((await drafted(url, 'DraftGet', { draft_id }, approver)).needs_approval, true);
    const author = await newAuthor();
    await submitted(url, limits(id, 100, 1), author, { kind: 'limits' });
    await submitted(url, limits(id, 100, 7), author, { kind: 'limits' });
    const { config } = accepted('CampaignGet', await call(url, 'CampaignGet', { campaign_id: id }));
    assert.equal(config.bonus_limit_per_user, 7);
  });

  it('have one pending change at a time', async () => {
    const id = await newCampaign(100);
    const [first, second] = [await newAuthor(), await newAuthor()];
    const pending = await submitted(url, limits(id, 5000), first, { kind: 'limits' });
    const rival = await saved(url, limits(id, 6000), second, { kind: 'limits' });
    const within = await saved(url, limits(id, 101), second, { kind: 'limits' });
    for (const each of [rival, within]) {
      const { error, details } = await refusedDraft(url, 'DraftSubmit', each, second);
      assert.deepEqual([error, details], ['limits_pending', [{ field: 'draft_id', reason: `is ${pending.draft_id}` }]]);
    }
    const again = await drafted(url, 'DraftSubmit', pending, first);
    assert.equal(again.state, 'submitted', 'the same request again changes nothing');
    await submitted(url, limits(await newCampaign(100), 5000), second, { kind: 'limits' });
    accepted('CampaignLimits', await call(url, 'CampaignLimits', limits(id, 200)));
    assert.equal((await change(limits(id, 90))).status, 200, 'lower limits apply at once');
    await drafted(url, 'DraftRefuse', pending, approver);
    await drafted(url, 'DraftSubmit', rival, second);
    await setClock(sql, new Date(Date.now() + 15 * 24 * 3600 * 1000).toISOString());
    const later = await newAuthor();
    const { draft_id } = await submitted(url, limits(id, 7000), later, { kind: 'limits' });
    assert.ok(draft_id, 'a change without a decision in time is not pending');
    await setClock(sql, null);
    approver.cookie = await session(sql, approver.staffId);
  });

  it('have one pending change when two are submitted at the same moment', async () => {
    const id = await newCampaign(100);
    const authors = await Promise.all([newAuthor(), newAuthor()]);
    const names = await Promise.all(authors.map((who) => saved(url, limits(id, 5000), who, { kind: 'limits' })));
    const held = await holdCampaign(sql, id);
    const submitting = authors.map((who, i) => draftCall(url, 'DraftSubmit', names[i] as object, who));
    await manyWait(sql, 2);
    await held.letGo();
    assert.deepEqual(errorsOf(await Promise.all(submitting)), ['done', 'limits_pending']);
  });

  it('of a campaign that is not there say so', async () => {
    const { problems } = await drafted(url, 'DraftSave', { kind: 'limits', content: limits('none', 5) }, approver);
    assert.equal(problems[0].error, 'campaign_not_found');
  });
});

describe('a direct job', () => {
  /** Creates and fills a job as staff, like the console. */
  async function filled(parts: object[][], changes: object = {}): Promise<{ job_id: string }> {
    const made = directJob({ quantity: 1, config: { max_coefficient: '2.00' }, ...changes });
    await acceptedStaffCall(url, '/FreeBets/Jobs/Create', { client_id: 1, reason, ...made }, approver);
    for (const [i, items] of parts.entries()) {
      const part = { client_id: 1, reason, job_id: made.job_id, part: i + 1, items };
      await acceptedStaffCall(url, '/FreeBets/Jobs/Add', part, approver);
    }
    return made;
  }
  const startOf = ({ job_id }: { job_id: string }, parts: object[][]) => ({
    job_id,
    parts: parts.length,
    items: parts.flat().length,
  });

  it('is started by a draft only, and one by campaign as ever', async () => {
    const parts = [jobItems(2, `free-${randomUUID()}`)];
    const direct = await filled(parts);
    const start = { client_id: 1, reason, ...startOf(direct, parts) };
    assert.equal((await staffCall(url, '/FreeBets/Jobs/Start', start, approver)).body.error, 'approval_needed');
    assert.equal((await getJob(url, direct)).status, 'open');
    const byCampaign = job(await newCampaign(100));
    await acceptedStaffCall(url, '/FreeBets/Jobs/Create', { client_id: 1, reason, ...byCampaign }, approver);
    await addParts(url, byCampaign, parts);
    await acceptedStaffCall(url, '/FreeBets/Jobs/Start', { ...start, ...startOf(byCampaign, parts) }, approver);
    accepted('JobStart', await call(url, 'JobStart', startOf(direct, parts)));
    assert.equal((await staffCall(url, '/FreeBets/Jobs/Start', start, approver)).status, 200, 'it has been started');
  });

  it('counts with the sum over its items, each rounded down by itself', async () => {
    const items = [
      { player_id: 'a', currency: 'EUR' },
      { player_id: 'b', currency: 'EUR', bet_amount: '0.33', quantity: 3 },
      { player_id: 'c', currency: 'USD', bet_amount: '9999999999999.99', quantity: 1000 },
      { player_id: 'd', currency: 'EUR', quantity: 2 },
    ];
    const parts = [items, [{ player_id: 'e', currency: 'EUR', bet_amount: '0.01' }]];
    const made = await filled(parts, { config: { max_coefficient: '1.9999' } });
    const draft = await drafted(url, 'DraftSave', { kind: 'job', content: startOf(made, parts) }, approver);
    const win = (cents: number, bets: bigint) => winOf(cents, 19_999, false) * bets;
    const euros = win(100, 1n) + win(33, 3n) + win(100, 2n) + win(1, 1n);
    assert.deepEqual(draft.max_exposure, [
      { currency: 'EUR', amount: formatMoney(euros) },
      { currency: 'USD', amount: formatMoney(win(999_999_999_999_999, 1000n)) },
    ]);
    assert.deepEqual([draft.problems, draft.needs_approval, draft.title], [[], true, 'A direct job']);
  });

  it('shows the cost including items added since it was saved', async () => {
    const parts = [jobItems(1, 'one'), jobItems(2, 'two')];
    const made = await filled(parts.slice(0, 1));
    const content = startOf(made, parts);
    const { draft_id, max_exposure } = await drafted(url, 'DraftSave', { kind: 'job', content }, approver);
    assert.deepEqual(max_exposure, [{ currency: 'EUR', amount: '1.00' }]);
    await addParts(url, made, parts);
    const got = await drafted(url, 'DraftGet', { draft_id }, approver);
    assert.deepEqual([got.problems, got.max_exposure], [[], [{ currency: 'EUR', amount: '3.00' }]]);
    const done = await drafted(url, 'DraftSubmit', { draft_id, revision: 1 }, approver);
    assert.deepEqual(done.max_exposure, [{ currency: 'EUR', amount: '3.00' }]);
  });

  it('within the limits starts at once', async () => {
    const author = await newAuthor();
    const parts = [jobItems(3, `within-${randomUUID()}`), jobItems(2, `more-${randomUUID()}`)];
    const made = await filled(parts);
    const name = await submitted(url, startOf(made, parts), author, { kind: 'job' });
    assert.equal((await drafted(url, 'DraftGet', { draft_id: name.draft_id }, author)).state, 'approved');
    const over = await jobOver(url, made);
    assert.deepEqual([over.status, over.issued], ['finished', 5]);
    const { rows } = await sql.query('SELECT cents::int FROM unapproved_exposure WHERE staff_id = $1', [
      author.staffId,
    ]);
    assert.deepEqual(rows, [{ cents: 500 }]);
  });

  it('above them, or without a bound, is approved by another, if nothing was added meanwhile', async () => {
    const parts = [jobItems(2, `above-${randomUUID()}`)];
    const made = await filled(parts, { bet_amount: '501.00' });
    const name = await submitted(url, startOf(made, parts), await newAuthor(), { kind: 'job' });
    assert.equal((await getJob(url, made)).status, 'open');
    await addParts(url, made, [...parts, jobItems(1, 'late')]);
    const { error, details } = await refusedDraft(url, 'DraftApprove', name, approver);
    assert.equal(error, 'job_incomplete');
    assert.ok(details.some(({ field }: { field: string }) => field === 'parts'));
    assert.equal((await getJob(url, made)).status, 'open');
    const unbounded = await filled(parts, { config: {} });
    const other = await submitted(url, startOf(unbounded, parts), await newAuthor(), { kind: 'job' });
    const { approval_reasons } = await drafted(url, 'DraftGet', { draft_id: other.draft_id }, approver);
    assert.equal(approval_reasons[0].reason, 'no_bound');
    await drafted(url, 'DraftApprove', other, approver);
    assert.equal((await jobOver(url, unbounded)).issued, 2);
  });

  it('that was started or stopped meanwhile is not started by a draft', async () => {
    const parts = [jobItems(2, `gone-${randomUUID()}`)];
    for (const operation of ['JobStart', 'JobStop'] as const) {
      const made = await filled(parts, { bet_amount: '501.00' });
      const name = await submitted(url, startOf(made, parts), await newAuthor(), { kind: 'job' });
      const { job_id } = made;
      accepted(operation, await call(url, operation, operation === 'JobStop' ? { job_id } : startOf(made, parts)));
      assert.equal((await refusedDraft(url, 'DraftApprove', name, approver)).error, 'job_started');
    }
  });

  it('reports a job that is empty or does not exist', async () => {
    const made = await filled([]);
    const empty = { kind: 'job', content: { job_id: made.job_id, parts: 1, items: 1 } };
    const problemOf = async (body: object) => (await drafted(url, 'DraftSave', body, approver)).problems[0].error;
    assert.equal(await problemOf(empty), 'job_incomplete');
    assert.equal(await problemOf({ ...empty, content: { ...empty.content, job_id: randomUUID() } }), 'job_not_found');
  });

  it('is kept beyond seven days while it waits for its approval, and no longer', async () => {
    const parts = [jobItems(2, `kept-${randomUUID()}`)];
    const [waiting, left] = [await filled(parts, { bet_amount: '501.00' }), await filled(parts)];
    await submitted(url, startOf(waiting, parts), await newAuthor(), { kind: 'job' });
    const isThere = async ({ job_id }: { job_id: string }) =>
      (await call(url, 'JobGet', { job_id }, demo)).status === 200;
    const abandoned = () => abandonJobs(sql, [demo.clientId]);
    const stopped = async (made: { job_id: string }) =>
      !(await isThere(made)) || (await getJob(url, made)).status === 'stopped';
    const days = (count: number) => new Date(Date.now() + count * 24 * 3600 * 1000).toISOString();
    await setClock(sql, days(13));
    await abandoned();
    assert.deepEqual([await stopped(waiting), await stopped(left)], [false, true]);
    await setClock(sql, days(15));
    await abandoned();
    assert.equal(await stopped(waiting), true);
    await setClock(sql, null);
    approver.cookie = await session(sql, approver.staffId);
  });

  it('is kept where it is submitted at the moment at which it would be removed', async () => {
    const parts = [jobItems(2, `late-${randomUUID()}`)];
    const made = await filled(parts, { bet_amount: '501.00' });
    const author = await newAuthor();
    const name = await saved(url, startOf(made, parts), author, { kind: 'job' });
    const held = await holdRows(sql, 'SELECT FROM audit_heads WHERE client_id = 1 FOR UPDATE');
    const submitting = draftCall(url, 'DraftSubmit', name, author);
    await held.isWaitedFor();
    await setClock(sql, new Date(Date.now() + 8 * 24 * 3600 * 1000).toISOString());
    const removing = abandonJobs(sql, [demo.clientId]);
    await manyWait(sql, 2);
    await held.letGo();
    assert.equal((await submitting).body.state, 'submitted');
    await removing;
    assert.equal((await getJob(url, made)).stopped_at, null);
    await setClock(sql, null);
  });
});
