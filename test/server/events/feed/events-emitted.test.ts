import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import type { EventBody, OperationName } from '@freebets/contract';
import { accepted, refused } from '../../../support/answers.ts';
import { type Answer, call, demo } from '../../../support/caller.ts';
import { later, setClock } from '../../../support/clock.ts';
import { testDatabase } from '../../../support/database.ts';
import { readFeed } from '../../../support/feed.ts';
import { holdPartner } from '../../../support/held-batch.ts';
import { callAs, lantern } from '../../../support/provider.ts';
import { campaign, directIssue, games } from '../../../support/requests.ts';
import { laneDepth, testServer } from '../../../support/server.ts';
import { until } from '../../../support/waiting.ts';

// Every kind of event, with all its fields: the state at the time of the event, regardless of later changes. No sweeper
// runs here, and the clock moves only when a test moves it.

const { env, sql } = await testDatabase();
const { url } = await testServer({ ...env, SWEEP_PAUSE_MS: '3600000' });

const start = '2027-03-01T12:00:00.123Z';
const validFrom = later(start, 3_600_000);
const validUntil = later(start, 7_200_000);
const player_id = 'walker';
const game_id = games.one;
const terms = { valid_from: validFrom, valid_until: validUntil };
const limits = { min_coefficient: '1.2', max_coefficient: '5' };
await setClock(sql, start);

const done = async (name: OperationName, body: object) => accepted(name, await call(url, name, body));
const doneAs = async (name: OperationName, body: object) => accepted(name, await callAs(lantern, url, name, body));

let read = 0;
/** The events since the last call. */
async function emitted(): Promise<EventBody[]> {
  const events = await readFeed(url, demo, read);
  read += events.length;
  return events;
}

/** Everything of the events but their ids; numbers go on from the last event. */
async function assertEmitted(expected: { type: string; at: string; data: object }[]): Promise<void> {
  const first = read + 1;
  const events = (await emitted()).map(({ event_id: _, ...rest }) => rest);
  assert.deepEqual(
    events,
    expected.map(({ type, at, data }, i) => ({ sequence: first + i, type, occurred_at: at, client_id: 1, data })),
  );
}

const assertNoEvents = async () => assert.deepEqual(await emitted(), []);

const campaignBody = (campaign_id: string, changes: object = {}) => ({
  campaign_id,
  name: 'A campaign',
  quantity: 3,
  ...terms,
  games: [game_id],
  bet_amounts: [
    { currency: 'EUR', amount: '1.00' },
    { currency: 'USD', amount: '1.20' },
  ],
  duration_min: null,
  stake_returned: false,
  config: { bonus_limit: null, bonus_limit_per_user: null, min_coefficient: null, max_coefficient: null },
  status: 'scheduled',
  created_at: start,
  stopped_at: null,
  paused_at: null,
  limits_changed_at: null,
  ...changes,
});

const freeBetBody = (issue_id: string, changes: object = {}) => ({
  issue_id,
  campaign_id: null,
  status: 'issued',
  player_id,
  currency: 'EUR',
  bet_amount: '1.00',
  quantity: 3,
  remaining: 3,
  games: [game_id],
  config: { min_coefficient: null, max_coefficient: null },
  ...terms,
  expires_at: validUntil,
  issued_at: start,
  ...changes,
});

