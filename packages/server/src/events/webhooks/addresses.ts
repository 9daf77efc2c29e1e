import { promises as dns, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { isPublicAddress } from './public-address.ts';

// Where events may be sent. A partner names the URL, so without this it could have the service talk to the network it runs
// in. A connection is checked three times: an address in the URL before it is connected to, every address that a name
// resolves to before any of them is, and the address at the other end before the request is written.

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
