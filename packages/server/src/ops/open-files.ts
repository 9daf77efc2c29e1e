import { readFileSync } from 'node:fs';

/** Reserves a quarter of the file descriptors for connections to the database and to webhooks. */
export const connectionsAllowed = (wanted: number): number => Math.min(wanted, Math.floor((maxOpenFiles() * 3) / 4));

/** Half of the reserved quarter. */
export const webhookConnectionsAllowed = (wanted: number): number => Math.min(wanted, Math.floor(maxOpenFiles() / 8));

/**
 * Only Linux shows the limit in a file. On other systems only the settings count. (Node's diagnostic report has the
 * limit on all systems, but blocks the process for 10 ms or more.)
 */
const maxOpenFiles = (): number =>
  Number(/^Max open files +(\d+)/m.exec(readLimits())?.[1] ?? Number.POSITIVE_INFINITY);

function readLimits(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return '';
  }
}
