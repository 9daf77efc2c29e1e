import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { accepted } from '../../../support/answers.ts';
import { call } from '../../../support/caller.ts';
import { testDatabase } from '../../../support/database.ts';
import { campaignExists, draftCall, drafted, inEuro, refusedDraft, saved, submitted } from '../../../support/drafts.ts';
import { campaign, games, inDays } from '../../../support/requests.ts';
import { testServer } from '../../../support/server.ts';
import { acceptedStaffCall, signedIn, staffCall } from '../../../support/staff.ts';

// Drafts before anybody decides: saved, examined, copied, listed, discarded.

const { env, sql } = await testDatabase();
const { url } = await testServer({ ...env, APPROVAL_LIMITS: 'EUR:1000,USD:1000' });
const author = await signedIn(sql, 'manager');
const other = await signedIn(sql, 'manager');
const ofFirst = await signedIn(sql, 'manager', [1]);

const save = (body: object, who = author) => drafted(url, 'DraftSave', { kind: 'campaign', ...body }, who);

test('a draft may be incomplete, and lists the missing fields', async () => {
  const draft = await save({ content: { name: 'Friday', config: { bonus_limit: 'many' } } });
  assert.deepEqual([draft.state, draft.revision, draft.title], ['open', 1, 'Friday']);
  assert.deepEqual([draft.max_exposure, draft.needs_approval, draft.target_id], [null, null, null]);
  const [problem] = draft.problems;
  assert.equal(problem.error, 'invalid_request');
  const fields = problem.details.map(({ field }: { field: string }) => field);
  for (const field of ['quantity', 'games', 'config.bonus_limit']) assert.ok(fields.includes(field), field);
  const nothing = await save({ content: {} });
  assert.equal(nothing.title, null);
  const strange = { name: '\u0000\ud800', list: [[[{}]]], client_id: 2, dry_run: true };
  const { draft_id } = await save({ content: strange });
  assert.deepEqual((await drafted(url, 'DraftGet', { draft_id }, author)).content, strange);
});

test('a draft does not name its partner, nor is it tried only', async () => {
  const { problems } = await save({ content: { ...inEuro(1), client_id: 1, dry_run: true } });
  const fields = problems[0].details.map(({ field }: { field: string }) => field);
  assert.deepEqual(fields.toSorted(), ['client_id', 'dry_run']);
});

test('a valid draft shows its maximum exposure and whether it needs approval', async () => {
  const within = await save({ content: inEuro(1000) });
  assert.deepEqual(within.problems, []);
  assert.deepEqual(within.max_exposure, [{ currency: 'EUR', amount: '1000.00' }]);
  assert.deepEqual([within.needs_approval, within.approval_reasons], [false, []]);
  assert.equal(within.target_id, within.draft_id, 'the campaign has the id of its draft');
  const above = await save({ content: inEuro(1001, { campaign_id: 'spring' }) });
  assert.equal(above.target_id, 'spring');
  assert.deepEqual(above.approval_reasons, [
    { reason: 'above_limit', currency: 'EUR', amount: '1001.00', limit: '1000.00', used: '0.00' },
  ]);
  const unbounded = await save({ content: inEuro(1, { config: { bonus_limit: 5 } }) });
  assert.equal(unbounded.needs_approval, true);
  assert.deepEqual([unbounded.approval_reasons[0].reason, unbounded.approval_reasons[0].amount], ['no_bound', null]);
});

test('problems come from the rule itself: games, validity', async () => {
  const past = await save({ content: inEuro(1, { valid_from: inDays(-9), valid_until: inDays(-2) }) });
  assert.equal(past.problems[0].error, 'invalid_validity');
  assert.deepEqual(past.max_exposure, [{ currency: 'EUR', amount: '1.00' }]);
  const gone = await save({ content: inEuro(1, { games: [games.one, 'withdrawn'] }) });
  assert.deepEqual([gone.problems[0].error, gone.problems[0].details[0].field], ['game_not_available', 'games[1]']);
  const { body } = await draftCall(url, 'DraftSubmit', gone, author);
  assert.equal(body.error, 'invalid_request', 'only the fields of the operation');
  const { client_id, draft_id, revision } = gone;
  const answer = await refusedDraft(url, 'DraftSubmit', { client_id, draft_id, revision }, author);
  assert.deepEqual([answer.error, answer.details[0].field], ['game_not_available', 'games[1]']);
  assert.equal((await drafted(url, 'DraftGet', { draft_id }, author)).state, 'open');
});

