import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import type { JobItem } from '@freebets/contract';

// How the console hands a list over, without a browser: what the module takes from a page stands here.

Object.assign(globalThis, { document: { baseURI: 'http://127.0.0.1/console/' }, addEventListener: () => {} });
interface Module {
  sendList(sending: object): Promise<{ status: string }>;
}
// Its types are those of a page, which are not known here.
const file = new URL('../../packages/console/src/features/lists/send-list.ts', import.meta.url);
const { sendList }: Module = await import(file.href);

const job = { client_id: 1, job_id: crypto.randomUUID(), name: 'Friday', campaign_id: 'friday' };
const players = (...ids: string[]): JobItem[] => ids.map((player_id) => ({ player_id, currency: 'EUR' }));

test('of a list that is started already only the same one is taken for it', async () => {
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
    message: /^The list is started already, perhaps with other players: nothing/,
  };
  await assert.rejects(send(players('ann', 'eve')), refused);
  await assert.rejects(send(players('ann', 'eve')), refused);
  assert.equal((await send(players('ann', 'bob'))).status, 'running', 'its start was carried out, and the answer lost');
  await assert.rejects(send(players('ann', 'bob')), refused, 'nothing is known of it any more');
  status = 'stopped';
  assert.equal((await send(players('ann', 'bob'))).status, 'stopped');
});
