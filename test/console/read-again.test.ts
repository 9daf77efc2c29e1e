import assert from 'node:assert/strict';
import { test } from 'node:test';
import { QueryClient, QueryObserver } from '@tanstack/react-query';

// Runs the module without a browser, with stubs for what it uses of the page.

Object.assign(globalThis, { document: { baseURI: 'http://127.0.0.1/console/' }, addEventListener: () => {} });
interface Module {
  refreshKind(queries: QueryClient, kind: string): Promise<void>;
}
// A dynamic import, because the module needs the types of a browser.
const file = new URL('../../packages/console/src/api/live.ts', import.meta.url);
const { refreshKind }: Module = await import(file.href);

test('a change waits for the refresh of its queries, but only for a limited time', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const queries = new QueryClient();
  const reads: PromiseWithResolvers<string>[] = [];
  const queryFn = () => {
    const read = Promise.withResolvers<string>();
    reads.push(read);
    return read.promise;
  };
  const stop = new QueryObserver(queries, { queryKey: ['PartnerGet', {}], queryFn }).subscribe(() => {});
  const change = () => {
    const waiting = { isOver: false };
    void refreshKind(queries, 'partner').then(() => (waiting.isOver = true));
    return waiting;
  };
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  reads[0]?.resolve('before');
  await settle();

  const answered = change();
  await settle();
  assert.deepEqual([reads.length, answered.isOver], [2, false]);
  reads[1]?.resolve('after');
  await settle();
  assert.equal(answered.isOver, true);

  const unanswered = change();
  await settle();
  assert.deepEqual([reads.length, unanswered.isOver], [3, false]);
  t.mock.timers.tick(2000);
  await settle();
  assert.equal(unanswered.isOver, true);
  stop();
});
