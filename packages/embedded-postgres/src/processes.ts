import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { codeOf } from './embedded-error.ts';

/**
 * The command line of a process; undefined if the PID is unused. A process that is ending and a zombie have no command
 * line, so they count as gone: a zombie may stay forever if process 1 does not reap, as in containers.
 */
export async function commandOf(pid: number): Promise<string | undefined> {
  if (process.platform === 'linux') {
    const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    return line.replaceAll('\0', ' ') || undefined;
  }
  const listed = await promisify(execFile)('ps', ['-ww', '-o', 'command=', '-p', `${pid}`]).catch(() => undefined);
  return listed?.stdout.trim() || undefined;
}

export async function isAlive(pid: number): Promise<boolean> {
  return process.platform === 'linux' ? (await commandOf(pid)) !== undefined : signal(pid, 0);
}

/** Returns false if the process no longer exists. */
export function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch (error) {
    if (codeOf(error) === 'ESRCH') return false;
    throw error;
  }
}
