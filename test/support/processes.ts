import { type ChildProcess, execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** The process ids, in the order of their start. */
export function childrenOf({ pid }: Pick<ChildProcess, 'pid'>): number[] {
  return textOf(pid).split(/\s+/).filter(Boolean).map(Number);
}

function textOf(pid: number | undefined): string {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  } catch {
    // The process has ended, or the system does not show it yet.
    return execFileSync('sh', ['-c', `ps -o pid= --ppid ${pid} --sort=start_time,pid || :`]).toString();
  }
}