test('a campaign has an event when it is created, whenever it is full, and when it is stopped', async () => {
  const request = campaign({ campaign_id: 'c', ...terms, config: { bonus_limit: 2, ...limits } });
  await done('CampaignCreate', request);
  await done('CampaignCreate', request);
  refused('id_reused', await call(url, 'CampaignCreate', { ...request, quantity: 4 }));
  refused('invalid_validity', await call(url, 'CampaignCreate', campaign({ valid_until: start })));
  const config = { bonus_limit: 2, bonus_limit_per_user: null, min_coefficient: '1.20', max_coefficient: '5.00' };
  const of = (changes: object) => ({ campaign: campaignBody('c', { config, ...changes }) });
  await assertEmitted([{ type: 'campaign.created', at: start, data: of({}) }]);

  const byCampaign = { campaign_id: 'c', player_id, currency: 'USD' };
  const [one, two, three] = [randomUUID(), randomUUID(), randomUUID()];
  const freeBet = (id: string, changes: object = {}) => ({
    free_bet: freeBetBody(id, {
      campaign_id: 'c',
      currency: 'USD',
      bet_amount: '1.20',
      config: { min_coefficient: '1.20', max_coefficient: '5.00' },
      ...changes,
    }),
  });
  await done('Issue', { ...byCampaign, issue_id: one });
  await assertEmitted([{ type: 'freebet.issued', at: start, data: freeBet(one) }]);
  for (let i = 0; i < 2; i++) await done('Issue', { ...byCampaign, issue_id: two });
  refused('bonus_limit_reached', await call(url, 'Issue', byCampaign));
  await assertEmitted([
    { type: 'freebet.issued', at: start, data: freeBet(two) },
    { type: 'campaign.exhausted', at: start, data: of({ status: 'exhausted' }) },
  ]);

  const after = later(start, 1);
  await setClock(sql, after);
  for (let i = 0; i < 2; i++) await done('Cancel', { issue_id: one });
  await assertEmitted([{ type: 'freebet.cancelled', at: after, data: freeBet(one, { status: 'cancelled' }) }]);
  await done('Issue', { ...byCampaign, issue_id: three });
  await assertEmitted([
    { type: 'freebet.issued', at: after, data: freeBet(three, { issued_at: after }) },
    { type: 'campaign.exhausted', at: after, data: of({ status: 'exhausted' }) },
  ]);

  await setClock(sql, validFrom);
  await done('CampaignStop', { campaign_id: 'c' });
  await setClock(sql, later(validFrom, 1));
  await done('CampaignStop', { campaign_id: 'c' });
  refused('campaign_stopped', await call(url, 'Issue', byCampaign));
  refused('campaign_not_found', await call(url, 'CampaignStop', { campaign_id: 'nowhere' }));
  const stopped = of({ status: 'stopped', stopped_at: validFrom });
  await assertEmitted([{ type: 'campaign.stopped', at: validFrom, data: stopped }]);
});

const betBody = (bet_id: string, at: string, changes: object = {}) => ({
  bet_id,
  game_id,
  status: 'placed',
  coefficient: null,
  win_amount: null,
  placed_at: at,
  settled_at: null,
  ...changes,
});

