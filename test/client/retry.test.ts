import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mock, test } from 'node:test';
import { type ClientOptions, FreebetsError, Partner } from '@freebets/client';
import { type ErrorName, errorBody, errors, sign } from '@freebets/contract';
import { refusingUrl } from '../support/receiver.ts';
import { directIssue } from '../support/requests.ts';
import { stopwatch, until } from '../support/waiting.ts';
import {
  cutOff,
  drop,
  type FaultyServer,
  faultyServer,
  ok,
  page,
  type Reply,
  refusal,
  stall,
  stallInBody,
} from './faulty-server.ts';

const secret = 'a-secret';

/** Makes the random pauses ten times shorter. */
const { random } = Math;
mock.method(Math, 'random', () => random() / 10);

const clientOf = ({ url }: FaultyServer, options: Partial<ClientOptions> = {}) =>
  new Partner({ baseUrl: url, clientId: 1, secret, ...options });

const stop = (server: FaultyServer, options: Partial<ClientOptions> = {}) =>
  clientOf(server, options).campaigns.stop({ campaign_id: 'one' });

/** The error of a call that must fail. */
const failureOf = (call: Promise<unknown>): Promise<FreebetsError> =>
  call.then(
    (answer) => assert.fail(`it has succeeded: ${JSON.stringify(answer)}`),
    (error) => {
      assert.ok(error instanceof FreebetsError, error);
      return error;
    },
  );

const unavailable = refusal({ error: 'unavailable' });

const passing: Record<string, Reply> = {
  'a lost connection': drop,
  'an answer that is cut off': cutOff,
  'an answer that does not come': stall,
  'an answer that does not end': stallInBody,
  429: refusal({ error: 'too_many_requests' }),
  500: refusal({ error: 'internal_error' }),
  503: unavailable,
  'a proxy without a server': page(502),
  'a success that is a page': page(200),
  'a success that is not an object': ok(1),
  'a success of something else': ok({ status: 'maintenance' }),
};

for (const [name, reply] of Object.entries(passing)) {
  test(`the client sends the same bytes again after ${name}`, async () => {
    const made = { issue_id: 'made', campaign_id: null };
    const server = await faultyServer(reply, reply, ok(made));
    // On a busy machine the successful response may also miss this short timeout.
    const isSlow = reply === stall || reply === stallInBody;
    const client = clientOf(server, isSlow ? { timeoutMs: 300, maxRetries: 49 } : {});
    const answer = await client.freeBets.issue(directIssue({ player_id: 'игрок 🎲' }));
    assert.deepEqual(answer, made);
    assert.ok(isSlow ? server.received.length >= 3 : server.received.length === 3);
    const [first] = server.received;
    for (const { path, body, headers } of server.received) {
      assert.equal(path, '/v3/FreeBets/Issue');
      assert.equal(body, first?.body, 'with the id that was made for it');
      assert.equal(headers['x-request-sign'], sign(body, secret));
      assert.equal(headers['content-type'], 'application/json');
    }
  });
}

test('an operation that is not idempotent is repeated only if it was not carried out', async () => {
  const round = { issue_id: crypto.randomUUID(), result: 'lost' as const };
  const of = { campaign_id: 'one' };
  const calls: ((partner: Partner) => Promise<unknown>)[] = [
    ({ sandbox }) => sandbox.round(round),
    ({ campaigns }) => campaigns.pause(of),
    ({ campaigns }) => campaigns.resume(of),
    ({ campaigns }) => campaigns.limits({ ...of, bonus_limit: 1, bonus_limit_per_user: null }),
  ];
  for (const call of calls) {
    const server = await faultyServer(refusal({ error: 'too_many_requests' }), drop, ok({}));
    const { name, mayHaveHappened } = await failureOf(call(clientOf(server)));
    assert.deepEqual([name, mayHaveHappened, server.received.length], ['no_answer', true, 2]);
  }
});

