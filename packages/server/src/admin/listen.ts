import { type EventBody, timeHeader } from '@freebets/contract';
import { type ChangeContext, change, type Done, Refused } from '../audit/change.ts';
import { demoPartner } from '../demo/demo.ts';
import type { Connection } from '../engine/connection.ts';
import { heldWebhook, nextOf, setWebhookWithin, turnOffWithin } from '../events/webhooks/changes.ts';
import { readHttpUrl, requestHeaders, requestPath } from '../events/webhooks/request.ts';
import { arePrivateAddressesAllowed, type Config } from '../ops/config.ts';
import { requireReadable, withDatabase } from '../ops/database.ts';
import { runningServer } from '../ops/server-address.ts';
import { type Caller, loadCallers } from '../partners/callers/live-keys.ts';
import type { SecretContext } from '../partners/callers/secrets.ts';
import { partnerExists } from '../partners/callers/sql/partners.ts';
import { Failure } from '../primitives/failure.ts';
import type { MasterKey } from '../primitives/sealing.ts';
import { cliAttribution, parseClientId, runChange, type WithReason } from './changes.ts';
import { type Arguments, command, type Terminal } from './command.ts';
import {
  isListenerUrl,
  isListening,
  portIn,
  type Received,
  type Reply,
  signatureProblem,
  startReceiver,
} from './receiver.ts';
import { sequenceOf, urlIn, webhookMessages } from './webhook.ts';

// A webhook receiver for developers. While it runs, it is the partner's webhook. It refuses to replace a webhook that
// is active or has events waiting, unless that is a killed listener. It opens the database only to start, to stop, and
// to read new secrets, so that a server and its embedded database can be restarted meanwhile.

interface Options {
  clientId: number;
  port: number;
  from: number | null;
  reason: string | undefined;
  forward: URL | undefined;
  isJson: boolean;
}

interface Listening {
  config: Config;
  options: Options;
  terminal: Terminal;
  signer: Caller;
  next: number;
  stopped: AbortSignal;
}

export const listen = command({ run: listenUntilStopped, show: () => '' });

type Given = Arguments<[], { client?: string; port?: string; from?: string; forward?: string } & WithReason>;

async function listenUntilStopped(config: Config, given: Given, terminal: Terminal): Promise<void> {
  const options = optionsOf(given);
  if (!arePrivateAddressesAllowed(config)) {
    throw new Failure(
      "The servers can't send events to this machine: set WEBHOOK_ALLOW_PRIVATE=yes here and for the servers.",
    );
  }
  await requireServer(config);
  const stopped = terminal.stopSignal();
  const begun = Promise.withResolvers<Listening>();
  const receiver = await startReceiver(
    options.port,
    // An event may arrive before `begin` has returned.
    async (received) => receive(await begun.promise, received),
    (error) => terminal.stderr.write(`${error}\n`),
  );
  try {
    const listening = { config, options, terminal, stopped, ...(await turnOn(config, options, receiver.url)) };
    print(listening, introduction(listening, receiver.url));
    begun.resolve(listening);
    if (!stopped.aborted) await new Promise((resolve) => stopped.addEventListener('abort', resolve, { once: true }));
    print(listening, await turnOff(listening, receiver.url).catch(notTurnedOff));
  } finally {
    await receiver.close();
  }
}

/** With the embedded database only a running server sends events. */
async function requireServer(config: Config): Promise<void> {
  if (config.DATABASE_URL !== undefined || (await runningServer(config)) !== undefined) return;
  requireReadable(config);
  throw new Failure(
    `No server is running on ${config.DATA_DIR}: start one first (npm start), or set DATA_DIR to its folder.`,
  );
}

function optionsOf({ options: { client, port = '0', from, forward, reason, json } }: Given): Options {
  return {
    clientId: client === undefined ? demoPartner.clientId : parseClientId(client),
    port: portIn('--port', port),
    from: sequenceOf('from', from),
    forward: forward === undefined ? undefined : urlIn(readHttpUrl(forward)),
    reason,
    isJson: json === true,
  };
}

