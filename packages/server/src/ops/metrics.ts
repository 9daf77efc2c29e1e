import { confirmedOperations } from '@freebets/contract';
import { Counter, collectDefaultMetrics, Gauge, Histogram, type MetricObject, Registry } from '@prometheus-io/client';
import type { EdgeServices, RequestObserver } from '../edge/services.ts';
import type { BatchTimes } from '../engine/attempts.ts';
import type { DeliveryObserver, Sockets } from '../events/webhooks/attempt.ts';
import type { Backlog } from '../events/webhooks/sql/webhooks.ts';
import { cacheFor } from '../primitives/cache-for.ts';
import { version } from '../primitives/version.ts';
import type { JobObserver } from '../promo/jobs/runner.ts';
import { refusalMetric } from './fault-log.ts';
import { type ObserveEvents, partnerMetrics } from './partner-metrics.ts';
import type { PoolCounts } from './pools.ts';
import { requestMetrics } from './request-metrics.ts';

export interface Metrics {
  /** The metrics of this server, without the process metrics. The docs list these metrics. */
  registry: Registry;
  /** All metrics, to be aggregated with other processes. */
  counted(): Promise<MetricObject[]>;
  /** All metrics as text, at most `textMs` old. */
  text(): Promise<string>;
  observeRequest: RequestObserver;
  observeDrop: EdgeServices['observeDrop'];
  observeRefusedItems: EdgeServices['observeRefusedItems'];
  observeEvents: ObserveEvents;
  observePower(operation: string, isConfirmed: boolean): void;
  /** Returns a function to call each time the sweeper has caught up. */
  sweeperStarts(): () => void;
  observeBatch(size: number, times: BatchTimes): void;
  webhooks: Pick<DeliveryObserver, 'attempted' | 'firstAttempt' | 'givenUp'> & {
    socketsAre(sockets: Pick<Sockets, 'open' | 'limit'>): void;
  };
  jobs: Pick<JobObserver, 'stepDone'> & { runningIs(read: () => number): void; running(): number };
}

/** Caches the text, because building it takes milliseconds and anyone can request it. */
export const textMs = 1000;

const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export interface Measured {
  laneDepth(): number;
  /** The waiting time of the oldest command. */
  laneOldestMs(): number;
  /** Connections by pool. */
  pools(): Record<string, PoolCounts>;
  isDatabaseUp(): boolean;
  /** How often the database refused something, by code. */
  databaseRefusals(): ReadonlyMap<string, number>;
  /** The undelivered events of all webhooks, on any server. */
  backlog(): Promise<Backlog>;
  /** The age of the oldest uncounted event, in seconds. */
  activityLag(): Promise<number>;
  /** Failed jobs of all partners, on any server. */
  failedJobs(): Promise<number>;
  logLinesDropped(): number;
}

let ofProcess: Registry | undefined;

/** All servers in a process share the process metrics, because their timers and observers can't be stopped. */
function processMetrics(): Registry {
  if (ofProcess === undefined) {
    ofProcess = new Registry();
    collectDefaultMetrics({ register: ofProcess });
    for (const metric of ofProcess.getMetricsAsArray()) {
      const aggregator = aggregators.find(([names]) => names.test(metric.name))?.[1];
      if (aggregator !== undefined) Object.assign(metric, { aggregator });
    }
  }
  return ofProcess;
}

/** How to aggregate metrics of several processes that can't be summed. For delays, the slowest process counts. */
const aggregators: [RegExp, 'max' | 'min' | 'omit'][] = [
  [/^nodejs_eventloop_lag_(?!min)/, 'max'],
  [/^nodejs_eventloop_utilization_summary$/, 'omit'],
  [/^process_(start_time_seconds|max_fds)$/, 'min'],
];

const countedIn = (registry: Registry) => registry.getMetricsAsJSON() as Promise<MetricObject[]>;

/** The metrics of the first process itself. */
export const countedOfProcess = (): Promise<MetricObject[]> => countedIn(processMetrics());

