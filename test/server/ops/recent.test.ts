import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keepRecent } from '../../../packages/server/src/ops/recent.ts';

test('readings cover the last ten whole seconds', () => {
  let now = 100.5;
  const recent = keepRecent(() => now);
  assert.deepEqual(recent.read().requests, { per_second: 0, p50_ms: null, p99_ms: null });
  for (let i = 0; i < 99; i++) recent.observeRequest('Issue', 0.002);
  recent.observeRequest('Issue', 0.5);
  recent.observeRequest('Live', 3600);
  recent.observeRequest('/metrics', 0.1);
  for (const size of [10, 20]) recent.observeBatch(size, { loadMs: size / 10, commitMs: 4 });
  assert.equal(recent.read().requests.per_second, 0, 'the second under way does not count yet');
  now = 102;
  const { requests, lanes } = recent.read();
  assert.equal(requests.per_second, 50);
  assert.ok(requests.p50_ms !== null && requests.p50_ms >= 2 && requests.p50_ms <= 2.5);
  assert.ok(requests.p99_ms !== null && requests.p99_ms <= 2.5);
  assert.deepEqual(lanes, { batches_per_second: 1, mean_size: 15, last_size: 20, load_ms: 1.5, commit_ms: 4 });
  recent.observeRequest('Issue', 0.5);
  now = 110.9;
  assert.equal(recent.read().requests.per_second, 10.1);
  now = 111;
  assert.equal(recent.read().requests.per_second, 0.1, 'the first second is more than ten seconds ago');
  now = 200;
  assert.deepEqual(recent.read().requests, { per_second: 0, p50_ms: null, p99_ms: null });
  assert.equal(recent.read().lanes.last_size, 20);
});
