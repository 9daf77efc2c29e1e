import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accepted } from '../../support/answers.ts';
import { call, demo, rival } from '../../support/caller.ts';
import { testDatabase } from '../../support/database.ts';
import { directIssue } from '../../support/requests.ts';
import { testServer } from '../../support/server.ts';
import { until } from '../../support/waiting.ts';
import { openEndpoint } from './endpoint.ts';
import { succeeds, succeedsWith } from './terminal.ts';

// The commands take effect: events are sent, and sent again.

const database = await testDatabase();
const env = { ...database.env, WEBHOOK_ALLOW_PRIVATE: 'yes', WEBHOOK_RETRIES_S: '0.1' };
const { url: server } = await testServer(env);
const endpoint = await openEndpoint();
const webhook = (...args: string[]) => succeedsWith(env, 'client', 'webhook', ...args);

async function makeEvents(count: number): Promise<void> {
  for (let i = 0; i < count; i++) accepted('Issue', await call(server, 'Issue', directIssue(), demo));
}

const another = await openEndpoint();

/** Sends an event to another partner, so that everything due before it has been sent. */
async function aRivalIsServed(): Promise<void> {
  if (another.sent.length === 0) await webhook('set', '2', another.url);
  const before = another.sent.length;
  accepted('Issue', await call(server, 'Issue', directIssue(), rival));
  await until('the rival has its event', 20_000, () => another.sent.length > before);
}

/** Waits until each of these events has arrived this number of times. */
const haveCome = (sequences: number[], times: number) =>
  until(`${sequences} ${times} times: ${endpoint.sequences()}`, 20_000, () =>
    sequences.every((sequence) => endpoint.sequences().filter((came) => came === sequence).length >= times),
  );

const isDone = (client = '1') =>
  until('nothing is waiting', 20_000, async () => (await webhook('show', client)).waiting === 0);

test('a new webhook gets new events, and deliveries lists them as received', async () => {
  await makeEvents(2);
  await webhook('set', '1', endpoint.url);
  await makeEvents(2);
  await haveCome([3, 4], 1);
  await isDone();
  assert.deepEqual(endpoint.sequences().sort(), [3, 4], 'and none from before');
  const states = (await webhook('deliveries', '1')).map((delivery: { state: string }) => delivery.state);
  assert.deepEqual(states, ['received', 'received', 'not sent', 'not sent']);
});

test('--from with an earlier event sends it and all later events again', async () => {
  await webhook('set', '1', endpoint.url, '--from', '2');
  await haveCome([3, 4], 2);
  await haveCome([2], 1);
  await isDone();
  await webhook('set', '1', endpoint.url, '--from', '4');
  await haveCome([4], 3);
  await isDone();
  assert.deepEqual(
    (await webhook('deliveries', '1', '--state', 'received')).map((d: { sequence: number }) => d.sequence),
    [4, 3, 2],
  );
});

test('failed events are listed with their outcome, and resend --failed sends them again', async () => {
  endpoint.answerWith((sequence) => (sequence === 6 ? 500 : 204));
  await makeEvents(3);
  await until('6 has failed', 20_000, async () => (await webhook('show', '1')).failed === 1);
  const [failed] = await webhook('deliveries', '1', '--state', 'failed');
  assert.deepEqual([failed.sequence, failed.attempts, failed.outcome], [6, 2, 'answered 500']);
  endpoint.answerWith(() => 204);
  assert.equal((await webhook('resend', '1', '--failed')).resent, 1);
  await haveCome([6], 3);
  await isDone();
  const [again] = await webhook('deliveries', '1', '--state', 'received', '--limit', '2').then((all) => all.slice(1));
  assert.deepEqual([again.sequence, again.attempts, again.outcome], [6, 1, 'answered 204']);
});

test('resend sends events again, also those from before the webhook', async () => {
  assert.equal((await webhook('resend', '1', '--sequence', '1', '--to', '3')).resent, 3);
  await haveCome([1], 1);
  await haveCome([2], 2);
  await haveCome([3], 3);
  await isDone();
});

test('a webhook that is off gets nothing, and gets all events after it is set again', async () => {
  await succeeds(env, 'client', 'webhook', 'off', '1');
  // A courier that had it may send one more thing before it notices; it goes when it has had nothing to do for a while.
  await makeEvents(1);
  await until('no courier is left', 20_000, async () => {
    const before = endpoint.sent.length;
    await makeEvents(1);
    await aRivalIsServed();
    return endpoint.sent.length === before;
  });
  await webhook('resend', '1', '--sequence', '1');
  const { last_sequence, waiting } = await webhook('show', '1');
  assert.equal(waiting, last_sequence - 7 + 1);
  const set = await webhook('set', '1', endpoint.url);
  assert.deepEqual([set.next_sequence, set.waiting], [8, waiting]);
  await haveCome([8, 9, last_sequence], 1);
  await haveCome([1], 2);
  await isDone();
});
