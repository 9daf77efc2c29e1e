import { compileAll } from '../calls/validation.ts';
import type { Config } from '../ops/config.ts';
import { requirePrepared } from '../ops/database.ts';
import { keepHeapLevel } from '../ops/heap.ts';
import { openLog } from '../ops/log.ts';
import { companyOf } from '../ops/processes/company.ts';
import { type Beginning, type Message, openConversation } from '../ops/processes/messages.ts';
import { type RunningServer, startOn } from '../ops/server.ts';
import { readMasterKey } from '../primitives/sealing.ts';

// One of several processes that serve as one server. The first of them, which has started it, has the signals, and says when to end;
// without it there is nothing to be served.

export async function serveAmongOthers(
  config: Config,
  welcomeTo: (server: RunningServer) => Promise<string | undefined>,
): Promise<void> {
  keepHeapLevel();
  const isForTheFirst = () => {};
  process.on('SIGINT', isForTheFirst).on('SIGTERM', isForTheFirst).on('SIGHUP', isForTheFirst);
  process.once('disconnect', () => process.exit(1));
  await serveWith(config, welcomeTo);
}

const send = (message: Message) => void process.send?.(message, () => {});

/** Listens before anything else: of what is said while nobody does, some is lost. */
async function serveWith(given: Config, welcomeTo: (server: RunningServer) => Promise<string | undefined>) {
  const begun = Promise.withResolvers<Beginning>();
  let server: RunningServer | undefined;
  let areOthersReady = false;
  const conversation = openConversation(send, {
    metrics: async () => (await server?.counted()) ?? [],
    pulse: async () => true,
  });
  process.on('message', (message: Message) => {
    if (conversation.heard(message)) return;
    if (message.kind === 'begin') begun.resolve(message.beginning);
    else if (message.kind === 'ready') areOthersReady = message.isReady;
    else if (message.kind === 'committed') server?.othersCommitted(message.clientIds);
    else if (message.kind === 'sessionsEnded') server?.othersEndedSessions(message.ended);
    else if (message.kind === 'stop') stop(server, message.isReplaced).catch(() => process.exit(1));
  });
  const beginning = await begun.promise;
  const config = partOf(given, beginning);
  const { connection, masterKey, isEmbedded, processes } = beginning;
  const hasProbes = config.INTERNAL_PORT === undefined;
  const company = companyOf(conversation, send, { processes, hasProbes, areOthersReady: () => areOthersReady });
  const database = { connection, masterKey: readMasterKey(masterKey), isEmbedded, async close() {} };
  try {
    await requirePrepared(database);
    server = await startOn(config, openLog(config.LOG_LEVEL, 'shared'), company, async () => database);
  } catch (error) {
    // Said by the first, one time for all.
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
  // Before it is written, it would be lost with this process.
  process.send?.(over, end);
}

/** What is bounded for the whole server is shared out; a single process still needs something of each. */
function partOf(config: Config, { processes, isWorker }: Beginning): Config {
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
