import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stepSizeOf } from '../../../../packages/server/src/promo/jobs/step-size.ts';

/** As large as it gets with steps that take 10 µs for each item. */
function grown(bytesPerItem = 0, room = 5000): ReturnType<typeof stepSizeOf> {
  const size = stepSizeOf(bytesPerItem);
  for (let step = 0; step < 20; step++) size.took(size.within(room), size.within(room) * 0.01);
  return size;
}

test('a step is as large as is quick, and never larger than its room', () => {
  const size = grown();
  assert.equal(size.within(512), 512);
  assert.equal(size.within(5000), 2000, '20 ms');
  size.took(2000, 25);
  assert.equal(size.within(5000), 1600);
  size.took(1600, 1000);
  assert.equal(size.within(5000), 1200, 'one that was held up makes it a little smaller');
  for (let step = 0; step < 20; step++) size.took(16, 200);
  assert.equal(size.within(5000), 128, 'the least size, even if slow');
});

test('a step that had little room says nothing of larger ones, unless it was slow', () => {
  const size = grown();
  size.took(16, 5);
  assert.equal(size.within(5000), 2000);
});

test('a step writes two mebibytes of shared terms at most, or one item', () => {
  assert.equal(grown(64 * 1024).within(512), 32);
  assert.equal(grown(3 * 1024 * 1024).within(512), 1);
  assert.equal(grown(300).within(512), 512);
});

test('after a failure it is half as large, down to one, and grows again with success', () => {
  const size = stepSizeOf(0);
  const sizes: number[] = [];
  for (let step = 0; step < 9; step++) {
    sizes.push(size.within(512));
    size.failed(size.within(512));
  }
  assert.deepEqual(sizes, [128, 64, 32, 16, 8, 4, 2, 1, 1]);
  size.took(1, 500);
  assert.equal(size.within(512), 2, 'however slow it was');
  size.took(2, 2);
  assert.equal(size.within(512), 4);
  size.took(3, 2);
  assert.equal(size.within(512), 4, 'one that had less room says nothing of larger ones');
});

test('what failed a few times is as large as ever after a few that succeed, however long they take', () => {
  for (const ms of [2, 15, 20, 25, 500]) {
    const size = stepSizeOf(0);
    for (let step = 0; step < 6; step++) size.failed(size.within(512));
    assert.equal(size.within(512), 2);
    for (let step = 0; step < 6; step++) size.took(size.within(512), ms);
    assert.equal(size.within(512), 128, `${ms} ms each`);
    size.took(128, ms);
    assert.equal(size.within(512) > 128, ms < 20, `${ms} ms each`);
  }
});
