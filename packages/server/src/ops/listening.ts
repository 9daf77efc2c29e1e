import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, Server as NetServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Failure } from '../primitives/failure.ts';
import type { Config } from './config.ts';
import { addressAt } from './server-address.ts';

/** Starts listening and returns the address. */
export async function listen(server: Server, config: Config, setting: 'PORT' | 'INTERNAL_PORT'): Promise<string> {
  const { HOST: host, [setting]: port = 0 } = config;
  try {
    server.listen({ host, port });
    await once(server, 'listening');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') {
      throw new Failure(
        `Port ${port} of ${host} is taken: stop the program that uses it, or set ${setting} to another port.`,
      );
    }
    throw new Failure(`Cannot listen on port ${port} of ${host} (${code}): set HOST and ${setting}.`);
  }
  const bound = (server.address() as AddressInfo).port;
  return addressAt(host, bound);
}

/** Requests in flight get their responses, but clients that do not read them can't delay the shutdown. */
export async function closeInTime(server: Server, patienceMs: number, endStreams?: () => Promise<void>): Promise<void> {
  const impatience = setTimeout(() => server.closeAllConnections(), patienceMs);
  await endStreams?.();
  await new Promise((resolve) => server.close(resolve));
  clearTimeout(impatience);
}

/** Closing an idle connection may lose a request in transit, less likely the longer the connection was idle. */
const idleConnectionsMs = 5000;
const connectionsCheckMs = 50;

/**
 * Closes each connection with its next response. Resolves when all are closed, or after five seconds. The port stays
 * open because other processes listen on it too.
 */
export async function retireConnections(server: Server): Promise<void> {
  // The one of node:http would close all idle connections now.
  NetServer.prototype.close.call(server);
  server.prependListener('request', (_request, response) => response.setHeader('connection', 'close'));
  const count = () => new Promise<number>((resolve) => server.getConnections((_error, open) => resolve(open ?? 0)));
  const until = performance.now() + idleConnectionsMs;
  while ((await count()) > 0 && performance.now() < until) await delay(connectionsCheckMs);
}
