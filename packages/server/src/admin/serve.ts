import cluster from 'node:cluster';
import { setFlagsFromString } from 'node:v8';
import { compileAll } from '../calls/validation.ts';
import { demoPartner, fromNowOn } from '../demo/demo.ts';
import { demoAdmin, demoStaffPassword } from '../demo/staff.ts';
import type { Config } from '../ops/config.ts';
import { type Lifetime, requirePrepared } from '../ops/database.ts';
import { type Log, openLog } from '../ops/log.ts';
import { type Beginning, type Message, openConversation } from '../ops/processes/messages.ts';
import { processGroupOf } from '../ops/processes/process-group.ts';
import { type RunningProcesses, startProcesses } from '../ops/processes/processes.ts';
import { type RunningServer, startOn, startServer } from '../ops/server.ts';
import { writeServerAddress } from '../ops/server-address.ts';
import { readMasterKey } from '../primitives/sealing.ts';
import { command } from './command.ts';
import { onSignals } from './terminal.ts';

// Runs the server until a signal, then finishes the requests in flight. A second signal ends the process at once.

export const serve = command({ run: startServing, show: () => '' });

async function startServing(config: Config): Promise<void> {
  if (cluster.isWorker) return serveAsGroupMember(config, (server) => welcomeTo(server));
  limitHeapGrowth();
  const log = openLog(config.LOG_LEVEL);
  const starting = new AbortController();
  let end: (signal: NodeJS.Signals) => void = () => starting.abort();
  // With several processes, SIGHUP replaces each of them. A single process shuts down: its terminal was closed.
  const ending = ['SIGINT', 'SIGTERM', ...(config.PROCESSES > 1 ? [] : ['SIGHUP' as const])] as const;
  const offSignals = onSignals(ending, (signal) => end(signal));
  const onLost = (reason: Error) => {
    console.error(reason.message);
    process.exit(1);
  };
  const lifetime = { onLost, signal: starting.signal };
  let isHungUp = false;
  const hangUp = () => {
    isHungUp = true;
  };
  if (config.PROCESSES > 1) process.on('SIGHUP', hangUp);
  const server = await startAll(config, log, lifetime).catch((error) => {
    // After a failed start the process may go on, so its signal handlers are removed. A process that was asked to stop
    // keeps them until it exits, so that another signal does not change how it ends.
    if (!starting.signal.aborted) {
      offSignals();
      process.off('SIGHUP', hangUp);
    }
    throw error;
  });
  const stop = async (): Promise<never> => {
    await server.stop();
    process.exit(0);
  };
  if (starting.signal.aborted) return stop();
  end = (signal) => {
    log.info({ signal }, 'stopping');
    stop().catch((error) => {
      log.error({ reason: String(error) }, 'the server could not shut down cleanly');
      process.exit(1);
    });
  };
  if (server.isEmbedded) {
    // Removes the address at every exit except a kill.
    process.once('exit', writeServerAddress(config, server.url, server.internalUrl));
    console.log(server.welcome);
  } else log.info({ url: server.url, internal_url: server.internalUrl }, 'serving');
  if (server.replaceAll) {
    process.on('SIGHUP', server.replaceAll).off('SIGHUP', hangUp);
    // SIGHUP arrived during the start.
    if (isHungUp) server.replaceAll();
  }
  if (config.PROCESSES === 1) await compileAll();
}

type Started = Omit<RunningProcesses, 'replaceAll'> & Partial<Pick<RunningProcesses, 'replaceAll'>>;

async function startAll(config: Config, log: Log, lifetime: Lifetime): Promise<Started> {
  if (config.PROCESSES > 1) return startProcesses(config, log, lifetime);
  const server = await startServer(config, log, lifetime);
  return { ...server, welcome: await welcomeTo(server) };
}

const welcomeTo = async (server: RunningServer): Promise<string | undefined> =>
  server.isEmbedded ? welcome(server, await server.isDemoServer()) : undefined;

function welcome({ url, reference }: RunningServer, isDemoServer: boolean): string {
  const lines = [
    'Freebets is running.',
    '',
    `  API      ${url}/v3`,
    `  Docs     ${url}/docs`,
    `  Console  ${url}/console${isDemoServer ? `, sign in as ${demoAdmin.email}, password ${demoStaffPassword}` : ''}`,
  ];
  const { callers, catalogue } = reference();
  const { keys: [key] = [], isStrict } = callers.partners.get(demoPartner.clientId) ?? {};
  const [game] =
    catalogue
      .profileOf(demoPartner.clientId)
      .offer.entries()
      .find(([, { freeBets }]) => freeBets) ?? [];
  const isDemo = key?.export().toString() === demoPartner.secret && !isStrict;
  const demo =
    isDemo && game !== undefined
      ? [
          `  Demo     client_id ${demoPartner.clientId}, secret ${demoPartner.secret}`,
          '',
          'A first call, which gives player-1 three bets of 1 EUR (npx freebets play uses one):',
          '',
          firstCall(url, game),
        ]
      : [];
  return [...lines, ...demo, '', 'Press Ctrl-C to stop.', ''].join('\n');
}