test('each change is a revision, a repeated one is not, and an old one is refused', async () => {
  const draft_id = randomUUID();
  const first = { draft_id, content: { name: 'One' } };
  for (let i = 0; i < 2; i++) assert.equal((await save(first)).revision, 1);
  const second = { draft_id, revision: 1, content: { name: 'Two' } };
  for (let i = 0; i < 2; i++) assert.equal((await save(second)).revision, 2);
  assert.equal((await save({ ...second, revision: 2 })).revision, 2, 'nothing has changed');
  const late = await refusedDraft(url, 'DraftSave', { kind: 'campaign', ...second, content: {} }, author);
  assert.equal(late.error, 'draft_changed');
  const again = await refusedDraft(url, 'DraftSave', { kind: 'campaign', draft_id, content: {} }, author);
  assert.equal(again.error, 'draft_changed');
  const kind = await refusedDraft(url, 'DraftSave', { kind: 'job', draft_id, revision: 2, content: {} }, author);
  assert.deepEqual([kind.error, kind.details[0].field], ['invalid_request', 'kind']);
  const nowhere = { kind: 'campaign', draft_id: randomUUID(), revision: 1, content: {} };
  assert.equal((await refusedDraft(url, 'DraftSave', nowhere, author)).error, 'draft_not_found');
  assert.equal((await save({ ...second, draft_id: draft_id.toUpperCase() })).draft_id, draft_id);
});

test('only the author changes, submits or discards it', async () => {
  const name = await saved(url, inEuro(1), author);
  const { revision, ...key } = name;
  const save = { ...name, kind: 'campaign', content: {} };
  for (const answer of [
    await refusedDraft(url, 'DraftSave', save, other),
    await refusedDraft(url, 'DraftSubmit', name, other),
    await refusedDraft(url, 'DraftDiscard', key, other),
  ])
    assert.equal(answer.error, 'not_author');
  assert.equal((await drafted(url, 'DraftGet', key, other)).author.staff_id, author.staffId);
});

test('a draft that is too long, and the longest campaign', async () => {
  const long = { kind: 'campaign', content: { name: 'x'.repeat(256 * 1024) } };
  const answer = await refusedDraft(url, 'DraftSave', long, author);
  assert.deepEqual([answer.error, answer.details[0].field], ['invalid_request', 'content']);
  const names = Array.from({ length: 500 }, (_, i) => `${i}`.padStart(128, '本'));
  const longest = await save({ content: inEuro(1, { games: names }) });
  assert.equal(longest.problems[0].error, 'game_not_available');
});

test('one that is discarded stays so', async () => {
  const { revision, ...key } = await saved(url, inEuro(1), author);
  for (let i = 0; i < 2; i++) assert.equal((await drafted(url, 'DraftDiscard', key, author)).state, 'discarded');
  const again = await refusedDraft(url, 'DraftSave', { ...key, revision, kind: 'campaign', content: {} }, author);
  assert.deepEqual([again.error, again.details], ['draft_not_open', [{ field: 'state', reason: 'is discarded' }]]);
  assert.equal((await refusedDraft(url, 'DraftSubmit', { ...key, revision }, author)).error, 'draft_not_open');
});

