import { promises as dns, type LookupAddress } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';

// Where events may be sent. A partner names the URL, so without this it could have the service talk to the network it runs
// in. A connection is checked three times: an address in the URL before it is connected to, every address that a name
// resolves to before any of them is, and the address at the other end before the request is written.

/** The IPv4 blocks in IANA's registry of special-purpose addresses that are not globally reachable, and one of Azure's. */
const specialIpv4: readonly [string, number][] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // The host of every machine in Azure, which tells it settings and secrets.
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

/** IPv6 addresses that stand for an IPv4 address: mapped ones, and those of NAT64, which networks with DNS64 hand out. */
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
  // A zone, as in fe80::1%eth0, is of no use but on the local network.
  if (version === 0 || address.includes('%')) return false;
  const family = version === 4 ? 'ipv4' : 'ipv6';
  return accepted.check(address, family) && !refused.check(address, family);
}

class RefusedAddress extends Error {
  constructor(address: string) {
    super(`${address} is not a public address`);
  }
}

export type Resolve = (hostname: string) => Promise<LookupAddress[]>;

export interface ConnectorSettings {
  /** Nothing is checked: for development, and for partners in a network of one's own. */
  allowPrivate: boolean;
  /** For a whole connect: name, TCP and TLS. */
  timeoutMs: number;
  /** Breaks off every connection, also those still being made. */
  signal: AbortSignal;
  resolve?: Resolve | undefined;
}

// Node.js gives an address 250 ms before it tries the next. That is too little for the other side of the world, and where
// there is no IPv6, the next one may be no good.
const nextAddressMs = 2000;

/** Makes the connections of an undici dispatcher, and refuses those that do not lead to a public address. */
export function guardedConnector(settings: ConnectorSettings): buildConnector.connector {
  const { allowPrivate, timeoutMs, signal, resolve = systemResolve(allowPrivate, signal) } = settings;
  const isAllowed = (address: string) => allowPrivate || isPublicAddress(address);
  const connect = buildConnector({
    allowH2: false,
    timeout: timeoutMs,
    signal,
    lookup: checkedLookup(resolve, isAllowed),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: nextAddressMs,
  });
  return (target, callback) => {
    // An address is never looked up, so it is checked here.
    if (isIP(target.hostname) !== 0 && !isAllowed(target.hostname)) {
      queueMicrotask(() => callback(new RefusedAddress(target.hostname), null));
      return;
    }
    connect(target, (error, socket) => {
      if (error) return callback(error, null);
      const { remoteAddress } = socket;
      if (remoteAddress !== undefined && isAllowed(remoteAddress)) return callback(null, socket);
      socket.destroy();
      callback(remoteAddress === undefined ? failure('ECONNRESET') : new RefusedAddress(remoteAddress), null);
    });
  };
}

/** What is checked is what is connected to: the name is not resolved again, and could not say something else by then. */
function checkedLookup(resolve: Resolve, isAllowed: (address: string) => boolean): LookupFunction {
  const resolveAndCheck = async (hostname: string) => {
    const addresses = await resolve(hostname);
    if (addresses.length === 0) throw failure('ENOTFOUND');
    for (const { address } of addresses) if (!isAllowed(address)) throw new RefusedAddress(address);
    return addresses;
  };
  return (hostname, _options, callback) => {
    resolveAndCheck(hostname).then(
      (addresses) => callback(null, addresses),
      (error) => callback(error, []),
    );
  };
}

const failure = (code: string) => Object.assign(new Error(code), { code });

export interface NameService {
  resolve4(hostname: string): Promise<string[]>;
  resolve6(hostname: string): Promise<string[]>;
  lookup(hostname: string): Promise<LookupAddress[]>;
}

const notInDns = ['ENOTFOUND', 'ENODATA'];
const isLocal = (hostname: string) => !hostname.includes('.') || /(^|\.)localhost\.?$/.test(hostname);

/**
 * `dns.lookup` runs on four threads for the whole process, so that a few names whose servers do not answer would stop
 * everybody's lookups. So DNS is asked directly. `dns.lookup`, which knows the hosts file and the search domains, is asked
 * only where private addresses are allowed, and only about names that are not in DNS: elsewhere whoever answers for a name
 * could deny it at first and then be silent.
 */
export function resolveWith(names: NameService, allowPrivate: boolean): Resolve {
  const lookup = async (hostname: string) => {
    if (!allowPrivate) throw failure('ENOTFOUND');
    return names.lookup(hostname);
  };
  return async (hostname) => {
    if (isLocal(hostname)) return lookup(hostname);
    const answers = await Promise.allSettled([names.resolve4(hostname), names.resolve6(hostname)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (addresses.length > 0) return addresses.map((address) => ({ address, family: isIP(address) }));
    for (const answer of answers) {
      if (answer.status === 'fulfilled' || notInDns.includes(answer.reason.code)) continue;
      const isWithoutDns = answer.reason.code === 'ECONNREFUSED';
      if (!isWithoutDns) throw answer.reason;
      if (!allowPrivate) throw failure('EREFUSED');
    }
    return lookup(hostname);
  };
}

function systemResolve(allowPrivate: boolean, signal: AbortSignal): Resolve {
  const resolver = new dns.Resolver({ timeout: 2000, tries: 2 });
  signal.addEventListener('abort', () => resolver.cancel(), { once: true });
  const names: NameService = {
    resolve4: (hostname) => resolver.resolve4(hostname),
    resolve6: (hostname) => resolver.resolve6(hostname),
    lookup: (hostname) => dns.lookup(hostname, { all: true }),
  };
  return resolveWith(names, allowPrivate);
}
