import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maxWindow, openWindow, type Window } from '../../../../packages/server/src/events/webhooks/attempt.ts';

// How the limit of concurrent attempts changes after successes and failures.

let next = 1;
/** Begins as many as there is room for. */
function fill(window: Window): number[] {
  const begun: number[] = [];
  while (window.hasRoom()) {
    window.begin(next);
    begun.push(next++);
  }
  return begun;
}

function stopAll(window: Window): void {
  for (const sequence of [...window.underWay]) window.end(sequence, 'stopped');
}

/** How many are under way when there is no more room, with none of them ended. */
function widthOf(window: Window): number {
  stopAll(window);
  const { length } = fill(window);
  stopAll(window);
  return length;
}

const attempt = (window: Window, result: 'received' | 'failed' | 'gone') => {
  window.begin(next);
  return window.end(next++, result);
};

test('a window begins narrow, grows by one with each receipt up to its bound, and is halved by a failure', () => {
  const window = openWindow(1000);
  assert.equal(widthOf(window), 16);
  for (let i = 1; i <= 200; i++) {
    assert.equal(attempt(window, 'received'), undefined);
    if (i % 20 === 0) assert.equal(widthOf(window), Math.min(16 + i, 128));
  }
  assert.equal(maxWindow, 128);
  for (const width of [64, 32, 16, 16]) {
    assert.equal(attempt(window, 'failed'), undefined);
    assert.equal(widthOf(window), width);
  }
});

test('events in progress are known by their number, and aborted ones do not count', () => {
  const window = openWindow(1000);
  const begun = fill(window);
  assert.deepEqual([...window.underWay], begun);
  for (const sequence of begun.slice(1)) assert.equal(window.end(sequence, 'stopped'), undefined);
  assert.deepEqual([...window.underWay], begun.slice(0, 1));
  assert.equal(widthOf(window), 16);
});

test('after eight failures in a row it is one attempt at a time, seldom, until one is received', (t) => {
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  const window = openWindow(1000);
  for (let i = 1; i < 8; i++) assert.equal(attempt(window, 'failed'), undefined);
  assert.equal(widthOf(window), 16);
  assert.equal(attempt(window, 'failed'), 'failing');
  assert.equal(window.hasRoom(), false);
  now += 999;
  assert.equal(window.hasRoom(), false);
  now += 1;
  assert.equal(fill(window).length, 1);
  now += 5000;
  assert.equal(window.hasRoom(), false, 'the one before it must have ended');
  const [sequence] = window.underWay;
  assert.equal(window.end(sequence as number, 'failed'), undefined, 'it is said once');
  assert.equal(attempt(window, 'received'), 'works again');
  assert.equal(widthOf(window), 17);
});

test('after a 410 there is no room any more', () => {
  const window = openWindow(0);
  assert.equal(window.isGone(), false);
  attempt(window, 'gone');
  attempt(window, 'received');
  assert.deepEqual([window.isGone(), window.hasRoom()], [true, false]);
});
