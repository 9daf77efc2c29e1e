import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMetrics } from '../../../packages/server/src/ops/metrics.ts';

const measured = {
  laneDepth: () => 0,
  laneOldestMs: () => 0,
  pools: () => ({}),
  isDatabaseUp: () => true,
  databaseRefusals: () => new Map(),
  backlog: async () => ({ waiting: 0, oldest_s: 0 }),
  failedJobs: async () => 0,
  activityLag: async () => 0,
  logLinesDropped: () => 0,
};

test('all servers of a process share one set of process metrics', async (t) => {
  const first = createMetrics(measured);
  const started = t.mock.method(globalThis, 'setInterval');
  const second = createMetrics(measured);
  assert.equal(started.mock.callCount(), 0);
  first.observeDrop('connection');
  for (const [{ text }, dropped] of [
    [first, 1],
    [second, 0],
  ] as const) {
    const all = await text();
    const names = [...all.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
    assert.equal(new Set(names).size, names.length);
    for (const name of ['process_cpu_user_seconds_total', 'nodejs_eventloop_lag_seconds', 'freebets_lane_depth']) {
      assert.ok(names.includes(name), name);
    }
    assert.equal(all.match(/^freebets_dropped_total\{what="connection"\} 1$/gm)?.length ?? 0, dropped);
    // Metrics are a blank line apart, and the text ends with the end of a line.
    assert.match(all, /[^\n]\n$/);
    assert.doesNotMatch(all, /\n\n\n/);
  }
});
