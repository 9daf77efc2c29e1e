import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { FreebetsError, Partner, Provider } from '@freebets/client';
import { type ErrorName, errors, type OperationName, operations } from '@freebets/contract';
import { assertMatches } from '../support/answers.ts';
import { demo, rival } from '../support/caller.ts';
import { testDatabase } from '../support/database.ts';
import { lantern } from '../support/provider.ts';
import { campaign, directIssue, games, inDays } from '../support/requests.ts';
import { runCommand, testServer } from '../support/server.ts';
import { faultyServer, ok, type Reply, refusal } from './faulty-server.ts';

const { env } = await testDatabase();
const { url } = await testServer(env);

const partner = new Partner({ baseUrl: url, ...demo });
const provider = new Provider({ baseUrl: `${url}/v3/`, ...lantern });
const client_id = demo.clientId;
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

test('the client calls every operation and returns its response', async () => {
  const { campaigns, freeBets, jobs, sandbox } = partner;
  const { rounds } = provider;
  const { campaign_id } = await campaigns.create(campaign());
  const byCampaign = { campaign_id, player_id: 'player-1', currency: 'EUR' };
  const { issue_id } = await freeBets.issue(byCampaign);
  const unused = await freeBets.issue(directIssue());
  const where = { client_id, player_id: 'player-1', game_id: games.one };
  const bet = { client_id, bet_id: crypto.randomUUID() };
  const job_id = crypto.randomUUID();
  const answers = {
    CampaignCreate: await campaigns.create(campaign()),
    CampaignGet: await campaigns.get({ campaign_id }),
    CampaignList: await campaigns.list({ limit: 1 }),
    Issue: await freeBets.issue({ ...byCampaign, issue_id }),
    IssueBatch: await freeBets.issueBatch({ items: [directIssue(), directIssue({ quantity: 0 })] }),
    FreeBetList: await freeBets.list({ player_id: 'player-1', status: 'active' }),
    GameList: await partner.games.list(),
    EventsList: await partner.events.list({ after: 0 }),
    RoundsAvailable: await rounds.available({ ...where, currency: 'EUR' }),
    RoundsBet: await rounds.bet({ ...where, ...bet, issue_id }),
    RoundsSettle: await rounds.settle({ ...bet, result: 'won', coefficient: '2.00' }),
    RoundsRollback: await rounds.rollback({ client_id, bet_id: crypto.randomUUID() }),
    RoundsGet: await rounds.get(bet),
    RoundsOpen: await rounds.open({ client_id, limit: 1 }),
    FreeBetGet: await freeBets.get({ issue_id }),
    JobCreate: await jobs.create({ job_id, name: 'A job', campaign_id }),
    JobAdd: await jobs.add({ job_id, part: 1, items: [{ player_id: 'x', currency: 'EUR' }] }),
    JobStart: await jobs.start({ job_id, parts: 1, items: 1 }),
    JobGet: await jobs.get({ job_id }),
    JobList: await jobs.list(),
    JobRefusals: await jobs.refusals({ job_id }),
    JobRetry: await jobs.retry({ job_id }),
    JobStop: await jobs.stop({ job_id }),
    Cancel: await freeBets.cancel({ issue_id: unused.issue_id }),
    SandboxRound: await sandbox.round({ issue_id, result: 'lost' }),
    SandboxClockGet: await sandbox.clockGet(),
    SandboxClockSet: await sandbox.clockSet({ now: inDays(1) }),
    CancelBatch: await freeBets.cancelBatch({ issue_ids: [unused.issue_id, issue_id] }),
    CampaignPause: await campaigns.pause({ campaign_id }),
    CampaignResume: await campaigns.resume({ campaign_id }),
    CampaignLimits: await campaigns.limits({ campaign_id, bonus_limit: 5, bonus_limit_per_user: null }),
    CampaignStop: await campaigns.stop({ campaign_id }),
  } satisfies Record<OperationName, object>;
  for (const [name, { response }] of Object.entries(operations)) {
    assertMatches(response, answers[name as OperationName]);
  }
  assert.equal(answers.FreeBetGet.bets[0]?.win_amount, '1.00');
});