test('the copy of a campaign has its terms, its limits in force, and says where it differs', async () => {
  const config = { bonus_limit: 10, bonus_limit_per_user: 2, min_coefficient: '1.20', max_coefficient: '2.50' };
  const terms = campaign({ duration_min: 60 });
  accepted('CampaignCreate', await call(url, 'CampaignCreate', { ...terms, campaign_id: 'original', config }));
  const limits = { campaign_id: 'original', bonus_limit: 20, bonus_limit_per_user: null };
  accepted('CampaignLimits', await call(url, 'CampaignLimits', limits));
  const copy = await drafted(url, 'DraftCopy', { campaign_id: 'original' }, author);
  const { draft_id } = copy;
  assert.deepEqual([copy.problems, copy.title, copy.target_id], [[], 'A campaign', draft_id]);
  const { content, differences } = await drafted(url, 'DraftGet', { draft_id }, author);
  const { bonus_limit_per_user: _, ...kept } = config;
  assert.deepEqual(content, { ...terms, config: { ...kept, bonus_limit: 20 } });
  assert.deepEqual(differences, []);
  const changed = { ...content, config: { ...content.config, bonus_limit: 30 } };
  await save({ draft_id, revision: 1, content: changed });
  const got = await drafted(url, 'DraftGet', { draft_id }, author);
  assert.deepEqual(got.differences, [{ field: 'config.bonus_limit', from: 20, to: 30 }]);
  const nothing = await refusedDraft(url, 'DraftCopy', { campaign_id: 'nothing' }, author);
  assert.equal(nothing.error, 'campaign_not_found');
  const again = { campaign_id: 'original', draft_id: randomUUID() };
  for (let i = 0; i < 2; i++) assert.equal((await drafted(url, 'DraftCopy', again, author)).revision, 1);
});

test('the copy of a campaign that is over says so, and can be mended', async () => {
  accepted('CampaignCreate', await call(url, 'CampaignCreate', inEuro(1, { campaign_id: 'over' })));
  // Arithmetic on times with a zone depends on a setting, and many machines refuse that in an UPDATE.
  const from = "valid_from AT TIME ZONE 'UTC'";
  const over = `UPDATE campaigns SET valid_until = (${from} + interval '1 hour') AT TIME ZONE 'UTC' WHERE campaign_id = 'over'`;
  await sql.query(over);
  const { draft_id, problems } = await drafted(url, 'DraftCopy', { campaign_id: 'over' }, author);
  assert.equal(problems[0].error, 'invalid_validity');
  const { content } = await drafted(url, 'DraftGet', { draft_id }, author);
  const mended = await save({ draft_id, revision: 1, content: { ...content, valid_until: inDays(3) } });
  assert.deepEqual(mended.problems, []);
});

test('the console makes no campaign without a draft, but tries one; partners are not asked', async () => {
  const body = { client_id: 1, ...inEuro(1, { campaign_id: 'direct' }) };
  const path = '/FreeBets/Campaign/Create';
  const admin = await signedIn(sql, 'admin');
  const straight = await staffCall(url, path, { ...body, reason: 'in a hurry' }, admin);
  assert.deepEqual([straight.status, straight.body.error], [409, 'approval_needed']);
  assert.equal((await acceptedStaffCall(url, path, { ...body, dry_run: true }, author)).dry_run, true);
  accepted('CampaignCreate', await call(url, 'CampaignCreate', inEuro(1_000_000, { campaign_id: 'direct' })));
});

