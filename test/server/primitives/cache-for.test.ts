import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { cacheEachFor } from '../../../packages/server/src/primitives/cache-for.ts';

const read: string[] = [];
const readNow = async (of: string) => {
  read.push(of);
  if (read.filter((each) => each === of).length === 1 && of === 'broken') throw new Error('broken');
  return `${of} ${read.length}`;
};
const open = (ms: number) => cacheEachFor({ ms, most: 2, nameOf: (of: string) => of }, readNow);

test('who asks for the same shares one reading, for a while', async () => {
  read.length = 0;
  const ask = open(500);
  assert.deepEqual(await Promise.all([ask('a'), ask('a'), ask('b')]), ['a 1', 'a 1', 'b 2']);
  assert.equal(await ask('a'), 'a 1');
  await delay(510);
  assert.equal(await ask('a'), 'a 3');
});

test('one that failed is read again', async () => {
  read.length = 0;
  const ask = open(60_000);
  await assert.rejects(ask('broken'));
  assert.equal(await ask('broken'), 'broken 2');
});

test('the number of entries is limited: the least recently used one is read again', async () => {
  read.length = 0;
  const ask = open(60_000);
  for (const each of ['a', 'b', 'a', 'c', 'a', 'b']) await ask(each);
  assert.deepEqual(read, ['a', 'b', 'c', 'b']);
});
