/**
 * As whom PostgreSQL runs. An ordinary user runs it as itself. PostgreSQL refuses root, so root (on Linux) hands it to a user
 * number that nothing else on the machine has: no other process can enter its directory, trace it, signal it or read its
 * environment, as processes of `nobody` could if it were theirs. Only initdb insists on a user with a name: it runs as
 * `nobody`, with the private group and in a directory that root keeps closed, and what it made is given over.
 *
 * It has no capability, so a path through a directory closed to it (/root, mode 0700) leads it nowhere. It is therefore started
 * inside its own directory, and calls it /proc/self/cwd, which needs no way from outside.
 */
import { execFile } from 'node:child_process';
import { userInfo } from 'node:os';
import { promisify } from 'node:util';
import { EmbeddedError } from './embedded-error.ts';

export interface Owner {
  uid: number;
  gid: number;
}

/** In no range that systems, or systemd, give to anybody, and below 65536, where the numbers of most containers end. */
export const PRIVATE: Owner = { uid: 65525, gid: 65525 };

/** Who exists everywhere. Other processes may share the number, hence not its group. */
export const NAMED: Owner = { uid: 65534, gid: PRIVATE.gid };

export function self(): Owner {
  return { uid: process.getuid?.() ?? -1, gid: process.getgid?.() ?? -1 };
}

export function isRoot(): boolean {
  return self().uid === 0;
}

/** Whether the cluster of this user is to be given to the private one. Root's own is a copy made without its owners. */
export function isHandedOver(uid: number): boolean {
  return isRoot() && (uid === 0 || uid === NAMED.uid);
}

export interface Command {
  file: string;
  args: string[];
  options: { cwd: string; env: NodeJS.ProcessEnv };
}

/** How to run a program as this user in this directory: with its number and group, and without any privilege, for good. */
export function commandAs(owner: Owner, dir: string, file: string, args: string[]): Command {
  // PostgreSQL gets nothing else of the environment, in which there are secrets. Its messages are English, for they are read.
  const options = { cwd: dir, env: { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' } };
  if (!isRoot()) return { file, args, options };
  const identity = ['--reuid', `${owner.uid}`, '--regid', `${owner.gid}`, '--clear-groups'];
  const nothing = ['--inh-caps=-all', '--ambient-caps=-all', '--bounding-set=-all', '--no-new-privs'];
  return { file: 'setpriv', args: [...identity, ...nothing, file, ...args], options };
}

/** How PostgreSQL, started in this directory, calls it. */
export function insideOf(dir: string): string {
  return isRoot() ? '/proc/self/cwd' : dir;
}

/** The names, to the system, of those whom PostgreSQL lets in: root, and the ordinary user to whom the cluster belongs. */
export async function namesOfUsers(owner: Owner): Promise<string[]> {
  if (!isRoot()) return ['root', ownName()];
  if (owner.uid === PRIVATE.uid) return ['root'];
  const found = await promisify(execFile)('id', ['-un', `${owner.uid}`]).catch(() => undefined);
  return found ? ['root', found.stdout.trim()] : ['root'];
}

export function ownName(): string {
  try {
    return userInfo().username;
  } catch (cause) {
    const text = `The embedded PostgreSQL needs a user with a name, and user ${self().uid} has none: add it to /etc/passwd, or set DATABASE_URL.`;
    throw new EmbeddedError(text, { cause });
  }
}
