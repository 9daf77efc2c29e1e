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

interface Link {
  before: Link;
  after: Link;
}

/** Kept on the socket itself, because it is touched twice for every request. */
interface Tracked extends Socket, Link {
  answersOwed: number;
}

export function boundConnections(server: Server, most: number, onDrop: () => void): Connections {
  const open = new Set<Socket>();
  // Those on which no answer is owed are a ring, from here on the one that has waited longest first. With 10,000 of them it
  // takes a microsecond to make room; a walk over all took 350 µs, and finding the first of a Set from which many were
  // removed 70 µs.
  const resting = { before: undefined, after: undefined } as unknown as Link;
  loosen(resting);
  const leave = (socket: Tracked) => {
    open.delete(socket);
    unlink(socket);
  };
  server.on('connection', (given) => {
    const socket: Tracked = Object.assign(given, { answersOwed: 0, before: resting, after: resting });
    loosen(socket);
    socket.once('close', () => leave(socket));
    if (open.size >= most) {
      const longest = resting.after === resting ? socket : (resting.after as Tracked);
      leave(longest);
      longest.destroy();
      onDrop();
    }
    if (socket.destroyed) return;
    open.add(socket);
    append(resting, socket);
  });
  return {
    serve(given) {
      const socket = given as Tracked;
      socket.answersOwed += 1;
      unlink(socket);
    },
    rest(given) {
      const socket = given as Tracked;
      socket.answersOwed -= 1;
      if (socket.answersOwed === 0 && !socket.destroyed) append(resting, socket);
    },
  };
}

function loosen(link: Link): void {
  link.before = link;
  link.after = link;
}

function unlink(link: Link): void {
  link.before.after = link.after;
  link.after.before = link.before;
  loosen(link);
}

function append(ring: Link, link: Link): void {
  link.before = ring.before;
  link.after = ring;
  ring.before.after = link;
  ring.before = link;
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
