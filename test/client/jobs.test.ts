import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Partner, partsOf, type Sent } from '@freebets/client';
import {
  basePath,
  errorBody,
  errors,
  type JobItem,
  maxItemsOfPart,
  type OperationName,
  operations,
} from '@freebets/contract';

// How a list becomes a job, call by call. The tests of the service cover what the calls do.

const key = { job_id: '7d444840-9dc0-41d1-b245-5ffdce74fad2' };
const client_id = 1;
const job = { ...key, name: 'A job', campaign_id: 'weekend' };

interface Called {
  name: OperationName;
  // biome-ignore lint/suspicious/noExplicitAny: requests of every operation.
  request: any;
}

const nameOf = (url: string) =>
  Object.entries(operations).find(([, { path }]) => url.endsWith(basePath + path))?.[0] as OperationName;

type Refused = { refused: 'job_started' | 'id_reused' | 'forbidden' };
const isRefused = (given: unknown): given is Refused =>
  typeof given === 'object' && given !== null && 'refused' in given;

/** Responds to each call with `answer` after a delay; to parts, once this number of calls are in progress. */
function calls(answer: (called: Called, number: number) => unknown, together = 1) {
  const all: Called[] = [];
  let underWay = 0;
  const most = { underWay: 0 };
  const isTogether = Promise.withResolvers<void>();
  const send: typeof fetch = async (url, init) => {
    const called = {
      name: nameOf(String(url)),
      request: JSON.parse(new TextDecoder().decode(init?.body as Uint8Array)),
    };
    const number = all.push(called);
    most.underWay = Math.max(most.underWay, ++underWay);
    if (underWay >= together) isTogether.resolve();
    await (called.name === 'JobAdd' ? isTogether.promise : undefined);
    await sleep(1);
    underWay -= 1;
    const given = answer(called, number);
    if (!isRefused(given)) return Response.json(given);
    const body = errorBody({ error: given.refused }, 'request-1', 'http://127.0.0.1');
    return Response.json(body, { status: errors[given.refused].status });
  };
  const { jobs } = new Partner({ baseUrl: 'http://127.0.0.1', clientId: client_id, secret: 'a-secret', fetch: send });
  return { jobs, all, most };
}

const refusal = (refused: Refused['refused']): Refused => ({ refused });

const player = (number: number): JobItem => ({ player_id: `player-${number}`, currency: 'EUR' });

/** A list that records whether it was closed and how far it was read. */
function listOf(length: number) {
  const seen = { read: 0, closed: false };
  async function* items() {
    try {
      for (let i = 1; i <= length; i++) {
        seen.read = i;
        yield player(i);
      }
    } finally {
      seen.closed = true;
    }
  }
  return { items: items(), seen };
}

const open = ({ name }: Called) => ({ ...job, part: 1, status: name === 'JobStart' ? 'running' : 'open' });

test('run sends the whole list in parts of maximum size, a few in parallel, and starts the job', async () => {
  const { jobs, all, most } = calls(open, 3);
  const sent: Sent[] = [];
  const length = 5 * maxItemsOfPart + 1;
  const started = await jobs.run(listOf(length).items, job, { onSent: (so) => sent.push(so) });
  assert.equal(started.status, 'running');
  assert.deepEqual(
    all.map(({ name }) => name),
    ['JobCreate', 'JobGet', ...Array(6).fill('JobAdd'), 'JobStart'],
  );
  assert.deepEqual(all[0]?.request, { client_id, ...job });
  assert.deepEqual(all.at(-1)?.request, { client_id, ...key, parts: 6, items: length });
  const added = all.filter(({ name }) => name === 'JobAdd').map(({ request }) => request);
  // Of parallel parts, a short one may arrive before a long one.
  const parts = added.toSorted((a, b) => a.part - b.part);
  assert.deepEqual(
    parts.map(({ part, items }) => [part, items.length]),
    [1, 2, 3, 4, 5, 6].map((part) => [part, part === 6 ? 1 : maxItemsOfPart]),
  );
  assert.deepEqual(
    parts.flatMap(({ items }) => items),
    Array.from({ length }, (_, i) => player(i + 1)),
  );
  assert.equal(most.underWay, 3);
  assert.deepEqual(sent.at(-1), { parts: 6, items: length });
});

test('every part is a body of less than 1 MiB and the same in every run', async () => {
  const long = (i: number): JobItem => ({ player_id: `${'😀'.repeat(60)}${i}`, currency: 'EUR', issue_id: key.job_id });
  const items = Array.from({ length: 9000 }, (_, i) => long(i));
  const parts = await Array.fromAsync(partsOf(items));
  assert.deepEqual(parts.flat(), items);
  for (const part of parts.slice(0, -1)) {
    const bytes = Buffer.byteLength(JSON.stringify({ client_id, ...key, part: 10_000, items: part }));
    assert.ok(bytes <= 1024 * 1024 && bytes > 1024 * 1024 - 2048, `${bytes} bytes`);
  }
  assert.deepEqual(await Array.fromAsync(partsOf(items)), parts);
  assert.deepEqual(await Array.fromAsync(partsOf([])), []);
  const tooLong = { ...player(1), player_id: 'x'.repeat(2 * 1024 * 1024) };
  assert.deepEqual(await Array.fromAsync(partsOf([tooLong])), [[tooLong]], 'no part is without items');
});

test('run sends at least one part at a time', async () => {
  const { jobs, all } = calls(open);
  await jobs.run(listOf(10).items, job, { parallel: 0 });
  assert.deepEqual(all.at(-1)?.request, { client_id, ...key, parts: 1, items: 10 });
});