test('the bets of a free bet have events from the first to the last, and then one that it is finished', async () => {
  await setClock(sql, validFrom);
  const issue_id = randomUUID();
  const [first, second, third, fourth] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
  const free = (status: string, remaining: number) => ({
    free_bet: freeBetBody(issue_id, {
      status,
      remaining,
      config: { min_coefficient: '1.20', max_coefficient: '5.00' },
      issued_at: validFrom,
    }),
  });
  await done('Issue', directIssue({ issue_id, player_id, ...terms, config: limits }));
  await assertEmitted([{ type: 'freebet.issued', at: validFrom, data: free('active', 3) }]);

  const bet = (bet_id: string, more: object = {}) =>
    callAs(lantern, url, 'RoundsBet', { bet_id, issue_id, player_id, game_id, ...more });
  for (let i = 0; i < 2; i++) accepted('RoundsBet', await bet(first));
  accepted('RoundsBet', await bet(second, { coefficient: '4.5' }));
  refused('coefficient_out_of_range', await bet(third, { coefficient: '5.01' }));
  refused('free_bet_already_used', await call(url, 'Cancel', { issue_id }));
  const odds = { coefficient: '4.50' };
  await assertEmitted([
    { type: 'freebet.used', at: validFrom, data: { ...free('in_use', 2), bet: betBody(first, validFrom) } },
    { type: 'freebet.used', at: validFrom, data: { ...free('in_use', 1), bet: betBody(second, validFrom, odds) } },
  ]);

  const after = later(validFrom, 1);
  await setClock(sql, after);
  for (let i = 0; i < 2; i++) await doneAs('RoundsRollback', { bet_id: second });
  const taken = betBody(second, validFrom, { ...odds, status: 'rolled_back' });
  await assertEmitted([{ type: 'freebet.rolled_back', at: after, data: { ...free('in_use', 2), bet: taken } }]);

  for (let i = 0; i < 2; i++) await doneAs('RoundsSettle', { bet_id: first, result: 'won', coefficient: '250.75' });
  refused('bet_already_settled', await callAs(lantern, url, 'RoundsSettle', { bet_id: first, result: 'lost' }));
  const settled = { placed_at: validFrom, settled_at: after };
  const won = betBody(first, validFrom, { ...settled, status: 'won', coefficient: '5.00', win_amount: '4.00' });
  await assertEmitted([{ type: 'freebet.settled', at: after, data: { ...free('in_use', 2), bet: won } }]);

  accepted('RoundsBet', await bet(third, { coefficient: '3' }));
  accepted('RoundsBet', await bet(fourth, { coefficient: '2.3456' }));
  assert.deepEqual(
    (await emitted()).map(({ data }) => 'bet' in data && [data.free_bet.remaining, data.bet.coefficient]),
    [
      [1, '3.00'],
      [0, '2.3456'],
    ],
  );
  await setClock(sql, validUntil);
  await doneAs('RoundsSettle', { bet_id: third, result: 'lost' });
  await doneAs('RoundsSettle', { bet_id: fourth, result: 'won', coefficient: '2.3456' });
  const ended = (more: object) => ({ placed_at: after, settled_at: validUntil, ...more });
  const lost = betBody(third, after, ended({ status: 'lost', coefficient: '3.00', win_amount: '0.00' }));
  const last = betBody(fourth, after, ended({ status: 'won', coefficient: '2.3456', win_amount: '1.34' }));
  await assertEmitted([
    { type: 'freebet.settled', at: validUntil, data: { ...free('in_use', 0), bet: lost } },
    { type: 'freebet.settled', at: validUntil, data: { ...free('finished', 0), bet: last } },
    { type: 'freebet.finished', at: validUntil, data: free('finished', 0) },
  ]);
});

test('a rollback of an unknown bet is remembered, and emits no event', async () => {
  await setClock(sql, start);
  const bet_id = randomUUID();
  await doneAs('RoundsRollback', { bet_id });
  refused('bet_not_found', await callAs(lantern, url, 'RoundsSettle', { bet_id: randomUUID(), result: 'lost' }));
  const bet = { bet_id, issue_id: randomUUID(), player_id, game_id };
  refused('bet_rolled_back', await callAs(lantern, url, 'RoundsBet', bet));
  refused('free_bet_not_found', await call(url, 'Cancel', { issue_id: randomUUID() }));
  await assertNoEvents();
});

test('the largest amounts and winnings are in events to the cent', async () => {
  const bet_amount = '9999999999999.99';
  const { issue_id } = await done(
    'Issue',
    directIssue({ player_id, bet_amount, quantity: 1, valid_until: validUntil }),
  );
  const bet_id = randomUUID();
  await doneAs('RoundsBet', { bet_id, issue_id, player_id, game_id });
  await doneAs('RoundsSettle', { bet_id, result: 'won', coefficient: '999999.9999' });
  const events = await emitted();
  for (const { data } of events) assert.equal('free_bet' in data && data.free_bet.bet_amount, bet_amount);
  assert.deepEqual(
    events.map(({ data }) => ('bet' in data ? [data.bet.coefficient, data.bet.win_amount] : null)),
    [null, [null, null], ['999999.9999', '9999989998999990000.01'], null],
  );
});

test('names in any script come back as they were given', async () => {
  const name = 'Ünï \u{1f3b0} "quoted" \\ <é>';
  await done('CampaignCreate', campaign({ campaign_id: name, name, ...terms }));
  await done('Issue', { campaign_id: name, player_id: name, currency: 'EUR' });
  const [created, issued] = await emitted();
  assert.deepEqual(created?.data, { campaign: campaignBody(name, { name }) });
  assert.ok(issued && 'free_bet' in issued.data);
  assert.deepEqual([issued.data.free_bet.campaign_id, issued.data.free_bet.player_id], [name, name]);
});

