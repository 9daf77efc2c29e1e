import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { consolePath, live } from '@freebets/contract';
import { change } from '../../../../packages/server/src/audit/change.ts';
import { openPool } from '../../../../packages/server/src/engine/connection.ts';
import { openStream } from '../../../../packages/server/src/events/live/api.ts';
import { type Hub, type Listener, openHub } from '../../../../packages/server/src/events/live/hub.ts';
import { createSignal } from '../../../../packages/server/src/primitives/signal.ts';
import { accepted } from '../../../support/answers.ts';
import { call, demo, rival } from '../../../support/caller.ts';
import { testDatabase } from '../../../support/database.ts';
import { somebodyWaits } from '../../../support/held-batch.ts';
import { whileHeld } from '../../../support/held-table.ts';
import { listenLive, requestLive } from '../../../support/live.ts';
import { isLong } from '../../../support/long.ts';
import { campaign, directIssue } from '../../../support/requests.ts';
import { serverProcess, testServer } from '../../../support/server.ts';
import { acceptedStaffCall, type Staff, session, signedIn } from '../../../support/staff.ts';
import { stopwatch, until } from '../../../support/waiting.ts';

// The stream of the console shows events as they happen.

const { env, sql } = await testDatabase();
const { url } = await testServer(env);
const viewer = await signedIn(sql, 'viewer');
const ofTwo = await signedIn(sql, 'viewer', [2]);
const support = await signedIn(sql, 'support');

const issue = async (clientId = 1, server = url): Promise<string> =>
  accepted('Issue', await call(server, 'Issue', directIssue(), clientId === 1 ? demo : rival)).issue_id;
const isIssue = (issueId: string) => (message: { name: string; data: object }) =>
  message.name === 'happened' && JSON.stringify(message.data).includes(issueId);

const record = (clientId: number, kind: string, id: string) =>
  change(
    { pool: sql, by: { actor: { kind: 'cli' }, action: 'Test', address: null, requestId: null, reason: null } },
    async () => ({ answer: undefined, clientId, changed: { target: { kind, id }, before: { secret: 1 }, after: {} } }),
  );

/** Begun ahead of everything else: whether their sessions go on is asked every half a minute. */
const ending = isLong ? await beginToEnd() : undefined;

async function beginToEnd() {
  const [stays, ends] = [await signedIn(sql, 'viewer'), await signedIn(sql, 'viewer')];
  const streams = await Promise.all([listenLive(url, stays), listenLive(url, ends)]);
  await sql.query("UPDATE sessions SET seen_at = world_now() - interval '16 minutes' WHERE staff_id = $1", [
    ends.staffId,
  ]);
  return streams;
}

test('who may not listen', async () => {
  assert.equal((await requestLive(url, {})).status, 401);
  const plain = await fetch(url + consolePath + live.path, { headers: { cookie: viewer.cookie } });
  assert.equal(plain.status, 403);
  assert.equal((await requestLive(url, ofTwo, { clientId: 1 })).status, 404);
  assert.equal((await requestLive(url, viewer, { clientId: 99 })).status, 404);
  assert.equal((await fetch(url + consolePath + live.path, { method: 'HEAD' })).status, 405);
});

test('what happens appears within a second or so, of the partners in scope alone', async () => {
  const [all, two] = await Promise.all([listenLive(url, viewer), listenLive(url, ofTwo)]);
  assert.deepEqual(
    [...all.messages, ...two.messages].map(({ name }) => name),
    ['ping', 'ping'],
  );
  const first = await issue(1);
  const tookMs = await all.has('the issue', isIssue(first));
  const second = await issue(2);
  await all.has('the other partner', isIssue(second));
  await two.has('the other partner', isIssue(second));
  assert.ok(tookMs < 5000, `${tookMs} ms`);
  assert.equal(two.messages.some(isIssue(first)), false);
  const [message] = two.of('happened');
  assert.deepEqual(
    [message?.client_id, message?.count, message?.events[0]?.type, message?.events[0]?.issue_id],
    [2, 1, 'freebet.issued', second],
  );
  all.close();
  two.close();
});

test('what another server did appears as well', async () => {
  const other = await testServer({ ...env, WORKER: 'off' });
  const stream = await listenLive(other.url, viewer, { clientId: 1 });
  const issueId = await issue(1);
  await stream.has('the issue', isIssue(issueId));
  stream.close();
});

