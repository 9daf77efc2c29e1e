import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import type { PoolClient } from 'pg';
import { call, demo, rival } from '../support/caller.ts';
import { testDatabase } from '../support/database.ts';
import {
  campaignExists,
  type DraftName,
  draftCall,
  drafted,
  errorsOf,
  inCents,
  inEuro,
  saved,
  submitted,
} from '../support/drafts.ts';
import { readFeed } from '../support/feed.ts';
import { assertFoldsToRows } from '../support/fold.ts';
import { whileChanged } from '../support/held-batch.ts';
import { times } from '../support/long.ts';
import { serverProcess, testServer } from '../support/server.ts';
import { signedIn } from '../support/staff.ts';

// Drafts on two servers at the same moment, and on one that is killed: every decision is made once, and what a draft
// became is there if and only if the draft says so.

const { env, sql } = await testDatabase();
const limited = { ...env, APPROVAL_LIMITS: 'EUR:1000' };
const [one, two] = await Promise.all([testServer(limited), testServer(limited)]);
const either = (i: number): string => (i % 2 === 0 ? one.url : two.url);
const rounds = times(4, 5);
const [first, second] = [await signedIn(sql, 'manager'), await signedIn(sql, 'admin')];
const newAuthor = () => signedIn(sql, 'manager');

const createdOf = async ({ draft_id }: DraftName, partner = demo): Promise<number> =>
  (await readFeed(one.url, partner)).filter(
    ({ type, data }) => type === 'campaign.created' && 'campaign' in data && data.campaign.campaign_id === draft_id,
  ).length;

const usedBy = async ({ staffId }: { staffId: string }): Promise<number> =>
  (
    await sql.query('SELECT coalesce(sum(cents), 0)::int AS cents FROM unapproved_exposure WHERE staff_id = $1', [
      staffId,
    ])
  ).rows[0].cents;

const stateOf = async ({ client_id, draft_id }: DraftName): Promise<string> =>
  (await drafted(one.url, 'DraftGet', { client_id, draft_id }, first)).state;

describe('on two servers', () => {
  it('one of two approvers decides', async () => {
    for (let i = 0; i < rounds; i++) {
      const name = await submitted(one.url, inEuro(5000), await newAuthor());
      const answers = await Promise.all([
        draftCall(either(i), 'DraftApprove', name, first),
        draftCall(either(i + 1), 'DraftApprove', name, second),
      ]);
      assert.deepEqual(errorsOf(answers), ['done', 'draft_not_open']);
      assert.equal(await createdOf(name), 1);
    }
  });

  it('one approver who asks on both is answered by both', async () => {
    for (let i = 0; i < rounds; i++) {
      const name = await submitted(one.url, inEuro(5000), await newAuthor());
      const answers = await Promise.all([0, 1].map((j) => draftCall(either(j), 'DraftApprove', name, first)));
      assert.deepEqual(errorsOf(answers), ['done', 'done']);
      assert.equal(await createdOf(name), 1);
    }
  });

  it('it is approved or refused', async () => {
    for (let i = 0; i < rounds; i++) {
      const name = await submitted(one.url, inEuro(5000), await newAuthor());
      const [approved, refused] = await Promise.all([
        draftCall(either(i), 'DraftApprove', name, first),
        draftCall(either(i + 1), 'DraftRefuse', name, second),
      ]);
      assert.deepEqual(errorsOf([approved, refused]), ['done', 'draft_not_open']);
      assert.equal(await campaignExists(sql, name), approved.status === 200);
      assert.equal(await stateOf(name), approved.status === 200 ? 'approved' : 'refused');
    }
  });

  it('it is approved as it was, or changed and not approved', async () => {
    for (let i = 0; i < rounds; i++) {
      const author = await newAuthor();
      const name = await submitted(one.url, inEuro(5000), author);
      const change = { ...name, kind: 'campaign', content: inEuro(900_000) };
      const [approved, changed] = await Promise.all([
        draftCall(either(i), 'DraftApprove', name, first),
        draftCall(either(i + 1), 'DraftSave', change, author),
      ]);
      const expected = approved.status === 200 ? 'draft_not_open' : 'draft_changed';
      assert.deepEqual(errorsOf([approved, changed]), ['done', expected]);
      assert.equal(await campaignExists(sql, name), approved.status === 200);
    }
  });

  it('the same draft submitted many times creates one campaign, counted once', async () => {
    for (let i = 0; i < rounds; i++) {
      const author = await newAuthor();
      const name = await saved(one.url, inEuro(400), author);
      const answers = await Promise.all([0, 1, 2, 3].map((j) => draftCall(either(j), 'DraftSubmit', name, author)));
      assert.deepEqual(errorsOf(answers), ['done', 'done', 'done', 'done']);
      assert.deepEqual([await createdOf(name), await usedBy(author)], [1, 40_000]);
    }
  });

  it('the same draft begun many times is one draft', async () => {
    const author = await newAuthor();
    const body = { draft_id: randomUUID(), kind: 'campaign', content: inEuro(1) };
    const answers = await Promise.all([0, 1, 2, 3].map((i) => draftCall(either(i), 'DraftSave', body, author)));
    assert.deepEqual(
      answers.map(({ body }) => body.revision),
      [1, 1, 1, 1],
    );
  });

  it('an author gets the limit and no cent more, for all partners together', async () => {
    for (let i = 0; i < rounds; i++) {
      const author = await newAuthor();
      const names = await Promise.all(
        [1, 2, 1, 2, 1, 2].map((client_id) => saved(one.url, inCents(33_333), author, { client_id })),
      );
      const answers = await Promise.all(names.map((name, j) => draftCall(either(j), 'DraftSubmit', name, author)));
      assert.deepEqual(errorsOf(answers), Array(6).fill('done'));
      const states = answers.map(({ body }) => body.state).toSorted();
      assert.deepEqual(states, [...Array(3).fill('approved'), ...Array(3).fill('submitted')]);
      assert.equal(await usedBy(author), 99_999);
    }
  });

  it('an id that a partner takes at the same moment is the one’s or the other’s', async () => {
    for (let i = 0; i < rounds; i++) {
      const campaign_id = `both-${randomUUID()}`;
      const name = await submitted(one.url, inEuro(5000, { campaign_id }), await newAuthor());
      const [approved, created] = await Promise.all([
        draftCall(either(i), 'DraftApprove', name, first),
        call(either(i + 1), 'CampaignCreate', inEuro(7, { campaign_id })),
      ]);
      const errors = [approved.status === 200 ? 'done' : approved.body.error, created.body.error ?? 'done'];
      assert.deepEqual(errors.toSorted(), ['done', 'id_reused']);
      assert.equal(await stateOf(name), approved.status === 200 ? 'approved' : 'submitted');
    }
  });

  it('it is not approved behind the end of what its author may do', async () => {
    const author = await signedIn(sql, 'manager', [1]);
    const name = await submitted(one.url, inEuro(5000), author);
    const takeAway = async (connection: PoolClient) => {
      await connection.query('SELECT FROM staff WHERE staff_id = $1 FOR NO KEY UPDATE', [author.staffId]);
      await connection.query('UPDATE staff_partners SET client_id = 2 WHERE staff_id = $1', [author.staffId]);
    };
    const { body } = await whileChanged(sql, takeAway, () => draftCall(two.url, 'DraftApprove', name, first));
    assert.deepEqual([body.error, await campaignExists(sql, name)], ['author_not_allowed', false]);
  });

  it('concurrent campaigns of drafts and of partners do not block each other', async () => {
    const author = await newAuthor();
    const names = await Promise.all(Array.from({ length: 6 }, () => saved(one.url, inEuro(1), author)));
    const ofPartner = Array.from({ length: 30 }, (_, i) =>
      call(either(i), 'CampaignCreate', inEuro(1, { campaign_id: `p-${randomUUID()}` })),
    );
    const ofDrafts = names.map((name, i) => draftCall(either(i), 'DraftSubmit', name, author));
    assert.deepEqual(errorsOf(await Promise.all(ofDrafts)), Array(6).fill('done'));
    for (const { status } of await Promise.all(ofPartner)) assert.equal(status, 200);
    await assertFoldsToRows(sql, await readFeed(one.url));
  });
});

