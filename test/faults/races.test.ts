import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { afterEach, describe, it } from 'node:test';
import { type Answer, call } from '../support/caller.ts';
import { testDatabase } from '../support/database.ts';
import { readFeed } from '../support/feed.ts';
import { assertFoldsToRows } from '../support/fold.ts';
import { assertCountsHold } from '../support/invariants.ts';
import { times } from '../support/long.ts';
import { campaign, directIssue } from '../support/requests.ts';
import { serverProcess, testServer } from '../support/server.ts';

// Two servers on one database, each with the same request at the same moment. In every order in which they get
// their way, the answers must be those of some order.

const { env, sql } = await testDatabase();
const servers = await Promise.all([serverProcess(env), testServer(env)]);
const urls = servers.map(({ url }) => url) as [string, string];

/** How often each race is run. */
const rounds = times(10, 12);

const either = (i: number): string => urls[i % 2] ?? '';
const player = (i: number) => `player-${i}`;
const listOf = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));

/** How many answers there were of each kind: 200, or the code of the error. */
const tally = (answers: Answer[]) => {
  const counts: Record<number, number> = {};
  for (const { status, body } of answers) {
    const kind = status === 200 ? 200 : body.code;
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
};

const successes = (answers: Answer[]) => answers.filter(({ status }) => status === 200);

async function newCampaign(config: object, id = `c-${randomUUID()}`): Promise<string> {
  const answer = await call(urls[0], 'CampaignCreate', campaign({ campaign_id: id, config }));
  assert.equal(answer.status, 200, answer.text);
  return id;
}

const issueOf = <T extends object>(campaignId: string, changes: T = {} as T) => ({
  campaign_id: campaignId,
  player_id: 'player-1',
  currency: 'EUR',
  ...changes,
});

/** Sends the same request this many times at once, to the servers in turn. */
const many = (count: number, operation: Parameters<typeof call>[1], body: (i: number) => object) =>
  Promise.all(listOf(count, (i) => call(either(i), operation, body(i))));

afterEach(() => assertCountsHold(sql));

describe('limits, on two servers', () => {
  it('gives exactly the places there are', async () => {
    const id = await newCampaign({ bonus_limit: 57 });
    const answers = await many(400, 'Issue', (i) => issueOf(id, { player_id: player(i) }));
    assert.deepEqual(tally(answers), { 200: 57, 635: 343 });
  });

  it('gives one player exactly their places', async () => {
    const id = await newCampaign({ bonus_limit_per_user: 3 });
    const answers = await many(200, 'Issue', () => issueOf(id));
    assert.deepEqual(tally(answers), { 200: 3, 636: 197 });
  });

  it('gives the last place of many campaigns once each', async () => {
    const ids = await Promise.all(listOf(rounds * 2, () => newCampaign({ bonus_limit: 1 })));
    const answers = await Promise.all(ids.map((id) => many(6, 'Issue', (i) => issueOf(id, { player_id: player(i) }))));
    for (const each of answers) assert.deepEqual(tally(each), { 200: 1, 635: 5 });
  });

  it('counts the items of batches like issues of their own', async () => {
    const id = await newCampaign({ bonus_limit: 100, bonus_limit_per_user: 2 });
    const answers = await many(12, 'IssueBatch', () => ({
      items: listOf(60, (i) => issueOf(id, { player_id: player(i % 30) })),
    }));
    const results = answers.flatMap(({ body }) => body.results);
    const issued = results.filter((result) => result.error === undefined);
    assert.equal(issued.length, 60, 'thirty players, two places each');
    assert.ok(results.every(({ error }) => error === undefined || error.code === 636));
  });
});

describe('one issue_id at the same moment, on two servers', () => {
  const sameContent = async (body: (issueId: string) => object) => {
    for (const request of listOf(rounds, () => body(randomUUID()))) {
      const answers = await many(4, 'Issue', () => request);
      assert.deepEqual(tally(answers), { 200: 4 });
      for (const { body } of answers) assert.deepEqual(body, answers[0]?.body);
    }
  };

  it('issues directly once, and answers all alike', () => sameContent((id) => directIssue({ issue_id: id })));

  it('issues by campaign once, and answers all alike', async () => {
    const id = await newCampaign({});
    await sameContent((issueId) => issueOf(id, { issue_id: issueId }));
    const { body } = await call(urls[1], 'CampaignGet', { campaign_id: id });
    assert.equal(body.counts.issued, rounds);
  });

  it('answers all alike when it was the last place of the campaign', async () => {
    for (const id of await Promise.all(listOf(rounds, () => newCampaign({ bonus_limit: 1 })))) {
      const issue = issueOf(id, { issue_id: randomUUID() });
      const answers = await many(4, 'Issue', () => issue);
      assert.deepEqual(tally(answers), { 200: 4 });
    }
  });

  it('answers all alike when it was the last place of the player', async () => {
    const id = await newCampaign({ bonus_limit_per_user: 1 });
    for (const playerId of listOf(rounds, player)) {
      const issue = issueOf(id, { issue_id: randomUUID(), player_id: playerId });
      const answers = await many(4, 'Issue', () => issue);
      assert.deepEqual(tally(answers), { 200: 4 });
    }
  });

  it('answers all alike when it was the last place, and is cancelled at that moment', async () => {
    for (const id of await Promise.all(listOf(rounds, () => newCampaign({ bonus_limit: 1 })))) {
      const issue = issueOf(id, { issue_id: randomUUID() });
      const [cancelled, ...answers] = await Promise.all([
        call(urls[0], 'Cancel', { issue_id: issue.issue_id }),
        ...listOf(4, (i) => call(either(i), 'Issue', issue)),
      ]);
      assert.deepEqual(tally(answers), { 200: 4 });
      assert.ok([200, 610].includes(cancelled.status === 200 ? 200 : cancelled.body.code), cancelled.text);
    }
  });

  it('issues two equal batches once, for any order of their items', async () => {
    const id = await newCampaign({});
    for (let round = 0; round < rounds / 5; round++) {
      const items = listOf(200, (i) =>
        i % 2 === 0 ? issueOf(id, { issue_id: randomUUID() }) : directIssue({ issue_id: randomUUID() }),
      );
      const answers = await Promise.all([
        call(urls[0], 'IssueBatch', { items }),
        call(urls[1], 'IssueBatch', { items: items.toReversed() }),
      ]);
      const [results, reversed] = answers.map(({ status, body, text }) => {
        assert.equal(status, 200, text);
        return body.results;
      });
      assert.ok(results.every((result: { error?: unknown }) => result.error === undefined));
      assert.deepEqual(reversed.toReversed(), results);
    }
  });

  it('lets one of several campaigns win, and refuses the others for their id', async () => {
    for (let round = 0; round < rounds; round++) {
      const ids = await Promise.all(listOf(4, () => newCampaign({ bonus_limit: 1 })));
      const issueId = randomUUID();
      const answers = await many(4, 'Issue', (i) => issueOf(ids[i] ?? '', { issue_id: issueId }));
      assert.deepEqual(tally(answers), { 200: 1, 409: 3 });
    }
  });

  it('lets one of several contents win, and refuses the others', async () => {
    for (const issueId of listOf(rounds, () => randomUUID())) {
      const answers = await many(4, 'Issue', (i) => directIssue({ issue_id: issueId, player_id: player(i) }));
      assert.deepEqual(tally(answers), { 200: 1, 409: 3 });
      const { body } = await call(urls[0], 'FreeBetGet', { issue_id: issueId });
      assert.equal(body.player_id, successes(answers)[0]?.body.player_id);
    }
  });

  it('lets one content win for the last place of a campaign, and refuses the others for their id', async () => {
    for (const id of await Promise.all(listOf(rounds, () => newCampaign({ bonus_limit: 1 })))) {
      const issueId = randomUUID();
      const answers = await many(4, 'Issue', (i) => issueOf(id, { issue_id: issueId, player_id: player(i) }));
      assert.deepEqual(tally(answers), { 200: 1, 409: 3 });
    }
  });
});

describe('one campaign_id at the same moment, on two servers', () => {
  it('creates it once, and answers all alike', async () => {
    for (const id of listOf(rounds, () => randomUUID())) {
      const request = campaign({ campaign_id: id });
      const answers = await many(4, 'CampaignCreate', () => request);
      assert.deepEqual(tally(answers), { 200: 4 });
      for (const { body } of answers) assert.deepEqual(body, { campaign_id: id });
    }
  });

  it('lets one of several contents win, and refuses the others', async () => {
    for (const id of listOf(rounds, () => randomUUID())) {
      const answers = await many(4, 'CampaignCreate', (i) => campaign({ campaign_id: id, quantity: i + 1 }));
      assert.deepEqual(tally(answers), { 200: 1, 409: 3 });
      const winner = answers.findIndex(({ status }) => status === 200);
      const { body } = await call(urls[0], 'CampaignGet', { campaign_id: id });
      assert.equal(body.quantity, winner + 1);
    }
  });

  it('creates several in opposite orders without getting in its own way', async () => {
    const ids = listOf(10, () => randomUUID());
    const requests = ids.map((id) => campaign({ campaign_id: id }));
    const answers = await Promise.all([
      ...requests.map((request) => call(urls[0], 'CampaignCreate', request)),
      ...requests.toReversed().map((request) => call(urls[1], 'CampaignCreate', request)),
    ]);
    assert.deepEqual(tally(answers), { 200: 20 });
  });
});

describe('cancelling and issuing at the same moment, on two servers', () => {
  const limit = 20;

  it('never gives more places than were given back, and gives those in the end', async () => {
    const id = await newCampaign({ bonus_limit: limit, bonus_limit_per_user: 2 });
    const held = await many(limit, 'Issue', (i) => issueOf(id, { player_id: player(i % 10) }));
    assert.deepEqual(tally(held), { 200: limit });
    const cancelled = held.slice(0, 8);
    const [cancels, issues] = await Promise.all([
      many(8, 'Cancel', (i) => ({ issue_id: cancelled[i]?.body.issue_id })),
      many(40, 'Issue', (i) => issueOf(id, { player_id: player(100 + i) })),
    ]);
    assert.deepEqual(tally(cancels), { 200: 8 });
    assert.ok(successes(issues).length <= 8);
    await assertCountsHold(sql);
    const rest = await many(20, 'Issue', (i) => issueOf(id, { player_id: player(200 + i) }));
    assert.equal(successes(issues).length + successes(rest).length, 8);
  });

  it('gives one place back for a free bet cancelled on both servers', async () => {
    const id = await newCampaign({ bonus_limit: 1, bonus_limit_per_user: 1 });
    for (let round = 0; round < rounds; round++) {
      const [issued] = await many(1, 'Issue', () => issueOf(id));
      const cancels = await many(4, 'Cancel', () => ({ issue_id: issued?.body.issue_id }));
      assert.deepEqual(tally(cancels), { 200: 4 });
    }
    const { body } = await call(urls[0], 'CampaignGet', { campaign_id: id });
    assert.deepEqual([body.counts.issued, body.counts.cancelled, body.status], [rounds, rounds, 'active']);
  });

  it('leaves a free bet cancelled, or never issued, when it is issued and cancelled at once', async () => {
    const id = await newCampaign({ bonus_limit: 1000 });
    for (const issueId of listOf(rounds, () => randomUUID())) {
      const [issued, cancelled] = await Promise.all([
        call(urls[0], 'Issue', issueOf(id, { issue_id: issueId })),
        call(urls[1], 'Cancel', { issue_id: issueId }),
      ]);
      assert.equal(issued.status, 200);
      const { body } = await call(urls[1], 'FreeBetGet', { issue_id: issueId });
      assert.equal(body.status, cancelled.status === 200 ? 'cancelled' : 'active');
      if (cancelled.status !== 200) assert.equal(cancelled.body.code, 610);
    }
  });
});

describe('stopping and issuing at the same moment, on two servers', () => {
  it('issues nothing any more once the stop has been answered', async () => {
    const id = await newCampaign({});
    const early = many(60, 'Issue', (i) => issueOf(id, { player_id: player(i) }));
    const stopped = await call(urls[0], 'CampaignStop', { campaign_id: id });
    assert.equal(stopped.status, 200);
    const late = await many(20, 'Issue', (i) => issueOf(id, { player_id: player(i) }));
    assert.deepEqual(tally(late), { 633: 20 });
    const counts = tally(await early);
    assert.equal((counts[200] ?? 0) + (counts[633] ?? 0), 60);
  });
});

it('and all its events add up to what there is', async () => {
  await assertFoldsToRows(sql, await readFeed(urls[0]));
});
