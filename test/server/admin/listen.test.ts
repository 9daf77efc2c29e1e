import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { after, test } from 'node:test';
import { Partner } from '@freebets/client';
import { Event, sign } from '@freebets/contract';
import { accepted, assertMatches } from '../../support/answers.ts';
import { call, demo, json, post, rival } from '../../support/caller.ts';
import { testDatabase } from '../../support/database.ts';
import { callAs, lantern } from '../../support/provider.ts';
import { recordedBy } from '../../support/records.ts';
import { campaign, directIssue, games } from '../../support/requests.ts';
import { testServer } from '../../support/server.ts';
import { stopwatch, until } from '../../support/waiting.ts';
import { openEndpoint } from './endpoint.ts';
import { spawnListening, startCommand, startListening } from './running.ts';
import { fails, succeeds, succeedsWith } from './terminal.ts';

const database = await testDatabase();
const env = { ...database.env, WEBHOOK_ALLOW_PRIVATE: 'yes', WEBHOOK_RETRIES_S: '0.1' };
const { url: server } = await testServer(env);

const issue = async (changes = {}, partner = demo) =>
  accepted('Issue', await call(server, 'Issue', directIssue(changes), partner));

/** The headers of an event as the service would send it. */
function signed(body: string, { secret } = demo, sentAt = Date.now()): Record<string, string> {
  const timestamp = String(Math.floor(sentAt / 1000));
  const hmac = createHmac('sha256', secret).update(`an-id.${timestamp}.${body}`).digest('base64');
  return {
    ...json,
    'x-request-sign': sign(body, secret),
    'webhook-id': 'an-id',
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,bm9uZQ== v1,${hmac}`,
  };
}

const timedSign = (time: string, path: string, body: string, secret: string): string =>
  createHmac('sha256', secret).update(`${time}\n${path}\n${body}`).digest('hex');

test('listen prints each event on one line with its main fields until Ctrl-C', async () => {
  const listener = await spawnListening(env);
  assert.match(
    listener.out(),
    /^Listening on http:\/\/127\.0\.0\.1:\d+\/freebets-listen for events of partner 1, starting with sequence 1\.$/m,
  );
  assert.match(listener.out(), /^To create some, run this in another terminal: npx freebets play$/m);
  const { campaign_id } = accepted(
    'CampaignCreate',
    await call(server, 'CampaignCreate', campaign({ name: 'Big win' })),
  );
  assert.match(
    await listener.line(/campaign\.created/),
    new RegExp(`^ +1 +campaign\\.created +campaign_id=${campaign_id} name="Big win" status=active  signature valid$`),
  );
  const { issue_id } = await issue({ player_id: 'player 7' });
  assert.match(
    await listener.line(/freebet\.issued/),
    new RegExp(
      `^ +2 +freebet\\.issued +player_id="player 7" issue_id=${issue_id} status=active bet_amount=1\\.00 currency=EUR ` +
        'quantity=3 remaining=3  signature valid$',
    ),
  );
  const bet = { bet_id: issue_id.replace(/^.{8}/, '00000000') };
  accepted(
    'RoundsBet',
    await callAs(lantern, server, 'RoundsBet', { ...bet, issue_id, player_id: 'player 7', game_id: games.one }),
  );
  accepted(
    'RoundsSettle',
    await callAs(lantern, server, 'RoundsSettle', { ...bet, result: 'won', coefficient: '2.50' }),
  );
  const settled = await listener.line(/freebet\.settled/);
  assert.match(settled, new RegExp(`issue_id=${issue_id} bet_id=${bet.bet_id} game_id=${games.one} status=won`));
  assert.match(settled, / coefficient=2\.50 win_amount=1\.50 currency=EUR {2}signature valid$/);
  assert.equal(await listener.end('SIGINT'), 0);
  assert.match(listener.out(), /\nThe webhook of partner 1 is off\. Events wait until you set a webhook\.\n$/);
  assert.equal(listener.err(), '');
  assert.equal((await succeedsWith(env, 'client', 'webhook', 'show', '1')).off_reason, 'listen ended');
});

test('listen --json prints only events to stdout, and --from includes earlier ones', async () => {
  const listener = startCommand(env, 'listen', '--json', '--from', '1');
  await listener.line(/freebet\.settled/);
  await until('all four', 20_000, () => listener.out().trim().split('\n').length >= 4);
  assert.equal(await listener.end('SIGTERM'), 0);
  const events = listener
    .out()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  for (const event of events) assertMatches(Event, event);
  assert.deepEqual(events.map(({ sequence }) => sequence).sort(), [1, 2, 3, 4]);
  assert.match(listener.err(), /^Listening on .*, starting with sequence 1\.\n/);
  assert.match(listener.err(), /\nThe webhook of partner 1 is off\. Events wait until you set a webhook\.\n$/);
});

test('listen reports every kind of invalid signature and returns 401', async () => {
  const listener = await startListening(env, '--client', '2');
  assert.doesNotMatch(listener.out(), /freebets play/, 'which is for the demo partner');
  await issue({}, rival);
  await listener.line(/freebet\.issued .* signature valid$/);
  const body = JSON.stringify({ sequence: 9, type: 'freebet.issued', data: { free_bet: { player_id: 'x' } } });
  const right = signed(body, rival);
  const { 'x-request-sign': _, ...unsigned } = right;
  const attempts: [Record<string, string>, RegExp][] = [
    [unsigned, /X-REQUEST-SIGN is missing/],
    [signed(body, demo), /X-REQUEST-SIGN is wrong/],
    [{ ...right, 'x-request-sign': `${right['x-request-sign']}0` }, /X-REQUEST-SIGN is wrong/],
    [{ ...right, 'webhook-signature': 'v1,bm9uZQ==' }, /webhook-signature is wrong/],
    [{ ...right, 'webhook-id': 'another' }, /webhook-signature is wrong/],
    [signed(body, rival, Date.now() - 301_000), /webhook-timestamp is not within the last five minutes/],
    [signed(body, rival, Date.now() + 310_000), /webhook-timestamp is not within the last five minutes/],
    [{ ...right, 'webhook-timestamp': 'x' }, /webhook-timestamp is not within the last five minutes/],
  ];
  for (const [headers, form] of attempts) {
    const said = listener.out().length;
    assert.equal((await post(listener.url, body, headers)).status, 401);
    await until(`${form}`, 5000, () => form.test(listener.out().slice(said)));
    assert.match(listener.out().slice(said), /^Invalid signature: .*\. Returned 401\.\n$/);
  }
  assert.equal((await post(listener.url, body, right)).status, 204);
  assert.equal((await post(listener.url, body, signed(body, rival, Date.now() - 290_000))).status, 204);
  assert.equal((await post(listener.url, '{}', signed('{}', rival))).status, 400);
  assert.match(
    await listener.line(/not an event/),
    /^The signature is valid, but the body is not an event\. Returned 400\.$/,
  );
  assert.equal((await post(listener.url, '', {}, 'GET')).status, 405);
  assert.equal((await post(listener.url, Buffer.alloc(5_000_000), right).catch(() => ({ status: 413 }))).status, 413);
  await succeeds(env, 'client', 'rotate-secret', '2');
  const { secret } = await succeedsWith(env, 'client', 'rotate-secret', '2');
  await succeeds(env, 'client', 'rotate-secret', '2', '--retire-old');
  assert.equal(
    (await post(listener.url, body, signed(body, { ...rival, secret }))).status,
    204,
    'a new secret is found',
  );
  assert.equal((await post(listener.url, body, right)).status, 401, 'and the old one is not right any more');
  assert.equal(await listener.stop(), 0);
});

test('listen --forward passes the request on unchanged and returns the response', async () => {
  const endpoint = await openEndpoint();
  const listener = await startListening(env, '--forward', endpoint.url);
  assert.ok(listener.out().includes(`Each event is forwarded to ${endpoint.url}, and its response is returned.`));
  const { issue_id } = await issue();
  await listener.line(/forwarded, response 204$/);
  const [sent] = endpoint.sent;
  assert.ok(sent);
  assert.equal(sent.event.data.free_bet.issue_id, issue_id);
  assert.equal(sent.headers['x-request-sign'], sign(sent.text, demo.secret));
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature } = sent.headers;
  const hmac = createHmac('sha256', demo.secret).update(`${id}.${timestamp}.${sent.text}`).digest('base64');
  assert.equal(signature, `v1,${hmac}`);
  assert.equal(sent.headers['content-type'], 'application/json');
  assert.match(String(sent.headers['user-agent']), /^freebets\//);

  endpoint.answerWith(() => 503, { 'retry-after': '120' });
  const answer = await post(listener.url, sent.text, signed(sent.text));
  assert.deepEqual([answer.status, answer.headers['retry-after']], [503, '120']);
  endpoint.answerWith(() => 302, { location: 'http://127.0.0.1:1/' });
  assert.equal((await post(listener.url, sent.text, signed(sent.text))).status, 302, 'a redirect is not followed');
  assert.equal((await post(listener.url, sent.text, json)).status, 401);
  assert.equal(endpoint.sent.length, 3, 'unsigned requests are not forwarded');
  assert.equal(await listener.stop(), 0);
});

test('listen checks the time and path of strict signing, and signs forwarded requests for their path', async () => {
  const { secret } = await succeedsWith(
    env,
    'client',
    'create',
    '--name',
    'Strict',
    '--id',
    '9',
    '--signing',
    'strict',
  );
  await succeeds(env, 'client', 'offer', '9', 'all');
  await until('the server knows the partner and its games', 5000, async () => {
    const body = '{"client_id":9}';
    const time = String(Math.floor(Date.now() / 1000));
    const headers = {
      ...json,
      'x-request-time': time,
      'x-request-sign': timedSign(time, '/v3/Game/List', body, secret),
    };
    const { status, body: list } = await post(`${server}/v3/Game/List`, body, headers);
    return status === 200 && list.providers.length > 0;
  });
  const endpoint = await openEndpoint();
  const listener = await startListening(env, '--client', '9', '--forward', `${endpoint.url}?to=us`);
  const partner = new Partner({ baseUrl: server, clientId: 9, secret, signing: 'strict' });
  await partner.freeBets.issue(directIssue());
  await listener.line(/freebet\.issued .* signature valid$/);
  await listener.line(/forwarded, response 204$/);
  const [sent] = endpoint.sent;
  assert.ok(sent);
  const { pathname } = new URL(endpoint.url);
  const sentTime = String(sent.headers['x-request-time']);
  assert.equal(sent.headers['x-request-sign'], timedSign(sentTime, `${pathname}?to=us`, sent.text, secret));

  const time = String(Math.floor(Date.now() / 1000));
  const right = signed(sent.text, { clientId: 9, secret });
  const timed = (of: string, path: string) => ({
    'x-request-time': of,
    'x-request-sign': timedSign(of, path, sent.text, secret),
  });
  const late = String(Number(time) - 301);
  const attempts: [Record<string, string>, string | undefined][] = [
    [right, 'X-REQUEST-TIME is missing'],
    [{ ...right, ...timed(late, '/freebets-listen') }, 'X-REQUEST-TIME is not within the last five minutes'],
    [{ ...right, ...timed(time, '/') }, 'X-REQUEST-SIGN is wrong'],
    [{ ...right, 'x-request-time': time }, 'X-REQUEST-SIGN is wrong'],
    [{ ...right, ...timed(time, '/freebets-listen') }, undefined],
  ];
  for (const [headers, wrong] of attempts) {
    const said = listener.out().length;
    assert.equal((await post(listener.url, sent.text, headers)).status, wrong === undefined ? 204 : 401);
    if (wrong !== undefined) assert.equal(listener.out().slice(said), `Invalid signature: ${wrong}. Returned 401.\n`);
  }
  assert.equal(await listener.stop(), 0);
});

test('listen reports an unreachable forward address and returns 502', async () => {
  const listener = await startListening(env, '--forward', 'http://127.0.0.1:1/hook');
  await issue();
  const said = await listener.line(/cannot be reached/);
  assert.match(said, /^http:\/\/127\.0\.0\.1:1\/hook cannot be reached \(.+\)\. Returned 502\.$/);
  await until('the attempt is written down', 20_000, async () => {
    const [latest] = await succeedsWith(env, 'client', 'webhook', 'deliveries', '1', '--limit', '1');
    return latest.outcome === 'answered 502';
  });
  assert.equal(await listener.stop(), 0);
});

test('a listener with a hanging forward request still ends at once', async () => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1');
  after(() => silent.close());
  await once(silent, 'listening');
  const { port } = silent.address() as { port: number };
  const listener = await startListening(env, '--forward', `http://127.0.0.1:${port}/`);
  const reached = once(silent, 'connection');
  await issue();
  const [socket] = await reached;
  const tookMs = stopwatch();
  assert.equal(await listener.stop(), 0);
  assert.ok(tookMs() < 10_000, `${tookMs()} ms`);
  socket.destroy();
});

