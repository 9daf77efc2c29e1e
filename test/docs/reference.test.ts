import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type OperationName, operations } from '@freebets/contract';
import { examplesOf as examplesOfOperation } from '../../packages/contract/src/operation-types.ts';
import { accepted } from '../support/answers.ts';
import { call, demo, send } from '../support/caller.ts';
import { later } from '../support/clock.ts';
import { testDatabase } from '../support/database.ts';
import { lantern } from '../support/provider.ts';
import { testServer } from '../support/server.ts';
import { differences } from './answers.ts';
import { examplesOf, missingTools, runDocument } from './document.ts';
import { documents } from './markdown.ts';

// A reader who tries the examples of the reference and of all guides on one server must not find that an id is taken.

const { env: database } = await testDatabase();
const env = { ...database, WEBHOOK_ALLOW_PRIVATE: 'yes' };
const { url } = await testServer({ ...env, RATE_LIMIT: '1000', RATE_BURST: '2000' });

/** Ordered so that each finds what it needs. */
const order: OperationName[] = [
  'GameList',
  'CampaignCreate',
  'Issue',
  'IssueBatch',
  'CampaignGet',
  'CampaignList',
  'Cancel',
  'CancelBatch',
  'RoundsAvailable',
  'RoundsBet',
  'RoundsSettle',
  'RoundsRollback',
  'RoundsGet',
  'RoundsOpen',
  'SandboxRound',
  'FreeBetGet',
  'FreeBetList',
  'EventsList',
  'JobCreate',
  'JobAdd',
  'JobStart',
  'JobGet',
  'JobList',
  'JobRefusals',
  'JobRetry',
  'JobStop',
  'CampaignPause',
  'CampaignResume',
  'CampaignLimits',
  'CampaignStop',
  'SandboxClockGet',
  'SandboxClockSet',
];

/** Their responses depend on more than the request. */
const snapshots: OperationName[] = [
  'GameList',
  'CampaignGet',
  'CampaignList',
  'FreeBetGet',
  'FreeBetList',
  'EventsList',
  'SandboxClockGet',
  'SandboxClockSet',
  'JobGet',
  'JobList',
  'JobRefusals',
  'JobRetry',
  'RoundsOpen',
];

/** A sandbox clock only goes forward, and will pass the time of the example. Event ids differ in every feed. */
async function sendable(name: OperationName, request: object): Promise<object> {
  if (name === 'EventsList') {
    const { after } = request as { after: number };
    const { events } = accepted('EventsList', await call(url, 'EventsList', { after: after - 1, limit: 1 }));
    return { ...request, after_event_id: events[0].event_id };
  }
  if (name !== 'SandboxClockSet') return request;
  const { now } = accepted('SandboxClockGet', await call(url, 'SandboxClockGet', {}));
  return { ...request, now: later(now, 60_000) };
}

test('the examples of the reference return what they show, in both forms if there are two', async () => {
  assert.deepEqual(order.toSorted(), Object.keys(operations).sort());
  for (const name of order) {
    const { caller } = operations[name];
    for (const { request, response } of examplesOfOperation(operations[name])) {
      const sent = await sendable(name, request as object);
      const answer = await send(url, name, sent, caller === 'client_id' ? demo : { ...demo, ...lantern });
      const body = accepted(name, answer);
      if (!snapshots.includes(name)) assert.deepEqual(differences(response, body, { shortened: false }), [], name);
    }
  }
});

const missing = missingTools();
const pages = documents('docs/').filter((file) => /^docs\/(partners|providers|start)\b/.test(file));
const withCalls = pages.filter((file) => shellExamples(file).length > 0);

function shellExamples(file: string) {
  return examplesOf(file).filter(({ block }) => block.language === 'sh');
}

test('there are pages with calls', () => {
  assert.ok(withCalls.flatMap(shellExamples).length > 40);
});

for (const file of withCalls) {
  test(`the examples of ${file} then run on the same server, and find no id taken`, {
    skip: missing.length > 0 && `the examples need ${missing.join(', ')}`,
  }, async () => {
    const examples = await runDocument(file, url, { ...env, PUBLIC_URL: url }, 'sh');
    for (const { result, stdout, stderr, answer, block } of examples) {
      assert.equal(result, 'done', `line ${block.line}: ${stderr}`);
      const isShown = answer?.code.includes('id_reused') ?? false;
      assert.equal(stdout.includes('id_reused'), isShown, `line ${block.line}: ${stdout}`);
    }
  });
}
