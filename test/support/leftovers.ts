import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

// Finds what a run has left behind: processes of its group, processes with its folder in their command line or
// environment (a PostgreSQL or a browser in another group), and files in that folder.

interface Process {
  pid: number;
  group: number;
  command: string;
  /** Undefined if the system hides it. */
  environment: string;
}

/** All processes except zombies. */
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
        // The process has ended meanwhile.
        return [];
      }
    });
}

/** The environment of another user's process is not readable. */
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

/** Processes that still exist after a moment, because a killed process takes some time to end. */
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
      // The process has ended by itself.
    }
  }
}

export const filesLeft = (folder: string): string[] => readdirSync(folder).map((name) => join(folder, name));
