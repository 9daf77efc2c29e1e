import { isIP } from 'node:net';
import { arePrivateAddressesAllowed, type Config } from '../config.ts';

import { Failure } from '../failure.ts';

const maxLength = 2048;

export function httpUrlOf(text: string): URL {
  const url = URL.parse(text);
  if (url !== null && ['http:', 'https:'].includes(url.protocol)) return url;
  throw new Failure('The URL must begin with https:// or http:// and name a host.');
}

/** Where events may be sent, written as it will be used. A name is looked up, and checked, when it is connected to. */
export async function webhookUrlOf(config: Config, text: string): Promise<string> {
  const url = httpUrlOf(text);
  if (url.username !== '' || url.password !== '') {
    throw new Failure('The URL must not hold a user name or password: events are signed instead.');
  }
  if (url.href.includes('#')) throw new Failure('The URL must not have a fragment (#…): it would not be sent.');
  if (url.href.length > maxLength) throw new Failure(`The URL must not be longer than ${maxLength} characters.`);
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(host) !== 0 && !arePrivateAddressesAllowed(config) && !(await isPublic(host))) {
    throw new Failure(
      `${host} is not a public address: where events may be sent to it, set WEBHOOK_ALLOW_PRIVATE=yes.`,
    );
  }
  return url.href;
}

async function isPublic(address: string): Promise<boolean> {
  // Loaded only now: it brings an HTTP client along, which takes longer to load than most commands take to run.
  const { isPublicAddress } = await import('../webhooks/addresses.ts');
  return isPublicAddress(address);
}
