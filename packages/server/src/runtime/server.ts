import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import Fastify, { type FastifyInstance } from 'fastify';
import { createSignal, type Signal } from '../background/signal.ts';
import { WrongMasterKey } from '../callers/callers.ts';
import { approvalLimitsOf, arePrivateAddressesAllowed, type Config, isSecondFactorNeeded } from '../config.ts';
import { severConnections } from '../db/connection.ts';
import { isDatabaseUnavailable } from '../db/faults.ts';
import { watchDatabase } from '../db/health.ts';
import { ask } from '../db/statement.ts';
import { canDemoAdminSignIn } from '../demo/staff.ts';
import { Failure } from '../failure.ts';
import { buildApp } from '../http/app.ts';
import { connectionsAllowed } from '../http/connections.ts';
import { openSignInTurns } from '../http/console/sign-in-turns.ts';
import { faultOf } from '../http/fault.ts';
import { addProbes } from '../http/probes.ts';
import { openReadTurns } from '../http/read-turns.ts';
import type { Services } from '../http/services.ts';
import type { LaneObserver } from '../lanes/attempts.ts';
import type { BatchTimes } from '../lanes/batch.ts';
import { type Lanes, openLanes } from '../lanes/lanes.ts';
import { networksOf } from '../networks.ts';
import { readActivityLag } from '../sql/activity.ts';
import { keepCampaignDefinitions } from '../sql/campaign-definitions.ts';
import { readBacklog } from '../sql/webhooks.ts';
import { openIdProvider } from '../staff/openid.ts';
import { version } from '../version.ts';
import { type Database, type Lifetime, openDatabase, prepareDatabase } from './database.ts';
import type { Log } from './log.ts';
import { createMetrics } from './metrics.ts';
import { openPools } from './pools.ts';
import { keepRecent } from './recent.ts';
import { type Reference, watchReference } from './reference.ts';
import { openSystem } from './system.ts';
import { startWorker } from './worker.ts';

// Builds the server out of its parts, starts it, and takes it down again in the opposite order.

export interface RunningServer {
  url: string;
  internalUrl: string | undefined;
  isEmbedded: boolean;
  /** Whether it is there to try things with: anybody can sign in as an admin of the demo. */
  isForTrying(): Promise<boolean>;
  reference(): Reference;
  /** Commands that wait in its lanes, behind the batches under way. */
  laneDepth(): number;
  /** Finishes what is in flight, then stops everything that was started. */
  stop(): Promise<void>;
}

const definitionsBytes = 64 * 1024 * 1024;
/** Of jobs, of a mebibyte each at most: a partner has half of the turns, and so many waiting. */
const partsAtATime = { turns: 8, queueSize: 16 };
/** In sandboxes. Those that wait are short requests. */
const roundsAtATime = { turns: 8, queueSize: 1000 };
/** Of somebody, reports and the like that may wait: as many as a page of the console asks for together. */
const reportsWaiting = 8;

export async function startServer(config: Config, log: Log, lifetime: Lifetime = {}): Promise<RunningServer> {
  const undo: Undo = [];
  const stop = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    const database = await openDatabase(config, 'serve', lifetime);
    undo.push(() => database.close());
    return { ...(await assemble(config, log, database, undo)), isEmbedded: database.isEmbedded, stop };
  } catch (error) {
    await stop();
    if (error instanceof WrongMasterKey) throw new Failure(error.message);
    throw error;
  }
}

type Undo = (() => unknown)[];

