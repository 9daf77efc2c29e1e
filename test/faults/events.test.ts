import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { EventBody, OperationName } from '@freebets/contract';
import { lockEventHeads } from '../../packages/server/src/engine/clock.ts';
import { ask as askDatabase } from '../../packages/server/src/engine/statement.ts';
import { findEventsAfter } from '../../packages/server/src/events/feed/sql/events.ts';
import { insertEvents } from '../../packages/server/src/promo/batch/sql/events.ts';
import { cacheCampaignDefinitions } from '../../packages/server/src/promo/campaigns/sql/definitions.ts';
import { type Answer, call, rival } from '../support/caller.ts';
import { testDatabase } from '../support/database.ts';
import { type AtCommit, databaseProxy } from '../support/database-proxy.ts';
import { follow, readFeed } from '../support/feed.ts';
import { assertFoldsToRows, eventKey } from '../support/fold.ts';
import { somebodyWaits } from '../support/held-batch.ts';
import { inParallel } from '../support/load.ts';
import { times } from '../support/long.ts';
import { callAs, lantern } from '../support/provider.ts';
import { campaign, directIssue, games } from '../support/requests.ts';
import { otherServer, serverProcess, testServer } from '../support/server.ts';
import { until } from '../support/waiting.ts';

// Two servers write for one partner as fast as they can, while readers turn pages at both. Every reader sees every event
// once and in order; every acknowledged change has an event; and the events add up to the rows. The same when a
// server is killed in the middle, and when connections to the database are cut at their COMMIT.

const stories = times(300, 340);

const { env, sql } = await testDatabase();
const hurried = { ...env, SWEEP_PAUSE_MS: '20' };
const steady = await testServer(hurried);

interface Sent {
  name: OperationName;
  body: object;
  /** The event that an acknowledged change must have. */
  emitted: string;
  answer: Answer | undefined;
}

interface Work {
  urls: [string, string];
  campaigns: string[];
  sent: Sent[];
}

const isUnsure = ({ answer }: Sent) => answer === undefined || answer.status === 503;

const send = (url: string, name: OperationName, body: object): Promise<Answer> =>
  name.startsWith('Rounds') ? callAs(lantern, url, name, body) : call(url, name, body);

/** Whether it was acknowledged. */
async function ask(
  { urls, sent }: Work,
  i: number,
  name: OperationName,
  body: object,
  emitted: string,
): Promise<boolean> {
  const answer = await send(urls[i % 2] as string, name, body).catch(() => undefined);
  sent.push({ name, body, emitted, answer });
  // A server that is gone, or without its database, responds at once: the requests must not all be done before it is back.
  if (answer === undefined || answer.status === 503) await setTimeout(200);
  return answer?.status === 200;
}

/** What becomes of one free bet; each request goes to another server than the one before. */
async function story(work: Work, i: number): Promise<void> {
  const issue_id = randomUUID();
  const player_id = `player-${i % 50}`;
  const campaign_id = work.campaigns[i % 4];
  const soon = new Date(Date.now() + 300).toISOString();
  const issue =
    campaign_id === undefined
      ? directIssue({ issue_id, player_id, quantity: 2, ...(i % 3 > 0 && { valid_until: soon }) })
      : { issue_id, campaign_id, player_id, currency: 'EUR' };
  if (!(await ask(work, i, 'Issue', issue, eventKey('freebet.issued', issue_id)))) return;
  const cancel = (server: number) => ask(work, server, 'Cancel', { issue_id }, eventKey('freebet.cancelled', issue_id));
  const bet = (server: number, bet_id: string) => {
    const body = { bet_id, issue_id, player_id, game_id: games.one };
    return ask(work, server, 'RoundsBet', body, eventKey('freebet.used', bet_id));
  };
  const settle = (server: number, bet_id: string) => {
    const body = server % 3 === 0 ? { bet_id, result: 'lost' } : { bet_id, result: 'won', coefficient: '2.35' };
    return ask(work, server, 'RoundsSettle', body, eventKey('freebet.settled', bet_id));
  };
  const rollback = (server: number, bet_id: string) =>
    ask(work, server, 'RoundsRollback', { bet_id }, eventKey('freebet.rolled_back', bet_id));
  const [one, two] = [randomUUID(), randomUUID()];
  switch (i % 4 === 1 ? 0 : i % 5) {
    case 0:
      await cancel(i + 1);
      return;
    case 1:
      // Both at once: one of them succeeds.
      await Promise.all([bet(i, one), cancel(i + 1)]);
      return;
    case 2:
      if (await bet(i + 1, one)) await Promise.all([settle(i, one), bet(i + 1, two)]);
      await settle(i + 1, two);
      return;
    case 3:
      if (await bet(i, one)) await rollback(i + 1, one);
      return;
  }
}

async function newWork(urls: [string, string]): Promise<Work> {
  // The second is full again and again, because its free bets are cancelled.
  const limits = [undefined, 3, 100];
  const campaigns: string[] = [];
  for (const bonus_limit of limits) {
    const campaign_id = `c-${randomUUID()}`;
    const request = campaign({ campaign_id, quantity: 2, config: bonus_limit === undefined ? {} : { bonus_limit } });
    const { status, text } = await call(steady.url, 'CampaignCreate', request);
    assert.equal(status, 200, text);
    campaigns.push(campaign_id);
  }
  return { urls, campaigns, sent: [] };
}

/** What got no answer, or 503, is sent again with the same ids, as a partner would. */
async function sendAgain({ sent }: Work): Promise<number> {
  const unsure = sent.filter(isUnsure);
  await inParallel(unsure, 16, async (each) => {
    each.answer = await send(steady.url, each.name, each.body);
    assert.ok(each.answer.status < 500, each.answer.text);
  });
  return unsure.length;
}

