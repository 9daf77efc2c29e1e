/**
 * The user that PostgreSQL runs as. An ordinary user runs it as itself. PostgreSQL refuses to run as root, so root (on
 * Linux) runs it under a user ID that nothing else on the machine has. No other process can enter its directory, trace
 * it, signal it or read its environment, as other processes of `nobody` could. Only initdb needs a named user: it runs
 * as `nobody`, with the private group and in a directory that root keeps closed, and its files then change owner.
 *
 * PostgreSQL has no capabilities, so it can't pass through a directory closed to it (/root, mode 0700). It therefore
 * starts inside its own directory and refers to it as /proc/self/cwd, which needs no path from outside.
 */
import { execFile } from 'node:child_process';
import { userInfo } from 'node:os';
import { promisify } from 'node:util';
import { EmbeddedError } from './embedded-error.ts';

export interface Owner {
  uid: number;
  gid: number;
}

/** Outside the ranges that systems and systemd assign, and below 65536, the limit of most containers. */
export const PRIVATE: Owner = { uid: 65525, gid: 65525 };

/** The user `nobody`, which exists everywhere. Other processes may have its ID, so it gets the private group. */
export const NAMED: Owner = { uid: 65534, gid: PRIVATE.gid };

export function self(): Owner {
  return { uid: process.getuid?.() ?? -1, gid: process.getgid?.() ?? -1 };
}

export function isRoot(): boolean {
  return self().uid === 0;
}

/** Whether to give this user's cluster to the private user. A cluster owned by root was copied without its owners. */
export function isHandedOver(uid: number): boolean {
  return isRoot() && (uid === 0 || uid === NAMED.uid);
}

export interface Command {
  file: string;
  args: string[];
  options: { cwd: string; env: NodeJS.ProcessEnv };
}

/** The command that runs a program as this user and group in this directory, with all privileges dropped for good. */
export function commandAs(owner: Owner, dir: string, file: string, args: string[]): Command {
  // The environment contains secrets, so PostgreSQL gets only these. LC_ALL keeps its messages English for parsing.
  const options = { cwd: dir, env: { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' } };
  if (!isRoot()) return { file, args, options };
  const identity = ['--reuid', `${owner.uid}`, '--regid', `${owner.gid}`, '--clear-groups'];
  const nothing = ['--inh-caps=-all', '--ambient-caps=-all', '--bounding-set=-all', '--no-new-privs'];
  return { file: 'setpriv', args: [...identity, ...nothing, file, ...args], options };
}

/** The path by which PostgreSQL, started in this directory, refers to it. */
export function insideOf(dir: string): string {
  return isRoot() ? '/proc/self/cwd' : dir;
}

/** The system names of the users that may log in: root, and the ordinary user that owns the cluster. */
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
