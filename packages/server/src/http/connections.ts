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

/** Kept on the socket itself: it is touched twice for every request, and looked at only when there is no room. */
interface Tracked extends Socket {
  answersOwed: number;
  restingSince: number;
}

export function boundConnections(server: Server, most: number): Connections {
  const open = new Set<Tracked>();
  server.on('connection', (given) => {
    const socket = Object.assign(given, { answersOwed: 0, restingSince: performance.now() });
    socket.once('close', () => open.delete(socket));
    if (open.size >= most) {
      const longest = longestResting(open) ?? socket;
      open.delete(longest);
      longest.destroy();
    }
    if (!socket.destroyed) open.add(socket);
  });
  return {
    serve(socket) {
      (socket as Tracked).answersOwed += 1;
    },
    rest(socket) {
      (socket as Tracked).answersOwed -= 1;
      (socket as Tracked).restingSince = performance.now();
    },
  };
}

function longestResting(open: Iterable<Tracked>): Tracked | undefined {
  let longest: Tracked | undefined;
  for (const socket of open) {
    if (socket.answersOwed > 0) continue;
    if (longest === undefined || socket.restingSince < longest.restingSince) longest = socket;
  }
  return longest;
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
