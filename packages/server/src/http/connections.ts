import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';

// The connections of callers have a bound. Beyond it the one that has waited longest makes room: one on which no answer
// is owed, since it is silent, or idle, or its request has not come whole. A new one is refused only where all the others
// are being served.

export interface Connections {
  /** A request has come whole, and an answer is owed. */
  serve(socket: Socket): void;
  /** That answer has gone. Requests may come one behind the other, so others may be owed still. */
  rest(socket: Socket): void;
}

export function boundConnections(server: Server, most: number): Connections {
  /** How many answers are owed on each. */
  const open = new Map<Socket, number>();
  const resting = new Set<Socket>();
  const leave = (socket: Socket) => {
    open.delete(socket);
    resting.delete(socket);
  };
  const owe = (socket: Socket, by: 1 | -1) => {
    const owed = open.get(socket);
    if (owed === undefined) return;
    open.set(socket, owed + by);
    if (owed + by === 0) resting.add(socket);
    else resting.delete(socket);
  };
  server.on('connection', (socket) => {
    open.set(socket, 0);
    socket.once('close', () => leave(socket));
    if (open.size > most) {
      const [longest = socket] = resting;
      leave(longest);
      longest.destroy();
    }
    if (open.has(socket)) resting.add(socket);
  });
  return {
    serve: (socket) => owe(socket, 1),
    rest: (socket) => owe(socket, -1),
  };
}

/**
 * Files that the process may have open are also connections to the database and to webhooks: a quarter is for these. Where
 * the system does not tell, as only Linux does, the setting alone counts. (The report of Node.js would tell everywhere, but
 * takes 10 ms and more in which nothing else is done.)
 */
export function connectionsAllowed(wanted: number): number {
  const files = Number(/^Max open files +(\d+)/m.exec(readLimits())?.[1] ?? Number.POSITIVE_INFINITY);
  return Math.min(wanted, Math.floor((files * 3) / 4));
}

function readLimits(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return '';
  }
}