export function createMetrics(measured: Measured, { namesPartners = false } = {}): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const all = [processMetrics(), registry];
  const observeRequest = requestMetrics(registers, seconds);
  const drops = new Counter({
    name: 'freebets_dropped_total',
    help: 'Dropped at a limit of the server: a connection (MAX_CONNECTIONS), an arriving body (BODIES_MIB), an unread response (ANSWERS_MIB).',
    labelNames: ['what'],
    registers,
  });
  const refusedItems = new Counter({
    name: 'freebets_batch_items_refused_total',
    help: 'Refused items of batches by operation and error. The request itself succeeded with 200.',
    labelNames: ['operation', 'error'],
    registers,
  });
  const batchSize = new Histogram({
    name: 'freebets_lane_batch_size',
    help: 'Commands in one transaction.',
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024],
    registers,
  });
  const loadTime = new Histogram({
    name: 'freebets_lane_load_seconds',
    help: 'Time to begin a batch, lock, load and decide.',
    buckets: seconds,
    registers,
  });
  const commitTime = new Histogram({
    name: 'freebets_lane_commit_seconds',
    help: 'Time to write and commit a batch.',
    buckets: seconds,
    registers,
  });
  measuredElsewhere(registers, measured);
  poolMetrics(registers, measured.pools);
  refusalMetric(registers, measured.databaseRefusals);
  return {
    registry,
    counted: async () => (await Promise.all(all.map(countedIn))).flat(),
    webhooks: webhookMetrics(registers, measured.backlog),
    jobs: jobMetrics(registers, measured.failedJobs),
    text: cacheFor(textMs, async () => (await Promise.all(all.map((each) => each.metrics()))).join('\n')),
    observeRequest,
    observeDrop: (what) => drops.inc({ what }),
    observeRefusedItems: (operation, error, count) => refusedItems.inc({ operation, error }, count),
    observeEvents: namesPartners ? partnerMetrics(registers) : () => {},
    observePower: powerMetrics(registers),
    sweeperStarts: sweeperMetrics(registers),
    observeBatch(size, { loadMs, commitMs }) {
      batchSize.observe(size);
      loadTime.observe(loadMs / 1000);
      commitTime.observe(commitMs / 1000);
    },
  };
}

function measuredElsewhere(
  registers: Registry[],
  { laneDepth, laneOldestMs, isDatabaseUp, activityLag, logLinesDropped }: Measured,
): void {
  new Gauge({
    name: 'freebets_build_info',
    help: 'Always 1. The labels have the versions of the service and of Node.js.',
    labelNames: ['version', 'node'],
    aggregator: 'max',
    registers,
  }).set({ version, node: process.versions.node }, 1);
  gauge(registers, 'freebets_lane_depth', 'Commands that wait for a transaction on this server.', laneDepth);
  gauge(
    registers,
    'freebets_lane_oldest_seconds',
    'Age of the oldest command that waits for a transaction on this server.',
    () => laneOldestMs() / 1000,
    'max',
  );
  gauge(
    registers,
    'freebets_database_up',
    '1 if this server reaches the database, else 0.',
    () => Number(isDatabaseUp()),
    'min',
  );
  gauge(
    registers,
    'freebets_activity_lag_seconds',
    'Age of the oldest event that reports do not count yet, over all servers.',
    cacheFor(backlogMs, activityLag),
    'max',
  );
  counter(
    registers,
    'freebets_log_lines_dropped_total',
    'Log lines that were dropped because standard output was blocked.',
    logLinesDropped,
  );
}

function poolMetrics(registers: Registry[], pools: Measured['pools']): void {
  new Gauge({
    name: 'freebets_pool_connections',
    help: 'Database connections by pool, in use and idle.',
    labelNames: ['pool', 'state'],
    registers,
    collect() {
      for (const [pool, { open, idle }] of Object.entries(pools())) {
        this.set({ pool, state: 'in_use' }, open - idle);
        this.set({ pool, state: 'idle' }, idle);
      }
    },
  });
  new Gauge({
    name: 'freebets_pool_waiting',
    help: 'Tasks that wait for a database connection, by pool.',
    labelNames: ['pool'],
    registers,
    collect() {
      for (const [pool, { waiting }] of Object.entries(pools())) this.set({ pool }, waiting);
    },
  });
}

/** Each series starts at 0, so that the first change is visible as an increase. */
function powerMetrics(registers: Registry[]): Metrics['observePower'] {
  const changes = new Counter({
    name: 'freebets_power_changes_total',
    help: 'Staff changes that gave approval rights, showed a secret or switched on the return of stakes. confirmed: whether a second admin confirmed the change.',
    labelNames: ['operation', 'confirmed'],
    registers,
  });
  const labelsOf = (operation: string, isConfirmed: boolean) => ({ operation, confirmed: isConfirmed ? 'yes' : 'no' });
  for (const operation of confirmedOperations) {
    for (const isConfirmed of [true, false]) changes.inc(labelsOf(operation, isConfirmed), 0);
  }
  return (operation, isConfirmed) => changes.inc(labelsOf(operation, isConfirmed));
}