/** Prints a message for people. With --json, stdout gets only the events. */
function print({ options: { isJson }, terminal: { stdout, stderr } }: Listening, text: string): void {
  (isJson ? stderr : stdout).write(`${text}\n`);
}

function turnOn(config: Config, { clientId, from, reason }: Options, url: string) {
  const work = ({ masterKey, ...context }: SecretContext) =>
    change(context, async (connection) => {
      const signer = await liveSigner(connection, masterKey, clientId);
      const before = await heldWebhook(connection, clientId);
      if (before !== undefined && !isListenerUrl(before.url) && (before.off_at === null || before.waiting > 0)) {
        throw new Failure(
          `Partner ${clientId} has the webhook ${before.url}, which still needs its events. Choose another partner with --client, or remove the webhook: freebets client webhook remove ${clientId}`,
        );
      }
      // A listener at the same address can't be running, because this process has its port.
      if (
        before?.off_at === null &&
        isListenerUrl(before.url) &&
        before.url !== url &&
        (await isListening(before.url))
      ) {
        throw new Failure(
          `Another listener already receives the events of partner ${clientId}, on ${before.url}: stop it first, or listen for another partner with --client.`,
        );
      }
      // Skips events from before this start, unless --from asks for them.
      const first = from ?? (before && before.last_sequence + 1) ?? null;
      const { answer: webhook, ...rest } = await setWebhookWithin(connection, clientId, url, first);
      return { ...rest, answer: { signer, next: nextOf(webhook) } };
    });
  return runChange(config, cliAttribution('WebhookSet', { reason }), work, webhookMessages(clientId));
}

async function liveSigner(connection: Connection, masterKey: MasterKey, clientId: number): Promise<Caller> {
  if (!(await partnerExists(connection, clientId))) throw new Refused('partner_not_found');
  const { partners } = await loadCallers(connection, masterKey, () => {});
  const signer = partners.get(clientId);
  if (signer === undefined) {
    throw new Failure(
      `Partner ${clientId} is disabled, so it gets no events. Enable it with: freebets client enable ${clientId}`,
    );
  }
  if (signer.keys.length > 0) return signer;
  throw new Failure(`The secret of partner ${clientId} cannot be decrypted with SECRETS_KEY.`);
}

function introduction({ options: { clientId, forward }, next }: Listening, url: string): string {
  return [
    `Listening on ${url} for events of partner ${clientId}, starting with sequence ${next}.`,
    ...(forward === undefined ? [] : [`Each event is forwarded to ${forward.href}, and its response is returned.`]),
    ...(clientId === demoPartner.clientId ? ['To create some, run this in another terminal: npx freebets play'] : []),
    'Press Ctrl-C to stop.',
    '',
  ].join('\n');
}

function turnOff({ config, options: { clientId, reason } }: Listening, url: string): Promise<string> {
  const work = (context: ChangeContext) =>
    change(context, async (connection): Promise<Done<string>> => {
      const present = await heldWebhook(connection, clientId);
      if (present?.url !== url) {
        return { answer: 'The webhook was changed in the meantime, so it stays as it is.', changed: null };
      }
      const { changed } = await turnOffWithin(connection, clientId, present, 'listen ended');
      const answer = `The webhook of partner ${clientId} is off. Events wait until you set a webhook.`;
      return { answer, clientId, changed };
    });
  return runChange(config, cliAttribution('WebhookOff', { reason }), work, webhookMessages(clientId));
}

function notTurnedOff({ message }: Error): never {
  throw new Failure(`The webhook is still set to this receiver: ${message}`);
}

