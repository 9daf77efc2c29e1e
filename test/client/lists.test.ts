import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FreebetsError, type FreebetsEvent, Partner, Provider } from '@freebets/client';
import { demo } from '../support/caller.ts';
import { testDatabase } from '../support/database.ts';
import { lantern } from '../support/provider.ts';
import { directIssue, games } from '../support/requests.ts';
import { testServer } from '../support/server.ts';
import { until } from '../support/waiting.ts';
import { faultyServer, ok, refusal } from './faulty-server.ts';

const { env } = await testDatabase();
const { url } = await testServer(env);
const partner = new Partner({ baseUrl: url, ...demo });
const provider = new Provider({ baseUrl: url, ...lantern });
const client_id = demo.clientId;

const partnerOf = (server: { url: string }) => new Partner({ baseUrl: server.url, ...demo });
const idsOf = (of: { issue_id: string }[]) => of.map(({ issue_id }) => issue_id);

test('a list is read completely or page by page', async () => {
  const player_id = 'player-of-lists';
  const items = Array.from({ length: 7 }, () => directIssue({ player_id }));
  const issued = idsOf((await partner.freeBets.issueBatch({ items })).results as { issue_id: string }[]);
  const all = await Array.fromAsync(partner.freeBets.list({ player_id, limit: 2 }));
  assert.deepEqual(idsOf(all).toSorted(), issued.toSorted());
  assert.deepEqual(await Array.fromAsync(partner.freeBets.list({ player_id })), all);
  const page = await partner.freeBets.list({ player_id, limit: 2 });
  assert.deepEqual(page.free_bets, all.slice(0, 2));
  const next = await partner.freeBets.list({ player_id, limit: 2, cursor: page.next_cursor as string });
  assert.deepEqual(next.free_bets, all.slice(2, 4));
  const rest = partner.freeBets.list({ player_id, limit: 2, cursor: page.next_cursor as string });
  assert.deepEqual(await Array.fromAsync(rest), all.slice(2));
});

test('a list of a provider is read completely', async () => {
  const { issue_id, player_id } = await partner.freeBets.issue(directIssue({ quantity: 3, player_id: 'opener' }));
  const bets = [1, 2, 3].map(() => crypto.randomUUID());
  for (const bet_id of bets) await provider.rounds.bet({ client_id, bet_id, issue_id, player_id, game_id: games.one });
  const open = await Array.fromAsync(provider.rounds.open({ client_id, limit: 1 }));
  assert.deepEqual(
    open.map(({ bet_id }) => bet_id),
    bets,
  );
});

test('a list sends no request before it is read, and reads no page ahead', async () => {
  const server = await faultyServer(ok({ campaigns: [1, 2], next_cursor: 'more' }));
  const list = partnerOf(server).campaigns.list({ status: 'active' });
  assert.equal(server.received.length, 0);
  for await (const _ of list) break;
  const bodies = server.received.map(({ body }) => JSON.parse(body));
  assert.deepEqual(bodies, [{ client_id, limit: 200, status: 'active' }]);
  await assert.rejects(
    async () => {
      for await (const _ of partnerOf(await faultyServer(refusal({ error: 'forbidden' }))).jobs.list()) break;
    },
    { name: 'forbidden' },
  );
});

test('a list is a promise of its first page, and sends one request however often it is awaited', async () => {
  const first = { campaigns: [1, 2], next_cursor: null };
  const server = await faultyServer(ok(first));
  const list = partnerOf(server).campaigns.list();
  assert.ok(list instanceof Promise);
  const ended: string[] = [];
  const [a, b, c, d] = await Promise.all([
    list,
    list.then((page) => page),
    list.catch(() => assert.fail()),
    list.finally(() => ended.push('finally')),
  ]);
  for (const page of [a, b, c, d, await list]) assert.deepEqual(page, first);
  assert.deepEqual([server.received.length, ended], [1, ['finally']]);
  assert.equal(JSON.parse(server.received[0]?.body ?? '').limit, undefined);
  for await (const _ of list) break;
  assert.equal(server.received.length, 2, 'an iteration reads its own pages');
});

test('catch and finally of a list get its error', async () => {
  const server = await faultyServer(refusal({ error: 'forbidden' }));
  const list = partnerOf(server).campaigns.list();
  assert.equal(await list.catch(({ name }) => name), 'forbidden');
  await assert.rejects(
    list.finally(() => {}),
    { name: 'forbidden' },
  );
  await assert.rejects(list, { name: 'forbidden' });
  assert.equal(server.received.length, 1);
});

const event = (sequence: number) => ({ event_id: `event-${sequence}`, sequence, type: 'campaign.created' });

test('events returns existing and new events, and resumes from a cursor', async () => {
  const stopping = new AbortController();
  const before = await Array.fromAsync(partner.events({ follow: false }));
  assert.deepEqual(
    before.map(({ sequence }) => sequence),
    before.map((_, i) => i + 1),
  );
  const seen: FreebetsEvent[] = [];
  const following = (async () => {
    const after = before.length - 2;
    for await (const next of partner.events({ after, signal: stopping.signal, pauseMs: 20 })) seen.push(next);
  })();
  await until('the last two are read', 10_000, () => seen.length === 2);
  assert.deepEqual(seen, before.slice(-2));
  const { issue_id } = await partner.freeBets.issue(directIssue());
  await until('the new one is read', 10_000, () => seen.length === 3);
  const [, , newest] = seen;
  assert.ok(newest?.type === 'freebet.issued');
  assert.equal(newest.data.free_bet.issue_id, issue_id);
  stopping.abort();
  await following;
});

