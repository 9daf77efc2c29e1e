import { isIP } from 'node:net';
import { isPublicAddress } from './public-address.ts';

// Where events may be sent, as an address that somebody has typed. What is wrong with one is said in a sentence.

const maxLength = 2048;

export function readHttpUrl(text: string): { url: URL } | { wrong: string } {
  const url = URL.parse(text);
  if (url !== null && ['http:', 'https:'].includes(url.protocol)) return { url };
  return { wrong: 'the URL must begin with https:// or http:// and name a host' };
}

/** Written as it will be used. A name is resolved, and checked, when it is connected to. */
export function readWebhookUrl(text: string, arePrivateAllowed: boolean): { url: string } | { wrong: string } {
  const read = readHttpUrl(text);
  if ('wrong' in read) return read;
  const { url } = read;
  if (url.username !== '' || url.password !== '') {
    return { wrong: 'the URL must not hold a user name or password: events are signed instead' };
  }
  if (url.href.includes('#')) return { wrong: 'the URL must not have a fragment (#…): it would not be sent' };
  if (url.href.length > maxLength) return { wrong: `the URL must not be longer than ${maxLength} characters` };
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(host) !== 0 && !arePrivateAllowed && !isPublicAddress(host)) {
    return { wrong: `${host} is not a public address: where events may be sent to it, set WEBHOOK_ALLOW_PRIVATE=yes` };
  }
  return { url: url.href };
}
