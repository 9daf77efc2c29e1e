import { type ChildProcess, execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** By their ids, in the order in which they were started. */
export function childrenOf({ pid }: Pick<ChildProcess, 'pid'>): number[] {
  const known = `/proc/${pid}/task/${pid}/children`;
  const text = existsSync(known) ? readFileSync(known, 'utf8') : listed(pid);
  return text.split(/\s+/).filter(Boolean).map(Number);
}

/** Slower by far. */
const listed = (pid: number | undefined): string =>
  execFileSync('sh', ['-c', `ps -o pid= --ppid ${pid} --sort=start_time,pid || :`]).toString();