test('events survives an outage of the service and continues where it was', async () => {
  const unavailable = refusal({ error: 'unavailable' });
  const server = await faultyServer(
    ok({ events: [event(1), event(2)], last_sequence: 2 }),
    unavailable,
    unavailable,
    ok({ events: [event(3)], last_sequence: 3 }),
  );
  const failures: FreebetsError[] = [];
  const client = new Partner({ baseUrl: server.url, ...demo, maxRetries: 0 });
  const seen: number[] = [];
  for await (const { sequence } of client.events({ pauseMs: 1, onError: (error) => failures.push(error) })) {
    seen.push(sequence);
    if (sequence === 3) break;
  }
  assert.deepEqual(seen, [1, 2, 3]);
  assert.deepEqual(
    failures.map(({ name }) => name),
    ['unavailable', 'unavailable'],
  );
  const asked = server.received.map(({ body }) => JSON.parse(body));
  assert.deepEqual(
    asked,
    [{ after: 0 }, ...[1, 2, 3].map(() => cursor(2))].map((from) => ({ client_id, ...from, limit: 1000 })),
  );
});

const cursor = (sequence: number) => ({ after: sequence, after_event_id: `event-${sequence}` });

test('events sends the sequence and ID of the last event, and accepts a number as the first cursor', async () => {
  const pages = [ok({ events: [], last_sequence: 4 }), ok({ events: [event(5), event(6)], last_sequence: 6 })];
  const beginnings = [
    [4, { after: 4 }],
    [{ sequence: 4 }, { after: 4 }],
    [{ sequence: 4, event_id: null }, { after: 4 }],
    [{ sequence: 4, event_id: 'event-4' }, cursor(4)],
    [event(4), cursor(4)],
  ] as const;
  for (const [after, first] of beginnings) {
    const server = await faultyServer(...pages, ok({ events: [], last_sequence: 6 }));
    const ending = new AbortController();
    for await (const { sequence } of partnerOf(server).events({ after, pauseMs: 1, signal: ending.signal })) {
      if (sequence === 6) {
        const askedAgain = until('the next page is asked for', 10_000, async () => server.received.length > 2);
        void askedAgain.finally(() => ending.abort());
      }
    }
    const asked = server.received.map(({ body }) => JSON.parse(body));
    const wanted = [first, first, ...asked.slice(2).map(() => cursor(6))];
    assert.deepEqual(
      asked,
      wanted.map((from) => ({ client_id, ...from, limit: 1000 })),
    );
    assert.ok(asked.length > 2);
  }
});

test('following a changed or truncated feed fails with a named error, without a retry', async () => {
  for (const [name, code, field] of [
    ['feed_changed', 643, 'last_sequence'],
    ['events_removed', 644, 'oldest_sequence'],
  ] as const) {
    const details = [{ field, reason: 'is 7', value: '7' }];
    const server = await faultyServer(refusal({ error: name, details }));
    const reported: unknown[] = [];
    const following = partnerOf(server).events({
      after: { sequence: 9, event_id: 'x' },
      onError: (e) => reported.push(e),
    });
    await assert.rejects(following.next(), { name, code, details, isRetryable: false, mayHaveHappened: false });
    assert.equal(server.received.length, 1);
    assert.deepEqual(reported, []);
  }
});

test('the service refuses a cursor of another database with a named error, and accepts one of its own', async () => {
  const [event] = await Array.fromAsync(partner.events({ follow: false }));
  assert.ok(event);
  const next = partner.events({ after: event, follow: false });
  assert.equal((await next.next()).value?.sequence, 2);
  const another = { ...event, event_id: crypto.randomUUID() };
  await assert.rejects(partner.events({ after: another }).next(), { name: 'feed_changed' });
});

test('events throws if reading is forbidden, and without follow if the service is unreachable', async () => {
  const forbidden = partnerOf(await faultyServer(refusal({ error: 'forbidden' }))).events();
  await assert.rejects(forbidden.next(), { name: 'forbidden' });
  const server = await faultyServer(refusal({ error: 'unavailable' }));
  const client = new Partner({ baseUrl: server.url, ...demo, maxRetries: 0 });
  await assert.rejects(client.events({ follow: false }).next(), { name: 'unavailable' });
});

test('a signal ends events between two events, during a pause and during a call, without an error', async () => {
  const page = ok({ events: [event(1), event(2)], last_sequence: 2 });
  const empty = ok({ events: [], last_sequence: 2 });
  const between = new AbortController();
  const seen: number[] = [];
  for await (const { sequence } of partnerOf(await faultyServer(page)).events({ signal: between.signal })) {
    seen.push(sequence);
    between.abort();
  }
  assert.deepEqual(seen, [1]);
  for (const reply of [empty, () => {}]) {
    const server = await faultyServer(reply);
    const ending = new AbortController();
    const waiting = partnerOf(server).events({ signal: ending.signal, pauseMs: 60_000 }).next();
    await until('it is asked for', 10_000, () => server.received.length === 1);
    ending.abort();
    assert.deepEqual(await waiting, { done: true, value: undefined });
  }
});
