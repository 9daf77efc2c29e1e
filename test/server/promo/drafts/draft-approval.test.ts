import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { afterEach, describe, it, test } from 'node:test';
import { accepted } from '../../../support/answers.ts';
import { call, demo } from '../../../support/caller.ts';
import { later, setClock } from '../../../support/clock.ts';
import { testDatabase } from '../../../support/database.ts';
import {
  campaignExists,
  campaignOf,
  type DraftName,
  draftCall,
  drafted,
  inCents,
  inEuro,
  refusedDraft,
  saved,
  submitted,
} from '../../../support/drafts.ts';
import { readFeed } from '../../../support/feed.ts';
import { holdDraft } from '../../../support/held-batch.ts';
import { startReceiver } from '../../../support/receiver.ts';
import { games, inDays } from '../../../support/requests.ts';
import { testServer } from '../../../support/server.ts';
import { session, signedIn } from '../../../support/staff.ts';
import { until } from '../../../support/waiting.ts';
import { setWebhook } from '../../../support/webhooks.ts';

// Submitted drafts: within the limits they become campaigns immediately; otherwise a second person decides.

const { env, sql } = await testDatabase();
const { url } = await testServer({ ...env, APPROVAL_LIMITS: 'EUR:1000', WEBHOOK_ALLOW_PRIVATE: 'yes' });
const approver = await signedIn(sql, 'manager');
/** An author who has not used any allowance. */
const newAuthor = () => signedIn(sql, 'manager');

const stateOf = async ({ client_id, draft_id }: DraftName): Promise<string> =>
  (await drafted(url, 'DraftGet', { client_id, draft_id }, approver)).state;

const auditOf = async ({ draft_id }: DraftName) => {
  const { rows } = await sql.query(
    `SELECT record FROM audit WHERE record::jsonb #>> '{target,id}' = $1 ORDER BY sequence`,
    [draft_id],
  );
  return rows.map(({ record }) => JSON.parse(record));
};

const rowOf = async ({ draft_id }: DraftName) =>
  (await sql.query('SELECT * FROM drafts WHERE draft_id = $1', [draft_id])).rows[0];

afterEach(() => setClock(sql, null));

test('within the limits a draft becomes a campaign at once, with its events, its record and its webhook', async () => {
  const author = await newAuthor();
  const receiver = await startReceiver();
  const before = await readFeed(url);
  await setWebhook(sql, demo, receiver.url);
  const name = await saved(url, inEuro(1000, { name: 'Friday' }), author);
  const answer = await drafted(url, 'DraftSubmit', name, author);
  assert.deepEqual(
    [answer.state, answer.needs_approval, answer.decided_by, answer.target_id, answer.submit_reason],
    ['approved', false, null, name.draft_id, 'Because of DraftSubmit'],
  );
  const { name: title, config } = await campaignOf(url, name, author);
  assert.deepEqual([title, config.bonus_limit], ['Friday', 1000]);
  const [event] = await readFeed(url, demo, before.length);
  assert.equal(event?.type, 'campaign.created');
  await until('the event is delivered', 5000, () => receiver.requests.length === 1);
  assert.equal(receiver.requests[0]?.event.type, 'campaign.created');
  const [save, made, submit] = await auditOf(name);
  assert.deepEqual(
    [save.action, made.action, made.target.kind, made.reason, submit.action, submit.target.kind],
    ['DraftSave', 'DraftSubmit', 'campaign', 'Because of DraftSubmit', 'DraftSubmit', 'draft'],
  );
  assert.equal(made.after.campaign_id, name.draft_id);
  assert.deepEqual([submit.before.state, submit.after.state], ['open', 'approved']);
  assert.equal(submit.after.content.name, 'Friday');
});

