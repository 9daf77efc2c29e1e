import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Registry } from '@prometheus-io/client';
import type { EmittedEvent } from '../../../packages/server/src/domain/event.ts';
import { partnerMetrics } from '../../../packages/server/src/runtime/partner-metrics.ts';

test('a hundred partners have series of their own, and the others one together', async () => {
  const registry = new Registry();
  const observe = partnerMetrics([registry]);
  const issued = { type: 'freebet.issued' } as EmittedEvent;
  for (let clientId = 1; clientId <= 150; clientId++) observe(clientId, new Set([issued]));
  observe(1, new Set([issued, { ...issued }]));
  const lines = (await registry.metrics()).split('\n').filter((line) => line.startsWith('freebets_issued_total{'));
  assert.equal(lines.length, 101);
  assert.ok(lines.includes('freebets_issued_total{client_id="1"} 3'));
  assert.ok(lines.includes('freebets_issued_total{client_id="100"} 1'));
  assert.ok(lines.includes('freebets_issued_total{client_id="other"} 50'));
});
