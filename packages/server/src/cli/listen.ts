import type { KeyObject } from 'node:crypto';
import type { EventBody } from '@freebets/contract';
import { loadCallers } from '../callers/callers.ts';
import { arePrivateAddressesAllowed, type Config } from '../config.ts';
import type { Connection } from '../db/connection.ts';
import { inTransaction } from '../db/transaction.ts';
import { demoPartner } from '../demo/demo.ts';

import { Failure } from '../failure.ts';
import { withDatabase } from '../runtime/database.ts';
import { readWebhook, saveWebhook, turnWebhookOff } from '../sql/webhooks.ts';
import { clientIdOf } from './client.ts';
import type { Arguments } from './command.ts';
import { eventLine } from './event-line.ts';
import { isListener, type Received, type Reply, startReceiver } from './receiver.ts';
import { whatIsWrong } from './signature-check.ts';
import { checkFrom, checkPartner, nextOf, sequenceOf } from './webhook.ts';
import { httpUrlOf } from './webhook-url.ts';

// A receiver for those who write one. While it runs, it is the partner's webhook. It does not take the place of one that is
// on or has events waiting, unless that was a listener which was killed. The database is opened only to begin, to end, and
// to look for new secrets: a server may be started and stopped meanwhile, and the embedded database with it.

interface Wishes {
  clientId: number;
  port: number;
  from: number | null;
  forward: URL | undefined;
  isJson: boolean;
}

interface Listening {
  config: Config;
  wishes: Wishes;
  keys: KeyObject[];
  next: number;
  stopped: AbortSignal;
}

export async function listen(config: Config, args: Arguments): Promise<void> {
  const wishes = wishesOf(args);
  if (!arePrivateAddressesAllowed(config)) {
    throw new Failure('Events are not sent to this machine: set WEBHOOK_ALLOW_PRIVATE=yes, here and for the servers.');
  }
  const stopped = stopSignal();
  const begun = Promise.withResolvers<Listening>();
  const receiver = await startReceiver(
    wishes.port,
    // An event may be here before the database is closed behind the beginning.
    async (received) => receive(await begun.promise, received),
    (error) => console.error(error),
  );
  try {
    const listening = { config, wishes, stopped, ...(await begin(config, wishes, receiver.url)) };
    say(wishes, introduction(listening, receiver.url));
    begun.resolve(listening);
    if (!stopped.aborted) await new Promise((resolve) => stopped.addEventListener('abort', resolve, { once: true }));
    say(wishes, await end(listening, receiver.url).catch(notTurnedOff));
  } finally {
    await receiver.close();
  }
}

function wishesOf({ options }: Arguments): Wishes {
  const port = Number(options.port);
  if (!/^\d{1,5}$/.test(String(options.port)) || port > 65_535) {
    throw new Failure('--port is a whole number from 0 to 65535; 0 takes any free one.');
  }
  return {
    clientId: options.client === undefined ? demoPartner.clientId : clientIdOf(String(options.client)),
    port,
    from: sequenceOf('from', options.from),
    forward: options.forward === undefined ? undefined : httpUrlOf(String(options.forward)),
    isJson: options.json === true,
  };
}

/** npm may hand Ctrl-C on to a program that has had it from the terminal already. */
const sameSignalMs = 1000;

