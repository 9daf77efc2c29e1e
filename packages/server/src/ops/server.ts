import type { Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { MetricObject } from '@prometheus-io/client';
import { openActiveCache } from '../background/active.ts';
import { openFairQueue } from '../calls/fair-queue.ts';
import { canDemoAdminSignIn } from '../demo/staff.ts';
import { buildApp } from '../edge/app.ts';
import { probeRoutes, probeServer } from '../edge/probes.ts';
import type { AllServices, EdgeLimits } from '../edge/services.ts';
import type { BatchTimes } from '../engine/attempts.ts';
import { type NodePools, openPerPool, poolFor, severConnections } from '../engine/connection.ts';
import { causeOf, isDatabaseUnavailable } from '../engine/faults.ts';
import { type DatabaseHealth, watchDatabase } from '../engine/health.ts';
import { readActivityLag } from '../events/activity/sql.ts';
import { readBacklog } from '../events/webhooks/sql/webhooks.ts';
import { type Reference, watchReference } from '../partners/reference/reference.ts';
import { openIdProvider } from '../people/openid.ts';
import type { EndedSessions } from '../people/sessions.ts';
import { readTokenCheck } from '../people/tokens.ts';
import { openConsoleTurns } from '../people/turns.ts';
import { watchNodes } from '../placement/citus/nodes.ts';
import { cacheFor } from '../primitives/cache-for.ts';
import { networksOf } from '../primitives/networks.ts';
import { createSignal, type Signal } from '../primitives/signal.ts';
import { version } from '../primitives/version.ts';
import { type Committed, openLanes } from '../promo/batch/batch.ts';
import type { Lanes } from '../promo/batch/command.ts';
import { cacheCampaignDefinitions } from '../promo/campaigns/sql/definitions.ts';
import { countFailedJobs } from '../promo/jobs/sql/work.ts';
import { shareExposure } from '../reports/shared-exposure.ts';
import { approvalLimitsOf, arePrivateAddressesAllowed, type Config, isRequired } from './config.ts';
import { asFailure, type Database, type Lifetime, openDatabase, prepareDatabase, unreachable } from './database.ts';
import { countRefusals, openFaultLog } from './fault-log.ts';
import { closeInTime, listen, retireConnections } from './listening.ts';
import type { Log } from './log.ts';
import { createMetrics, type Measured } from './metrics.ts';
import { connectionsAllowed } from './open-files.ts';
import { type DirectPools, openDirectPools, openPools, type Pools } from './pools.ts';
import { type ProcessGroup, singleProcess } from './processes/process-group.ts';
import { keepRecent } from './recent.ts';
import { openSystem } from './system.ts';
import { startWorker } from './worker.ts';

// Builds the server from its parts, starts it, and stops it in the reverse order.

export interface RunningServer {
  url: string;
  internalUrl: string | undefined;
  isEmbedded: boolean;
  /** Whether this is a demo server, where anyone can sign in as the demo's admin. */
  isDemoServer(): Promise<boolean>;
  reference(): Reference;
  /** Commands that wait in this server's lanes, behind the batches under way. */
  laneDepth(): number;
  /** The metrics of this process. */
  counted(): Promise<MetricObject[]>;
  /** Another process has committed changes of these partners. */
  othersCommitted(clientIds: readonly number[]): void;
  /** Another process may have ended sessions. */
  othersEndedSessions(ended: EndedSessions): void;
  /** Accepts no new connections. Open ones close with their next response, or after five seconds. */
  retire(): Promise<void>;
  /** Finishes requests in flight, then stops all parts. */
  stop(): Promise<void>;
}

const definitionsBytes = 64 * 1024 * 1024;
/** Parts of jobs, at most a mebibyte each. A partner has at most half of the turns, and at most `queueSize` waiting. */
const partsAtATime = { turns: 8, queueSize: 16 };
/** Simulated rounds in sandboxes. Waiting requests are short. */
const roundsAtATime = { turns: 8, queueSize: 1000 };
/** Reports of one staff member that may wait: as many as a page of the console requests at once. */
const reportsWaiting = 8;

export const startServer = (config: Config, log: Log, lifetime: Lifetime = {}): Promise<RunningServer> =>
  startOn(config, log, singleProcess, async () => {
    const database = await openDatabase(config, 'serve', lifetime);
    await prepareDatabase(database, config.ALLOW_UNSAFE_DATABASE === 'yes').catch(async (error) => {
      await database.close();
      throw error;
    });
    return database;
  });

/** Starts the server on a database that `open` returns ready for use. */
export async function startOn(
  config: Config,
  log: Log,
  group: ProcessGroup,
  open: () => Promise<Database>,
): Promise<RunningServer> {
  const undo: Undo = [];
  const undoAll = async () => {
    // Keeps the process alive until everything is stopped: background timers are unreferenced, and the database closes.
    const alive = setInterval(() => {}, 60_000);
    try {
      for (const step of undo.splice(0).reverse()) await step();
    } finally {
      clearInterval(alive);
    }
  };
  let stopped: Promise<void> | undefined;
  // Later calls wait for the same shutdown.
  const stop = () => {
    stopped ??= undoAll();
    return stopped;
  };
  try {
    const database = await open();
    undo.push(() => database.close());
    return { ...(await assemble(config, log, group, database, undo)), isEmbedded: database.isEmbedded, stop };
  } catch (error) {
    await stop();
    throw asFailure(error);
  }
}

type Undo = (() => unknown)[];

/** Opens the pools of each kind and of each node, and watches the health of the database and broken connections. */
async function openConnections(config: Config, { connection }: Database, undo: Undo, onFault: AllServices['onFault']) {
  const pools = openPools(config, connection);
  undo.push(() => Promise.all(Object.values(pools).map((pool) => pool.end())));
  const broken = createSignal<[]>();
  for (const pool of Object.values(pools)) pool.on('connect', (client) => client.on('error', () => broken.emit()));
  const nodes = await watchNodes(pools.background, onFault);
  undo.push(() => nodes.stop());
  const direct = openDirectPools(config, connection, pools, {
    current: nodes.current,
    doubt() {
      nodes.doubt();
      broken.emit();
    },
  });
  undo.push(() => direct.end());
  const health = await watchDatabase(pools.health, config.REQUEST_DEADLINE_MS, {
    onLost() {
      const { health: _, ...others } = pools;
      for (const pool of [...Object.values(others), ...direct.all()]) severConnections(pool);
    },
    onFault,
  });
  undo.push(() => health.stop());
  return { pools, direct, health, broken };
}

/** Starts the parts behind the edge: connections, cached reference data, lanes and background work. */
async function startCore(config: Config, log: Log, database: Database, undo: Undo, publicUrl: () => string) {
  const refusals = countRefusals();
  const onFault = openFaultLog(log, refusals.count);
  const { pools, direct, health, broken } = await openConnections(config, database, undo, onFault);
  const reference = await watchReference(pools.background, database.masterKey, publicUrl, {
    onFault,
    onUnopened: (owner) => log.error({ owner }, 'a stored secret cannot be decrypted with SECRETS_KEY'),
  });
  undo.push(() => reference.stop());
  const tokens = await readTokenCheck(pools.background, database.masterKey);
  const isDatabaseUp = health.isUp;
  const definitions = cacheCampaignDefinitions(definitionsBytes);
  const activeCache = openActiveCache();
  // A broken connection may be the first sign of a failover to another database.
  broken.subscribe(() => {
    definitions.forget();
    activeCache.forget();
  });
  const batches = createSignal<[size: number, times: BatchTimes]>();
  const committed = createSignal<[clientId: number]>();
  const happened = createSignal<[clientId: number, result: Committed]>();
  happened.subscribe((clientId) => committed.emit(clientId));
  const profileOf = (clientId: number) => reference.current().catalogue.profileOf(clientId);
  const lanes = openLanes(
    { pools: direct.lanes, definitions, isDatabaseUp, profileOf, activeCache },
    {
      batchSize: config.LANE_BATCH,
      queueSize: config.LANE_QUEUE,
      deadlineMs: config.REQUEST_DEADLINE_MS,
      transactions: direct.transactions,
      // All processes of a server serve the same partners, and a transaction locks other processes out of its partners.
      shortLaneTransactions: config.PROCESSES === 1 ? 2 : 1,
    },
    { batch: batches.emit, committed: happened.emit, fault: onFault },
  );
  undo.push(() => lanes.drain());
  const othersCommitted = createSignal<[clientId: number]>();
  logHealth(health, log);
  health.changed.subscribe((isUp) => {
    if (!isUp) lanes.refuseAll();
  });
  const hasInternalPort = config.INTERNAL_PORT !== undefined;
  const own = { isDatabaseUp, databaseRefusals: refusals.read, logLinesDropped: log.dropped };
  const { metrics, recent, readSystem } = observe(pools, direct, lanes, batches, own, hasInternalPort);
  happened.subscribe((clientId, { emitted }) => metrics.observeEvents(clientId, emitted));
  const { staff: consolePool, reports: reportPool } = pools;
  const readsOf = (clientId: number) => poolFor(direct.reads, clientId);
  const turns = openTurns(config, direct.reads, reportPool.options.max);
  const kept = { reference, metrics, recent, definitions, tokens };
  const signals = { committed, othersCommitted, databaseChanged: health.changed };
  const doing = { isDatabaseUp, lanes, readSystem, readExposure: shareExposure(reportPool), onFault };
  const core = { readsOf, consolePool, reportPool, ...turns, ...kept, ...signals, ...doing };
  if (config.WORKER === 'on') {
    const worker = startWorker(config, log, {
      ...core,
      committed: mergeSignals(committed, othersCommitted),
      pools: direct.background,
    });
    undo.push(() => worker.stop());
  }
  return core;
}

function logHealth({ fault, changed }: DatabaseHealth, log: Log): void {
  const say = () => {
    const found = fault();
    if (found === undefined) log.info('the database is back');
    else log.warn(causeOf(found), 'the database is unavailable');
  };
  if (fault() !== undefined) say();
  changed.subscribe(say);
}

/** A signal that forwards all of these. */
function mergeSignals<Args extends unknown[]>(...signals: Signal<Args>[]): Signal<Args> {
  const both = createSignal<Args>();
  for (const signal of signals) signal.subscribe(both.emit);
  return both;
}

/** Observes the state of the service, for metrics and for the console. */
function observe(
  pools: Pools,
  direct: DirectPools,
  lanes: Lanes,
  batches: Signal<[size: number, times: BatchTimes]>,
  own: Pick<Measured, 'isDatabaseUp' | 'databaseRefusals' | 'logLinesDropped'>,
  hasInternalPort: boolean,
) {
  const backlog = () => readBacklog(pools.background);
  const activityLag = () => readActivityLag(pools.background);
  const measured = {
    laneDepth: lanes.depth,
    laneOldestMs: lanes.oldestMs,
    pools: direct.count,
    ...own,
    backlog: () => backlog().catch(() => ({ waiting: Number.NaN, oldest_s: Number.NaN })),
    activityLag: () => activityLag().catch(() => Number.NaN),
    failedJobs: () => countFailedJobs(pools.background).catch(() => Number.NaN),
  };
  const metrics = createMetrics(measured, { namesPartners: hasInternalPort });
  const recent = keepRecent();
  batches.subscribe(metrics.observeBatch);
  batches.subscribe(recent.observeBatch);
  const jobsRunning = metrics.jobs.running;
  const ofLanes = { laneDepth: lanes.depth, recent, jobsRunning };
  const { isDatabaseUp } = own;
  const readSystem = openSystem({
    ...{ pool: pools.staff, pools: direct.count, isDatabaseUp, backlog, activityLag },
    ...ofLanes,
  });
  return { metrics, recent, readSystem };
}

function openTurns(config: Config, reads: NodePools, reportConnections: number) {
  const { READ_QUEUE: queueSize, REQUEST_DEADLINE_MS: deadlineMs } = config;
  const turns = reads.usual.options.max;
  const ofReports = { turns: reportConnections / 2, queueSize: reportsWaiting, deadlineMs };
  return {
    readTurnsOf: openPerPool(reads, () => openFairQueue({ turns, queueSize, deadlineMs })).of,
    partTurns: openFairQueue({ ...partsAtATime, deadlineMs }),
    roundTurns: openFairQueue({ ...roundsAtATime, deadlineMs }),
    reportTurns: openFairQueue(ofReports),
    fileTurns: openFairQueue(ofReports),
  };
}

function throwUnreachable(error: Error): never {
  throw isDatabaseUnavailable(error) ? unreachable(error) : error;
}

async function assemble(config: Config, log: Log, group: ProcessGroup, database: Database, undo: Undo) {
  let url = '';
  const publicUrl = () => config.PUBLIC_URL ?? url;
  const starting = startCore(config, log, database, undo, publicUrl);
  const { reference, metrics, recent, ...core } = await starting.catch(throwUnreachable);
  let state: 'starting' | 'serving' | 'leaving' | 'draining' = 'starting';
  let isRetired = false;
  const isReady = () => state === 'serving' && core.isDatabaseUp();
  core.databaseChanged.subscribe(() => group.setReady(isReady()));
  core.committed.subscribe(group.committed);
  const sessionsEnded = createSignal<[EndedSessions]>();
  const othersEndedSessions = createSignal<[EndedSessions]>();
  sessionsEnded.subscribe(group.sessionsEnded);
  const isDemoServer = cacheFor(1000, async () => database.isEmbedded && canDemoAdminSignIn(core.consolePool));
  const probes = {
    isReady: () => isReady() && group.areOthersReady(),
    metricsText: group.metricsText ?? metrics.text,
  };
  const internal = config.INTERNAL_PORT === undefined || !group.hasProbes ? undefined : probeServer(probes);
  const edge: AllServices = {
    ...core,
    openLimiter: group.openLimiter,
    isDemoServer,
    publicUrl,
    version,
    masterKey: database.masterKey,
    catalogue: () => reference.current().catalogue,
    followChanges: () => reference.follow().catch(() => {}),
    ...openConsoleTurns(core.consolePool),
    sessionsEnded: { ...mergeSignals(sessionsEnded, othersEndedSessions), emit: sessionsEnded.emit },
    ...edgeConfig(config),
    log,
    isDraining: () => state === 'draining',
    observe(operation, status, elapsedS, error) {
      metrics.observeRequest(operation, status, elapsedS, error);
      recent.observeRequest(operation, elapsedS);
    },
    ...{ observeDrop: metrics.observeDrop, observeRefusedItems: metrics.observeRefusedItems },
    observePower: metrics.observePower,
    ...lookups(reference.current),
  };
  const hasProbes = group.hasProbes && internal === undefined;
  const { server, endStreams } = buildApp(edge, hasProbes ? probeRoutes(probes) : undefined);
  const open = (opened: Server, setting: 'PORT' | 'INTERNAL_PORT', end?: () => Promise<void>) => {
    undo.push(() => closeInTime(opened, config.REQUEST_DEADLINE_MS, end));
    return listen(opened, config, setting);
  };
  const internalUrl = internal && (await open(internal, 'INTERNAL_PORT'));
  url = await open(server, 'PORT', endStreams);
  undo.push(async () => {
    state = 'leaving';
    group.setReady(false);
    await delay(isRetired ? 0 : config.DRAIN_MS);
    state = 'draining';
  });
  state = 'serving';
  group.setReady(isReady());
  const retire = async () => {
    isRetired = true;
    await retireConnections(server);
  };
  return {
    ...{ url, internalUrl, isDemoServer, reference: reference.current, laneDepth: core.lanes.depth, retire },
    counted: metrics.counted,
    othersEndedSessions: othersEndedSessions.emit,
    othersCommitted(clientIds: readonly number[]) {
      for (const clientId of clientIds) core.othersCommitted.emit(clientId);
    },
  };
}

type Lookup = 'accessOf' | 'callerExists' | 'partnerProfile' | 'picture';

/** Lookups in the current snapshot of the reference data. */
function lookups(current: () => Reference): Pick<AllServices, Lookup> {
  return {
    accessOf: (caller) => {
      const { partners, providers } = current().callers;
      return caller.kind === 'client_id' ? partners.get(caller.id) : providers.get(caller.id);
    },
    callerExists: ({ kind, id }) => {
      const { partners, providers } = current().catalogue;
      return kind === 'client_id' ? partners.has(id) : providers.has(id);
    },
    partnerProfile: (clientId) => current().catalogue.profileOf(clientId),
    picture: (gameId, shape) => current().catalogue.picture(gameId, shape),
  };
}

/** The part of the edge that depends only on the settings. */
const edgeConfig = (config: Config) => ({
  openId: openIdOf(config),
  sessionRules: {
    idleMin: config.SESSION_IDLE_MIN,
    hours: config.SESSION_HOURS,
    isSecondFactorNeeded: isRequired(config, 'STAFF_MFA'),
  },
  arePrivateAddressesAllowed: arePrivateAddressesAllowed(config),
  approvalLimits: approvalLimitsOf(config),
  jobQuota: { jobs: config.JOB_QUOTA, bytes: config.JOB_QUOTA_MIB * 2 ** 20 },
  isConfirmationNeeded: isRequired(config, 'STAFF_CONFIRMATION'),
  rate: { limit: config.RATE_LIMIT, burst: config.RATE_BURST },
  itemRate: { limit: config.ITEM_RATE_LIMIT, burst: config.ITEM_RATE_BURST },
  limits: edgeLimits(config),
  trustedProxies: config.TRUSTED_PROXIES && networksOf(config.TRUSTED_PROXIES),
});

function openIdOf({ OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret }: Config) {
  if (issuer === undefined || clientId === undefined || clientSecret === undefined) return undefined;
  return openIdProvider({ issuer, clientId, clientSecret });
}

const mebibyte = 1024 * 1024;

const edgeLimits = (config: Config): EdgeLimits => ({
  connections: connectionsAllowed(config.MAX_CONNECTIONS),
  deadlineMs: config.REQUEST_DEADLINE_MS,
  timeoutMs: config.CALLER_TIMEOUT_MS,
  bodyBytes: config.BODIES_MIB * mebibyte,
  answerBytes: config.ANSWERS_MIB * mebibyte,
});