test('a refusal is an error with its name, its fields and the request ID', async () => {
  const unknown = { issue_id: crypto.randomUUID() };
  const stranger = new Partner({ baseUrl: url, clientId: rival.clientId, secret: demo.secret });
  const refusals: [() => Promise<unknown>, name: ErrorName, fields: string[]][] = [
    [() => partner.freeBets.get(unknown), 'free_bet_not_found', []],
    [() => stranger.freeBets.get(unknown), 'forbidden', []],
    [() => partner.freeBets.issue(directIssue({ quantity: 0 })), 'invalid_request', ['quantity']],
  ];
  for (const [call, name, fields] of refusals) {
    await assert.rejects(call, (error) => {
      assert.ok(error instanceof FreebetsError);
      const { status, code, message } = errors[name];
      const seen = { name: error.name, status: error.status, code: error.code, message: error.message };
      assert.deepEqual(seen, { name, status, code, message });
      assert.match(error.requestId ?? '', /^[0-9a-f-]{36}$/);
      assert.equal(error.isRetryable, false);
      assert.deepEqual(
        error.details.map(({ field }) => field),
        fields,
      );
      return true;
    });
  }
});

test('a repeated call after a lost response returns the same free bet', async () => {
  const sent: unknown[] = [];
  const losing: typeof fetch = async (input, init) => {
    sent.push(init?.body);
    const answer = await fetch(input, init);
    if (sent.length === 1) throw new TypeError('the connection broke after the request was carried out');
    return answer;
  };
  const client = new Partner({ baseUrl: url, ...demo, fetch: losing });
  const player_id = 'player-with-a-lost-answer';
  const { issue_id } = await client.freeBets.issue(directIssue({ player_id }));
  const { free_bets } = await partner.freeBets.list({ player_id });
  assert.deepEqual(
    free_bets.map((freeBet) => freeBet.issue_id),
    [issue_id],
  );
  assert.equal(sent.length, 2);
  assert.equal(sent[0], sent[1], 'the very bytes');
});

test('the client makes an ID only where the service would make one', async () => {
  // The response of every operation here.
  const all = { campaign_id: 'one', issue_id: 'two', results: [], free_bets: [], next_cursor: null };
  const server = await faultyServer(ok(all));
  const client = new Partner({ baseUrl: server.url, ...demo });
  const bodyOf = async (call: Promise<unknown>) => {
    await call;
    return JSON.parse(server.received.at(-1)?.body ?? '');
  };
  const own = { issue_id: crypto.randomUUID() };
  const { campaign_id, ...created } = await bodyOf(client.campaigns.create(campaign()));
  assert.match(campaign_id, uuid);
  assert.deepEqual(Object.keys(created), Object.keys({ client_id, ...campaign() }));
  assert.match((await bodyOf(client.freeBets.issue(directIssue({ issue_id: undefined })))).issue_id, uuid);
  assert.equal((await bodyOf(client.freeBets.issue(directIssue(own)))).issue_id, own.issue_id);
  const items = [directIssue(), directIssue(own), directIssue()];
  const batch = await bodyOf(client.freeBets.issueBatch({ items }));
  const ids = batch.items.map((item: { issue_id: string }) => item.issue_id);
  assert.equal(ids[1], own.issue_id);
  assert.equal(new Set(ids).size, 3);
  assert.ok(ids.every((id: string) => uuid.test(id)));
  assert.equal(items[0] && 'issue_id' in items[0], false, 'what the caller has given is left as it is');
  assert.deepEqual(await bodyOf(client.call('FreeBetList', {})), { client_id });
  for (const issue_id of [null, '']) {
    const lost = directIssue({ issue_id: issue_id as string });
    assert.equal((await bodyOf(client.freeBets.issue(lost))).issue_id, issue_id, 'the service must say so');
  }
  for (const items of ['none', [null, 'none']]) {
    assert.deepEqual((await bodyOf(client.freeBets.issueBatch({ items: items as never }))).items, items);
  }
});

