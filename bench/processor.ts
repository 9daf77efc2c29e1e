import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

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
