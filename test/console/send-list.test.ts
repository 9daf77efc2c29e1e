import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import type { JobItem } from '@freebets/contract';

// Uploads a list without a browser, with stubs for what the module uses of the page.

Object.assign(globalThis, { document: { baseURI: 'http://127.0.0.1/console/' }, addEventListener: () => {} });
interface Module {
  sendList(sending: object): Promise<{ status: string }>;
}
// A dynamic import, because the module needs the types of a browser.
const file = new URL('../../packages/console/src/features/lists/send-list.ts', import.meta.url);
const { sendList }: Module = await import(file.href);

const job = { client_id: 1, job_id: crypto.randomUUID(), name: 'Friday', campaign_id: 'friday' };
const players = (...ids: string[]): JobItem[] => ids.map((player_id) => ({ player_id, currency: 'EUR' }));

test('a started bulk award is reported as sent only for the same list', async () => {
  let [status, isLost] = ['open', true];
  mock.method(globalThis, 'fetch', async (path: string) => {
    if (path.endsWith('/Jobs/Start')) status = 'running';
    if (status === 'running' && isLost) return Response.json({ error: 'internal_error', message: '' }, { status: 500 });
    return Response.json({ ...job, status });
  });
  const send = (items: JobItem[]) =>
    sendList({ job, items, reason: 'A test', signal: new AbortController().signal, onSent: () => {} });
  await assert.rejects(send(players('ann', 'bob')), { error: 'internal_error' });
  isLost = false;
  const refused = {
    error: 'job_started',
    message: /^This bulk award has already started, possibly with other players. Nothing/,
  };
  await assert.rejects(send(players('ann', 'eve')), refused);
  await assert.rejects(send(players('ann', 'eve')), refused);
  assert.equal((await send(players('ann', 'bob'))).status, 'running', 'the start succeeded, but its response was lost');
  await assert.rejects(send(players('ann', 'bob')), refused, 'the list is no longer known');
  status = 'stopped';
  assert.equal((await send(players('ann', 'bob'))).status, 'stopped');
});
