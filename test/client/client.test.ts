import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { createClient, FreebetsError } from '@freebets/client';
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

const partner = createClient({ baseUrl: url, secret: demo.secret });
const provider = createClient({ baseUrl: `${url}/`, secret: lantern.secret });
const client_id = demo.clientId;
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

test('every operation is called, and answers in its own form', async () => {
  const { campaign_id } = await partner.call('CampaignCreate', { client_id, ...campaign() });
  const byCampaign = { client_id, campaign_id, player_id: 'player-1', currency: 'EUR' };
  const { issue_id } = await partner.call('Issue', byCampaign);
  const unused = await partner.call('Issue', { client_id, ...directIssue() });
  const caller = { provider_id: lantern.providerId, client_id };
  const where = { player_id: 'player-1', game_id: games.one };
  const bet_id = crypto.randomUUID();
  const job_id = crypto.randomUUID();
  const job = { job_id, name: 'A job', campaign_id };
  const answers = {
    CampaignCreate: await partner.call('CampaignCreate', { client_id, ...campaign() }),
    CampaignGet: await partner.call('CampaignGet', { client_id, campaign_id }),
    CampaignList: await partner.call('CampaignList', { client_id, limit: 1 }),
    Issue: await partner.call('Issue', { ...byCampaign, issue_id }),
    IssueBatch: await partner.call('IssueBatch', { client_id, items: [directIssue(), directIssue({ quantity: 0 })] }),
    FreeBetList: await partner.call('FreeBetList', { client_id, player_id: 'player-1', status: 'active' }),
    GameList: await partner.call('GameList', { client_id }),
    EventsList: await partner.call('EventsList', { client_id, after: 0 }),
    RoundsAvailable: await provider.call('RoundsAvailable', { ...caller, ...where, currency: 'EUR' }),
    RoundsBet: await provider.call('RoundsBet', { ...caller, ...where, bet_id, issue_id }),
    RoundsSettle: await provider.call('RoundsSettle', { ...caller, bet_id, result: 'won', coefficient: '2.00' }),
    RoundsRollback: await provider.call('RoundsRollback', { ...caller, bet_id: crypto.randomUUID() }),
    RoundsGet: await provider.call('RoundsGet', { ...caller, bet_id }),
    RoundsOpen: await provider.call('RoundsOpen', { ...caller, limit: 1 }),
    FreeBetGet: await partner.call('FreeBetGet', { client_id, issue_id }),
    JobCreate: await partner.call('JobCreate', { client_id, ...job }),
    JobAdd: await partner.call('JobAdd', { client_id, job_id, part: 1, items: [{ player_id: 'x', currency: 'EUR' }] }),
    JobStart: await partner.call('JobStart', { client_id, job_id, parts: 1, items: 1 }),
    JobGet: await partner.call('JobGet', { client_id, job_id }),
    JobList: await partner.call('JobList', { client_id }),
    JobRefusals: await partner.call('JobRefusals', { client_id, job_id }),
    JobStop: await partner.call('JobStop', { client_id, job_id }),
    Cancel: await partner.call('Cancel', { client_id, issue_id: unused.issue_id }),
    SandboxRound: await partner.call('SandboxRound', { client_id, issue_id, result: 'lost' }),
    SandboxClockGet: await partner.call('SandboxClockGet', { client_id }),
    SandboxClockSet: await partner.call('SandboxClockSet', { client_id, now: inDays(1) }),
    CancelBatch: await partner.call('CancelBatch', { client_id, issue_ids: [unused.issue_id, issue_id] }),
    CampaignPause: await partner.call('CampaignPause', { client_id, campaign_id }),
    CampaignResume: await partner.call('CampaignResume', { client_id, campaign_id }),
    CampaignLimits: await partner.call('CampaignLimits', {
      client_id,
      campaign_id,
      bonus_limit: 5,
      bonus_limit_per_user: null,
    }),
    CampaignStop: await partner.call('CampaignStop', { client_id, campaign_id }),
  } satisfies Record<OperationName, object>;
  for (const [name, { response }] of Object.entries(operations)) {
    assertMatches(response, answers[name as OperationName]);
  }
  assert.equal(answers.FreeBetGet.bets[0]?.win_amount, '1.00');
});