test('figures of campaigns that something happened to, as Campaign/Get has them', async () => {
  const stream = await listenLive(url, viewer, { clientId: 1 });
  const { campaign_id } = accepted('CampaignCreate', await call(url, 'CampaignCreate', campaign()));
  for (let i = 0; i < 3; i++) {
    accepted('Issue', await call(url, 'Issue', { campaign_id, player_id: `p${i}`, currency: 'EUR' }));
  }
  await stream.has(
    'three issued',
    ({ name, data }) =>
      name === 'figures' && data.campaigns.some((each) => each.campaign_id === campaign_id && each.counts.issued === 3),
  );
  const got = accepted('CampaignGet', await call(url, 'CampaignGet', { campaign_id }));
  const { status, counts, winnings, exposure } = got;
  const figures = stream.of('figures').flatMap(({ campaigns }) => campaigns);
  assert.deepEqual(
    figures.findLast((each) => each.campaign_id === campaign_id),
    { campaign_id, status, counts, winnings, exposure },
  );
  stream.close();
});

test('what colleagues change appears without what it was before, and only what everybody may see', async () => {
  const [all, two] = await Promise.all([listenLive(url, viewer), listenLive(url, ofTwo)]);
  const issueId = await issue(1);
  await acceptedStaffCall(url, '/FreeBets/Cancel', { client_id: 1, issue_id: issueId, reason: 'To see it' }, support);
  await record(0, 'staff', 'someone');
  await record(2, 'audit', '');
  await record(0, 'catalogue', 'games');
  await record(2, 'webhook', '2');
  for (const [stream, kinds] of [
    [all, ['webhook', 'catalogue', 'free_bet']],
    [two, ['webhook', 'catalogue']],
  ] as const) {
    for (const kind of kinds) {
      await stream.has(kind, ({ name, data }) => name === 'changed' && JSON.stringify(data).includes(`"${kind}"`));
    }
  }
  const seen = (stream: typeof all) =>
    stream
      .of('changed')
      .flatMap(({ client_id, changes }) => changes.map(({ target }) => `${client_id} ${target.kind}`));
  assert.deepEqual(seen(all).toSorted(), ['1 free_bet', '2 webhook', 'null catalogue']);
  assert.deepEqual(seen(two).toSorted(), ['2 webhook', 'null catalogue']);
  const texts = JSON.stringify([all.messages, two.messages]);
  assert.doesNotMatch(texts, /secret|before|To see it/);
  all.close();
  two.close();
});

test('many at a time: the newest fifty in brief, and how many there were', async () => {
  const stream = await listenLive(url, viewer, { clientId: 1 });
  const items = Array.from({ length: 200 }, () => directIssue());
  accepted('IssueBatch', await call(url, 'IssueBatch', { items }));
  await stream.has('all of them', () => stream.of('happened').reduce((sum, { count }) => sum + count, 0) >= 200);
  for (const { count, events } of stream.of('happened')) assert.equal(events.length, Math.min(count, 50));
  stream.close();
});

test('a client that reconnects is sent reset, on any server, and then what happens afterwards', async () => {
  const before = await listenLive(url, viewer, { clientId: 1 });
  await before.has('the first', isIssue(await issue(1)));
  const lastId = before.lastId();
  before.close();
  const missed = await issue(1);
  const again = await listenLive((await testServer({ ...env, WORKER: 'off' })).url, viewer, { clientId: 1, lastId });
  assert.deepEqual(
    again.messages.map(({ name }) => name),
    ['reset'],
  );
  await again.has('what came after', isIssue(await issue(1)));
  assert.ok(!again.messages.some(isIssue(missed)));
  again.close();
});

test('twenty streams of one person, and the next is refused until one has ended', async () => {
  const person = await signedIn(sql, 'viewer');
  const streams = await Promise.all(Array.from({ length: 20 }, () => listenLive(url, person)));
  assert.equal((await requestLive(url, person)).status, 503);
  streams[0]?.close();
  await until('there is room', 5000, async () => {
    const answer = await requestLive(url, person);
    await answer.body?.cancel();
    return answer.status === 200;
  });
  for (const stream of streams) stream.close();
});

test('who hangs up before the stream has begun takes no place', async () => {
  const person = await signedIn(sql, 'viewer');
  await whileHeld(sql, 'sessions', async () => {
    const withoutSession = new AbortController();
    const begun = Array.from({ length: 20 }, () =>
      requestLive(url, person, {}, withoutSession.signal).catch(() => undefined),
    );
    await somebodyWaits(sql);
    // The others wait for a connection to the database.
    await delay(100);
    withoutSession.abort();
    await Promise.all(begun);
    await delay(100);
  });
  // Streams that were admitted behind the lock have ended too.
  await delay(100);
  const { messages, close } = await listenLive(url, person);
  assert.equal(messages.length, 1);
  close();
});

test('a quiet stream outlasts the time that a caller has', async () => {
  const { url: impatient } = await testServer({ ...env, CALLER_TIMEOUT_MS: '1000' });
  const stream = await listenLive(impatient, viewer, { clientId: 2 });
  await delay(2500);
  await stream.has('what happens then', isIssue(await issue(2, impatient)));
  stream.close();
});

