import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { type Answer, call, rival } from '../support/caller.ts';
import { testDatabase } from '../support/database.ts';
import { holdCampaign } from '../support/held-batch.ts';
import { assertCountsHold } from '../support/invariants.ts';
import { campaign, directIssue } from '../support/requests.ts';
import { laneDepth, testServer } from '../support/server.ts';
import { stopwatch, until } from '../support/waiting.ts';

// What a lane does when it cannot keep up: too many wait, they wait too long, or one of them cannot be carried out.

const { env, sql } = await testDatabase();

const issueOf = (campaignId: string, changes: object = {}) => ({
  issue_id: randomUUID(),
  campaign_id: campaignId,
  player_id: 'player-1',
  currency: 'EUR',
  ...changes,
});

async function newCampaign(url: string, config: object = {}): Promise<string> {
  const id = randomUUID();
  const created = await call(url, 'CampaignCreate', campaign({ campaign_id: id, config }));
  assert.equal(created.status, 200, created.text);
  return id;
}

function assertUnavailable({ status, body, headers, text }: Answer): void {
  assert.deepEqual([status, body.error], [503, 'unavailable'], text);
  assert.match(String(headers['retry-after']), /^[1-9]\d*$/);
}

/** Resolves when this many commands wait in the lanes of the server, behind the running batch. */
const isDeep = (url: string, depth: number) =>
  until(`${depth} commands waiting`, 10_000, () => laneDepth(url) === depth);

async function assertNeverHappened(url: string, issues: { issue_id: string }[]): Promise<void> {
  for (const { issue_id } of issues) {
    const { status, text } = await call(url, 'FreeBetGet', { issue_id });
    assert.equal(status, 404, text);
  }
}

describe('a lane with a small queue', async () => {
  const { url } = await testServer({ ...env, LANE_QUEUE: '5' });

  it('answers 503 at once when it is full, keeps what it has taken, and takes more afterwards', async () => {
    const id = await newCampaign(url);
    const held = await holdCampaign(sql, id);
    const taken = call(url, 'Issue', issueOf(id));
    await held.isWaitedFor();
    const issues = Array.from({ length: 12 }, () => issueOf(id));
    const waiting = issues.map((issue) => call(url, 'Issue', issue));
    // Those refused are answered while the row is still held; the others cannot be.
    const early: Answer[] = [];
    for (const request of waiting) void request.then((answer) => early.push(answer));
    await until('the refusals', 5000, () => early.length === 7);
    early.forEach(assertUnavailable);

    const other = await call(url, 'Issue', directIssue(), rival);
    assert.equal(other.status, 200, 'the lane of another partner has room');
    assert.equal((await call(url, 'FreeBetList', {})).status, 200, 'reads wait for no lane');
    await held.letGo();
    const answers = await Promise.all([taken, ...waiting]);
    assert.equal(answers.filter(({ status }) => status === 200).length, 6);
    const refused = issues.filter((_, i) => answers[i + 1]?.status === 503);
    await assertNeverHappened(url, refused);
    for (const issue of refused) assert.equal((await call(url, 'Issue', issue)).status, 200);
    await assertCountsHold(sql);
  });

  it('takes a batch whole or not at all', async () => {
    const id = await newCampaign(url);
    const held = await holdCampaign(sql, id);
    const taken = call(url, 'Issue', issueOf(id));
    await held.isWaitedFor();
    const batch = () => call(url, 'IssueBatch', { items: Array.from({ length: 4 }, () => issueOf(id)) });
    const both = [batch(), batch()];
    assertUnavailable(await Promise.race(both));
    await held.letGo();
    const answered = (await Promise.all(both)).filter(({ status }) => status === 200);
    assert.equal(answered.length, 1);
    assert.ok(answered[0]?.body.results.every((result: { error?: unknown }) => result.error === undefined));
    assert.equal((await taken).status, 200);
  });
});