test('the start and the end of a listener are in the audit log', async () => {
  const records = await recordedBy(database.sql, async () => {
    const listener = await startListening(env, '--client', '2', '--reason', 'to see the events');
    await listener.stop();
  });
  assert.deepEqual(
    records.map(({ client_id, actor, action, reason, after: { off_reason } }) => [
      client_id,
      actor.kind,
      action,
      reason,
      off_reason,
    ]),
    [
      [2, 'cli', 'WebhookSet', 'to see the events', null],
      [2, 'cli', 'WebhookOff', 'to see the events', 'listen ended'],
    ],
  );
});

test('invalid options are refused in one sentence', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  after(() => taken.close());
  await once(taken, 'listening');
  const { port } = taken.address() as { port: number };
  await succeeds(env, 'client', 'create', '--name', 'Off', '--id', '3');
  await succeeds(env, 'client', 'disable', '3');
  const refusals: [string[], RegExp][] = [
    [['--port', String(port)], new RegExp(`^Port ${port} of 127\\.0\\.0\\.1 is taken: choose another with --port\\.$`)],
    [['--port', '65536'], /^--port must be a whole number from 0 to 65535; 0 picks a free port\.$/],
    [['--port', ''], /^--port must be a whole number/],
    [['--client', 'x'], /^CLIENT_ID must be a whole number/],
    [['--client', '77'], /^There is no partner 77\.$/],
    [['--client', '3'], /^Partner 3 is disabled, so it gets no events\. Enable it with: freebets client enable 3$/],
    [['--from', '0'], /^--from must be a whole number of at least 1\.$/],
    [['--from', '9999'], /^There is no event 9999 yet: --from can be \d+ at most\.$/],
    [['--forward', 'localhost:3000'], /^The URL must begin with https:\/\/ or http:\/\//],
  ];
  await Promise.all(refusals.map(async ([args, form]) => assert.match(await fails(env, 'listen', ...args), form)));
  for (const WEBHOOK_ALLOW_PRIVATE of ['no', '']) {
    assert.equal(
      await fails({ ...env, WEBHOOK_ALLOW_PRIVATE }, 'listen'),
      "The servers can't send events to this machine: set WEBHOOK_ALLOW_PRIVATE=yes here and for the servers.",
    );
  }
});
