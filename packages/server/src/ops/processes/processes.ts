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

// Several processes that serve as one server. This, the first, owns what there is once: the database that it opens and migrates, the port,
// signals, the tokens of every caller, and what all of them have counted. The others answer requests; one of them does the work in the
// background. Connections go to them in turn.
//
// Each has a place. In a place is one process that serves, and while it is being replaced another that starts, or one that still
// answers on the connections it has. Only `fill` and `replace` put somebody in a place.

export interface RunningProcesses {
  url: string;
  internalUrl: string | undefined;
  isEmbedded: boolean;
  welcome: string | undefined;
  /** Others take the places of all that there are, one after the other, without a moment at which nobody serves. */
  replaceAll(): void;
  stop(): Promise<void>;
}

interface Member {
  worker: Worker;
  /** How many times all were to be replaced before it was started. */
  generation: number;
  conversation: Conversation;
  isReady: boolean;
  /** It has begun to answer requests. */
  isServing: boolean;
  /** It has not answered the first process for a while. */
  isSilent: boolean;
  /** It is meant to end. */
  isLeaving: boolean;
  /** When it was last asked, or told by itself at its end. */
  counted: MetricObject[];
  serving: Promise<{ url: string; welcome: string | undefined }>;
  ended: Promise<void>;
}

interface State {
  config: Config;
  log: Log;
  database: Database;
  /** Who serves in each place. */
  places: (Member | undefined)[];
  /** Everybody that has not ended. */
  members: Set<Member>;
  takeTokens(limit: number, burst: number): TakeTokens;
  /** What a process has counted, as one of them. */
  asOneServer(counted: MetricObject[]): MetricObject[];
  /** What those counted that have ended: a sum must never become less. */
  past: MetricObject[][];
  metricsText(): Promise<string>;
  /** How many times all were to be replaced. Who was started before the last one is. */
  generation: number;
  /** While some are being replaced: ends the rest after one that could not be. */
  replacing: { hurry: AbortController } | undefined;
  isStopping: boolean;
}

/** A process that ends soon after its start is not replaced at once, or a fault would keep the machine busy. */
const [shortLifeMs, restMs] = [5000, 1000];
const pulseMs = 1000;
/** A process counts as lost if this many `pulse` questions in a row get no reply. */
const silencesUntilLost = 5;
/** A start takes seconds, on a machine without time to spare tens of them. Who needs longer hangs. */
const longestStartMs = 5 * 60_000;
/** Beside what requests under way may take: longer than connections, deliveries and reports do. */
const longestEndMs = 60_000;
/** After each attempt to replace a process that fails the rest is twice as long, up to this. */
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
    // As JSON, a figure that is not known would become a zero.
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

const logFault = ({ log }: State, error: unknown) =>
  log.error({ reason: String(error) }, 'something failed that should not');

const isReady = ({ places }: State): boolean => places.every((member) => member?.isReady && !member.isSilent);

/** One that is ending at this moment hears nothing any more, and that it has ended is heard soon. */
function tell(worker: Worker, message: Message): void {
  if (worker.isConnected()) worker.process.send(message, () => {});
}

/** Its place is its own from the start; that it serves is known later. The caller of the first start is told if it never does. */
function fill(state: State, place: number, isFirst = false): Member {
  const member = start(state, place, isFirst);
  state.places[place] = member;
  return member;
}