test('a repeated submission creates and counts one campaign', async () => {
  const author = await newAuthor();
  const name = await saved(url, inEuro(600), author);
  const first = await drafted(url, 'DraftSubmit', name, author);
  const events = (await readFeed(url)).length;
  assert.deepEqual(await drafted(url, 'DraftSubmit', name, author), first);
  assert.equal((await readFeed(url)).length, events);
  const { rows } = await sql.query('SELECT sum(cents)::int AS cents FROM unapproved_exposure WHERE staff_id = $1', [
    author.staffId,
  ]);
  assert.equal(rows[0].cents, 60_000);
  const changed = { ...name, kind: 'campaign', content: {} };
  assert.equal((await refusedDraft(url, 'DraftSave', changed, author)).error, 'draft_not_open');
  const { revision: _, ...key } = name;
  assert.equal((await refusedDraft(url, 'DraftDiscard', key, author)).error, 'draft_not_open');
});

describe('the limit counts, to the cent,', () => {
  const isApproved = async (content: object, author: Awaited<ReturnType<typeof newAuthor>>, changes = {}) =>
    (await stateOf(await submitted(url, content, author, changes))) === 'approved';

  it('what one draft could win', async () => {
    assert.equal(await isApproved(inCents(100_000), await newAuthor()), true);
    assert.equal(await isApproved(inCents(100_001), await newAuthor()), false);
  });

  it('what the same author had for any partner', async () => {
    const author = await newAuthor();
    assert.equal(await isApproved(inCents(60_000), author), true);
    assert.equal(await isApproved(inCents(39_999), author, { client_id: 2 }), true);
    assert.equal(await isApproved(inCents(2), author), false);
    assert.equal(await isApproved(inCents(1), author), true);
    assert.equal(await isApproved(inCents(1), author, { client_id: 2 }), false);
    assert.equal(await isApproved(inCents(100_000), await newAuthor()), true, 'another author’s are not counted');
  });

  it('not approved drafts', async () => {
    const author = await newAuthor();
    const name = await submitted(url, inEuro(5000), author);
    const waiting = await drafted(url, 'DraftGet', { draft_id: name.draft_id }, approver);
    assert.equal(Date.parse(waiting.expires_at) - Date.parse(waiting.submitted_at), 14 * 24 * 3_600_000);
    const approved = await drafted(url, 'DraftApprove', name, approver);
    assert.equal(approved.expires_at, null, 'a decided draft does not expire');
    assert.equal(await isApproved(inCents(100_000), author), true);
  });

  it('not a draft that the rules refuse', async () => {
    const author = await newAuthor();
    const past = await saved(url, inEuro(1000, { valid_from: inDays(-9), valid_until: inDays(-2) }), author);
    assert.equal((await refusedDraft(url, 'DraftSubmit', past, author)).error, 'invalid_validity');
    assert.equal(await isApproved(inCents(100_000), author), true);
  });

  it('for 24 hours, and no instant longer', async () => {
    const author = await newAuthor();
    const start = new Date().toISOString();
    const at = async (ms: number) => {
      await setClock(sql, later(start, ms));
      author.cookie = await session(sql, author.staffId);
      approver.cookie = await session(sql, approver.staffId);
    };
    const day = 24 * 3600 * 1000;
    await at(0);
    assert.equal(await isApproved(inCents(100_000), author), true);
    await at(day - 1);
    assert.equal(await isApproved(inCents(1), author), false);
    await at(day);
    assert.equal(await isApproved(inCents(1), author), true);
    await setClock(sql, null);
    approver.cookie = await session(sql, approver.staffId);
  });

  it('a currency that has none, and what has no bound', async () => {
    const inDollars = { bet_amounts: [{ currency: 'USD', amount: '0.01' }] };
    assert.equal(await isApproved(inEuro(1, inDollars), await newAuthor()), false);
    assert.equal(await isApproved(inEuro(1, { config: { max_coefficient: '2.00' } }), await newAuthor()), false);
    assert.equal(await isApproved(inEuro(1, { config: { bonus_limit: 1 } }), await newAuthor()), false);
  });
});

