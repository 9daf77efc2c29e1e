import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Result } from '../../../packages/server/src/check/check.ts';
import { checkWebhook, webhookChecks } from '../../../packages/server/src/check/webhook/webhook-check.ts';
import { fileOf } from '../../support/files.ts';
import { runCommand } from '../../support/server.ts';
import {
  memoryReceiver,
  type ReceiverFault,
  receiverFaults,
  receiverSecret,
  takesBeginnings,
} from './memory-receiver.ts';

async function resultsOf(
  fault: ReceiverFault,
  signing: 'plain' | 'strict',
  timeoutMs = 15_000,
  only?: string[],
): Promise<Result[]> {
  const toCheck = { url: await memoryReceiver(fault), secret: receiverSecret, clientId: 1, signing, timeoutMs };
  const how = { guideAt: String, only, onResult() {}, signal: new AbortController().signal };
  return (await checkWebhook(toCheck, how)).results;
}

const idsOf = (results: Result[], verdict: Result['verdict']): string[] =>
  results.filter((result) => result.verdict === verdict).map(({ id }) => id);

test('a receiver without a fault is certified with either kind of signing', async () => {
  for (const [signing, skipped] of [
    ['plain', ['webhook.other-path']],
    ['strict', []],
  ] as const) {
    const results = await resultsOf({}, signing);
    assert.deepEqual(idsOf(results, 'failed'), []);
    assert.deepEqual(idsOf(results, 'unchecked'), []);
    assert.deepEqual(idsOf(results, 'skipped'), skipped);
  }
});

test('one signature is enough: a receiver may go by either', async () => {
  const onlySign: ReceiverFault = {
    allowUntimed: true,
    headers: (headers) => Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith('webhook-'))),
  };
  assert.deepEqual(idsOf(await resultsOf(onlySign, 'plain'), 'skipped'), ['webhook.old-time', 'webhook.other-path']);
  const onlyStandard: ReceiverFault = {
    headers: (headers) => Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith('x-request'))),
  };
  const results = await resultsOf(onlyStandard, 'strict');
  assert.deepEqual([idsOf(results, 'failed'), idsOf(results, 'skipped')], [[], ['webhook.other-path']]);
});

test('there is a faulty receiver for every rule', () => {
  assert.deepEqual(
    Object.keys(receiverFaults),
    webhookChecks.map(({ id }) => id),
  );
});

/** Leaves out the slow rules that are not the broken one. */
function rulesFor(id: string): string[] {
  // Each of its answers takes seconds: it is never run with the others.
  if (id === 'webhook.in-time') return ['webhook.accepted', id];
  return webhookChecks.map((check) => check.id).filter((other) => other === id || other !== 'webhook.slow-link');
}

for (const [id, fault] of Object.entries(receiverFaults)) {
  test(`a receiver that breaks ${id} is caught by that rule alone`, async () => {
    const signing = id === 'webhook.other-path' ? 'strict' : 'plain';
    const results = await resultsOf(fault, signing, id === 'webhook.in-time' ? 8000 : 15_000, rulesFor(id));
    assert.deepEqual(idsOf(results, 'failed'), [id]);
  });
}

test('a signature is looked at in every header', async () => {
  const partly = ['webhook.empty-signature', 'webhook.partial-signature', 'webhook.malformed-signature'];
  for (const header of ['x-request-sign', 'x-request-sign-previous', 'webhook-signature']) {
    const results = await resultsOf(takesBeginnings(header), 'strict', 15_000, partly);
    assert.deepEqual(idsOf(results, 'failed'), ['webhook.empty-signature', 'webhook.malformed-signature'], header);
  }
});

test('the command reports on a receiver, and fails where there is none', async () => {
  const file = fileOf(`${receiverSecret}\n`);
  const args = ['check', 'webhook', await memoryReceiver(receiverFaults['webhook.duplicate']), '--secret-file', file];
  const only = ['--only', 'webhook.accepted,webhook.duplicate'];
  const { stdout, stderr, code } = await runCommand({}, ...args, ...only);
  assert.deepEqual({ code, stderr }, { code: 3, stderr: '' });
  assert.match(stdout, /^1\/2 ✓ webhook\.accepted {2}A correctly signed event gets 2xx\.$/m);
  assert.match(stdout, /^ {6}The same event again got 409; it must get 2xx\.$/m);
  assert.match(stdout, /^ {6}curl -sS -i -X POST 'http:.*--data-binary '\{"event_id":/m);
  assert.match(stdout, /: 1 of 2 chosen rules hold, 1 does not\.\n$/);
  const unknown = await runCommand({}, 'check', 'webhook', 'http://127.0.0.1:1/', '--secret-file', file);
  assert.equal(unknown.code, 1);
  assert.match(unknown.stderr, /^No receiver responds at http:\/\/127\.0\.0\.1:1\/: /);
});
