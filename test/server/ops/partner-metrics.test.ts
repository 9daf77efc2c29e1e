import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type MetricObject, Registry } from '@prometheus-io/client';
import { aggregated, partnerMetrics, partnersOfOneServer } from '../../../packages/server/src/ops/partner-metrics.ts';
import type { EmittedEvent } from '../../../packages/server/src/promo/batch/event.ts';

test('the first hundred partners have their own series and the others share one', async () => {
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

test('winnings are exact to the cent, also when aggregated over processes', async () => {
  const [first, second] = [new Registry(), new Registry()];
  const win = (currency: string, winAmount: bigint) =>
    new Set([{ type: 'freebet.settled', bet: { state: 'won', winAmount }, freeBet: { currency } } as EmittedEvent]);
  const observe = partnerMetrics([first]);
  for (let i = 0; i < 1000; i++) observe(1, win('EUR', 347n));
  observe(1, win('USD', 10n));
  partnerMetrics([second])(1, win('USD', 20n));
  const wonIn = async (registry: Registry) => (await registry.metrics()).match(/^freebets_won_total\{.*/gm);
  const eur = 'freebets_won_total{client_id="1",currency="EUR"} 3470';
  const usd = (sum: string) => `freebets_won_total{client_id="1",currency="USD"} ${sum}`;
  assert.deepEqual(await wonIn(first), [eur, usd('0.1')]);
  assert.deepEqual(await wonIn(first), [eur, usd('0.1')], 'asked again');
  const counted = (await Promise.all([first, second].map((each) => each.getMetricsAsJSON()))) as MetricObject[][];
  assert.deepEqual(await wonIn(aggregated(counted)), [eur, usd('0.3')]);
});

test('over all processes the same hundred partners keep their own series', async () => {
  const issued = new Set([{ type: 'freebet.issued' } as EmittedEvent]);
  const of = async (first: number, last: number) => {
    const registry = new Registry();
    const observe = partnerMetrics([registry]);
    for (let clientId = first; clientId <= last; clientId++) observe(clientId, issued);
    return (await registry.getMetricsAsJSON()) as MetricObject[];
  };
  const asOne = partnersOfOneServer();
  const seriesOf = async (counted: MetricObject[][]) =>
    (await aggregated(counted.map(asOne)).metrics()).match(/^freebets_issued_total\{.*/gm) ?? [];
  const series = (clientId: string, count: number) => `freebets_issued_total{client_id="${clientId}"} ${count}`;
  const both = [await of(1, 60), await of(31, 180)];
  const lines = await seriesOf(both);
  assert.equal(lines.length, 101);
  for (const line of [series('1', 1), series('60', 2), series('100', 1), series('other', 80)]) {
    assert.ok(lines.includes(line), line);
  }
  assert.deepEqual((await seriesOf(both.toReversed())).toSorted(), lines.toSorted(), 'asked again');
});
