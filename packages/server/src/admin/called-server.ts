import { type ClientOptions, type FreebetsError, Partner, Provider } from '@freebets/client';
import type { Config } from '../ops/config.ts';
import { addressAt, runningServer } from '../ops/server-address.ts';
import { Failure } from '../primitives/failure.ts';

// For commands that call a running server over HTTP, as its partners and providers do.

export async function addressOf(config: Config, given: string | undefined): Promise<string> {
  const url = given ?? (await runningServer(config))?.url ?? config.PUBLIC_URL ?? addressAt(config.HOST, config.PORT);
  if (!URL.canParse(url)) throw new Failure(`${url} is not an address such as http://127.0.0.1:8080.`);
  return url;
}

/** Gives up soon: for what somebody waits for at a terminal. */
const soon = { attempts: 3, deadlineMs: 15_000 };

/** With strict signing, which every caller may use: this one may have been made to. */
const strictly = (url: string, options: Partial<ClientOptions> = {}) => ({
  baseUrl: url,
  signing: 'strict' as const,
  ...soon,
  ...options,
});

export const partnerAt = (
  url: string,
  { clientId, secret }: { clientId: number; secret: string },
  options?: Partial<ClientOptions>,
): Partner => new Partner({ clientId, secret, ...strictly(url, options) });

export const providerAt = (url: string, { providerId, secret }: { providerId: string; secret: string }): Provider =>
  new Provider({ providerId, secret, ...strictly(url) });

/** What has failed, in the words of who typed the command. */
export function sentenceOf({ name, message, details }: FreebetsError, url: string, forbidden: string): string {
  if (name === 'no_answer') return `No server answers at ${url}: start one with "npm start", or name it with --url.`;
  if (name === 'unreadable_answer') return `What answers at ${url} is not Freebets: name the server with --url.`;
  if (name === 'forbidden') return forbidden;
  return [message, ...details.map(({ field, reason }) => `${field} ${reason}.`)].join(' ');
}

/** A refusal does not say which of its reasons it has. */
export const otherReasons =
  'Else the networks of the partner may not include this machine (FROM in "freebets client list"), or this clock is off by more than five minutes.';

export const demoForbidden = (url: string, demoOnly: string): string =>
  `The server at ${url} does not accept the public secrets of the demo: ${demoOnly}. ${otherReasons}`;
