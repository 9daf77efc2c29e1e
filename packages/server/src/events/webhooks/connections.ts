import { Client, type Dispatcher } from 'undici';
import type { WebhookSockets } from './sockets.ts';

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
  { most, sockets, options }: { most: number; sockets: Pick<WebhookSockets, 'begin'>; options: Client.Options },
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
