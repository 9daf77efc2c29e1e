import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

// The files of deploy/, and the tools of others that check them, where this machine has them.

const root = new URL('../../', import.meta.url);

export const pathOf = (name: string): string => fileURLToPath(new URL(name, root));
export const read = (name: string): string => readFileSync(pathOf(name), 'utf8');

/** Every file in deploy/, by its path. */
export const deployFiles = readdirSync(pathOf('deploy'), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map(({ parentPath, name }) => `${parentPath}/${name}`.slice(pathOf('').length));

const isThere = (tool: string): boolean => spawnSync(tool, ['--help'], { stdio: 'ignore' }).error === undefined;

/** Why a test with this tool is not run; false where it is. */
export const without = (tool: string): string | false => !isThere(tool) && `${tool} is not on this machine`;

export function run(tool: string, args: string[], cwd?: string): { code: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(tool, args, { encoding: 'utf8', cwd });
  return { code: status, output: stdout + stderr };
}