/** What works behind the edge: connections, keys and games in memory, lanes, and the work in the background. */
async function startCore(config: Config, log: Log, database: Database, undo: Undo, publicUrl: () => string) {
  await prepareDatabase(database, config.ALLOW_UNSAFE_DATABASE === 'yes');
  const pools = openPools(config, database.connection);
  undo.push(() => Promise.all(Object.values(pools).map((pool) => pool.end())));
  const onFault = (error: unknown) => {
    if (!isDatabaseUnavailable(error)) log.error({ fault: faultOf(error) }, 'something failed that should not');
  };
  const reference = await watchReference(pools.reference, database.masterKey, publicUrl, {
    onFault,
    onUnopened: (owner) => log.error({ owner }, 'a stored secret does not open with SECRETS_KEY'),
  });
  undo.push(() => reference.stop());
  const health = await watchDatabase(pools.watch, {
    onLost() {
      const { watch: _, ...others } = pools;
      for (const pool of Object.values(others)) severConnections(pool);
    },
    onFault,
  });
  undo.push(() => health.stop());
  const isDatabaseUp = health.isUp;
  const definitions = keepCampaignDefinitions(definitionsBytes);
  const batches = createSignal<[size: number, times: BatchTimes]>();
  const committed = createSignal<[clientId: number]>();
  const happened = createSignal<Parameters<LaneObserver['committed']>>();
  happened.subscribe((clientId) => committed.emit(clientId));
  const profileOf = (clientId: number) => reference.current().catalogue.profileOf(clientId);
  const lanes = openLanes(
    { pool: pools.lanes, definitions, isDatabaseUp, profileOf },
    {
      batchSize: config.LANE_BATCH,
      queueSize: config.LANE_QUEUE,
      deadlineMs: config.REQUEST_DEADLINE_MS,
      transactions: pools.lanes.options.max,
    },
    { batch: batches.emit, committed: happened.emit, fault: onFault },
  );
  undo.push(() => lanes.drain());
  health.changed.subscribe((isUp) => {
    if (isUp) return log.info('the database is back');
    log.warn('the database is unavailable');
    lanes.refuseAll();
  });
  const { metrics, recent, readSystem } = observe(pools, lanes, batches, isDatabaseUp, log);
  happened.subscribe(metrics.observeEvents);
  const { reads, console: consolePool, reports: reportPool } = pools;
  const turns = openTurns(config, reads.options.max, reportPool.options.max);
  const kept = { reference, metrics, recent, definitions };
  const core = { reads, consolePool, reportPool, ...turns, ...kept, isDatabaseUp, lanes, committed, readSystem };
  if (config.WORKER === 'on') {
    const worker = startWorker(config, log, { ...core, pool: pools.worker, onFault });
    undo.push(() => worker.stop());
  }
  return core;
}

/** What is known of how the service is doing: for its metrics, and for people. */
function observe(
  pools: ReturnType<typeof openPools>,
  lanes: Lanes,
  batches: Signal<[size: number, times: BatchTimes]>,
  isDatabaseUp: () => boolean,
  log: Log,
) {
  const backlog = () => readBacklog(pools.worker);
  const activityLag = () => ask(pools.worker, readActivityLag());
  const metrics = createMetrics({
    laneDepth: lanes.depth,
    laneOldestMs: lanes.oldestMs,
    pools,
    isDatabaseUp,
    backlog: () => backlog().catch(() => ({ waiting: Number.NaN, oldest_s: Number.NaN })),
    activityLag: () => activityLag().catch(() => Number.NaN),
    logLinesDropped: log.dropped,
  });
  const recent = keepRecent();
  batches.subscribe(metrics.observeBatch);
  batches.subscribe(recent.observeBatch);
  const jobsRunning = metrics.jobs.running;
  const ofLanes = { laneDepth: lanes.depth, recent, jobsRunning };
  const readSystem = openSystem({ pools, ...ofLanes, isDatabaseUp, backlog, activityLag });
  return { metrics, recent, readSystem };
}

function openTurns({ READ_QUEUE: queueSize, REQUEST_DEADLINE_MS: deadlineMs }: Config, reads: number, reports: number) {
  return {
    readTurns: openReadTurns({ turns: reads, queueSize, deadlineMs }),
    partTurns: openReadTurns({ ...partsAtATime, deadlineMs }),
    roundTurns: openReadTurns({ ...roundsAtATime, deadlineMs }),
    reportTurns: openReadTurns({ turns: reports, queueSize: reportsWaiting, deadlineMs }),
  };
}

