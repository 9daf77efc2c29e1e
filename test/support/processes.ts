import { type ChildProcess, execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** By their ids, in the order in which they were started. */
export function childrenOf({ pid }: Pick<ChildProcess, 'pid'>): number[] {
  return textOf(pid).split(/\s+/).filter(Boolean).map(Number);
}

function textOf(pid: number | undefined): string {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  } catch {
    // It has ended, or the system does not tell so quickly.
    return execFileSync('sh', ['-c', `ps -o pid= --ppid ${pid} --sort=start_time,pid || :`]).toString();
  }
}