function firstCall(url: string, game: string): string {
  const body = {
    client_id: demoPartner.clientId,
    player_id: 'player-1',
    currency: 'EUR',
    bet_amount: '1.00',
    quantity: 3,
    games: [game],
    ...fromNowOn(30 * 24 * 60),
  };
  return [
    `BODY='${JSON.stringify(body)}'`,
    'TIME=$(date +%s)',
    `SIGN=$(printf '%s\\n/v3/FreeBets/Issue\\n%s' "$TIME" "$BODY" |`,
    `  openssl dgst -sha256 -hmac ${demoPartner.secret} -r | cut -d' ' -f1)`,
    `curl -s -w '\\n' ${url}/v3/FreeBets/Issue -H 'Content-Type: application/json' \\`,
    `  -H "X-REQUEST-TIME: $TIME" -H "X-REQUEST-SIGN: $SIGN" --data-binary "$BODY"`,
  ].join('\n');
}

// One of several processes that form one server. The first process starts the others, handles the signals and tells the
// others when to stop. If it dies, they exit.

export async function serveAsGroupMember(
  config: Config,
  welcomeTo: (server: RunningServer) => Promise<string | undefined>,
): Promise<void> {
  limitHeapGrowth();
  const ignore = () => {};
  process.on('SIGINT', ignore).on('SIGTERM', ignore).on('SIGHUP', ignore);
  process.once('disconnect', () => process.exit(1));
  await serveWith(config, welcomeTo);
}

const send = (message: Message) => void process.send?.(message, () => {});

/** Listens for messages first, because messages without a listener can be lost. */
async function serveWith(given: Config, welcomeTo: (server: RunningServer) => Promise<string | undefined>) {
  const begun = Promise.withResolvers<Beginning>();
  let server: RunningServer | undefined;
  let areOthersReady = false;
  const conversation = openConversation(send, {
    metrics: async () => (await server?.counted()) ?? [],
    pulse: async () => true,
  });
  process.on('message', (message: Message) => {
    if (conversation.receive(message)) return;
    if (message.kind === 'begin') begun.resolve(message.beginning);
    else if (message.kind === 'ready') areOthersReady = message.isReady;
    else if (message.kind === 'committed') server?.othersCommitted(message.clientIds);
    else if (message.kind === 'sessionsEnded') server?.othersEndedSessions(message.ended);
    else if (message.kind === 'stop') stop(server, message.isReplaced).catch(() => process.exit(1));
  });
  const beginning = await begun.promise;
  const config = configShare(given, beginning);
  const { connection, masterKey, isEmbedded, processes } = beginning;
  const hasProbes = config.INTERNAL_PORT === undefined;
  const group = processGroupOf(conversation, send, { processes, hasProbes, areOthersReady: () => areOthersReady });
  const database = { connection, masterKey: readMasterKey(masterKey), isEmbedded, async close() {} };
  try {
    await requirePrepared(database);
    server = await startOn(config, openLog(config.LOG_LEVEL, 'shared'), group, async () => database);
  } catch (error) {
    // Only the first process prints the reason.
    const failed: Message = { kind: 'failed', reason: (error as Error).message };
    process.send?.(failed, () => process.exit(1));
    return;
  }
  send({ kind: 'serving', url: server.url, welcome: await welcomeTo(server) });
  await compileAll();
}

async function stop(server: RunningServer | undefined, isReplaced: boolean): Promise<void> {
  if (isReplaced) await server?.retire();
  await server?.stop();
  const end = () => process.exit(0);
  if (server === undefined) return end();
  const over: Message = { kind: 'over', metrics: await server.counted() };
  // Exits only after the message was written, since it would be lost otherwise.
  process.send?.(over, end);
}

/** Divides the limits of the server among its processes. Each process gets a minimum of each. */
function configShare(config: Config, { processes, isWorker }: Beginning): Config {
  const share = (whole: number, least: number) => Math.max(least, Math.floor(whole / processes));
  return {
    ...config,
    MAX_CONNECTIONS: share(config.MAX_CONNECTIONS, 10),
    BODIES_MIB: share(config.BODIES_MIB, 1),
    ANSWERS_MIB: share(config.ANSWERS_MIB, 8),
    DATABASE_CONNECTIONS: share(config.DATABASE_CONNECTIONS, 3),
    WORKER: isWorker ? config.WORKER : 'off',
  };
}

/**
 * By default V8 lets garbage grow to several times the live heap. This limits the heap to twice the live size before a
 * collection: 217 MB after a million issues, 195 MB after 10,000. At three times the live size: 246 and 187 MB. At one
 * and a half times: 197 and 182 MB, but a batch would take 15 % more CPU.
 */
const limitHeapGrowth = () => setFlagsFromString('--heap-growing-percent=100');