/** Aborted when it is time to end. Another signal, a while later, does not wait for the end. */
function stopSignal(): AbortSignal {
  const stopping = new AbortController();
  let impatientFrom = Number.POSITIVE_INFINITY;
  const stop = () => {
    if (performance.now() > impatientFrom) process.exit(1);
    if (!stopping.signal.aborted) impatientFrom = performance.now() + sameSignalMs;
    stopping.abort();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
  // Nobody reads any more.
  process.stdout.on('error', () => stopping.abort());
  return stopping.signal;
}

/** For people. With --json only the events are written to stdout. */
function say({ isJson }: Wishes, text: string): void {
  if (isJson) console.error(text);
  else console.log(text);
}

function begin(config: Config, { clientId, from }: Wishes, url: string) {
  return withDatabase(config, ({ pool, masterKey }) =>
    inTransaction(pool, async (connection) => {
      const keys = await liveKeys(connection, masterKey, clientId);
      const before = await readWebhook(connection, clientId);
      if (before !== undefined && !isListener(before.url) && (before.off_at === null || before.waiting > 0)) {
        throw new Failure(
          `Partner ${clientId} has the webhook ${before.url}, which must not lose its events: listen for another with --client.`,
        );
      }
      // What happened while nobody listened is not for who listens now, unless they ask for it.
      await saveWebhook(connection, clientId, url, from ?? (before && before.last_sequence + 1) ?? null);
      const webhook = await readWebhook(connection, clientId);
      if (webhook === undefined) throw new Error('a webhook that was just set is not there');
      checkFrom(from, webhook);
      return { keys, next: nextOf(webhook) };
    }),
  );
}

async function liveKeys(connection: Connection, masterKey: Buffer, clientId: number): Promise<KeyObject[]> {
  await checkPartner(connection, clientId);
  const { partners } = await loadCallers(connection, masterKey, () => {});
  const keys = partners.get(clientId);
  if (keys === undefined) {
    throw new Failure(`Partner ${clientId} is disabled, so it gets no events: freebets client enable ${clientId}`);
  }
  if (keys.length > 0) return keys;
  throw new Failure(`The secret of partner ${clientId} does not open with this SECRETS_KEY.`);
}

function introduction({ wishes: { clientId, forward }, next }: Listening, url: string): string {
  return [
    `Listening on ${url} for the events of partner ${clientId}; the next is number ${next}.`,
    ...(forward === undefined ? [] : [`They are passed on to ${forward.href}, and its answers are given back.`]),
    ...(clientId === demoPartner.clientId ? ['Make some, in another terminal: npx freebets play'] : []),
    'Stop it with Ctrl-C.',
    '',
  ].join('\n');
}

function end({ config, wishes: { clientId } }: Listening, url: string): Promise<string> {
  return withDatabase(config, ({ pool }) =>
    inTransaction(pool, async (connection) => {
      const present = await readWebhook(connection, clientId);
      if (present?.url !== url) return 'The webhook was set anew meanwhile, and is left as it is.';
      await turnWebhookOff(connection, clientId, 'listen ended');
      return `The webhook of partner ${clientId} is off; its events wait until one is set.`;
    }),
  );
}

function notTurnedOff({ message }: Error): never {
  throw new Failure(`The webhook is still set to this receiver: ${message}`);
}

async function receive(listening: Listening, received: Received): Promise<Reply> {
  const { wishes } = listening;
  const wrong = await whatIsWrongNow(listening, received);
  if (wrong !== undefined) {
    say(wishes, `Wrong signature: ${wrong}. Answered 401.`);
    return { status: 401 };
  }
  const event = eventOf(received.body);
  if (event === undefined) {
    say(wishes, 'The signature is right, but the body is no event. Answered 400.');
    return { status: 400 };
  }
  console.log(wishes.isJson ? JSON.stringify(event) : `${eventLine(event)}  signature right`);
  return wishes.forward === undefined ? { status: 204 } : passOn(listening, wishes.forward, event, received);
}

/** A secret may have been replaced since the keys were read. */
async function whatIsWrongNow(listening: Listening, received: Received): Promise<string | undefined> {
  const { config, wishes } = listening;
  const wrong = whatIsWrong(listening.keys, received, Date.now());
  if (wrong === undefined || listening.stopped.aborted) return wrong;
  const read = withDatabase(config, ({ pool, masterKey }) => liveKeys(pool, masterKey, wishes.clientId));
  listening.keys = await read.catch(() => listening.keys);
  return whatIsWrong(listening.keys, received, Date.now());
}

function eventOf(body: Buffer): EventBody | undefined {
  try {
    const event: EventBody = JSON.parse(body.toString());
    eventLine(event);
    return event;
  } catch {
    return undefined;
  }
}

/** Of the connection rather than of the request. */
const ofConnection = ['host', 'connection', 'keep-alive', 'content-length', 'transfer-encoding', 'expect'];

async function passOn(
  { config, wishes, stopped }: Listening,
  to: URL,
  { sequence }: EventBody,
  { headers, body }: Received,
): Promise<Reply> {
  const kept = Object.entries(headers).filter(([name]) => !ofConnection.includes(name));
  const signal = AbortSignal.any([stopped, AbortSignal.timeout(config.WEBHOOK_TIMEOUT_MS)]);
  const request = { method: 'POST', headers: Object.fromEntries(kept) as Record<string, string>, body, signal };
  try {
    const answer = await fetch(to, { ...request, redirect: 'manual' });
    await answer.body?.cancel();
    say(wishes, `${String(sequence).padStart(6)}  passed on, and answered ${answer.status}`);
    const retryAfter = answer.headers.get('retry-after');
    return { status: answer.status, headers: retryAfter === null ? {} : { 'retry-after': retryAfter } };
  } catch (error) {
    const { cause, message } = error as Error & { cause?: NodeJS.ErrnoException };
    if (!stopped.aborted)
      say(wishes, `${to.href} cannot be reached (${cause?.code ?? cause?.message ?? message}). Answered 502.`);
    return { status: 502 };
  }
}
