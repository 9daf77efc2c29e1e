import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Refusal } from '@freebets/contract';
import { gatherBody, limitBodies } from '../../../packages/server/src/edge/transfer.ts';

// A body as Node.js hands it over: piece by piece, with or without a length beforehand.
// In a process of its own: it measures the memory that it holds.

const mebibyte = 1024 * 1024;

function arriving(bodies = limitBodies(64 * mebibyte, () => {}), announced?: number) {
  const headers = announced === undefined ? {} : { 'content-length': String(announced) };
  const request = Object.assign(new EventEmitter(), { headers });
  const answers: (Buffer | Refusal)[] = [];
  gatherBody(request as unknown as IncomingMessage, bodies, (answer) => answers.push(answer));
  return { request, answers };
}

const pattern = Buffer.from(Array.from({ length: mebibyte }, (_, i) => (i * 31) % 251));

test('pieces of every size make the body, byte for byte, announced or not', () => {
  for (const length of [0, 1, 1023, 1024, 1025, 16 * 1024 + 1, 100_000, mebibyte]) {
    for (const piece of [997, 65_536, mebibyte]) {
      for (const announced of [undefined, length]) {
        const { request, answers } = arriving(undefined, announced);
        for (let at = 0; at < length; at += piece) {
          request.emit('data', pattern.subarray(at, Math.min(at + piece, length)));
        }
        request.emit('end');
        assert.equal(answers.length, 1);
        assert.ok(pattern.subarray(0, length).equals(answers[0] as Buffer), `${length} in pieces of ${piece}`);
      }
    }
  }
});

test('a body over the limit is refused once and later bytes are dropped', () => {
  const { request, answers } = arriving();
  for (let i = 0; i < 3; i++) request.emit('data', pattern);
  request.emit('end');
  assert.deepEqual(answers, [{ error: 'body_too_large' }]);
});

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** Freed memory is returned a moment later, so the lowest of some readings counts. */
async function heldBytes(): Promise<number> {
  const readings: number[] = [];
  for (let i = 0; i < 5; i++) {
    collectGarbage();
    await new Promise((resolve) => setTimeout(resolve, 5));
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    readings.push(heapUsed + arrayBuffers);
  }
  return Math.min(...readings);
}

test('bodies in small pieces take no buffer per piece', async () => {
  const piece = 66;
  const all = Array.from({ length: 16 }, () => arriving());
  const before = await heldBytes();
  for (let at = 0; at < mebibyte; at += piece) {
    for (const { request } of all) request.emit('data', Buffer.from(pattern.subarray(at, at + piece)));
  }
  const held = (await heldBytes()) - before;
  assert.ok(held < 18 * mebibyte, `${held} bytes are held for 16 mebibytes`);
  for (const { request, answers } of all) {
    request.emit('end');
    assert.ok(pattern.equals(answers[0] as Buffer));
  }
});

test('a body in one-byte pieces is accepted only while small', () => {
  const { request, answers } = arriving();
  for (let i = 0; i < 1000; i++) request.emit('data', pattern.subarray(i, i + 1));
  assert.deepEqual(answers, []);
  for (let i = 1000; i < 1100; i++) request.emit('data', pattern.subarray(i, i + 1));
  request.emit('end');
  const [answer] = answers as Refusal[];
  assert.deepEqual([answers.length, answer?.error], [1, 'invalid_request']);
});

test('the announced length is not allocated in advance', async () => {
  const before = await heldBytes();
  const all = Array.from({ length: 200 }, () => arriving(undefined, mebibyte));
  for (const { request } of all) request.emit('data', pattern.subarray(0, 1));
  assert.ok((await heldBytes()) - before < 2 * mebibyte);
  assert.ok(all.every(({ answers }) => answers.length === 0));
});

test('beyond the limit the oldest body is dropped, but never a small one', () => {
  const bodies = limitBodies(mebibyte, () => {});
  const small = Array.from({ length: 300 }, () => arriving(bodies));
  for (const { request } of small) request.emit('data', pattern.subarray(0, 16 * 1024));
  const large = Array.from({ length: 5 }, () => arriving(bodies));
  for (const { request } of large) request.emit('data', pattern.subarray(0, 400_000));
  assert.deepEqual(
    large.map(({ answers }) => answers[0]),
    [...Array(3).fill({ error: 'unavailable' }), undefined, undefined],
  );
  assert.ok(small.every(({ answers }) => answers.length === 0));
  // Ended and completed requests return their bytes.
  large[3]?.request.emit('close');
  large[4]?.request.emit('end');
  assert.deepEqual(large[4]?.answers, [pattern.subarray(0, 400_000)]);
  const { request, answers } = arriving(bodies);
  request.emit('data', pattern);
  request.emit('end');
  assert.ok(pattern.equals(answers[0] as Buffer));
});

test('a body that is cut off releases its bytes', () => {
  const kept = new Map<unknown, number>();
  const bodies = {
    keep: (owner: unknown, bytes: number) => kept.set(owner, bytes),
    release: (owner: unknown) => kept.delete(owner),
  };
  for (const piece of [100, 17_000, 40_000, 65_536]) {
    const { request, answers } = arriving(bodies as unknown as ReturnType<typeof limitBodies>, mebibyte);
    for (let at = 0; at < 200_000; at += piece) request.emit('data', pattern.subarray(at, at + piece));
    assert.equal(kept.size, 1, `in pieces of ${piece}`);
    request.emit('close');
    assert.deepEqual([kept.size, answers], [0, []], `in pieces of ${piece}`);
  }
});