describe('drafts above the limits', () => {
  it('is approved by another, byte for byte as it was submitted', async () => {
    const author = await newAuthor();
    const content = { ...inEuro(5000), name: 'Grüße – 5000', campaign_id: `c-${randomUUID()}` };
    const name = await submitted(url, content, author);
    const waiting = await rowOf(name);
    assert.deepEqual([waiting.state, waiting.content], ['submitted', JSON.stringify(content)]);
    const hash = createHash('sha256').update(waiting.content).digest();
    assert.deepEqual(waiting.submitted_hash, hash);
    const events = (await readFeed(url)).length;
    const answer = await drafted(url, 'DraftApprove', name, approver);
    assert.deepEqual(
      [answer.state, answer.decided_by.staff_id, answer.decision_reason, answer.target_id],
      ['approved', approver.staffId, 'Because of DraftApprove', content.campaign_id],
    );
    const decided = await rowOf(name);
    assert.deepEqual([decided.content, decided.submitted_hash], [waiting.content, hash]);
    const made = accepted('CampaignGet', await call(url, 'CampaignGet', { campaign_id: content.campaign_id }));
    assert.deepEqual([made.name, made.config.bonus_limit], [content.name, 5000]);
    const [event, ...more] = await readFeed(url, demo, events);
    assert.deepEqual([event?.type, more], ['campaign.created', []]);
    const again = await drafted(url, 'DraftApprove', name, approver);
    assert.deepEqual(again, answer);
    assert.equal((await readFeed(url)).length, events + 1);
    const { history } = await drafted(url, 'DraftGet', { draft_id: name.draft_id }, approver);
    assert.deepEqual(
      history.map(({ action, state, email }: Record<string, string>) => [action, state, email]),
      [
        ['DraftSave', 'open', author.email],
        ['DraftSubmit', 'submitted', author.email],
        ['DraftApprove', 'approved', approver.email],
      ],
    );
  });

  it('cannot be decided by its author, over HTTP or in SQL', async () => {
    const author = await newAuthor();
    const name = await submitted(url, inEuro(5000), author);
    for (const operation of ['DraftApprove', 'DraftRefuse'] as const) {
      assert.equal((await refusedDraft(url, operation, name, author)).error, 'own_draft');
    }
    const approve = (by: string | null) =>
      sql.query(`UPDATE drafts SET state = 'approved', decided_by = $2, decided_at = world_now() WHERE draft_id = $1`, [
        name.draft_id,
        by,
      ]);
    await assert.rejects(approve(author.staffId), /drafts__not_decided_by_the_author/);
    await assert.rejects(approve(null), /drafts__approved_by_another/);
    const change = `UPDATE drafts SET content = '{}' WHERE draft_id = $1`;
    await assert.rejects(sql.query(change, [name.draft_id]), /drafts__as_submitted/);
    await sql.query(`UPDATE drafts SET submitted_at = now() - interval '14 days' WHERE draft_id = $1`, [name.draft_id]);
    await assert.rejects(approve(approver.staffId), /drafts__approved_in_time/);
    assert.equal(await campaignExists(sql, name), false);
  });

  it('is refused by another, and can be mended and submitted again', async () => {
    const author = await newAuthor();
    const name = await submitted(url, inEuro(5000), author);
    const refused = await drafted(url, 'DraftRefuse', name, approver);
    assert.deepEqual([refused.state, refused.decided_by.staff_id], ['refused', approver.staffId]);
    assert.deepEqual(await drafted(url, 'DraftRefuse', name, approver), refused);
    const late = await refusedDraft(url, 'DraftApprove', name, approver);
    assert.deepEqual([late.error, late.details], ['draft_not_open', [{ field: 'state', reason: 'is refused' }]]);
    assert.equal((await refusedDraft(url, 'DraftSubmit', name, author)).error, 'draft_not_open');
    const smaller = { ...name, kind: 'campaign', content: inEuro(500) };
    const mended = await drafted(url, 'DraftSave', smaller, author);
    assert.deepEqual([mended.state, mended.revision, mended.decided_by], ['open', 2, null]);
    assert.equal((await drafted(url, 'DraftSubmit', { ...name, revision: 2 }, author)).state, 'approved');
  });

  it('is not approved when it was changed meanwhile, also when it was submitted again', async () => {
    const author = await newAuthor();
    const name = await submitted(url, inEuro(5000), author);
    const changed = { ...name, kind: 'campaign', content: inEuro(900_000) };
    await drafted(url, 'DraftSave', changed, author);
    assert.equal((await refusedDraft(url, 'DraftApprove', name, approver)).error, 'draft_changed');
    const open = await refusedDraft(url, 'DraftApprove', { ...name, revision: 2 }, approver);
    assert.deepEqual([open.error, open.details[0].reason], ['draft_not_open', 'is open']);
    await drafted(url, 'DraftSubmit', { ...name, revision: 2 }, author);
    for (const operation of ['DraftApprove', 'DraftRefuse'] as const) {
      assert.equal((await refusedDraft(url, operation, name, approver)).error, 'draft_changed');
    }
    await drafted(url, 'DraftApprove', { ...name, revision: 2 }, approver);
    assert.equal((await campaignOf(url, name, author)).config.bonus_limit, 900_000);
  });

  it('is taken back by saving it as it is', async () => {
    const author = await newAuthor();
    const content = inEuro(5000);
    const name = await submitted(url, content, author);
    const taken = await drafted(url, 'DraftSave', { ...name, kind: 'campaign', content }, author);
    assert.deepEqual([taken.state, taken.revision, taken.submitted_at], ['open', 2, null]);
  });

  it('can be approved for 14 days, and no instant longer', async () => {
    const author = await newAuthor();
    const start = new Date().toISOString();
    await setClock(sql, start);
    const content = { valid_until: inDays(60) };
    const inTime = await submitted(url, inEuro(5000, content), author);
    const late = await submitted(url, inEuro(5000, content), author);
    const twoWeeks = 14 * 24 * 3600 * 1000;
    const at = async (ms: number) => {
      await setClock(sql, later(start, ms));
      for (const who of [author, approver]) who.cookie = await session(sql, who.staffId);
    };
    await at(twoWeeks - 1);
    assert.equal((await drafted(url, 'DraftApprove', inTime, approver)).state, 'approved');
    await at(twoWeeks);
    assert.equal(await stateOf(late), 'expired');
    for (const operation of ['DraftApprove', 'DraftRefuse'] as const) {
      const { error, details } = await refusedDraft(url, operation, late, approver);
      assert.deepEqual([error, details], ['draft_not_open', [{ field: 'state', reason: 'is expired' }]]);
    }
    const listed = await drafted(url, 'DraftList', { state: 'expired', author: 'me' }, author);
    assert.deepEqual(
      listed.drafts.map(({ draft_id }: DraftName) => draft_id),
      [late.draft_id],
    );
    assert.equal((await refusedDraft(url, 'DraftSubmit', late, author)).error, 'draft_not_open');
    const reopened = await drafted(
      url,
      'DraftSave',
      { ...late, kind: 'campaign', content: inEuro(5000, content) },
      author,
    );
    assert.equal(reopened.state, 'open');
    await drafted(url, 'DraftSubmit', { ...late, revision: 2 }, author);
    assert.equal((await drafted(url, 'DraftApprove', { ...late, revision: 2 }, approver)).state, 'approved');
    await setClock(sql, null);
    approver.cookie = await session(sql, approver.staffId);
  });

  it('is refused with the real error when it does not hold any more, stays, and can be mended', async () => {
    const author = await newAuthor();
    const start = new Date().toISOString();
    await setClock(sql, start);
    const name = await submitted(url, inEuro(5000, { valid_until: later(start, 3600_000) }), author);
    await setClock(sql, later(start, 3600_000));
    for (const who of [author, approver]) who.cookie = await session(sql, who.staffId);
    const { error, details } = await refusedDraft(url, 'DraftApprove', name, approver);
    assert.deepEqual([error, details[0].field], ['invalid_validity', 'valid_until']);
    const { client_id, draft_id } = name;
    const { state, problems } = await drafted(url, 'DraftGet', { client_id, draft_id }, approver);
    assert.deepEqual([state, problems[0].error], ['submitted', 'invalid_validity']);
    const mended = { ...name, kind: 'campaign', content: inEuro(5000, { valid_until: inDays(30) }) };
    assert.deepEqual((await drafted(url, 'DraftSave', mended, author)).problems, []);
    await drafted(url, 'DraftSubmit', { ...name, revision: 2 }, author);
    await drafted(url, 'DraftApprove', { ...name, revision: 2 }, approver);
    assert.equal(await campaignExists(sql, name), true);
    await setClock(sql, null);
    approver.cookie = await session(sql, approver.staffId);
  });

  it('is refused by its game when that was withdrawn meanwhile, and can be mended', async () => {
    const author = await newAuthor();
    const name = await submitted(url, inEuro(5000, { games: [games.one, games.ofSecondProvider] }), author);
    await sql.query('UPDATE games SET withdrawn_at = world_now() WHERE game_id = $1', [games.ofSecondProvider]);
    const { url: later } = await testServer({ ...env, APPROVAL_LIMITS: 'EUR:1000' });
    const { error, details } = await refusedDraft(later, 'DraftApprove', name, approver);
    assert.deepEqual([error, details[0].field], ['game_not_available', 'games[1]']);
    const { client_id, draft_id } = name;
    const { state, problems } = await drafted(later, 'DraftGet', { client_id, draft_id }, author);
    assert.deepEqual([state, problems[0].error], ['submitted', 'game_not_available']);
    await drafted(later, 'DraftSave', { ...name, kind: 'campaign', content: inEuro(5000) }, author);
    await drafted(later, 'DraftSubmit', { ...name, revision: 2 }, author);
    assert.equal((await drafted(later, 'DraftApprove', { ...name, revision: 2 }, approver)).state, 'approved');
  });

  it('is not approved under an id that was taken meanwhile by something else', async () => {
    const campaign_id = `taken-${randomUUID()}`;
    const name = await submitted(url, inEuro(5000, { campaign_id }), await newAuthor());
    accepted('CampaignCreate', await call(url, 'CampaignCreate', inEuro(1, { campaign_id })));
    assert.equal((await refusedDraft(url, 'DraftApprove', name, approver)).error, 'id_reused');
    assert.equal(await stateOf(name), 'submitted');
  });

  it('is not approved when its author may not submit it any more', async () => {
    for (const change of [
      'UPDATE staff SET disabled_at = world_now() WHERE staff_id = $1',
      `UPDATE staff SET role = 'support' WHERE staff_id = $1`,
      'UPDATE staff SET all_partners = false WHERE staff_id = $1',
    ]) {
      const author = await newAuthor();
      const name = await submitted(url, inEuro(5000), author);
      await sql.query(change, [author.staffId]);
      assert.equal((await refusedDraft(url, 'DraftApprove', name, approver)).error, 'author_not_allowed', change);
      assert.equal((await drafted(url, 'DraftRefuse', name, approver)).state, 'refused');
    }
  });

  for (const operation of ['DraftApprove', 'DraftRefuse'] as const) {
    it(`cannot be decided by a person who lost the right meanwhile: ${operation}`, async () => {
      const name = await submitted(url, inEuro(5000), await newAuthor());
      const demoted = await signedIn(sql, 'manager');
      const held = await holdDraft(sql, name.draft_id);
      const deciding = refusedDraft(url, operation, name, demoted);
      try {
        await held.isWaitedFor();
        await sql.query(`UPDATE staff SET role = 'viewer' WHERE staff_id = $1`, [demoted.staffId]);
      } finally {
        await held.letGo();
      }
      assert.equal((await deciding).error, 'not_allowed');
      assert.equal(await stateOf(name), 'submitted');
    });
  }

  it('is not approved at another cost than it was submitted with', async () => {
    const name = await submitted(url, inEuro(5000), await newAuthor());
    await sql.query(`UPDATE drafts SET exposure = '[{"currency":"EUR","amount":"4999.99"}]' WHERE draft_id = $1`, [
      name.draft_id,
    ]);
    const { error, details } = await refusedDraft(url, 'DraftApprove', name, approver);
    assert.deepEqual([error, details[0].field], ['draft_changed', 'max_exposure']);
  });

  it('needs the reason of both', async () => {
    const author = await newAuthor();
    const name = await saved(url, inEuro(5000), author);
    for (const operation of ['DraftSubmit', 'DraftApprove', 'DraftRefuse'] as const) {
      const { status, body } = await draftCall(url, operation, { ...name, reason: undefined }, author);
      assert.deepEqual([status, body.details[0].field], [400, 'reason'], operation);
    }
  });
});
