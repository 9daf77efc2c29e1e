import { execFileSync, spawnSync } from 'node:child_process';

// wrk and pgbench are well known and use little processor time. If they are missing, they are installed if that needs
// no question, and otherwise replaced.

export interface Tools {
  wrk: string | undefined;
  pgbench: string | undefined;
}

const packages = { wrk: 'wrk', pgbench: 'postgresql-contrib' };

const isThere = (program: string): boolean =>
  spawnSync(program, ['--version'], { stdio: 'ignore' }).error === undefined;

export function findTools(mayUse: boolean): Tools {
  if (!mayUse) return { wrk: undefined, pgbench: undefined };
  const missing = (['wrk', 'pgbench'] as const).filter((program) => !isThere(program));
  if (missing.length > 0) install(missing.map((program) => packages[program]));
  return {
    wrk: isThere('wrk') ? versionOf('wrk', '-v') : undefined,
    pgbench: isThere('pgbench') ? versionOf('pgbench', '--version') : undefined,
  };
}

/** Only as root on Debian and its derivatives. If it fails, the replacements are used. */
function install(names: string[]): void {
  if (process.getuid?.() !== 0 || !isThere('apt-get')) return;
  console.log(`Installing ${names.join(' and ')} …`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  try {
    execFileSync('apt-get', ['update', '-qq'], { stdio: 'ignore', env });
    execFileSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...names], { stdio: 'ignore', env });
  } catch {
    console.log('That did not work.');
  }
}

function versionOf(program: string, option: string): string {
  const { stdout } = spawnSync(program, [option], { encoding: 'utf8' });
  return stdout.split('\n', 1)[0]?.replace(/ \[.*| Copyright.*/, '') ?? program;
}
