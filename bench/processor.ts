import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { query } from './server.ts';

// Processor time in seconds, from the kernel.

const ticksPerSecond = 100;

const fieldsOf = (pid: number | 'self'): number[] => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /, '');
  return fields.split(' ').map(Number);
};

/** The processor time of a process since its start. */
export function processorSeconds(pid: number): number {
  const [user = 0, system = 0] = fieldsOf(pid).slice(11, 13);
  return (user + system) / ticksPerSecond;
}

/** The processor time of all ended child processes. */
export function ofEndedChildren(): number {
  const [user = 0, system = 0] = fieldsOf('self').slice(13, 15);
  return (user + system) / ticksPerSecond;
}

/** The process and its children. */
export function withChildren(pid: number): number[] {
  const listed = execFileSync('ps', ['-o', 'pid=,ppid=', '-A']).toString().trim().split('\n');
  const children = listed.map((line) => line.trim().split(/\s+/).map(Number)).filter(([, parent]) => parent === pid);
  return [pid, ...children.map(([child]) => child as number)];
}

/** The processor time of each process since its start. */
export type Times = ReadonlyMap<number, number>;

export const timesOf = (pids: number[]): Times => new Map(pids.map((pid) => [pid, processorSeconds(pid)]));

/** The processor times of all backends of a database. */
export async function backendTimes(socketDir: string, database: string): Promise<Times> {
  const { rows } = await query(
    socketDir,
    database,
    'SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
  );
  return timesOf(rows.map((row) => row.pid));
}

/** Counts only processes in `before`, because connections may be opened or closed meanwhile. */
export const spentBetween = (before: Times, after: Times): number =>
  [...after].reduce((sum, [pid, time]) => sum + time - (before.get(pid) ?? time), 0);
