import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { accepted } from '../../../support/answers.ts';
import { call } from '../../../support/caller.ts';
import { later, setClock } from '../../../support/clock.ts';
import { testDatabase } from '../../../support/database.ts';
import { inEuro, submitted } from '../../../support/drafts.ts';
import { campaign, directIssue } from '../../../support/requests.ts';
import { testServer } from '../../../support/server.ts';
import { type Staff, session, signedIn, staffCall } from '../../../support/staff.ts';

// Free bets with terms of their own that staff give: they count against the limits as drafts do. Two servers on one database.

const { env, sql } = await testDatabase();
const settings = { ...env, APPROVAL_LIMITS: 'EUR:1000' };
const { url } = await testServer(settings);
const { url: otherUrl } = await testServer(settings);
const newSupport = () => signedIn(sql, 'support');

/** A direct free bet that can win this many euros. */
const ofEuros = (euros: number, changes: object = {}) =>
  directIssue({ quantity: euros, bet_amount: '1.00', config: { max_coefficient: '2.00' }, ...changes });

const issue = (who: Staff, body: object, at = url) =>
  staffCall(at, '/FreeBets/Issue', { client_id: 1, reason: 'A present', ...body }, who);

const heldBy = async ({ staffId }: Staff): Promise<number> => {
  const { rows } = await sql.query(
    'SELECT coalesce(sum(cents), 0)::int AS cents FROM unapproved_exposure WHERE staff_id = $1',
    [staffId],
  );
  return rows[0].cents;
};

describe('a free bet with terms of its own, given by staff', () => {
  it('is refused above the limit together with earlier free bets, with the reason', async () => {
    const support = await newSupport();
    const given = await issue(support, ofEuros(600));
    assert.equal(given.status, 200);
    const taken = { client_id: 1, issue_id: given.body.issue_id, reason: 'Given by mistake' };
    assert.equal((await staffCall(url, '/FreeBets/Cancel', taken, support)).status, 200, 'and counts all the same');
    const { status, body } = await issue(support, ofEuros(401));
    assert.deepEqual([status, body.error], [409, 'approval_needed']);
    assert.match(body.message, /^Changes of this kind need approval\./);
    const reason = 'is 401.00 EUR, with 600.00 given without approval in the last 24 hours, and the limit is 1000.00';
    assert.deepEqual(body.details, [{ field: 'max_exposure', reason }]);
    assert.equal((await issue(support, ofEuros(400))).status, 200, 'to the cent');
    assert.equal((await issue(support, ofEuros(1))).body.error, 'approval_needed');
    assert.equal((await issue(await newSupport(), ofEuros(1))).status, 200, 'everybody has a limit of their own');
  });

  it('is refused in a dry run as it would be, and nothing is held', async () => {
    const support = await newSupport();
    const tried = (body: object) => issue(support, { ...body, dry_run: true });
    const given = ofEuros(600, { issue_id: randomUUID() });
    const { status, body } = await tried(given);
    assert.deepEqual([status, body.dry_run, await heldBy(support)], [200, true, 0]);
    assert.equal((await issue(support, given)).status, 200);
    const [dry, real] = [await tried(ofEuros(401)), await issue(support, ofEuros(401))];
    assert.deepEqual([dry.status, dry.body.error, dry.body.details], [409, 'approval_needed', real.body.details]);
    assert.equal((await tried(ofEuros(400))).status, 200);
    assert.equal((await tried(given)).status, 200, 'a repeated issue returns the first response');
    assert.equal(await heldBy(support), 60_000);
  });

  it('needs a bound, and a currency that has a limit', async () => {
    const support = await newSupport();
    const unbounded = await issue(support, directIssue({ quantity: 1000, bet_amount: '100000.00' }));
    assert.deepEqual([unbounded.status, unbounded.body.error], [409, 'approval_needed']);
    assert.equal((await issue(support, ofEuros(1, { currency: 'USD' }))).body.error, 'approval_needed');
    assert.equal(await heldBy(support), 0);
  });

  it('counts once if repeated, and not at all if refused', async () => {
    const support = await newSupport();
    const body = ofEuros(600, { issue_id: randomUUID() });
    for (let i = 0; i < 3; i++) assert.equal((await issue(support, body)).status, 200);
    assert.equal((await issue(support, { ...body, player_id: 'another' })).body.error, 'id_reused');
    assert.equal(await heldBy(support), 60_000);
    assert.equal((await issue(support, ofEuros(100, { games: ['none'] }))).body.error, 'game_not_available');
    assert.equal(await heldBy(support), 60_000);
  });

  it('counts together with drafts, each under its own id', async () => {
    const manager = await signedIn(sql, 'manager');
    const { draft_id } = await submitted(url, inEuro(700), manager);
    assert.equal(await heldBy(manager), 70_000);
    assert.equal((await issue(manager, ofEuros(301, { issue_id: draft_id }))).body.error, 'approval_needed');
    assert.equal((await issue(manager, ofEuros(300, { issue_id: draft_id }))).status, 200);
  });

  it('counts for 24 hours', async (t) => {
    t.after(() => setClock(sql, null));
    const start = new Date().toISOString();
    await setClock(sql, start);
    const support = await newSupport();
    assert.equal((await issue(support, ofEuros(1000))).status, 200);
    await setClock(sql, later(start, 24 * 3_600_000 - 1));
    const again = { ...support, cookie: await session(sql, support.staffId) };
    assert.equal((await issue(again, ofEuros(1))).body.error, 'approval_needed');
    await setClock(sql, later(start, 24 * 3_600_000));
    assert.equal((await issue(again, ofEuros(1))).status, 200);
  });

  it('given many times at once on two servers is never more than the limit', async () => {
    const support = await newSupport();
    const ids = Array.from({ length: 12 }, () => randomUUID());
    // Each id with two contents, and each content from both servers.
    const answers = await Promise.all(
      ids.flatMap((issue_id) =>
        [url, otherUrl].flatMap((at) => [100, 150].map((euros) => issue(support, ofEuros(euros, { issue_id }), at))),
      ),
    );
    for (const { status, body } of answers) {
      assert.ok(status === 200 || ['approval_needed', 'id_reused'].includes(body.error), JSON.stringify(body));
    }
    const { rows } = await sql.query(
      'SELECT coalesce(sum(quantity), 0)::int AS euros FROM free_bets WHERE client_id = 1 AND issue_id = ANY ($1)',
      [ids],
    );
    assert.ok(rows[0].euros > 0 && rows[0].euros <= 1000, `${rows[0].euros} euros were given`);
    const held = await heldBy(support);
    assert.ok(held >= rows[0].euros * 100 && held <= 100_000, `${held} cents are counted for ${rows[0].euros} euros`);
  });
});

it('free bets of a campaign, and what partners give themselves, are not gated', async () => {
  const support = await newSupport();
  const { campaign_id } = accepted('CampaignCreate', await call(url, 'CampaignCreate', campaign()));
  const ofCampaign = { campaign_id, player_id: 'player-1', currency: 'EUR' };
  assert.equal((await issue(support, ofCampaign)).status, 200);
  assert.equal(await heldBy(support), 0);
  accepted('Issue', await call(url, 'Issue', directIssue({ quantity: 1000, bet_amount: '100000.00' })));
});
