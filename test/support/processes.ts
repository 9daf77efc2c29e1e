import { type ChildProcess, execFileSync } from 'node:child_process';

/** By their ids, in the order in which they were started. */
export const childrenOf = ({ pid }: Pick<ChildProcess, 'pid'>): number[] =>
  execFileSync('sh', ['-c', `ps -o pid= --ppid ${pid} --sort=start_time,pid || :`])
    .toString()
    .split(/\s+/)
    .filter(Boolean)
    .map(Number);