/** Includes expiring free bets: swept between two reads, they would be in the rows and not in the feed. */
const isSwept = async () => {
  const { rows } = await sql.query(
    "SELECT 1 FROM free_bets WHERE NOT swept AND expires_at <= world_now() + interval '1 minute'",
  );
  return rows.length === 0;
};

/** Runs the stories with concurrent readers and the fault `meanwhile`. Returns the number of repeated requests. */
async function playStories(
  t: TestContext,
  work: Work,
  meanwhile: (isOver: () => boolean) => Promise<void>,
): Promise<number> {
  const sizes = [1, 3, 10, 100, 1000];
  const readers = [
    follow(work.urls, () => 1000),
    follow(work.urls, (page) => sizes[page % sizes.length] as number),
    follow(work.urls.toReversed(), () => 25),
  ];
  const played = inParallel(Array(stories).keys(), 32, (i) => story(work, i));
  let isOver = false;
  const end = () => {
    isOver = true;
  };
  played.then(end, end);
  await Promise.all([played, meanwhile(() => isOver)]);
  const again = await sendAgain(work);
  for (const campaign_id of work.campaigns) {
    await ask(work, 0, 'CampaignStop', { campaign_id }, eventKey('campaign.stopped', campaign_id));
  }
  await until('all are swept', 60_000, isSwept);
  const feed = await readFeed(steady.url);
  // Later expiries emit events too.
  for (const reader of readers) assert.deepEqual((await reader.end()).slice(0, feed.length), feed);
  const { emitted: keys } = await assertFoldsToRows(sql, feed);
  const acknowledged = work.sent.filter(({ answer }) => answer?.status === 200);
  assert.deepEqual(
    acknowledged.map((each) => each.emitted).filter((key) => !keys.has(key)),
    [],
    'acknowledged without an event',
  );
  t.diagnostic(`${acknowledged.length} acknowledged, ${again} sent again, ${feed.length} events`);
  const count = (type: EventBody['type']) => feed.filter((event) => event.type === type).length;
  for (const type of ['campaign.exhausted', 'freebet.expired', 'freebet.finished'] as const) {
    assert.ok(count(type) > 10, `${count(type)} × ${type}`);
  }
  return again;
}

/** A server has taken a number and takes its time to commit, while another issues. Returns the events read then. */
async function whileANumberIsTaken(end: 'COMMIT' | 'ROLLBACK'): Promise<number[]> {
  const issue = () => call(steady.url, 'Issue', directIssue(), rival);
  assert.equal((await issue()).status, 200);
  const before = (await readFeed(steady.url, rival)).length;
  const slow = await sql.connect();
  try {
    const { events: known } = await findEventsAfter(slow, cacheCampaignDefinitions(1), rival.clientId, 0, 1);
    const emitted = known.map((event) => event.emitted);
    await slow.query('BEGIN');
    const [head] = await askDatabase(slow, lockEventHeads([rival.clientId], 'wait'));
    const events = new Map([[rival.clientId, { after: Number(head?.last_sequence), at: Date.now(), emitted }]]);
    for (const statement of insertEvents(events)) await askDatabase(slow, statement);
    const issued = issue();
    await somebodyWaits(sql);
    assert.deepEqual(await readFeed(steady.url, rival, before), [], 'nothing is read before what comes first');
    await slow.query(end);
    assert.equal((await issued).status, 200);
  } finally {
    slow.release(true);
  }
  return (await readFeed(steady.url, rival, before)).map(({ sequence }) => sequence - before);
}

test('the first number is read first, however long its commit takes', async () => {
  assert.deepEqual(await whileANumberIsTaken('COMMIT'), [1, 2]);
});

test('a number that was taken and not used is given again', async () => {
  assert.deepEqual(await whileANumberIsTaken('ROLLBACK'), [1]);
});

/** How long the database takes for an answer, including the part of the pause that was too long. */
async function answerTime(): Promise<number> {
  const began = performance.now();
  await setTimeout(50);
  await sql.query('SELECT 1');
  return performance.now() - began - 50;
}

test('readers miss nothing while two servers write', async (t) => {
  const other = await otherServer(hurried);
  const work = await newWork([steady.url, other.url]);
  let longestMs = 0;
  const again = await playStories(t, work, async (isOver) => {
    while (!isOver()) longestMs = Math.max(longestMs, await answerTime());
  });
  // A server refuses requests while its database does not answer for 4.8 s, for example because the machine stalls.
  assert.ok(again === 0 || longestMs > 2400, `${again} were refused, and the database answered within ${longestMs} ms`);
});

test('nor when a server is killed in the middle', async (t) => {
  const victim = await serverProcess(hurried);
  const work = await newWork([steady.url, victim.url]);
  const again = await playStories(t, work, async () => {
    await until('half of the work is done', 30_000, () => work.sent.length > stories * 0.6);
    await victim.end('SIGKILL');
  });
  assert.ok(again > 0, 'it was killed with requests under way');
});

test('nor when connections to the database are cut at their COMMIT', async (t) => {
  const proxy = await databaseProxy(hurried);
  const cut = await otherServer(proxy.env);
  const work = await newWork([steady.url, cut.url]);
  let commits = 0;
  const fates: AtCommit[] = ['pass', 'pass', 'cut before', 'pass', 'pass', 'cut after'];
  proxy.atCommit = () => fates[++commits % fates.length] as AtCommit;
  const again = await playStories(t, work, async (isOver) => {
    await until('connections cut', 30_000, () => commits > stories * 0.06 || isOver());
    proxy.atCommit = () => 'pass';
  });
  assert.ok(commits > 6 && again > 0, 'connections were cut before and after, with requests under way');
});
