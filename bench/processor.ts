import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { query } from './server.ts';

// Processor time as the kernel counts it, in seconds.

const ticksPerSecond = 100;

const fieldsOf = (pid: number | 'self'): number[] => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /, '');
  return fields.split(' ').map(Number);
};

/** Of a process, since it began. */
export function processorSeconds(pid: number): number {
  const [user = 0, system = 0] = fieldsOf(pid).slice(11, 13);
  return (user + system) / ticksPerSecond;
}

/** Of all programs that this process has run to their end. */
export function ofEndedChildren(): number {
  const [user = 0, system = 0] = fieldsOf('self').slice(13, 15);
  return (user + system) / ticksPerSecond;
}

/** It, and those that it has started. */
export function withChildren(pid: number): number[] {
  const listed = execFileSync('ps', ['-o', 'pid=,ppid=', '-A']).toString().trim().split('\n');
  const children = listed.map((line) => line.trim().split(/\s+/).map(Number)).filter(([, parent]) => parent === pid);
  return [pid, ...children.map(([child]) => child as number)];
}

/** By process, since each of them began. */
export type Times = ReadonlyMap<number, number>;

export const timesOf = (pids: number[]): Times => new Map(pids.map((pid) => [pid, processorSeconds(pid)]));

/** Of all that serve a database. */
export async function backendTimes(socketDir: string, database: string): Promise<Times> {
  const { rows } = await query(
    socketDir,
    database,
    'SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
  );
  return timesOf(rows.map((row) => row.pid));
}

/** Of those that were there before: a connection may be closed or opened meanwhile. */
export const spentBetween = (before: Times, after: Times): number =>
  [...after].reduce((sum, [pid, time]) => sum + time - (before.get(pid) ?? time), 0);