/** Servers without a sweeper have no value. Until the first round completes, the lag counts from the start. */
function sweeperMetrics(registers: Registry[]): Metrics['sweeperStarts'] {
  let caughtUpAt: number | undefined;
  const lag = new Gauge({
    name: 'freebets_sweeper_lag_seconds',
    help: 'Time since this server last found all expired free bets recorded; absent if WORKER is off.',
    aggregator: 'min',
    registers,
    collect() {
      if (caughtUpAt !== undefined) this.set((performance.now() - caughtUpAt) / 1000);
    },
  });
  lag.remove();
  const caughtUp = () => {
    caughtUpAt = performance.now();
  };
  return () => {
    caughtUp();
    return caughtUp;
  };
}

function webhookMetrics(registers: Registry[], backlog: Measured['backlog']): Metrics['webhooks'] {
  const attempts = new Counter({
    name: 'freebets_webhook_attempts_total',
    help: 'Delivery attempts of this server by result: received, failed, or gone (HTTP 410).',
    labelNames: ['result'],
    registers,
  });
  const latency = new Histogram({
    name: 'freebets_webhook_first_attempt_seconds',
    help: 'Time from the commit of an event to its first delivery attempt, without events that are sent again.',
    buckets: [...seconds, 30, 60, 300, 1800],
    registers,
  });
  const givenUp = new Counter({
    name: 'freebets_webhook_given_up_total',
    help: 'Events whose last delivery attempt failed on this server. To send them again, use client webhook resend.',
    registers,
  });
  const read = cacheFor(backlogMs, backlog);
  gauge(
    registers,
    'freebets_webhook_waiting',
    'Undelivered events of all webhooks, over all servers.',
    async () => (await read()).waiting,
    'max',
  );
  gauge(
    registers,
    'freebets_webhook_oldest_waiting_seconds',
    'Age of the oldest undelivered event, over all servers.',
    async () => (await read()).oldest_s,
    'max',
  );
  let sockets: Pick<Sockets, 'open' | 'limit'> = { open: () => 0, limit: 0 };
  gauge(registers, 'freebets_webhook_connections', 'Open connections of this server to webhooks.', () =>
    sockets.open(),
  );
  gauge(
    registers,
    'freebets_webhook_connections_limit',
    'Maximum connections of this server to webhooks (WEBHOOK_CONNECTIONS); 0 if WORKER is off.',
    () => sockets.limit,
  );
  return {
    socketsAre(given) {
      sockets = given;
    },
    attempted: (result) => attempts.inc({ result }),
    firstAttempt: (elapsedS) => latency.observe(elapsedS),
    givenUp: () => givenUp.inc(),
  };
}

function jobMetrics(registers: Registry[], failedJobs: Measured['failedJobs']): Metrics['jobs'] {
  let running = () => 0;
  gauge(registers, 'freebets_jobs_running', 'Jobs that this server is running.', () => running());
  gauge(
    registers,
    'freebets_jobs_failed',
    'Failed jobs that are neither retried nor stopped, over all servers.',
    cacheFor(backlogMs, failedJobs),
    'max',
  );
  const items = new Counter({
    name: 'freebets_job_items_total',
    help: 'Job items that this server processed: issued, or the error that refused them.',
    labelNames: ['result'],
    registers,
  });
  return {
    stepDone({ issued, refused }) {
      if (issued > 0) items.inc({ result: 'issued' }, issued);
      for (const [error, count] of Object.entries(refused)) items.inc({ result: error }, count);
    },
    runningIs(read) {
      running = read;
    },
    running: () => running(),
  };
}

const backlogMs = 1000;

/** A counter whose value is kept elsewhere. */
function counter(registers: Registry[], name: string, help: string, read: () => number): void {
  new Counter({
    name,
    help,
    registers,
    collect() {
      this.reset();
      this.inc(read());
    },
  });
}

/** A gauge, summed over processes unless `aggregator` differs. */
function gauge(
  registers: Registry[],
  name: string,
  help: string,
  read: () => number | Promise<number>,
  aggregator: 'sum' | 'max' | 'min' = 'sum',
): void {
  new Gauge({
    name,
    help,
    aggregator,
    registers,
    async collect() {
      this.set(await read());
    },
  });
}
