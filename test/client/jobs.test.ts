import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, FreebetsError, partsOf, refusalsOf, runJob, type Sent, waitForJob } from '@freebets/client';
import { errors, type JobItem, maxItemsOfPart, type OperationName } from '@freebets/contract';

// How a list becomes a job, call by call. What the calls do is the service's own tests'.

const key = { client_id: 1, job_id: '7d444840-9dc0-41d1-b245-5ffdce74fad2' };
const job = { ...key, name: 'A job', campaign_id: 'weekend' };

interface Called {
  name: OperationName;
  // biome-ignore lint/suspicious/noExplicitAny: requests of every operation.
  request: any;
}

/** Answers every call with what `answer` gives for it, after a while. */
function calls(answer: (called: Called, number: number) => unknown) {
  const all: Called[] = [];
  let underWay = 0;
  const most = { underWay: 0 };
  const client: Client = {
    async call(name, request) {
      const number = all.push({ name, request });
      most.underWay = Math.max(most.underWay, ++underWay);
      try {
        await sleep(1);
        const given = await answer({ name, request }, number);
        if (given instanceof Error) throw given;
        return given as never;
      } finally {
        underWay -= 1;
      }
    },
  };
  return { client, all, most };
}

const refusal = (name: 'job_started' | 'id_reused' | 'internal_error') =>
  new FreebetsError(name, errors[name].message, { status: errors[name].status, code: errors[name].code });

const player = (number: number): JobItem => ({ player_id: `player-${number}`, currency: 'EUR' });

/** A list that says whether it was closed, and how far it was read. */
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

const open = ({ name }: Called) => ({ ...job, status: name === 'JobStart' ? 'running' : 'open' });

test('a list is sent whole, in parts as large as they may be, a few at a time, and then started', async () => {
  const { client, all, most } = calls(open);
  const sent: Sent[] = [];
  const length = 5 * maxItemsOfPart + 1;
  const started = await runJob(client, job, listOf(length).items, (so) => sent.push(so));
  assert.equal(started.status, 'running');
  assert.deepEqual(
    all.map(({ name }) => name),
    ['JobCreate', 'JobGet', ...Array(6).fill('JobAdd'), 'JobStart'],
  );
  assert.deepEqual(all[0]?.request, job);
  assert.deepEqual(all.at(-1)?.request, { ...key, parts: 6, items: length });
  const parts = all.filter(({ name }) => name === 'JobAdd').map(({ request }) => request);
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

test('a part is a body of less than 1 MiB, whatever its items are, and the same every time', async () => {
  const long = (i: number): JobItem => ({ player_id: `${'😀'.repeat(60)}${i}`, currency: 'EUR', issue_id: key.job_id });
  const items = Array.from({ length: 9000 }, (_, i) => long(i));
  const parts = await Array.fromAsync(partsOf(items));
  assert.deepEqual(parts.flat(), items);
  for (const part of parts.slice(0, -1)) {
    const bytes = Buffer.byteLength(JSON.stringify({ ...key, part: 10_000, items: part }));
    assert.ok(bytes <= 1024 * 1024 && bytes > 1024 * 1024 - 2048, `${bytes} bytes`);
  }
  assert.deepEqual(await Array.fromAsync(partsOf(items)), parts);
  assert.deepEqual(await Array.fromAsync(partsOf([])), []);
});

test('a job that was started before is left as it is, and nothing is sent', async () => {
  const { client, all } = calls(() => ({ ...job, status: 'finished' }));
  const { items, seen } = listOf(10);
  assert.equal((await runJob(client, job, items)).status, 'finished');
  assert.deepEqual(
    all.map(({ name }) => name),
    ['JobCreate', 'JobGet'],
  );
  assert.equal(seen.read, 0);
});

test('a job that is started or stopped meanwhile is answered as it is then', async () => {
  const { client, all } = calls(({ name }, number) =>
    name === 'JobAdd' ? refusal('job_started') : { ...job, status: number > 2 ? 'stopped' : 'open' },
  );
  assert.equal((await runJob(client, job, listOf(10).items)).status, 'stopped');
  assert.deepEqual(
    all.map(({ name }) => name),
    ['JobCreate', 'JobGet', 'JobAdd', 'JobGet'],
  );
});

test('a part that fails ends it: the list is closed, and nothing is started', async () => {
  const { client, all } = calls((called) => {
    if (called.request.part === 2) return refusal('id_reused');
    return open(called);
  });
  const { items, seen } = listOf(50 * maxItemsOfPart);
  await assert.rejects(runJob(client, job, items), { name: 'id_reused' });
  assert.ok(seen.closed);
  assert.ok(seen.read < 10 * maxItemsOfPart, `${seen.read} were read`);
  assert.ok(all.every(({ name }) => name !== 'JobStart'));
});

test('a list that fails ends it too', async () => {
  const { client, all } = calls(open);
  async function* items() {
    yield* listOf(2 * maxItemsOfPart).items;
    throw new RangeError('no more');
  }
  await assert.rejects(runJob(client, job, items()), RangeError);
  assert.ok(all.every(({ name }) => name !== 'JobStart'));
});

test('a job is waited for until it has ended, or until one is told to end', async () => {
  for (const ending of ['finished', 'stopped']) {
    const { client } = calls((_, number) => ({ ...job, status: number < 3 ? 'running' : ending }));
    const seen: string[] = [];
    const ended = await waitForJob(client, job, { onProgress: ({ status }) => seen.push(status) });
    assert.equal(ended.status, ending);
    assert.deepEqual(seen, ['running', 'running', ending]);
  }
  const stopping = new AbortController();
  const { client } = calls(() => ({ ...job, status: 'running' }));
  const waiting = waitForJob(client, job, { signal: stopping.signal, onProgress: () => stopping.abort() });
  await assert.rejects(waiting, { name: 'AbortError' });
});

test('refusals are read page by page, empty ones among them', async () => {
  const pages = [
    { refusals: [1, 2], next_cursor: 'a' },
    { refusals: [], next_cursor: 'b' },
    { refusals: [3], next_cursor: null },
  ];
  const { client, all } = calls((_, number) => pages[number - 1]);
  assert.deepEqual(await Array.fromAsync(refusalsOf(client, job)), [1, 2, 3]);
  assert.deepEqual(
    all.map(({ request }) => request.cursor),
    [undefined, 'a', 'b'],
  );
  assert.deepEqual(all[0]?.request, { ...key, limit: 1000 });
});