async function receive(listening: Listening, received: Received): Promise<Reply> {
  const { options, terminal } = listening;
  const wrong = await currentSignatureProblem(listening, received);
  if (wrong !== undefined) {
    print(listening, `Invalid signature: ${wrong}. Returned 401.`);
    return { status: 401 };
  }
  const event = eventOf(received.body);
  if (event === undefined) {
    print(listening, 'The signature is valid, but the body is not an event. Returned 400.');
    return { status: 400 };
  }
  terminal.stdout.write(`${options.isJson ? JSON.stringify(event) : `${eventLine(event)}  signature valid`}\n`);
  return options.forward === undefined ? { status: 204 } : forwardEvent(listening, options.forward, event, received);
}

/** Checks again with a fresh signer: the secret or the kind of signing may have changed since it was read. */
async function currentSignatureProblem(listening: Listening, received: Received): Promise<string | undefined> {
  const { config, options } = listening;
  const wrong = signatureProblem(listening.signer, received, Date.now());
  if (wrong === undefined || listening.stopped.aborted) return wrong;
  const read = withDatabase(config, ({ pool, masterKey }) => liveSigner(pool, masterKey, options.clientId));
  listening.signer = await read.catch(() => listening.signer);
  return signatureProblem(listening.signer, received, Date.now());
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

/** Headers that belong to the connection, not to the request. */
const connectionHeaders = ['host', 'connection', 'keep-alive', 'content-length', 'transfer-encoding', 'expect'];

async function forwardEvent(
  listening: Listening,
  to: URL,
  { sequence }: EventBody,
  { headers, body }: Received,
): Promise<Reply> {
  const { config, stopped, signer } = listening;
  const kept = Object.entries(headers).filter(([name]) => !connectionHeaders.includes(name));
  const time = headers[timeHeader];
  // A strict signature covers the path, so the forwarded request needs its own.
  const newHeaders =
    time === undefined ? {} : requestHeaders(signer.keys, body, { time: String(time), path: requestPath(to) });
  const signal = AbortSignal.any([stopped, AbortSignal.timeout(config.WEBHOOK_TIMEOUT_MS)]);
  const request = {
    method: 'POST',
    headers: { ...(Object.fromEntries(kept) as Record<string, string>), ...newHeaders },
    body,
    signal,
  };
  try {
    const answer = await fetch(to, { ...request, redirect: 'manual' });
    await answer.body?.cancel();
    print(listening, `${String(sequence).padStart(6)}  forwarded, response ${answer.status}`);
    const retryAfter = answer.headers.get('retry-after');
    return { status: answer.status, headers: retryAfter === null ? {} : { 'retry-after': retryAfter } };
  } catch (error) {
    const { cause, message } = error as Error & { cause?: NodeJS.ErrnoException };
    if (!stopped.aborted)
      print(listening, `${to.href} cannot be reached (${cause?.code ?? cause?.message ?? message}). Returned 502.`);
    return { status: 502 };
  }
}

/** One line for people: the sequence, the type, and the main fields. */
function eventLine({ sequence, type, data }: EventBody): string {
  const words = Object.entries(mainFields(data))
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}=${quoteIfNeeded(String(value))}`);
  return `${String(sequence).padStart(6)}  ${type.padEnd(19)}  ${words.join(' ')}`;
}

/** Quotes values with spaces, which IDs and names chosen by the partner may have. */
const quoteIfNeeded = (text: string): string => (/^[^\s"=]+$/.test(text) ? text : JSON.stringify(text));

function mainFields(data: EventBody['data']): Record<string, string | number | null> {
  if ('campaign' in data) {
    const { campaign_id, name, status } = data.campaign;
    return { campaign_id, name, status };
  }
  if ('job' in data) {
    const { job_id, name, status, items, issued } = data.job;
    return { job_id, name, status, items, issued };
  }
  const { player_id, issue_id, campaign_id, status, bet_amount, currency, quantity, remaining } = data.free_bet;
  const common = { player_id, issue_id, campaign_id };
  if (!('bet' in data)) return { ...common, status, bet_amount, currency, quantity, remaining };
  const { bet_id, game_id, coefficient, win_amount } = data.bet;
  return { ...common, bet_id, game_id, status: data.bet.status, bet_amount, coefficient, win_amount, currency };
}