describe('a server that is killed', () => {
  it('leaves nothing half done: a campaign with its event, record and counts, or an unchanged draft', async () => {
    const victim = await serverProcess(limited);
    const names: DraftName[] = [];
    const authors = await Promise.all(Array.from({ length: 3 }, newAuthor));
    const authorOf = (i: number) => authors[i % 3] as (typeof authors)[number];
    for (let i = 0; i < 60; i++) {
      const client_id = (i % 2) + 1;
      names.push(await saved(one.url, inEuro(10), authorOf(i), { client_id }));
    }
    let done = 0;
    let killing: Promise<unknown> | undefined;
    const answers = names.map(async (name, i) => {
      const answer = await draftCall(victim.url, 'DraftSubmit', name, authorOf(i)).catch(() => undefined);
      if (answer?.status === 200 && ++done === 10) killing = victim.end('SIGKILL');
    });
    await Promise.all(answers);
    await killing;
    const { rows } = await sql.query(
      `SELECT d.state, count(*)::int AS n, count(c.campaign_id)::int AS campaigns, count(u.source_id)::int AS counted,
         count(a.record)::int AS recorded
       FROM drafts d LEFT JOIN campaigns c ON c.client_id = d.client_id AND c.campaign_id = d.draft_id::text
       LEFT JOIN unapproved_exposure u ON u.client_id = d.client_id AND u.source_id = d.draft_id
       LEFT JOIN audit a ON a.client_id = d.client_id AND a.target = 'campaign ' || d.draft_id
       WHERE d.draft_id = ANY ($1) GROUP BY d.state ORDER BY d.state`,
      [names.map(({ draft_id }) => draft_id)],
    );
    const approved = rows.find(({ state }) => state === 'approved');
    assert.ok(approved.n >= done && approved.n < names.length, `killed with ${approved.n} done`);
    for (const { state, n, ...there } of rows) {
      const expected = state === 'approved' ? n : 0;
      assert.deepEqual(there, { campaigns: expected, counted: expected, recorded: expected }, state);
    }
    for (const [i, name] of names.entries()) {
      const answer = await drafted(one.url, 'DraftSubmit', name, authorOf(i));
      assert.equal(answer.state, 'approved');
    }
    for (const partner of [demo, rival]) await assertFoldsToRows(sql, await readFeed(one.url, partner), partner);
    for (const author of authors) assert.equal(await usedBy(author), 20_000);
  });
});