async function assemble(config: Config, log: Log, database: Database, undo: Undo) {
  let url = '';
  const publicUrl = () => config.PUBLIC_URL ?? url;
  const { reference, metrics, recent, ...core } = await startCore(config, log, database, undo, publicUrl);
  let state: 'starting' | 'serving' | 'leaving' | 'draining' = 'starting';
  const isForTrying = async () => database.isEmbedded && (await canDemoAdminSignIn(core.consolePool));
  const app = buildApp({
    ...core,
    isForTrying,
    openId: openIdOf(config),
    publicUrl,
    version,
    masterKey: database.masterKey,
    catalogue: () => reference.current().catalogue,
    followChanges: reference.follow,
    sessionRules: {
      idleMin: config.SESSION_IDLE_MIN,
      hours: config.SESSION_HOURS,
      isSecondFactorNeeded: isSecondFactorNeeded(config),
    },
    signInTurns: openSignInTurns(),
    sessionsEnded: createSignal(),
    arePrivateAddressesAllowed: arePrivateAddressesAllowed(config),
    approvalLimits: approvalLimitsOf(config),
    rate: { limit: config.RATE_LIMIT, burst: config.RATE_BURST },
    limits: edgeLimits(config),
    trustedProxies: config.TRUSTED_PROXIES && networksOf(config.TRUSTED_PROXIES),
    log,
    isDraining: () => state === 'draining',
    observe(operation, status, elapsedS, error) {
      metrics.observeRequest(operation, status, elapsedS, error);
      recent.observeRequest(operation, elapsedS);
    },
    observeDrop: metrics.observeDrop,
    observeRefusedItems: metrics.observeRefusedItems,
    ...lookups(reference.current),
  });
  const internal = config.INTERNAL_PORT === undefined ? undefined : Fastify();
  const isReady = () => state === 'serving' && core.isDatabaseUp();
  addProbes(internal ?? app, {
    isReady,
    metrics: { contentType: metrics.registry.contentType, text: metrics.text },
  });
  const internalUrl = internal && (await listen(internal, config, 'INTERNAL_PORT', undo));
  url = await listen(app, config, 'PORT', undo);
  undo.push(async () => {
    state = 'leaving';
    await delay(config.DRAIN_MS);
    state = 'draining';
  });
  state = 'serving';
  return { url, internalUrl, isForTrying, reference: reference.current, laneDepth: core.lanes.depth };
}

function openIdOf({ OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret }: Config) {
  if (issuer === undefined || clientId === undefined || clientSecret === undefined) return undefined;
  return openIdProvider({ issuer, clientId, clientSecret });
}

const mebibyte = 1024 * 1024;

const edgeLimits = (config: Config): Services['limits'] => ({
  connections: connectionsAllowed(config.MAX_CONNECTIONS),
  timeoutMs: config.CALLER_TIMEOUT_MS,
  bodyBytes: config.BODIES_MIB * mebibyte,
  answerBytes: config.ANSWERS_MIB * mebibyte,
});

type Lookup = 'accessOf' | 'callerExists' | 'partnerProfile' | 'gameList' | 'picture';

/** What the edge asks of the snapshot in force at that moment. */
function lookups(current: () => Reference): Pick<Services, Lookup> {
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
    gameList: (clientId) => current().catalogue.gameList(clientId),
    picture: (gameId, shape) => current().catalogue.picture(gameId, shape),
  };
}

/** What is in flight is answered; a client that does not read its answer cannot hold up the end. */
async function closeInTime(app: FastifyInstance, patienceMs: number): Promise<void> {
  const impatience = setTimeout(() => app.server.closeAllConnections(), patienceMs);
  await app.close();
  clearTimeout(impatience);
}

async function listen(
  app: FastifyInstance,
  config: Config,
  setting: 'PORT' | 'INTERNAL_PORT',
  undo: Undo,
): Promise<string> {
  const { HOST: host, [setting]: port = 0 } = config;
  undo.push(() => closeInTime(app, config.REQUEST_DEADLINE_MS));
  try {
    await app.listen({ host, port });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') {
      throw new Failure(
        `Port ${port} of ${host} is taken: stop the program that uses it, or set ${setting} to another.`,
      );
    }
    throw new Failure(`Cannot listen on port ${port} of ${host} (${code}): set HOST and ${setting}.`);
  }
  const bound = (app.server.address() as AddressInfo).port;
  const name = ['0.0.0.0', '::'].includes(host) ? 'localhost' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${bound}`;
}