/** Why a process cannot be started is thrown or told later, as the reason is (no memory, no program): here it is always told later. */
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
  const send = (message: Message) => tell(worker, message);
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
    if (conversation.heard(message)) return;
    if (message.kind === 'serving') {
      member.isServing = true;
      clearTimeout(hanging);
      serving.resolve(message);
      watchPulse(state, member).catch((error) => logFault(state, error));
    } else if (message.kind === 'failed') failure = message.reason;
    else if (message.kind === 'ready') readyIs(state, member, message.isReady);
    else if (message.kind === 'over') member.counted = state.asOneServer(message.metrics);
    else if (message.kind === 'committed') tellWorker(state, member, message);
    else if (message.kind === 'sessionsEnded') tellOthers(state, member, message);
  });
  const gone = (code?: number, signal?: string) => {
    state.members.delete(member);
    ended.resolve();
    clearTimeout(hanging);
    conversation.end();
    state.past = [summed([...state.past, member.counted])];
    serving.reject(new Failure(failure ?? `A process ended with ${signal ?? code} before it was serving.`));
    readyIs(state, member, false);
    if (member.isLeaving || state.isStopping || state.places[place] !== member) return;
    if (!member.isServing && isFirst) return;
    state.log.error(
      { pid: worker.process.pid, code, signal, reason: failure },
      'a process ended; another takes its place',
    );
    refill(state, place, performance.now() - startedAt).catch((error) => logFault(state, error));
  };
  worker.once('exit', gone);
  worker.on('error', (error) => {
    // Of one that was started its end is heard, whatever else is wrong.
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
  // Or it would not be ready from its first connection until it hears that all are.
  send({ kind: 'ready', isReady: isReady(state) });
}

async function refill(state: State, place: number, livedMs: number): Promise<void> {
  state.places[place] = undefined;
  if (livedMs < shortLifeMs) await pause(restMs);
  if (state.isStopping || state.places[place] !== undefined) return;
  await fill(state, place).serving.then(
    () => state.log.info({ place }, 'a process has taken the place'),
    () => {},
  );
}

/** Who does the work in the background hears of what the others commit. */
function tellWorker({ places }: State, from: Member, message: Message): void {
  const [worker] = places;
  if (worker !== undefined && worker !== from) tell(worker.worker, message);
}

/** Each may have streams of whoever it is. */
function tellOthers({ members }: State, from: Member, message: Message): void {
  for (const member of members) if (member !== from) tell(member.worker, message);
}

function readyIs(state: State, member: Member, isMemberReady: boolean): void {
  member.isReady = isMemberReady;
  tellAllReady(state);
}

function tellAllReady(state: State): void {
  const message: Message = { kind: 'ready', isReady: isReady(state) };
  for (const { worker } of state.members) tell(worker, message);
}

async function end(member: Member, isReplaced: boolean): Promise<void> {
  member.isLeaving = true;
  tell(member.worker, { kind: 'stop', isReplaced });
  await member.ended;
}

/** Asked for again meanwhile, those that have been replaced by then are replaced again, and no rest is waited for. */
function replaceAll(state: State): void {
  state.generation += 1;
  if (state.replacing === undefined) replaceOlder(state).catch((error) => logFault(state, error));
  else state.replacing.hurry.abort();
}

/** Until there is nobody to replace: who could not be is tried again, or a database that is away for a moment would end it half way. */
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

/** False where the next one did not come to serve. */
async function replace(state: State, place: number): Promise<boolean> {
  const next = start(state, place);
  const reason = await next.serving.then(
    () => undefined,
    (error: Error) => error.message,
  );
  if (state.isStopping) return false;
  if (reason !== undefined) {
    state.log.error({ place, reason }, 'a process could not be replaced; it is tried again');
    return false;
  }
  // Who was there may have ended meanwhile, and another have taken the place.
  const leaving = state.places[place];
  state.places[place] = next;
  readyIs(state, next, next.isReady);
  if (leaving !== undefined) await endInTime(state, leaving);
  state.log.info({ place, pid: next.worker.process.pid }, 'a process was replaced');
  return true;
}

/** Who does not come to an end is killed. */
async function endInTime({ config, log }: State, member: Member): Promise<void> {
  const kill = () => {
    log.warn({ pid: member.worker.process.pid }, 'a process does not end');
    member.worker.process.kill('SIGKILL');
  };
  const hanging = setTimeout(kill, longestEndMs + 2 * config.REQUEST_DEADLINE_MS).unref();
  await end(member, true);
  clearTimeout(hanging);
}

/** Metrics of several processes as one; what cannot be summed is left out. */
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
 * Nobody outside sees that one of several processes hangs, since the others answer the probes. Its connections get no answer: it
 * is not ready, and if that lasts it is killed, and replaced like any that ends. Each is watched by itself: others may hang too.
 */
async function watchPulse(state: State, member: Member): Promise<void> {
  for (; state.members.has(member); await pause(pulseMs)) {
    // Counted, because after a pause of this process itself a clock would say that all others are lost.
    for (let silences = 1; !(await hasPulse(member)) && state.members.has(member); silences += 1) {
      if (!member.isSilent) {
        state.log.warn({ pid: member.worker.process.pid }, 'a process does not answer');
        member.isSilent = true;
        tellAllReady(state);
      }
      if (silences >= silencesUntilLost) member.worker.process.kill('SIGKILL');
    }
    member.isSilent = false;
    tellAllReady(state);
  }
}

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
  const processes = new Gauge({ name: 'freebets_processes', help: 'Processes that serve.', registers: [] });
  processes.set(serving.filter((member) => !member.isLeaving && !member.isSilent).length);
  registry.registerMetric(processes);
  return registry.metrics();
}
