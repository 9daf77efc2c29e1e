import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

// What a run has left behind: processes of its group, or with its folder on their command line or in their environment, as
// a PostgreSQL or a browser has that went into a group of its own; and files in that folder.

interface Process {
  pid: number;
  group: number;
  command: string;
  /** As far as the system lets us see it. */
  environment: string;
}

/** Every process there is, but for those that have ended and that nobody has taken notice of. */
function processes(): Process[] {
  if (!existsSync('/proc/self/stat')) return listed();
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
        const [state, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
        const environment = environmentOf(name);
        return state === 'Z' || state === 'X'
          ? []
          : [{ pid: Number(name), group: Number(group), command, environment }];
      } catch {
        // It has ended meanwhile.
        return [];
      }
    });
}

/** That of another user's process is closed to us. */
function environmentOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8');
  } catch {
    return '';
  }
}

function listed(): Process[] {
  const lines = execFileSync('ps', ['-axww', '-o', 'pid=,pgid=,stat=,command=']).toString().split('\n');
  return lines.flatMap((line) => {
    const [, pid, group, state, command] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? [];
    if (command === undefined || state?.startsWith('Z')) return [];
    return [{ pid: Number(pid), group: Number(group), command, environment: '' }];
  });
}

export const processesOf = (group: number, folder: string): Process[] =>
  processes().filter(
    (each) => each.group === group || each.command.includes(folder) || each.environment.includes(folder),
  );

const patienceMs = 3000;

/** Those that are still there after a moment: what was killed just now takes a little to be gone. */
export async function processesLeft(group: number, folder: string): Promise<Process[]> {
  const began = performance.now();
  for (;;) {
    const left = processesOf(group, folder);
    if (left.length === 0 || performance.now() - began > patienceMs) return left;
    await setTimeout(50);
  }
}

export function endProcesses(processes: Process[], signal: NodeJS.Signals): void {
  for (const { pid } of processes) {
    try {
      process.kill(pid, signal);
    } catch {
      // It has ended by itself.
    }
  }
}

export const filesLeft = (folder: string): string[] => readdirSync(folder).map((name) => join(folder, name));