describe('a request that has waited past its deadline', async () => {
  const deadlineMs = 3000;
  const { url } = await testServer({ ...env, REQUEST_DEADLINE_MS: String(deadlineMs) });

  it('is answered 503 and not carried out, in the batch under way as behind it', async () => {
    const id = await newCampaign(url, { bonus_limit: 10 });
    const held = await holdCampaign(sql, id);
    const [began, countedMs] = [performance.now(), stopwatch()];
    const issues = Array.from({ length: 5 }, () => issueOf(id));
    const [first, ...later] = issues;
    const underWay = call(url, 'Issue', first ?? {});
    await held.isWaitedFor();
    const direct = { ...directIssue(), issue_id: randomUUID() };
    // The direct issue needs no lock. It comes first, so that its deadline is not the last: alone, it would be carried out.
    const behind = [call(url, 'Issue', direct), ...later.map((issue) => call(url, 'Issue', issue))];
    for (const answer of await Promise.all([underWay, ...behind])) assertUnavailable(answer);
    assert.ok(performance.now() - began >= deadlineMs - 100 && countedMs() < deadlineMs + 3000, `${countedMs()} ms`);
    await held.letGo();
    await assertNeverHappened(url, [...issues, direct]);

    // The same requests, sent again, now succeed; and nothing that was refused happens late.
    for (const request of [...issues, direct]) assert.equal((await call(url, 'Issue', request)).status, 200);
    const { body } = await call(url, 'CampaignGet', { campaign_id: id });
    assert.equal(body.counts.issued, 5);
    await assertCountsHold(sql);
  });

  it('does not delay others: the lane works again as soon as the row is free', async () => {
    const id = await newCampaign(url);
    const held = await holdCampaign(sql, id);
    const refused = call(url, 'Issue', issueOf(id));
    await held.isWaitedFor();
    await held.letGo();
    assert.equal((await refused).status, 200, 'in time after all');
    assert.equal((await call(url, 'Issue', issueOf(id))).status, 200);
  });
});

describe('a command that cannot be carried out', async () => {
  const { url } = await testServer(env);
  const cause = 'the cellar is flooded';
  await sql.query(`CREATE FUNCTION spoil() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION '${cause}'; END $$`);
  await sql.query(`CREATE TRIGGER spoil BEFORE INSERT ON free_bets FOR EACH ROW
    WHEN (NEW.player_id = 'spoilt') EXECUTE FUNCTION spoil()`);

  function assertFailedAlone({ status, body, text }: Answer): void {
    assert.equal(status, 500);
    assert.deepEqual(Object.keys(body).sort(), ['code', 'doc_url', 'error', 'message', 'request_id']);
    assert.deepEqual([body.code, body.error], [500, 'internal_error']);
    assert.doesNotMatch(text, /cellar|flood|spoil|P0001|sql|postgres|free_bets|trigger/i);
  }

  it('fails alone: the other commands of its transaction succeed, once each', async () => {
    const id = await newCampaign(url, { bonus_limit: 50, bonus_limit_per_user: 1 });
    const held = await holdCampaign(sql, id);
    const opener = call(url, 'Issue', issueOf(id, { player_id: 'opener' }));
    await held.isWaitedFor();
    const players = ['a', 'b', 'spoilt', 'c', 'd', 'e'];
    const issues = players.map((player_id) => issueOf(id, { player_id }));
    const together = issues.map((issue) => call(url, 'Issue', issue));
    await isDeep(url, players.length);
    await held.letGo();
    const answers = await Promise.all(together);
    assert.equal((await opener).status, 200);
    for (const [i, answer] of answers.entries()) {
      if (players[i] === 'spoilt') assertFailedAlone(answer);
      else assert.equal(answer.status, 200, answer.text);
    }
    await assertNeverHappened(url, issues.slice(2, 3));
    const { body } = await call(url, 'CampaignGet', { campaign_id: id });
    assert.equal(body.counts.issued, 6);
    await assertCountsHold(sql);
  });

  it('is one item among others in a batch', async () => {
    const id = await newCampaign(url, { bonus_limit: 3, bonus_limit_per_user: 1 });
    const items = ['spoilt', 'a', 'b', 'spoilt', 'c', 'd'].map((player_id) => issueOf(id, { player_id }));
    const { status, body, text } = await call(url, 'IssueBatch', { items });
    assert.equal(status, 200, text);
    const codes = body.results.map((result: { error?: { code: number } }) => result.error?.code ?? 200);
    assert.deepEqual(codes, [500, 200, 200, 500, 200, 635]);
    assert.doesNotMatch(text, /cellar|P0001|trigger/i);
    await assertCountsHold(sql);
  });

  it('leaves the service as it was', async () => {
    const id = await newCampaign(url);
    for (let i = 0; i < 30; i++) {
      assertFailedAlone(await call(url, 'Issue', issueOf(id, { player_id: 'spoilt' })));
    }
    assert.equal((await call(url, 'Issue', issueOf(id))).status, 200);
  });
});
