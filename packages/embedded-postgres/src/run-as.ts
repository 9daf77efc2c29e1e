import { codeOf, EmbeddedError, sentence } from './embedded-error.ts';

/** The user a cluster belongs to, and as whom PostgreSQL therefore runs. */
export interface Owner {
  uid: number;
  gid: number;
}

export interface Command {
  file: string;
  args: string[];
}

/** The owner of clusters that root makes: "nobody", who exists everywhere. */
const NOBODY: Owner = { uid: 65534, gid: 65534 };

export function self(): Owner {
  return { uid: process.getuid?.() ?? -1, gid: process.getgid?.() ?? -1 };
}

export function isRoot(): boolean {
  return self().uid === 0;
}

export function ownerOfNewCluster(): Owner {
  return isRoot() ? NOBODY : self();
}

/**
 * PostgreSQL refuses to run as root, so root hands it over to the cluster's owner. It keeps the one capability to pass
 * through directories closed to that owner (node_modules or DATA_DIR under /root, mode 700); Docker grants it by default,
 * unlike the narrower dac_read_search.
 */
export function runAs(owner: Owner, file: string, args: string[]): Command {
  if (!isRoot()) return { file, args };
  if (process.platform !== 'linux') {
    throw new EmbeddedError(
      'The embedded PostgreSQL does not run as root here: start as an ordinary user, or set DATABASE_URL.',
    );
  }
  const identity = ['--reuid', `${owner.uid}`, '--regid', `${owner.gid}`, '--clear-groups'];
  const capability = ['--inh-caps', '+dac_override', '--ambient-caps', '+dac_override'];
  return {
    file: 'setpriv',
    args: [...identity, ...capability, '--securebits', '+no_setuid_fixup', file, ...args],
  };
}

export function cannotRun(command: Command, cause: Error): EmbeddedError {
  if (command.file === 'setpriv' && codeOf(cause) === 'ENOENT') {
    const text =
      'As root the embedded PostgreSQL needs the command setpriv (util-linux), which is missing: install it, start as an ordinary user, or set DATABASE_URL.';
    return new EmbeddedError(text, { cause });
  }
  return new EmbeddedError(`The embedded PostgreSQL cannot be run: ${sentence(cause.message)}`, { cause });
}

/** Without what would change PostgreSQL's own defaults (PGPORT, PGDATA …), and with messages in English, which are read. */
export function environment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith('PG'));
  return { ...Object.fromEntries(kept), LC_ALL: 'C' };
}
