import { Counter, type Metric, type Registry } from '@prometheus-io/client';
import type { RequestObserver } from '../edge/services.ts';

// Counts requests in plain objects and converts them to the library's metrics only when the metrics are read: a lookup
// by labels would take a twentieth of the processor time of a request.

interface Outcome {
  labels: { operation: string; status: number; error: string };
  count: number;
}

interface Operation {
  outcomes: Outcome[];
  /** Requests per bucket: up to each bound and above the previous one, and last those above all bounds. */
  buckets: number[];
  seconds: number;
}

export function requestMetrics(registers: Registry[], bounds: readonly number[]): RequestObserver {
  const operations = new Map<string, Operation>();
  new Counter({
    name: 'freebets_requests_total',
    help: 'Requests by operation, HTTP status and error. error is empty on success.',
    labelNames: ['operation', 'status', 'error'],
    registers,
    collect() {
      for (const outcome of [...operations.values()].flatMap(({ outcomes }) => outcomes)) {
        this.inc(outcome.labels, outcome.count);
        outcome.count = 0;
      }
    },
  });
  const latency = {
    name: 'freebets_request_seconds',
    help: 'Time from the request headers to the moment the response is handed to the socket.',
    type: 'histogram',
    labelNames: ['operation'],
    aggregator: 'sum',
  };
  const get = async () => ({
    ...latency,
    values: [...operations].flatMap(([operation, counted]) => samplesOf(latency.name, operation, bounds, counted)),
  });
  for (const registry of registers) registry.registerMetric({ ...latency, get } as unknown as Metric);
  return (operation, status, elapsedS, error) => {
    let found = operations.get(operation);
    if (found === undefined) {
      found = { outcomes: [], buckets: Array.from({ length: bounds.length + 1 }, () => 0), seconds: 0 };
      operations.set(operation, found);
    }
    count(found.outcomes, operation, status, error);
    let bucket = 0;
    while (bucket < bounds.length && elapsedS > (bounds[bucket] as number)) bucket += 1;
    found.buckets[bucket] = (found.buckets[bucket] as number) + 1;
    found.seconds += elapsedS;
  };
}

function count(outcomes: Outcome[], operation: string, status: number, error: string): void {
  for (const outcome of outcomes) {
    if (outcome.labels.status !== status || outcome.labels.error !== error) continue;
    outcome.count += 1;
    return;
  }
  outcomes.push({ labels: { operation, status, error }, count: 1 });
}

function samplesOf(name: string, operation: string, bounds: readonly number[], { buckets, seconds }: Operation) {
  const labels = { operation };
  let total = 0;
  const upTo = buckets.map((count, i) => {
    total += count;
    return { labels: { le: bounds[i] ?? '+Inf', ...labels }, value: total, metricName: `${name}_bucket` };
  });
  return [
    ...upTo,
    { labels, value: seconds, metricName: `${name}_sum` },
    { labels, value: total, metricName: `${name}_count` },
  ];
}
