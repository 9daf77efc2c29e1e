import { ChildProcess } from 'node:child_process';
import cluster, { Worker } from 'node:cluster';
import { Gauge, type MetricObject } from '@prometheus-io/client';
import { probeServer } from '../../edge/probes.ts';
import { pause } from '../../engine/repeat.ts';
import { cacheFor } from '../../primitives/cache-for.ts';
import { Failure } from '../../primitives/failure.ts';
import { openBuckets, type TakeTokens } from '../../primitives/rate-limit.ts';
import { writeMasterKey } from '../../primitives/sealing.ts';
import type { Config } from '../config.ts';
import { type Database, type Lifetime, openDatabase, prepareDatabase } from '../database.ts';
import { closeInTime, listen } from '../listening.ts';
import type { Log } from '../log.ts';
import { countedOfProcess, textMs } from '../metrics.ts';
import { aggregated, partnersOfOneServer } from '../partner-metrics.ts';
import { type Conversation, type Message, openConversation } from './messages.ts';

// Runs several processes as one server. The first process, which runs this code, owns what exists once: the database,
// which it opens and migrates, the port, signals, the rate-limit tokens of callers, and the metrics of all processes.
// The serving processes handle requests, and one of them runs background work. Connections are distributed round robin.
//
// Each serving process has a place. While a process is being replaced, its successor starts without a place, then takes
// over the place while the old process finishes its open connections. Only `fill` and `replace` assign places.

export interface RunningProcesses {
  url: string;
  internalUrl: string | undefined;
  isEmbedded: boolean;
  welcome: string | undefined;
  /** Replaces all processes one after another, without downtime. */
  replaceAll(): void;
  stop(): Promise<void>;
}

interface Member {
  worker: Worker;
  /** How many times `replaceAll` had been called when this process started. */
  generation: number;
  conversation: Conversation;
  isReady: boolean;
  /** It has begun to serve requests. */
  isServing: boolean;
  /** It does not respond to the first process. */
  isSilent: boolean;
  /** It was asked to end. */
  isLeaving: boolean;
  /** Its latest known metrics: from the last query, or from its final message. */
  counted: MetricObject[];
  serving: Promise<{ url: string; welcome: string | undefined }>;
  ended: Promise<void>;
}

interface State {
  config: Config;
  log: Log;
  database: Database;
  /** The serving process of each place. */
  places: (Member | undefined)[];
  /** All processes that have not ended. */
  members: Set<Member>;
  takeTokens(limit: number, burst: number): TakeTokens;
  /** Maps the partner labels of one process to those of the whole server. */
  asOneServer(counted: MetricObject[]): MetricObject[];
  /** The metrics of ended processes, so that no counter decreases. */
  past: MetricObject[][];
  metricsText(): Promise<string>;
  /** How many times `replaceAll` has been called. Processes of an older generation are replaced. */
  generation: number;
  /** Set during a replacement. `hurry` cuts short the pause after a failed attempt. */
  replacing: { hurry: AbortController } | undefined;
  isStopping: boolean;
}

/** The pause before replacing a process that ended soon after its start, so that a fault does not busy the machine. */
const [shortLifeMs, restMs] = [5000, 1000];
const pulseMs = 1000;
/** A process counts as lost if this many `pulse` questions in a row get no reply. */
const silencesUntilLost = 5;
/** A start takes seconds, or tens of seconds on a busy machine. A process that takes longer than this hangs. */
const longestStartMs = 5 * 60_000;
/** The longest shutdown after requests in flight: longer than connections, deliveries and reports take. */
const longestEndMs = 60_000;
/** The pause doubles after each failed attempt to replace a process, up to this. */
const longestRestMs = 30_000;

