import { promises as dns, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { buildConnector, Client, type Dispatcher } from 'undici';
import { isPublicAddress } from './request.ts';

// The connections to one receiver, each an undici client with one exchange at a time. Undici's own pool opens another
// connection while it checks one that has just become free, so it would exceed a connection limit.
//
//   BUSY ──▶ IDLE         its exchange has ended, and none is waiting
//   IDLE ──▶ BUSY         the next exchange
//   BUSY, IDLE ──▶ gone   its connection is closed
//
// Only `send`, `free` and `forget` change `idle` and `waiting`.

export interface Connections {
  /** Sends on an idle or a new connection at once, or waits for one. */
  send(exchange: Exchange): void;
  hasIdle(): boolean;
  destroy(): Promise<void>;
}

export interface Exchange {
  request: Dispatcher.DispatchOptions;
  /** The handler must call `ended` once, when the response has ended or failed. */
  handlerOf(ended: () => void): Dispatcher.DispatchHandler;
  /** The exchange has not begun and never will. */
  abandoned(): void;
}

interface Connection {
  client: Client;
  isOpen: boolean;
  closed(): void;
}

export function openConnections(
  origin: string,
  {
    maxConnections,
    sockets,
    options,
  }: { maxConnections: number; sockets: { begin(): () => void }; options: Client.Options },
): Connections {
  const all = new Set<Connection>();
  /** A stack: the most recently used connection is reused first, so that spare ones time out. */
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
      const connection = idle.pop() ?? (all.size < maxConnections ? open() : undefined);
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

// Guards against requests to internal networks (SSRF), because partners choose the URL. A connection is checked three
// times: an IP address in the URL before connecting, every address that a name resolves to before connecting, and the
// peer address before the request is written.

class RefusedAddress extends Error {
  constructor(address: string) {
    super(`${address} is not a public address`);
  }
}

export type Resolve = (hostname: string) => Promise<LookupAddress[]>;

export interface ConnectorSettings {
  /** Disables the checks, for development and for partners in a private network. */
  allowPrivate: boolean;
  /** For DNS, TCP and TLS together. */
  timeoutMs: number;
  /** Aborts every connection, including those being opened. */
  signal: AbortSignal;
  resolve?: Resolve | undefined;
}

// Node.js tries an address for 250 ms before the next one. That is too short for distant hosts, and without IPv6 the
// next address may not work.
const nextAddressMs = 2000;

/** Opens connections for an undici dispatcher, and refuses those to addresses that are not public. */
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
    // An IP address is never resolved, so it is checked here.
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

/** Connects to exactly the addresses that were checked. A second lookup could return others. */
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
 * Queries DNS directly, because `dns.lookup` has only four threads for the whole process, and a few names with
 * unresponsive servers would block all lookups. `dns.lookup` also reads the hosts file and the search domains, so it is
 * used for names that DNS does not have, but only if private addresses are allowed. Otherwise an attacker's name server
 * could first deny a name and then not respond.
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