test('run returns a started job unchanged and sends nothing', async () => {
  const { jobs, all } = calls(() => ({ ...job, status: 'finished' }));
  const { items, seen } = listOf(3 * maxItemsOfPart);
  assert.equal((await jobs.run(items, job)).status, 'finished');
  assert.deepEqual(
    all.map(({ name }) => name),
    ['JobCreate', 'JobGet'],
  );
  assert.ok(seen.closed);
  assert.ok(seen.read <= maxItemsOfPart + 1, `${seen.read} were read to find the first one`);
});

test('run throws for an empty list before it creates a job', async () => {
  const { jobs, all } = calls(open);
  for (const empty of [[], listOf(0).items]) {
    await assert.rejects(jobs.run(empty, job), { name: 'RangeError', message: 'The list has no items.' });
  }
  assert.deepEqual(all, []);
});

test('run returns the current state of a job that another process starts', async () => {
  const { jobs, all } = calls(({ name }, number) =>
    name === 'JobAdd' ? refusal('job_started') : { ...job, status: number > 2 ? 'running' : 'open' },
  );
  assert.equal((await jobs.run(listOf(10).items, job)).status, 'running');
  assert.deepEqual(
    all.map(({ name }) => name),
    ['JobCreate', 'JobGet', 'JobAdd', 'JobGet'],
  );
});

test('run throws for a stopped job, and mayHaveHappened is true if it was started', async () => {
  for (const started_at of [null, '2026-11-15T02:06:40.000Z']) {
    const stopped = { ...job, status: 'stopped', started_at };
    // Stopped before the list is sent, while it is sent, and at the start.
    for (const answers of [[], [open, refusal('job_started')], [open, open]]) {
      const { jobs } = calls((called, number) => {
        const answer = answers[number - 2];
        return number === 1 ? job : typeof answer === 'function' ? answer(called) : (answer ?? stopped);
      });
      const expected = { name: 'job_started', status: 409, isRetryable: false, mayHaveHappened: started_at !== null };
      await assert.rejects(jobs.run(listOf(10).items, job), { ...expected, message: 'The job was stopped.' });
    }
  }
});

test('run throws for a failed job, with the reason, and mayHaveHappened is true', async () => {
  const failure = { reason: 'It is broken.', part: 1, item: 2, failed_at: '2026-11-15T02:06:40.000Z' };
  const failed = { ...job, status: 'failed', failure };
  for (const answers of [[], [open, refusal('job_started')], [open, open]]) {
    const { jobs } = calls((called, number) => {
      const answer = answers[number - 2];
      return number === 1 ? job : typeof answer === 'function' ? answer(called) : (answer ?? failed);
    });
    const expected = { name: 'job_failed', status: 409, isRetryable: false, mayHaveHappened: true };
    await assert.rejects(jobs.run(listOf(10).items, job), { ...expected, message: 'The job failed. It is broken.' });
  }
});

test('mayHaveHappened is true if the job may have been started', async () => {
  const forbidden = refusal('forbidden');
  const failing: [answers: unknown[], mayHaveHappened: boolean][] = [
    [[job, { ...job, status: 'open' }, forbidden], false],
    [[job, { ...job, status: 'open' }, refusal('job_started'), forbidden], true],
    // JobStart gets an invalid response.
    [[job, { ...job, status: 'open' }, { ...key, part: 1 }, {}, forbidden], true],
  ];
  for (const [answers, mayHaveHappened] of failing) {
    const { jobs } = calls((_, number) => answers[number - 1]);
    await assert.rejects(jobs.run(listOf(10).items, job), { name: 'forbidden', mayHaveHappened });
  }
});

test('a failed part ends run, closes the list, and starts nothing', async () => {
  const { jobs, all } = calls((called) => {
    if (called.request.part === 2) return refusal('id_reused');
    return open(called);
  });
  const { items, seen } = listOf(50 * maxItemsOfPart);
  await assert.rejects(jobs.run(items, job), { name: 'id_reused' });
  assert.ok(seen.closed);
  assert.ok(seen.read < 10 * maxItemsOfPart, `${seen.read} were read`);
  assert.ok(all.every(({ name }) => name !== 'JobStart'));
});

test('a failed list ends run', async () => {
  const { jobs, all } = calls(open);
  async function* items() {
    yield* listOf(2 * maxItemsOfPart).items;
    throw new RangeError('no more');
  }
  await assert.rejects(jobs.run(items(), job), RangeError);
  assert.ok(all.every(({ name }) => name !== 'JobStart'));
});

test('wait returns when the job ends or the signal aborts', async () => {
  for (const ending of ['finished', 'failed', 'stopped']) {
    const { jobs } = calls((_, number) => ({ ...job, status: number < 3 ? 'running' : ending }));
    const seen: string[] = [];
    const ended = await jobs.wait(key, { onProgress: ({ status }) => seen.push(status) });
    assert.equal(ended.status, ending);
    assert.deepEqual(seen, ['running', 'running', ending]);
  }
  const stopping = new AbortController();
  const { jobs } = calls(() => ({ ...job, status: 'running' }));
  const waiting = jobs.wait(key, { signal: stopping.signal, onProgress: () => stopping.abort() });
  await assert.rejects(waiting, { name: 'AbortError' });
});

test('refusals are read page by page, including empty pages', async () => {
  const pages = [
    { refusals: [1, 2], next_cursor: 'a' },
    { refusals: [], next_cursor: 'b' },
    { refusals: [3], next_cursor: null },
  ];
  const { jobs, all } = calls((_, number) => pages[number - 1]);
  assert.deepEqual(await Array.fromAsync(jobs.refusals(key)), [1, 2, 3]);
  assert.deepEqual(
    all.map(({ request }) => request.cursor),
    [undefined, 'a', 'b'],
  );
  assert.deepEqual(all[0]?.request, { client_id, ...key, limit: 1000 });
});