test('what an item of a batch brings about follows right after it, and a refused item makes no event', async () => {
  for (const campaign_id of ['one', 'two']) {
    await done('CampaignCreate', campaign({ campaign_id, ...terms, config: { bonus_limit: 1 } }));
  }
  await emitted();
  const byCampaign = (campaign_id: string) => ({ campaign_id, player_id, currency: 'EUR' });
  const twice = directIssue({ issue_id: randomUUID(), ...terms });
  await done('IssueBatch', {
    items: [twice, byCampaign('one'), byCampaign('one'), {}, twice, byCampaign('two'), directIssue(terms)],
  });
  assert.deepEqual(
    (await emitted()).map(({ type, data }) => [
      type,
      'free_bet' in data ? data.free_bet.campaign_id : 'campaign' in data && data.campaign.campaign_id,
    ]),
    [
      ['freebet.issued', null],
      ['freebet.issued', 'one'],
      ['campaign.exhausted', 'one'],
      ['freebet.issued', 'two'],
      ['campaign.exhausted', 'two'],
      ['freebet.issued', null],
    ],
  );
});

/** Sends requests one after the other while a batch is held, so that they are the next batch. */
async function inOneBatch(campaign_id: string, requests: (() => Promise<Answer>)[]): Promise<Answer[]> {
  const held = await holdPartner(sql, demo.clientId);
  const before = call(url, 'Issue', { campaign_id, player_id, currency: 'EUR' });
  await held.isWaitedFor();
  const answers: Promise<Answer>[] = [];
  for (const request of requests) {
    answers.push(request());
    await until('in the queue', 5000, () => laneDepth(url) === answers.length);
  }
  await held.letGo();
  await before;
  return Promise.all(answers);
}

test('within one batch, too, each event tells how things stood then', async () => {
  const campaign_id = 'held';
  const byCampaign = { campaign_id, player_id, currency: 'EUR' };
  await done('CampaignCreate', campaign({ campaign_id, ...terms, valid_from: start, config: { bonus_limit: 3 } }));
  const { issue_id } = await done('Issue', byCampaign);
  const [one, two] = [randomUUID(), randomUUID()];
  const bet = (bet_id: string) => () => callAs(lantern, url, 'RoundsBet', { bet_id, issue_id, player_id, game_id });
  const answers = await inOneBatch(campaign_id, [
    bet(one),
    () => callAs(lantern, url, 'RoundsSettle', { bet_id: one, result: 'won', coefficient: '2' }),
    bet(two),
    bet(two),
    () => callAs(lantern, url, 'RoundsRollback', { bet_id: two }),
    () => call(url, 'Issue', byCampaign),
    () => call(url, 'CampaignStop', { campaign_id }),
    () => call(url, 'Issue', byCampaign),
  ]);
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 200, 200, 200, 200, 200, 409],
  );
  const [created, ...events] = await emitted();
  assert.ok(created && 'campaign' in created.data);
  assert.equal(created.data.campaign.status, 'active');
  // Of the free bet, and of the one whose batch was waiting.
  const batch = events.slice(2);
  const { rows } = await sql.query(
    'SELECT last_sequence::int AS last FROM event_batches WHERE client_id = 1 AND first_sequence = $1',
    [batch[0]?.sequence],
  );
  assert.deepEqual(rows, [{ last: batch.at(-1)?.sequence }], 'they are one batch');
  assert.deepEqual(
    batch.map(({ type, data }) => {
      if ('campaign' in data) return [type, data.campaign.status];
      assert.ok('free_bet' in data);
      return [type, data.free_bet.status, data.free_bet.remaining, 'bet' in data && data.bet.status];
    }),
    [
      ['freebet.used', 'in_use', 2, 'placed'],
      ['freebet.settled', 'in_use', 2, 'won'],
      ['freebet.used', 'in_use', 1, 'placed'],
      ['freebet.rolled_back', 'in_use', 2, 'rolled_back'],
      ['freebet.issued', 'active', 3, false],
      ['campaign.exhausted', 'exhausted'],
      ['campaign.stopped', 'stopped'],
    ],
  );
});
