import assert from 'node:assert/strict';
import { createHmac, type KeyObject } from 'node:crypto';
import { BlockList, isIP } from 'node:net';
import { sign, signatureHeader, timedPrefix, timeHeader } from '@freebets/contract';

export interface Signer {
  /** The partner's active secrets, the newest first. During a rotation there are two, and both are valid. */
  keys: readonly KeyObject[];
  /** Whether the partner's requests, and those sent to it, must also sign the time and the path. */
  isStrict: boolean;
}

interface EventRequest {
  eventId: string;
  url: string;
  body: string;
}

/** Signs an event twice: as the partner signs its own requests, and by Standard Webhooks, for which libraries exist. */
export function signedHeaders(
  signer: Signer,
  { eventId, url, body }: EventRequest,
  nowMs: number,
): Record<string, string> {
  const timestamp = Math.floor(nowMs / 1000).toString();
  const content = `${eventId}.${timestamp}.${body}`;
  const target = signer.isStrict ? URL.parse(url) : null;
  return {
    'content-type': 'application/json',
    ...requestHeaders(signer.keys, body, target === null ? undefined : { time: timestamp, path: requestPath(target) }),
    'webhook-id': eventId,
    'webhook-timestamp': timestamp,
    'webhook-signature': signer.keys.map((key) => `v1,${hmac(content, key)}`).join(' '),
  };
}

/** The path as in the request line. */
export const requestPath = ({ pathname, search }: URL): string => pathname + search;

/** The headers that a request of the partner has. */
export function requestHeaders(
  [newest, previous]: readonly KeyObject[],
  body: string | Uint8Array,
  timed: { time: string; path: string } | undefined,
): Record<string, string> {
  assert(newest, 'a partner has a secret');
  const prefix = timed === undefined ? '' : timedPrefix(timed.time, timed.path);
  return {
    ...(timed !== undefined && { [timeHeader]: timed.time }),
    [signatureHeader]: sign(body, newest, prefix),
    ...(previous !== undefined && { [`${signatureHeader}-previous`]: sign(body, previous, prefix) }),
  };
}

const hmac = (content: string, key: KeyObject) => createHmac('sha256', key).update(content).digest('base64');

// Checks the URL that a person enters for a webhook, and describes the problem in a sentence.

const maxLength = 2048;

export function readHttpUrl(text: string): { url: URL } | { wrong: string } {
  const url = URL.parse(text);
  if (url !== null && ['http:', 'https:'].includes(url.protocol)) return { url };
  return { wrong: 'the URL must begin with https:// or http:// and name a host' };
}

/** Returns the URL in normalised form. Host names are resolved and checked when connecting. */
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

/**
 * The IPv4 blocks in IANA's registry of special-purpose addresses that are not globally reachable, and one of Azure's.
 */
const specialIpv4: readonly [string, number][] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // The host of every virtual machine in Azure, which serves settings and secrets.
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

/** IPv6 prefixes that embed an IPv4 address: mapped addresses, and NAT64, which networks with DNS64 return. */
const ipv4Prefixes = ['::ffff:', '64:ff9b::'];

const accepted = new BlockList();
accepted.addSubnet('0.0.0.0', 0, 'ipv4');
accepted.addSubnet('2000::', 3, 'ipv6');
for (const prefix of ipv4Prefixes) accepted.addSubnet(`${prefix}0.0.0.0`, 96, 'ipv6');

const refused = new BlockList();
refused.addSubnet('2001::', 23, 'ipv6');
refused.addSubnet('2001:db8::', 32, 'ipv6');
refused.addSubnet('2002::', 16, 'ipv6');
refused.addSubnet('3fff::', 20, 'ipv6');
for (const [network, bits] of specialIpv4) {
  refused.addSubnet(network, bits, 'ipv4');
  for (const prefix of ipv4Prefixes) refused.addSubnet(prefix + network, 96 + bits, 'ipv6');
}

export function isPublicAddress(address: string): boolean {
  const version = isIP(address);
  // A zone, as in fe80::1%eth0, is only valid on the local network.
  if (version === 0 || address.includes('%')) return false;
  const family = version === 4 ? 'ipv4' : 'ipv6';
  return accepted.check(address, family) && !refused.check(address, family);
}
