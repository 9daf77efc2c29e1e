import { createSecretKey } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { demoPartner } from '../packages/server/src/demo/demo.ts';
import { buildApp } from '../packages/server/src/edge/app.ts';
import { openLog } from '../packages/server/src/ops/log.ts';
import { createMetrics } from '../packages/server/src/ops/metrics.ts';
import { done } from '../packages/server/src/primitives/outcome.ts';
import { createSignal } from '../packages/server/src/primitives/signal.ts';

// The ceiling of a server: everything it does for an Issue except the lane. It checks the signature, validates the
// request, sends a prepared response and writes a log line.

const answer = done(JSON.parse(process.argv[2] ?? '{}'));
const log = openLog('info');
const keys = [createSecretKey(demoPartner.secret, 'utf8')];
const activityLag = async () => 0;
const backlog = async () => ({ waiting: 0, oldest_s: 0 });
const services = {
  lanes: { submit: async (_: number, commands: unknown[]) => commands.map(() => answer) },
  accessOf: () => ({ keys, isStrict: false, allowFrom: undefined }),
  rate: { limit: 0, burst: 0 },
  itemRate: { limit: 0, burst: 0 },
  openLimiter: () => undefined,
  limits: { connections: 1000, deadlineMs: 5000, timeoutMs: 30_000, bodyBytes: 2 ** 26, answerBytes: 2 ** 27 },
  log,
  isDraining: () => false,
  isDatabaseUp: () => true,
  databaseRefusals: () => new Map(),
  observe: createMetrics({
    laneDepth: () => 0,
    laneOldestMs: () => 0,
    pools: () => ({}),
    isDatabaseUp: () => true,
    databaseRefusals: () => new Map(),
    backlog,
    activityLag,
    failedJobs: async () => 0,
    logLinesDropped: () => 0,
  }).observeRequest,
  observeDrop: () => {},
  observeRefusedItems: () => {},
  committed: createSignal(),
  sessionsEnded: createSignal(),
  publicUrl: () => '',
  version: 'ceiling',
};
const { server } = buildApp(services as unknown as Parameters<typeof buildApp>[0]);
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
log.info({ url }, 'serving');
process.once('SIGTERM', () => process.exit());