test('open items of a batch are sent again alone, and stay in the results if that fails', async () => {
  const open = { issue_id: 'open', error: { error: 'unavailable' } };
  const half = ok({ results: [{ issue_id: 'one' }, open], kept: true });
  const items = [directIssue(), directIssue({ player_id: 'игрок 🎲' })];
  const cases: [after: Reply[], last: object, sent: number[]][] = [
    [[ok({ results: [{ issue_id: 'two' }] })], { issue_id: 'two' }, [2, 1]],
    [[drop, ok({ results: [{ issue_id: 'two' }] })], { issue_id: 'two' }, [2, 1, 1]],
    [[ok({ results: null }), ok({ results: [{ issue_id: 'two' }] })], { issue_id: 'two' }, [2, 1, 1]],
    [[refusal({ error: 'forbidden' })], open, [2, 1]],
    [[unavailable], open, [2, 1, 1, 1]],
  ];
  for (const [after, last, sent] of cases) {
    const server = await faultyServer(half, ...after);
    const answer = await clientOf(server, { maxRetries: 3 }).freeBets.issueBatch({ items });
    assert.deepEqual(answer, { results: [{ issue_id: 'one' }, last], kept: true });
    const received = server.received.map(({ body }) => JSON.parse(body));
    assert.deepEqual(
      received.map(({ items }) => items.length),
      sent,
    );
    for (const { items, ...others } of received.slice(1)) {
      assert.deepEqual([items, others], [[received[0].items[1]], { client_id: 1 }], 'under the same id');
    }
  }
  const tried = await faultyServer(half);
  await clientOf(tried).freeBets.issueBatch({ items, dry_run: true });
  assert.equal(tried.received.length, 1, 'it does nothing');
  const cancelling = await faultyServer(half, ok({ results: [{ issue_id: 'two' }] }));
  const { results } = await clientOf(cancelling).freeBets.cancelBatch({ issue_ids: ['one', 'two'] });
  assert.deepEqual(results, [{ issue_id: 'one' }, { issue_id: 'two' }]);
  assert.deepEqual(JSON.parse(cancelling.received[1]?.body ?? ''), { client_id: 1, issue_ids: ['two'] });
});

test('a response is recognized by its fields or by having none', async () => {
  const server = await faultyServer(ok({ status: 'maintenance' }));
  const { campaigns, events, freeBets, jobs } = clientOf(server, { maxRetries: 0 });
  const [key, name] = [{ job_id: crypto.randomUUID() }, 'A job'];
  for (const call of [
    () => freeBets.cancel({ issue_id: 'one' }),
    () => campaigns.list().then((page) => page),
    () => events.list({ after: 0 }),
    () => jobs.run([{ player_id: 'x', currency: 'EUR' }], { ...key, name, campaign_id: 'one' }),
    () => jobs.wait(key),
  ]) {
    const { name, status, isRetryable, request } = await failureOf(call() as Promise<unknown>);
    assert.deepEqual([name, status, isRetryable, request], ['unreadable_answer', 200, true, undefined]);
  }
  assert.equal(server.received.length, 5);
  const tried = await faultyServer(ok({ dry_run: true }));
  assert.deepEqual(await clientOf(tried).freeBets.cancel({ issue_id: 'one', dry_run: true }), { dry_run: true });
});

test('an error has a request only if the client made IDs for the call', async () => {
  const server = await faultyServer(drop, drop, drop, unavailable, refusal({ error: 'forbidden' }), drop);
  const { freeBets, jobs } = clientOf(server, { maxRetries: 0 });
  const gift = directIssue();
  const sent = () => JSON.parse(server.received.at(-1)?.body ?? '');
  const hint =
    /^No answer .* It may have been carried out: to call again, give this error's request, which has the ids\.$/;
  const lost = await failureOf(freeBets.issue(gift));
  assert.deepEqual(lost.request, sent());
  assert.match(lost.message, hint);
  assert.doesNotMatch(JSON.stringify(lost), /player_id/, 'no log has it by itself');
  const again = await failureOf(freeBets.issue({ ...gift, ...lost.request }));
  assert.equal(server.received[1]?.body, server.received[0]?.body, 'it is the same call');
  assert.equal(again.request, undefined, 'the caller has the id');
  assert.doesNotMatch(again.message, /request/);
  const batch = await failureOf(freeBets.issueBatch({ items: [gift, { ...gift, issue_id: 'own' }] }));
  assert.deepEqual(batch.request, sent());
  assert.match(
    (await failureOf(freeBets.issue(gift))).message,
    / send the same request again\. It may have been carried out: /,
  );
  const refused = await failureOf(freeBets.issue(gift));
  assert.deepEqual([refused.message, refused.request], [errors.forbidden.message, sent()]);
  const run = await failureOf(jobs.run([{ player_id: 'x', currency: 'EUR' }], { name: 'A job', campaign_id: 'one' }));
  assert.deepEqual(run.request, { job_id: sent().job_id });
  assert.match(run.message, hint);
});