test('who does not read is dropped, and its bytes with it', async () => {
  const connected = Promise.withResolvers<Listener>();
  let hasLeft = false;
  const hub: Hub = {
    async join(_, listener) {
      connected.resolve(listener);
      return () => (hasLeft = true);
    },
    stop: async () => {},
  };
  const server = createServer((_, response) => void openStream(hub, response, null, false));
  await once(server.listen(0), 'listening');
  const asked = request({ port: (server.address() as AddressInfo).port }, (response) => response.pause());
  asked.on('error', () => {}).end();
  const listener = await connected.promise;
  const frame = Buffer.alloc(64 * 1024, 'x');
  let sent = 0;
  await until('it is dropped', 10_000, () => {
    listener.send(frame);
    sent += 1;
    return hasLeft;
  });
  assert.ok(sent > 8, 'who is only a little behind is not dropped');
  asked.destroy();
  server.close();
});

test('leaving twice does not remove listeners that joined in between', async () => {
  const committed = createSignal<[clientId: number]>();
  const connection = { connectionString: env.DATABASE_URL as string };
  const pool = openPool({ connection, max: 2, queryTimeoutMs: 10_000, applicationName: 'hub' });
  const source = { pool, partnerProfile: () => assert.fail(), isDatabaseUp: () => true, onFault: assert.ifError };
  const hub = openHub({ ...source, committed });
  const heard: string[] = [];
  const listener: Listener = { send: (frame) => heard.push(frame.toString()), end() {} };
  const leaveFirst = await hub.join([2], { send() {}, end() {} });
  leaveFirst();
  const leaveSecond = await hub.join([2], listener);
  leaveFirst();
  const issueId = await issue(2);
  await until('it is heard', 10_000, () => heard.some((frame) => frame.includes(issueId)));
  leaveSecond();
  await hub.stop();
  await pool.end();
});

test('a stream that is ended while it begins is left alone', async () => {
  let hasLeft = false;
  const hub: Hub = {
    join: async (_, listener) => {
      listener.end();
      return () => (hasLeft = true);
    },
    stop: async () => {},
  };
  const opened = Promise.withResolvers<void>();
  const server = createServer((_, response) => {
    response.on('error', opened.reject);
    openStream(hub, response, null, false).then(opened.resolve, opened.reject);
  });
  await once(server.listen(0), 'listening');
  const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  assert.equal(await answer.text(), '');
  await opened.promise;
  assert.ok(hasLeft);
  server.close();
});

test('a server that stops ends its streams, and is gone at once', async () => {
  const server = await serverProcess({ ...env, DRAIN_MS: '0' });
  const streams = await Promise.all(Array.from({ length: 5 }, () => listenLive(server.url, viewer)));
  const tookMs = stopwatch();
  assert.equal(await server.end('SIGTERM'), 0);
  await Promise.all(streams.map(({ ended }) => ended));
  assert.ok(tookMs() < 3000, `${tookMs()} ms`);
});

test('a session that is ended here ends its streams at once, and no others', async () => {
  const admin = await signedIn(sql, 'admin');
  const reason = 'To see whether it ends';
  const ways: ((person: Staff) => [path: string, body: object, by: Staff])[] = [
    (person) => ['/Session/SignOut', {}, person],
    ({ staffId }) => ['/Staff/Sessions/End', { staff_id: staffId, reason }, admin],
    ({ staffId }) => ['/Staff/Update', { staff_id: staffId, role: 'support', reason }, admin],
    ({ staffId }) => ['/Staff/SecondFactor/Reset', { staff_id: staffId, reason }, admin],
    ({ staffId }) => ['/Staff/Disable', { staff_id: staffId.toUpperCase(), reason }, admin],
  ];
  for (const way of ways) {
    const person = await signedIn(sql, 'viewer');
    const [stays, ends] = await Promise.all([listenLive(url, viewer), listenLive(url, person)]);
    const [path, body, by] = way(person);
    const tookMs = stopwatch();
    await acceptedStaffCall(url, path, body, by);
    await ends.ended;
    assert.ok(tookMs() < 5000, `${path}: ${tookMs()} ms`);
    await stays.has('what happens then', isIssue(await issue()));
    stays.close();
  }
});

test('who ends all other sessions keeps the stream of this one', async () => {
  const person = await signedIn(sql, 'viewer');
  const other = { ...person, cookie: await session(sql, person.staffId) };
  const [stays, ends] = await Promise.all([listenLive(url, person), listenLive(url, other)]);
  await acceptedStaffCall(url, '/Session/End', { all_others: true }, person);
  await ends.ended;
  await stays.has('what happens then', isIssue(await issue()));
  stays.close();
});

test('a session that has ended ends its streams; a stream keeps none alive', { skip: !isLong }, async () => {
  assert(ending);
  const [stays, ends] = ending;
  await ends.ended;
  await stays.has('what happens then', isIssue(await issue()));
  stays.close();
});
