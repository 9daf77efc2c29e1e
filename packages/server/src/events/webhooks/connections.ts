import { promises as dns, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { buildConnector, Client, type Dispatcher } from 'undici';
import { isPublicAddress } from './request.ts';

// The connections to one receiver, each a client of undici with one exchange at a time. Undici's own pool opens another
// connection while one that has just become free is being checked, so that it never keeps to fewer than it may have.
//
//   BUSY ──▶ IDLE         its exchange has ended, and none waits
//   IDLE ──▶ BUSY         the next exchange
//   BUSY, IDLE ──▶ gone   its connection is closed
//
// Only `send`, `free` and `forget` change who is in `idle` and `waiting`.

export interface Connections {
  /** Sends at once on an idle or a new connection, or waits for one. */
  send(exchange: Exchange): void;
  hasIdle(): boolean;
  destroy(): Promise<void>;
}

export interface Exchange {
  request: Dispatcher.DispatchOptions;
  /** `ended` must be called once, when the response has ended or failed. */
  handlerOf(ended: () => void): Dispatcher.DispatchHandler;
  /** The exchange was not begun, and won't be. */
  abandoned(): void;
}

interface Connection {
  client: Client;
  isOpen: boolean;
  closed(): void;
}

export function openConnections(
  origin: string,
  { most, sockets, options }: { most: number; sockets: { begin(): () => void }; options: Client.Options },
): Connections {
  const all = new Set<Connection>();
  /** The one that was used last is used first, so that those not needed close by themselves. */
  const idle: Connection[] = [];
  const waiting: Exchange[] = [];
  let isDestroyed = false;

  const forget = (connection: Connection) => {
    if (!all.delete(connection)) return;
    connection.closed();
    connection.client.destroy().catch(() => {});
  };
  const open = (): Connection => {
    const client = new Client(origin, options);
    const connection: Connection = { client, isOpen: false, closed: sockets.begin() };
    all.add(connection);
    client.on('connect', () => {
      connection.isOpen = true;
    });
    client.on('disconnect', () => {
      connection.isOpen = false;
      const at = idle.indexOf(connection);
      if (at === -1) return;
      idle.splice(at, 1);
      forget(connection);
    });
    return connection;
  };
  const free = (connection: Connection) => {
    const next = waiting.shift();
    if (next !== undefined) start(connection, next);
    else if (connection.isOpen) idle.push(connection);
    else forget(connection);
  };
  const start = (connection: Connection, { request, handlerOf }: Exchange) => {
    connection.client.dispatch(
      request,
      handlerOf(() => free(connection)),
    );
  };
  return {
    send(exchange) {
      if (isDestroyed) return exchange.abandoned();
      const connection = idle.pop() ?? (all.size < most ? open() : undefined);
      if (connection === undefined) waiting.push(exchange);
      else start(connection, exchange);
    },
    hasIdle: () => idle.length > 0,
    async destroy() {
      isDestroyed = true;
      for (const { abandoned } of waiting.splice(0)) abandoned();
      await Promise.all([...all].map(({ client }) => client.destroy()));
      for (const connection of all) forget(connection);
    },
  };
}

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
