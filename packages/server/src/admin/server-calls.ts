import { type ClientOptions, FreebetsError, Partner, Provider } from '@freebets/client';
import { change } from '../audit/change.ts';
import type { CheckHead } from '../check/check.ts';
import { demoPartners } from '../demo/demo.ts';
import type { Config } from '../ops/config.ts';
import { addressAt, runningServer } from '../ops/server-address.ts';
import { findSecret } from '../partners/callers/sql/secrets.ts';
import { Failure } from '../primitives/failure.ts';
import { openSecret, ownerOf } from '../primitives/sealing.ts';
import { cliAttribution, parseClientId, runChange, type WithReason } from './changes.ts';
import { readBounded } from './files.ts';

// Clients for the commands that call a running server over HTTP as a partner or a provider.

export async function serverUrl(config: Config, given: string | undefined): Promise<string> {
  const url = given ?? (await runningServer(config))?.url ?? config.PUBLIC_URL ?? addressAt(config.HOST, config.PORT);
  if (!URL.canParse(url)) throw new Failure(`${url} is not a URL such as http://127.0.0.1:8080.`);
  return url;
}

/** Gives up soon, because a person waits at the terminal. */
const interactiveLimits = { maxRetries: 2, totalTimeoutMs: 15_000 };

/** Signs strictly: every caller may do so, and the caller's settings may require it. */
const clientOptions = (url: string, options: Partial<ClientOptions> = {}) => ({
  baseUrl: url,
  signing: 'strict' as const,
  ...interactiveLimits,
  ...options,
});

export const partnerAt = (
  url: string,
  { clientId, secret }: { clientId: number; secret: string },
  options?: Partial<ClientOptions>,
): Partner => new Partner({ clientId, secret, ...clientOptions(url, options) });

export const providerAt = (url: string, { providerId, secret }: { providerId: string; secret: string }): Provider =>
  new Provider({ providerId, secret, ...clientOptions(url) });

/** The error as a message for the person who typed the command. */
export function errorMessage({ name, message, details }: FreebetsError, url: string, forbidden: string): string {
  if (name === 'no_answer')
    return `No server responds at ${url}: start one with "npm start", or set its URL with --url.`;
  if (name === 'unreadable_answer') return `The server at ${url} is not Freebets: set the right URL with --url.`;
  if (name === 'forbidden') return forbidden;
  return [message, ...details.map(({ field, reason }) => `${field} ${reason}.`)].join(' ');
}

/** A `forbidden` response does not say why, so the message lists the other possible reasons. */
const otherReasons =
  'Other possible causes: the networks of the partner do not include this machine (FROM in "freebets client list"), or the clock of this machine is wrong by more than five minutes.';

export const demoForbidden = (url: string, demoOnly: string): string =>
  `The server at ${url} does not accept the public secrets of the demo: ${demoOnly}. ${otherReasons}`;

// Links from a check's report to the guides. They prefer a server that serves the guides, because the report may go to
// other people. Otherwise they point to the files of this installation.

type Guide = CheckHead['guide'];

const guideTimeoutMs = 10_000;

export async function guidesFor(config: Config, checked?: string): Promise<(guide: Guide) => string> {
  const own = await serverUrl(config, undefined).catch(() => undefined);
  for (const server of [checked, own]) {
    if (server !== undefined && (await showsGuides(server))) return (guide) => `${server}/docs/${guide}`;
  }
  return (guide) => new URL(`../../../../docs/${guide.replace('#', '.md#')}`, import.meta.url).href;
}

/** Checks the content too: another implementation of the API may return any page for this path. */
async function showsGuides(server: string): Promise<boolean> {
  try {
    const answer = await fetch(`${server}/docs/partners`, { signal: AbortSignal.timeout(guideTimeoutMs) });
    return (await answer.text()).includes('id="signing"') && answer.ok;
  } catch {
    return false;
  }
}

// Commands that call a local or remote server as a partner.

/** Which server to call, and as which partner. */
export interface CallOptions extends WithReason {
  url?: string;
  client: string;
  secretFile?: string;
}

export interface PartnerCalls {
  clientId: number;
  url: string;
  /** Gives up soon, because a person waits at the terminal. */
  interactive: Partner;
  /** For long-running commands: retries long enough to survive a restart of the server. */
  persistent: Partner;
}

const persistentLimits = { maxRetries: 19, timeoutMs: 30_000, totalTimeoutMs: 120_000 };

/** Runs `work` as a partner, and turns an error of the client into a message for the terminal. */
export async function asPartner<T>(
  config: Config,
  options: CallOptions,
  signal: AbortSignal | undefined,
  work: (calls: PartnerCalls) => Promise<T>,
): Promise<T> {
  const clientId = parseClientId(options.client);
  const url = await serverUrl(config, options.url);
  const secret = await partnerSecret(config, clientId, options);
  const partnerWith = (limits: object) => partnerAt(url, { clientId, secret }, { signal, ...limits });
  try {
    return await work({ clientId, url, interactive: partnerWith({}), persistent: partnerWith(persistentLimits) });
  } catch (error) {
    if (!(error instanceof FreebetsError)) throw error;
    const forbidden = `The server at ${url} does not accept the signature of partner ${clientId}. Set the partner with --client and the file of its secret with --secret-file. ${otherReasons}`;
    throw new Failure(errorMessage(error, url, forbidden));
  }
}

/**
 * Reads the secret from its file, or from the configured database. With --url, or without a database, it uses the
 * demo's public secrets, since a remote server may hold the demo data.
 */
async function partnerSecret(
  config: Config,
  clientId: number,
  { url, secretFile, reason }: CallOptions,
): Promise<string> {
  if (secretFile !== undefined) return readSecret(secretFile);
  const isHere = config.DATABASE_URL !== undefined || (await runningServer(config)) !== undefined;
  if (url === undefined && isHere) return readStoredSecret(config, clientId, { reason });
  return requireDemoSecret(
    clientId,
    isHere ? '--secret-file, because --url does not use the database' : '--secret-file',
  );
}

/** The demo's secrets are public. Any other secret must be in the file that the option names. */
export function requireDemoSecret(clientId: number, option: string): string {
  const partner = demoPartners.find((partner) => partner.clientId === clientId);
  if (partner !== undefined) return partner.secret;
  throw new Failure(`The secret of partner ${clientId} is not known here: set the file that holds it with ${option}.`);
}

export function readSecret(path: string): string {
  let text: string;
  try {
    text = readBounded(path, 1).toString().trim();
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure(`The secret can't be read from ${path}: ${(error as Error).message}.`);
  }
  if (text === '') throw new Failure(`There is no secret in ${path}: the file is empty.`);
  return text;
}

/** Writes an audit record, because the secret lets its holder act as the partner. */
function readStoredSecret(config: Config, clientId: number, options: WithReason): Promise<string> {
  return runChange(
    config,
    cliAttribution('PartnerSecretOpened', options),
    ({ masterKey, ...context }) =>
      change(context, async (connection) => {
        const sealed = await findSecret(connection, 'partner', clientId);
        if (sealed === undefined) throw new Failure(`There is no partner ${clientId}.`);
        const secret = sealed === null ? undefined : openSecret(masterKey, ownerOf('partner', clientId), sealed);
        if (secret === undefined) {
          throw new Failure(`The secret of partner ${clientId} cannot be decrypted with SECRETS_KEY.`);
        }
        const target = { kind: 'partner', id: String(clientId) };
        return { answer: secret, clientId, changed: { target, before: null, after: { secret_opened: true } } };
      }),
    {},
  );
}