test('lists: by partner, state and author, within the scope, page by page', async () => {
  const mine = await signedIn(sql, 'manager');
  const viewer = await signedIn(sql, 'viewer', [1]);
  const names = [];
  for (let i = 0; i < 3; i++) names.push(await saved(url, inEuro(1), mine));
  const elsewhere = await saved(url, inEuro(1), mine, { client_id: 2 });
  const list = async (body: object, who = mine) =>
    (await acceptedStaffCall(url, '/Draft/List', body, who)).drafts.map(
      (draft: { draft_id: string }) => draft.draft_id,
    );
  const ids = names.map(({ draft_id }) => draft_id).reverse();
  assert.deepEqual(await list({ author: 'me' }), [elsewhere.draft_id, ...ids]);
  assert.deepEqual(await list({ author: 'me', client_id: 1 }), ids);
  assert.ok(!(await list({ limit: 200 }, viewer)).includes(elsewhere.draft_id));
  assert.ok((await list({ limit: 200 }, viewer)).includes(ids[0]));
  const { revision, ...key } = names[0] as (typeof names)[number];
  await drafted(url, 'DraftDiscard', key, mine);
  assert.deepEqual(await list({ author: 'me', state: 'discarded' }), [key.draft_id]);
  const seen: string[] = [];
  let cursor: string | null = null;
  do {
    const page: { drafts: { draft_id: string }[]; next_cursor: string | null } = await acceptedStaffCall(
      url,
      '/Draft/List',
      { author: 'me', limit: 1, ...(cursor !== null && { cursor }) },
      mine,
    );
    seen.push(...page.drafts.map(({ draft_id }) => draft_id));
    cursor = page.next_cursor;
  } while (cursor !== null);
  assert.deepEqual(seen, [elsewhere.draft_id, ...ids]);
  const { campaign_id } = accepted('CampaignCreate', await call(url, 'CampaignCreate', campaign()));
  const limits = { campaign_id, bonus_limit: 7, bonus_limit_per_user: null };
  const ofLimits = await saved(url, limits, mine, { kind: 'limits' });
  const copy = await drafted(url, 'DraftCopy', { campaign_id }, mine);
  assert.equal(copy.copy_of, campaign_id);
  assert.deepEqual(await list({ author: 'me', kind: 'limits' }), [ofLimits.draft_id]);
  assert.deepEqual(await list({ target_id: campaign_id }), [ofLimits.draft_id]);
  assert.deepEqual(await list({ target_id: campaign_id, kind: 'campaign' }), []);
  const wrong = await staffCall(url, '/Draft/List', { cursor: 'AAAA' }, mine);
  assert.deepEqual([wrong.status, wrong.body.details[0].field], [400, 'cursor']);
});

test('only approvers have waiting drafts, and only drafts by others', async () => {
  const name = await submitted(url, inEuro(5000), author);
  const elsewhere = await submitted(url, inEuro(5000), author, { client_id: 2 });
  const waiting = async (who: typeof author) => {
    const { drafts } = await drafted(url, 'DraftList', { waiting_for_me: true, client_id: undefined }, who);
    return drafts.map((draft: { draft_id: string }) => draft.draft_id);
  };
  assert.deepEqual(await waiting(other), [elsewhere.draft_id, name.draft_id]);
  const counted = (who: typeof author, client_id?: number) => drafted(url, 'DraftsWaiting', { client_id }, who);
  assert.deepEqual(await counted(other), { waiting: 2, for_me: 2 });
  assert.deepEqual(await counted(author), { waiting: 2, for_me: 0 });
  assert.deepEqual(await counted(ofFirst), { waiting: 1, for_me: 1 });
  assert.deepEqual(await counted(other, 1), { waiting: 1, for_me: 1 });
  assert.deepEqual(await waiting(ofFirst), [name.draft_id]);
  assert.deepEqual(await waiting(author), []);
  assert.deepEqual(await waiting(await signedIn(sql, 'auditor')), []);
});

test('out of scope and without the role', async () => {
  const name = await saved(url, inEuro(1), author, { client_id: 2 });
  const { revision, ...key } = name;
  for (const [operation, body] of [
    ['DraftGet', key],
    ['DraftSave', { ...name, kind: 'campaign', content: {} }],
    ['DraftSubmit', name],
    ['DraftApprove', name],
    ['DraftRefuse', name],
    ['DraftDiscard', key],
    ['DraftCopy', { client_id: 2, campaign_id: 'x' }],
    ['DraftList', { client_id: 2 }],
  ] as const) {
    assert.equal((await refusedDraft(url, operation, body, ofFirst)).error, 'partner_not_found', operation);
  }
  for (const role of ['viewer', 'support', 'auditor'] as const) {
    const who = await signedIn(sql, role);
    for (const operation of ['DraftSave', 'DraftSubmit', 'DraftApprove', 'DraftRefuse', 'DraftDiscard'] as const) {
      assert.equal((await refusedDraft(url, operation, name, who)).error, 'not_allowed', `${role} ${operation}`);
    }
    await drafted(url, 'DraftGet', key, who);
  }
  const inFirst = { ...name, client_id: 1 };
  assert.equal((await refusedDraft(url, 'DraftSubmit', inFirst, author)).error, 'draft_not_found');
  assert.equal(await campaignExists(sql, name), false);
});