test('mayHaveHappened of the last error covers all attempts', async () => {
  const [forbidden, tooMany] = [refusal({ error: 'forbidden' }), refusal({ error: 'too_many_requests' })];
  const cases: [replies: Reply[], name: string, mayHaveHappened: boolean][] = [
    [[forbidden], 'forbidden', false],
    [[tooMany], 'too_many_requests', false],
    [[tooMany, forbidden], 'forbidden', false],
    [[unavailable], 'unavailable', true],
    [[page(403)], 'unreadable_answer', true],
    [[drop, forbidden], 'forbidden', true],
    [[drop, tooMany], 'too_many_requests', true],
    [[unavailable, tooMany, forbidden], 'forbidden', true],
    [[page(200), forbidden], 'forbidden', true],
  ];
  for (const [replies, name, mayHaveHappened] of cases) {
    const client = clientOf(await faultyServer(...replies, ...replies), { maxRetries: replies.length - 1 });
    const made = await failureOf(client.freeBets.issue(directIssue()));
    assert.deepEqual([made.name, made.mayHaveHappened], [name, mayHaveHappened]);
    assert.equal(/ It may have been carried out: /.test(made.message), mayHaveHappened, made.message);
    const own = await failureOf(client.freeBets.issue({ ...directIssue(), ...made.request }));
    assert.deepEqual([own.name, own.mayHaveHappened, own.request], [name, mayHaveHappened, undefined]);
  }
  const tried = clientOf(await faultyServer(drop, forbidden));
  const { message } = await failureOf(tried.freeBets.issue(directIssue({ dry_run: true })));
  assert.equal(message, errors.forbidden.message, 'it would have changed nothing');
});

test('a refusal is not retried, and its error has all fields of the response', async () => {
  const isFinal = (name: ErrorName) => errors[name].status !== 429 && errors[name].status < 500;
  const final = (Object.keys(errors) as ErrorName[]).filter(isFinal);
  const details = [{ field: 'name', reason: 'is missing' }];
  const server = await faultyServer(
    ...final.map((error) => refusal({ error, details }, { 'x-request-id': 'request-1' })),
  );
  for (const [i, name] of final.entries()) {
    const { status, code, message } = errors[name];
    const error = await failureOf(stop(server));
    const { isRetryable, requestId } = error;
    assert.deepEqual(
      { ...error, message: error.message, isRetryable },
      {
        ...{ name, status, code, message, details, requestId: 'request-1' },
        docUrl: errorBody({ error: name, details }, 'request-1', 'http://127.0.0.1').doc_url,
        ...{ retryAfterMs: undefined, isRetryable: false, mayHaveHappened: false },
      },
    );
    assert.equal(requestId, 'request-1');
    assert.equal(server.received.length, i + 1);
  }
});

test('a refusal by something other than the service is not retried, and is an unreadable_answer', async () => {
  for (const status of [301, 307, 308, 400, 403, 404, 413]) {
    const server = await faultyServer(page(status, { location: '/v3/elsewhere' }));
    const { name, status: seen, code, isRetryable } = await failureOf(stop(server));
    assert.deepEqual(
      { name, seen, code, isRetryable },
      { name: 'unreadable_answer', seen: status, code: undefined, isRetryable: false },
    );
    assert.deepEqual(
      server.received.map(({ path }) => path),
      ['/v3/FreeBets/Campaign/Stop'],
      'no redirect is followed',
    );
  }
});

test('the client stops after the maximum number of attempts and throws the last error', async () => {
  const server = await faultyServer(drop, unavailable, refusal({ error: 'internal_error' }));
  const { name, isRetryable, requestId } = await failureOf(stop(server));
  assert.deepEqual(
    { name, isRetryable, requestId },
    { name: 'internal_error', isRetryable: true, requestId: 'request-1' },
  );
  assert.equal(server.received.length, 3);
  const once = await faultyServer(unavailable);
  assert.equal((await failureOf(stop(once, { maxRetries: 0 }))).name, 'unavailable');
  assert.equal(once.received.length, 1);
});

test('the client waits for a service that is down for ten seconds', async (t) => {
  // Only pauses advance this clock.
  let [nowMs, isPausing] = [0, false];
  const { setTimeout } = globalThis;
  t.mock.method(performance, 'now', () => nowMs);
  t.mock.method(Math, 'random', () => 0.5);
  t.mock.method(globalThis, 'setTimeout', (work: () => void, ms: number) => {
    if (!isPausing) return setTimeout(work, ms);
    [nowMs, isPausing] = [nowMs + ms, false];
    return setTimeout(work, 0);
  });
  const sentMs: number[] = [];
  const away: typeof fetch = async () => {
    sentMs.push(nowMs);
    if (nowMs >= 10_000) return Response.json({ providers: [], image_assets: {} });
    isPausing = true;
    throw new TypeError('refused');
  };
  await new Partner({ baseUrl: refusingUrl, clientId: 1, secret, maxRetries: 9, fetch: away }).games.list();
  assert.deepEqual(sentMs, [0, 200, 600, 1400, 3000, 6200, 11_200]);
});