test('strict signing is accepted where it is required and where it is optional', async () => {
  await runCommand(env, 'client', 'update', String(rival.clientId), '--signing', 'strict');
  const { url } = await testServer(env);
  const list = async (caller: typeof demo, signing?: 'plain' | 'strict') =>
    new Partner({ baseUrl: `${url}/`, ...caller, signing }).campaigns.list();
  await list(demo, 'strict');
  await list(rival, 'strict');
  await assert.rejects(list(rival), { name: 'forbidden' });
});

test('strict signing sends the same body with the time of each attempt', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: 1_760_000_000_000 });
  const later: Reply = (response) => {
    t.mock.timers.setTime(Date.now() + 400_000);
    refusal({ error: 'unavailable' })(response);
  };
  const server = await faultyServer(later, later, ok({ campaign_id: 'one' }));
  const client = new Partner({ baseUrl: `${server.url}/base`, ...demo, signing: 'strict' });
  await client.campaigns.create(campaign());
  const times = ['1760000000', '1760000400', '1760000800'];
  assert.deepEqual(
    server.received.map(({ headers }) => headers['x-request-time']),
    times,
  );
  assert.equal(new Set(server.received.map(({ body }) => body)).size, 1);
  for (const { headers, body, path } of server.received) {
    assert.equal(path, '/base/v3/FreeBets/Campaign/Create');
    const content = `${headers['x-request-time']}\n/v3/FreeBets/Campaign/Create\n${body}`;
    assert.equal(headers['x-request-sign'], createHmac('sha256', demo.secret).update(content).digest('hex'));
  }
});

test('the constructor refuses unusable options', () => {
  for (const baseUrl of ['nowhere', 'localhost:8080', 'ftp://localhost', 'http://me:word@localhost', `${url}/v3?a=b`]) {
    assert.throws(
      () => new Partner({ baseUrl, clientId: 1, secret: 'x' }),
      /^TypeError: baseUrl must be an address such as/,
    );
  }
  for (const secret of ['', undefined, null, 7]) {
    assert.throws(() => new Provider({ baseUrl: url, providerId: 'x', secret: secret as string }), /secret is empty/);
  }
});

test('an invalid request is a type error', () => {
  // Never called; only the compiler checks it.
  const wrong = () => {
    // @ts-expect-error: the issue is not named.
    partner.freeBets.cancel({});
    // @ts-expect-error: money is written as a string.
    partner.freeBets.issue({ ...directIssue(), bet_amount: 1 });
    // @ts-expect-error: what a campaign gives is the campaign's.
    partner.freeBets.issue({ campaign_id: 'one', player_id: 'x', currency: 'EUR', bet_amount: '1.00' });
    const own = { player_id: 'x', currency: 'EUR', bet_amount: '1.00', quantity: 1, games: ['one'], valid_until: '' };
    partner.freeBets.issue(own);
    // @ts-expect-error: a free bet is of a campaign or has terms of its own, not both.
    partner.freeBets.issue({ ...own, campaign_id: 'one' });
    // @ts-expect-error: so is one of many.
    partner.freeBets.issueBatch({ items: [{ ...own, campaign_id: 'one' }] });
    const bet = { client_id, bet_id: 'one' };
    // @ts-expect-error: a win has a coefficient.
    provider.rounds.settle({ ...bet, result: 'won' });
    // @ts-expect-error: and nothing else has.
    provider.rounds.settle({ ...bet, result: 'lost', coefficient: '2.00' });
    // @ts-expect-error: so it is in a sandbox.
    partner.sandbox.round({ issue_id: 'one', result: 'won' });
    // @ts-expect-error: there is no such operation.
    void partner.call('Campaign', {});
    // @ts-expect-error: a partner plays no rounds.
    partner.rounds.bet({});
  };
  assert.ok(wrong);
});