export async function startProcesses(config: Config, log: Log, lifetime: Lifetime): Promise<RunningProcesses> {
  const database = await openDatabase(config, 'serve', lifetime);
  const state = stateOf(config, log, database);
  const probes = { isReady: () => isReady(state), metricsText: state.metricsText };
  const internal = config.INTERNAL_PORT === undefined ? undefined : probeServer(probes);
  const stop = async () => {
    state.isStopping = true;
    state.replacing?.hurry.abort();
    await Promise.all([...state.members].map((member) => end(member, false)));
    if (internal !== undefined) await closeInTime(internal, config.REQUEST_DEADLINE_MS);
    await database.close();
  };
  try {
    await prepareDatabase(database, config.ALLOW_UNSAFE_DATABASE === 'yes');
    const internalUrl = internal && (await listen(internal, config, 'INTERNAL_PORT'));
    cluster.schedulingPolicy = cluster.SCHED_RR;
    // JSON serialization would turn NaN, the value of an unknown metric, into null, which counts as 0.
    cluster.setupPrimary({ serialization: 'advanced' });
    const started = state.places.keys().map((place) => fill(state, place, true).serving);
    const [{ url, welcome }] = await Promise.all([...started] as [Member['serving']]);
    return { url, internalUrl, isEmbedded: database.isEmbedded, welcome, replaceAll: () => replaceAll(state), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function stateOf(config: Config, log: Log, database: Database): State {
  const buckets = new Map<string, TakeTokens>();
  const state: State = {
    ...{ config, log, database, past: [], generation: 0, replacing: undefined, isStopping: false },
    places: Array.from({ length: config.PROCESSES }),
    members: new Set(),
    asOneServer: partnersOfOneServer(),
    takeTokens(limit, burst) {
      const key = `${limit}/${burst}`;
      const take = buckets.get(key) ?? openBuckets(limit, burst);
      buckets.set(key, take);
      return take;
    },
    metricsText: cacheFor(textMs, () => allMetrics(state)),
  };
  return state;
}

const logFault = ({ log }: State, error: unknown) => log.error({ reason: String(error) }, 'unexpected failure');

const isReady = ({ places }: State): boolean => places.every((member) => member?.isReady && !member.isSilent);

/** Ignores send errors: they mean that the process is ending, which its `exit` event will report. */
function sendTo(worker: Worker, message: Message): void {
  if (worker.isConnected()) worker.process.send(message, () => {});
}

/** Starts a process in a place, which it takes before it serves. If the first start fails, it is not retried. */
function fill(state: State, place: number, isFirst = false): Member {
  const member = start(state, place, isFirst);
  state.places[place] = member;
  return member;
}

/** Node throws some failures to start a process and emits others, depending on the cause. This emits all of them. */
function fork(): Worker {
  try {
    return cluster.fork();
  } catch (error) {
    const worker = new Worker();
    worker.process = new ChildProcess();
    process.nextTick(() => worker.emit('error', error));
    return worker;
  }
}

function start(state: State, place: number, isFirst = false): Member {
  const worker = fork();
  const startedAt = performance.now();
  const send = (message: Message) => sendTo(worker, message);
  const conversation = openConversation(send, {
    metricsText: state.metricsText,
    tokens: async ({ limit, burst, caller, least, most }) =>
      state.takeTokens(limit, burst)(caller, performance.now(), least, most),
  });
  const serving = Promise.withResolvers<{ url: string; welcome: string | undefined }>();
  serving.promise.catch(() => {});
  const ended = Promise.withResolvers<void>();
  const member: Member = {
    worker,
    generation: state.generation,
    conversation,
    isReady: false,
    isServing: false,
    isSilent: false,
    isLeaving: false,
    counted: [],
    serving: serving.promise,
    ended: ended.promise,
  };
  state.members.add(member);
  const hanging = setTimeout(() => worker.process.kill('SIGKILL'), longestStartMs).unref();
  let failure: string | undefined;
  worker.on('message', (message: Message) => {
    if (conversation.receive(message)) return;
    if (message.kind === 'serving') {
      member.isServing = true;
      clearTimeout(hanging);
      serving.resolve(message);
      watchPulse(state, member).catch((error) => logFault(state, error));
    } else if (message.kind === 'failed') failure = message.reason;
    else if (message.kind === 'ready') setReady(state, member, message.isReady);
    else if (message.kind === 'over') member.counted = state.asOneServer(message.metrics);
    else if (message.kind === 'committed') sendToWorker(state, member, message);
    else if (message.kind === 'sessionsEnded') sendToOthers(state, member, message);
  });
  const gone = (code?: number, signal?: string) => {
    state.members.delete(member);
    ended.resolve();
    clearTimeout(hanging);
    conversation.end();
    state.past = [summed([...state.past, member.counted])];
    serving.reject(new Failure(failure ?? `A process ended with ${signal ?? code} before it was serving.`));
    setReady(state, member, false);
    if (member.isLeaving || state.isStopping || state.places[place] !== member) return;
    if (!member.isServing && isFirst) return;
    state.log.error({ pid: worker.process.pid, code, signal, reason: failure }, 'a process ended and will be replaced');
    refill(state, place, performance.now() - startedAt).catch((error) => logFault(state, error));
  };
  worker.once('exit', gone);
  worker.on('error', (error) => {
    // A process that was started emits `exit` when it ends, so this handles only failed starts.
    if (worker.process.pid !== undefined) return;
    failure = `A process cannot be started: ${error.message}`;
    gone();
  });
  begin(state, place, send);
  return member;
}

function begin(state: State, place: number, send: (message: Message) => void): void {
  const { config, database } = state;
  const beginning = {
    connection: database.connection,
    masterKey: writeMasterKey(database.masterKey),
    isEmbedded: database.isEmbedded,
    processes: config.PROCESSES,
    isWorker: place === 0,
  };
  send({ kind: 'begin', beginning });
  // Otherwise the process would be unready from its first connection until the next `ready` message.
  send({ kind: 'ready', isReady: isReady(state) });
}

async function refill(state: State, place: number, livedMs: number): Promise<void> {
  state.places[place] = undefined;
  if (livedMs < shortLifeMs) await pause(restMs);
  if (state.isStopping || state.places[place] !== undefined) return;
  await fill(state, place).serving.then(
    () => state.log.info({ place }, 'a new process serves in its place'),
    () => {},
  );
}

/** Forwards commits to the process that runs background work. */
function sendToWorker({ places }: State, from: Member, message: Message): void {
  const [worker] = places;
  if (worker !== undefined && worker !== from) sendTo(worker.worker, message);
}

/** Forwards to all other processes, because each may have streams of these sessions. */
function sendToOthers({ members }: State, from: Member, message: Message): void {
  for (const member of members) if (member !== from) sendTo(member.worker, message);
}

function setReady(state: State, member: Member, isMemberReady: boolean): void {
  member.isReady = isMemberReady;
  sendReadyToAll(state);
}

function sendReadyToAll(state: State): void {
  const message: Message = { kind: 'ready', isReady: isReady(state) };
  for (const { worker } of state.members) sendTo(worker, message);
}

async function end(member: Member, isReplaced: boolean): Promise<void> {
  member.isLeaving = true;
  sendTo(member.worker, { kind: 'stop', isReplaced });
  await member.ended;
}

/** A call during a replacement replaces the new processes again and cuts short the pause after a failed attempt. */
function replaceAll(state: State): void {
  state.generation += 1;
  if (state.replacing === undefined) replaceOlder(state).catch((error) => logFault(state, error));
  else state.replacing.hurry.abort();
}

/** Retries until no older process is left. Otherwise a short database outage would end the replacement half way. */
async function replaceOlder(state: State): Promise<void> {
  const next = () => state.places.findIndex((member) => member !== undefined && member.generation < state.generation);
  let failures = 0;
  for (let place = next(); place !== -1 && !state.isStopping; place = next()) {
    state.replacing = { hurry: new AbortController() };
    const { signal } = state.replacing.hurry;
    failures = (await replace(state, place)) ? 0 : failures + 1;
    if (failures > 0) await pause(Math.min(restMs * 2 ** (failures - 1), longestRestMs), signal);
  }
  state.replacing = undefined;
}

/** False if the new process failed to start. */
async function replace(state: State, place: number): Promise<boolean> {
  const next = start(state, place);
  const reason = await next.serving.then(
    () => undefined,
    (error: Error) => error.message,
  );
  if (state.isStopping) return false;
  if (reason !== undefined) {
    state.log.error({ place, reason }, 'a process could not be replaced; the server will retry');
    return false;
  }
  // Reads the place only now: its process may have ended and been replaced meanwhile.
  const leaving = state.places[place];
  state.places[place] = next;
  setReady(state, next, next.isReady);
  if (leaving !== undefined) await endInTime(state, leaving);
  state.log.info({ place, pid: next.worker.process.pid }, 'a process was replaced');
  return true;
}

/** Kills a process that does not end in time. */
async function endInTime({ config, log }: State, member: Member): Promise<void> {
  const kill = () => {
    log.warn({ pid: member.worker.process.pid }, 'a process did not exit in time');
    member.worker.process.kill('SIGKILL');
  };
  const hanging = setTimeout(kill, longestEndMs + 2 * config.REQUEST_DEADLINE_MS).unref();
  await end(member, true);
  clearTimeout(hanging);
}

/** Sums the metrics of several processes. Omits metrics that can't be summed. */
const summed = (all: MetricObject[][]): MetricObject[] =>
  aggregated(all)
    .getMetricsAsArray()
    .flatMap((metric) => {
      const { type, aggregator } = metric as unknown as MetricObject;
      return ['counter', 'histogram'].includes(String(type)) && (aggregator ?? 'sum') === 'sum'
        ? [metric as unknown as MetricObject]
        : [];
    });

/**
 * Detects a process that hangs. Probes from outside can't detect it, because the other processes respond to them. A
 * silent process is not ready; if it stays silent, it is killed and replaced. Each process is watched independently,
 * because several may hang.
 */
async function watchPulse(state: State, member: Member): Promise<void> {
  for (; state.members.has(member); await pause(pulseMs)) {
    // Counts attempts instead of time, because after a pause of this process itself all others would seem lost.
    for (let silences = 1; !(await hasPulse(member)) && state.members.has(member); silences += 1) {
      if (!member.isSilent) {
        state.log.warn({ pid: member.worker.process.pid }, 'a process did not respond');
        member.isSilent = true;
        sendReadyToAll(state);
      }
      if (silences >= silencesUntilLost) member.worker.process.kill('SIGKILL');
    }
    member.isSilent = false;
    sendReadyToAll(state);
  }
}

export const processesGauge = (): Gauge =>
  new Gauge({ name: 'freebets_processes', help: 'Serving processes; only with PROCESSES above 1.', registers: [] });

const hasPulse = ({ conversation }: Member): Promise<boolean> =>
  conversation.ask('pulse', undefined).then(
    () => true,
    () => false,
  );

async function allMetrics(state: State): Promise<string> {
  const serving = [...state.members].filter((member) => member.isServing);
  await Promise.all(
    serving.map(async (member) => {
      // A process that does not reply in time keeps its last values.
      const counted = await member.conversation.ask('metrics', undefined).catch(() => undefined);
      if (counted !== undefined) member.counted = state.asOneServer(counted);
    }),
  );
  const counted = [...state.members.values().map((member) => member.counted), await countedOfProcess(), ...state.past];
  const registry = aggregated(counted);
  const processes = processesGauge();
  processes.set(serving.filter((member) => !member.isLeaving && !member.isSilent).length);
  registry.registerMetric(processes);
  return registry.metrics();
}