test('a refusal by the service is an error with its name, its fields and the id of the request', async () => {
  const unknown = { client_id, issue_id: crypto.randomUUID() };
  const refusals: [() => Promise<unknown>, name: ErrorName, fields: string[]][] = [
    [() => partner.call('FreeBetGet', unknown), 'free_bet_not_found', []],
    [() => partner.call('FreeBetGet', { ...unknown, client_id: rival.clientId }), 'forbidden', []],
    [() => partner.call('Issue', { client_id, ...directIssue({ quantity: 0 }) }), 'invalid_request', ['quantity']],
  ];
  for (const [call, name, fields] of refusals) {
    await assert.rejects(call, (error) => {
      assert.ok(error instanceof FreebetsError);
      const { status, code, message } = errors[name];
      const told = { name: error.name, status: error.status, code: error.code, message: error.message };
      assert.deepEqual(told, { name, status, code, message });
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

test('an answer that was lost after all is the same free bet when it is asked for again', async () => {
  const sent: unknown[] = [];
  const losing: typeof fetch = async (input, init) => {
    sent.push(init?.body);
    const answer = await fetch(input, init);
    if (sent.length === 1) throw new TypeError('the connection broke after the request was carried out');
    return answer;
  };
  const client = createClient({ baseUrl: url, secret: demo.secret, fetch: losing });
  const player_id = 'player-with-a-lost-answer';
  const { issue_id } = await client.call('Issue', { client_id, ...directIssue({ player_id }) });
  const { free_bets } = await partner.call('FreeBetList', { client_id, player_id });
  assert.deepEqual(
    free_bets.map((freeBet) => freeBet.issue_id),
    [issue_id],
  );
  assert.equal(sent.length, 2);
  assert.equal(sent[0], sent[1], 'the very bytes');
});

test('an id is made where the service would make one, and nowhere else', async () => {
  const server = await faultyServer(ok());
  const client = createClient({ baseUrl: server.url, secret: demo.secret });
  const bodyOf = async (call: Promise<unknown>) => {
    await call;
    return JSON.parse(server.received.at(-1)?.body ?? '');
  };
  const own = { issue_id: crypto.randomUUID() };
  const { campaign_id, ...created } = await bodyOf(client.call('CampaignCreate', { client_id, ...campaign() }));
  assert.match(campaign_id, uuid);
  assert.deepEqual(Object.keys(created), Object.keys({ client_id, ...campaign() }));
  assert.match(
    (await bodyOf(client.call('Issue', { client_id, ...directIssue({ issue_id: undefined }) }))).issue_id,
    uuid,
  );
  assert.equal((await bodyOf(client.call('Issue', { client_id, ...directIssue(own) }))).issue_id, own.issue_id);
  const items = [directIssue(), directIssue(own), directIssue()];
  const batch = await bodyOf(client.call('IssueBatch', { client_id, items }));
  const ids = batch.items.map((item: { issue_id: string }) => item.issue_id);
  assert.equal(ids[1], own.issue_id);
  assert.equal(new Set(ids).size, 3);
  assert.ok(ids.every((id: string) => uuid.test(id)));
  assert.equal(items[0] && 'issue_id' in items[0], false, 'what the caller has given is left as it is');
  assert.deepEqual(await bodyOf(client.call('FreeBetList', { client_id })), { client_id });
});

test('strict signing is good where it is asked for, and where it is not', async () => {
  await runCommand(env, 'client', 'update', String(rival.clientId), '--signing', 'strict');
  const { url } = await testServer(env);
  const list = (secret: string, client_id: number, signing?: 'plain' | 'strict') =>
    createClient({ baseUrl: `${url}/`, secret, signing }).call('CampaignList', { client_id });
  await list(demo.secret, demo.clientId, 'strict');
  await list(rival.secret, rival.clientId, 'strict');
  await assert.rejects(list(rival.secret, rival.clientId), { name: 'forbidden' });
});

test('with strict signing every attempt sends the same body, at its own time', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: 1_760_000_000_000 });
  const later: Reply = (response) => {
    t.mock.timers.setTime(Date.now() + 400_000);
    refusal({ error: 'unavailable' })(response);
  };
  const server = await faultyServer(later, later, ok());
  const client = createClient({ baseUrl: `${server.url}/base`, secret: demo.secret, signing: 'strict' });
  await client.call('CampaignCreate', { client_id, ...campaign() });
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

test('what cannot work is refused when the client is made', () => {
  assert.throws(() => createClient({ baseUrl: 'nowhere', secret: 'x' }), TypeError);
  assert.throws(() => createClient({ baseUrl: url, secret: '' }), /secret is empty/);
});

test('a request of another form is an error of types', () => {
  // Never called: it is there for the compiler.
  const wrong = () => {
    // @ts-expect-error: the issue is not named.
    partner.call('Cancel', { client_id });
    // @ts-expect-error: money is written as a string.
    partner.call('Issue', { client_id, ...directIssue(), bet_amount: 1 });
    // @ts-expect-error: there is no such operation.
    partner.call('Campaign', { client_id });
  };
  assert.ok(wrong);
});