test('a refused connection is an error with its cause', async () => {
  const client = new Partner({ baseUrl: refusingUrl, clientId: 1, secret, maxRetries: 1 });
  const error = await failureOf(client.games.list());
  assert.deepEqual([error.name, error.status, error.isRetryable], ['no_answer', undefined, true]);
  assert.match(error.message, /http:\/\/127\.0\.0\.1:1\b/);
  assert.ok(error.cause instanceof Error);
});

test('the client waits as long as Retry-After asks, in seconds or until a date', async () => {
  const inTwoSeconds = new Date(Date.now() + 2000).toUTCString();
  const asked = [
    refusal({ error: 'unavailable' }, { 'retry-after': '1' }),
    refusal({ error: 'too_many_requests' }, { 'retry-after': inTwoSeconds }),
    page(503, { 'retry-after': 'soon' }),
    ok(),
  ];
  const server = await faultyServer(...asked);
  await stop(server, { maxRetries: 3 });
  const [first = 0, second = 0, third = 0] = server.received.map(({ at }) => at);
  assert.ok(second - first >= 995, `it waited ${second - first} ms and was asked for 1 s`);
  assert.ok(Date.parse(inTwoSeconds) <= Date.now() && third > second);
  assert.equal(server.received.length, 4, 'what cannot be read stops nothing');
});

test('the client starts no pause that would end after totalTimeoutMs', async () => {
  const server = await faultyServer(refusal({ error: 'unavailable' }, { 'retry-after': '3600' }));
  const tookMs = stopwatch();
  const error = await failureOf(stop(server));
  assert.deepEqual([error.name, error.retryAfterMs, server.received.length], ['unavailable', 3_600_000, 1]);
  assert.ok(tookMs() < 5000, `${tookMs()} ms`);
});

test('timeoutMs limits one attempt and totalTimeoutMs all of them', async () => {
  const server = await faultyServer(stall);
  const limits = [
    { totalTimeoutMs: 300, timeoutMs: 60_000, most: 1 },
    { totalTimeoutMs: 700, timeoutMs: 250, most: 3 },
  ];
  for (const { most, ...options } of limits) {
    const [tookMs, before] = [stopwatch(), server.received.length];
    const error = await failureOf(stop(server, { ...options, maxRetries: 99 }));
    assert.equal(error.name, 'no_answer');
    assert.equal((error.cause as Error).name, 'TimeoutError');
    assert.ok(tookMs() < options.totalTimeoutMs + 5000, `it took ${tookMs()} ms`);
    assert.ok(server.received.length - before <= most, `${server.received.length - before} attempts`);
  }
});

test('a signal ends an attempt, a pause and a new call with its reason', async () => {
  const reason = new Error('enough');
  const pausing = refusal({ error: 'unavailable' }, { 'retry-after': '20' });
  for (const reply of [stall, pausing]) {
    const server = await faultyServer(reply);
    const controller = new AbortController();
    const client = clientOf(server, { signal: controller.signal });
    const call = client.games.list();
    await until('it is sent', 10_000, () => server.received.length === 1);
    controller.abort(reason);
    await assert.rejects(call, (error) => error === reason);
    await assert.rejects(client.games.list(), (error) => error === reason);
    assert.equal(server.received.length, 1);
  }
});

test('a call can have its own limits and signal', async () => {
  const server = await faultyServer(unavailable);
  const client = clientOf(server, { maxRetries: 49 });
  const reason = new Error('enough');
  assert.equal((await failureOf(client.games.list({}, { maxRetries: 1 }))).name, 'unavailable');
  assert.equal(server.received.length, 2);
  await assert.rejects(client.games.list({}, { signal: AbortSignal.abort(reason) }), (error) => error === reason);
  const stalled = await faultyServer(stall);
  const ending = new AbortController();
  const call = clientOf(stalled, { signal: new AbortController().signal }).games.list({}, { signal: ending.signal });
  await until('it is sent', 10_000, () => stalled.received.length === 1);
  ending.abort(reason);
  await assert.rejects(call, (error) => error === reason);
  const late = await failureOf(clientOf(stalled).games.list({}, { totalTimeoutMs: 200 }));
  assert.equal((late.cause as Error).name, 'TimeoutError');
});

test('a process does not exit while a call waits for its next attempt', async () => {
  const server = await faultyServer(
    refusal({ error: 'unavailable' }, { 'retry-after': '1', connection: 'close' }),
    ok({ providers: [], image_assets: {} }),
  );
  const program = `
    const { Partner } = await import(${JSON.stringify(import.meta.resolve('@freebets/client'))});
    const client = new Partner({ baseUrl: '${server.url}', clientId: 1, secret: 'a-secret' });
    client.games.list().then(({ providers }) => console.log(JSON.stringify(providers)));`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [[code], printed] = await Promise.all([once(child, 'exit'), child.stdout.toArray()]);
  assert.deepEqual([code, printed.join('')], [0, '[]\n']);
});
