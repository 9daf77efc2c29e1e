import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from '@prometheus-io/client';
import type { RequestObserver } from './http/services.ts';
import type { BatchTimes } from './lanes/batch.ts';

export interface Metrics {
  registry: Registry;
  observeRequest: RequestObserver;
  observeBatch(size: number, times: BatchTimes): void;
}

const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export function createMetrics(laneDepth: () => number, isDatabaseUp: () => boolean): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const requests = new Counter({
    name: 'freebets_requests_total',
    help: 'Requests by operation and HTTP status.',
    labelNames: ['operation', 'status'],
    registers,
  });
  const latency = new Histogram({
    name: 'freebets_request_seconds',
    help: 'Time from the first byte of a request to the last of its answer.',
    labelNames: ['operation'],
    buckets: seconds,
    registers,
  });
  const batchSize = new Histogram({
    name: 'freebets_lane_batch_size',
    help: 'Commands carried out in one transaction.',
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024],
    registers,
  });
  const loadTime = new Histogram({
    name: 'freebets_lane_load_seconds',
    help: 'Time to begin, lock, load and decide a batch.',
    buckets: seconds,
    registers,
  });
  const commitTime = new Histogram({
    name: 'freebets_lane_commit_seconds',
    help: 'Time to write and commit a batch.',
    buckets: seconds,
    registers,
  });
  gauge(registers, 'freebets_lane_depth', 'Commands waiting in the lanes of this server.', laneDepth);
  gauge(registers, 'freebets_database_up', 'Whether the database answers.', () => Number(isDatabaseUp()));
  return {
    registry,
    observeRequest(operation, status, elapsedS) {
      requests.inc({ operation, status });
      latency.observe({ operation }, elapsedS);
    },
    observeBatch(size, { loadMs, commitMs }) {
      batchSize.observe(size);
      loadTime.observe(loadMs / 1000);
      commitTime.observe(commitMs / 1000);
    },
  };
}

function gauge(registers: Registry[], name: string, help: string, read: () => number): void {
  new Gauge({
    name,
    help,
    registers,
    collect() {
      this.set(read());
    },
  });
}
