import type { Server } from 'node:http';
import { type AddressInfo, Server as NetServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { Failure } from '../primitives/failure.ts';
import type { Config } from './config.ts';
import { addressAt } from './server-address.ts';

/** The address at which it then answers. */
export async function listen(app: FastifyInstance, config: Config, setting: 'PORT' | 'INTERNAL_PORT'): Promise<string> {
  const { HOST: host, [setting]: port = 0 } = config;
  try {
    await app.listen({ host, port });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') {
      throw new Failure(
        `Port ${port} of ${host} is taken: stop the program that uses it, or set ${setting} to another.`,
      );
    }
    throw new Failure(`Cannot listen on port ${port} of ${host} (${code}): set HOST and ${setting}.`);
  }
  const bound = (app.server.address() as AddressInfo).port;
  return addressAt(host, bound);
}

/** What is in flight is answered; a client that does not read its answer cannot hold up the end. */
export async function closeInTime(app: FastifyInstance, patienceMs: number): Promise<void> {
  const impatience = setTimeout(() => app.server.closeAllConnections(), patienceMs);
  await app.close();
  clearTimeout(impatience);
}

/** An idle connection that is closed may meet a request on its way; the longer it was idle, the less likely. */
const idleConnectionsMs = 5000;
const connectionsCheckMs = 50;

/** Resolves when all are closed, each with its next answer, or after five seconds. The port stays open, since other processes listen on it too. */
export async function retireConnections(server: Server): Promise<void> {
  // That of node:http would close what is idle at this moment.
  NetServer.prototype.close.call(server);
  server.prependListener('request', (_request, response) => response.setHeader('connection', 'close'));
  const count = () => new Promise<number>((resolve) => server.getConnections((_error, open) => resolve(open ?? 0)));
  const until = performance.now() + idleConnectionsMs;
  while ((await count()) > 0 && performance.now() < until) await delay(connectionsCheckMs);
}
