import { spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

// "npm run build -w packages/client" builds the published package in packages/client/dist or a given folder:
// JavaScript, declarations, source maps with their sources, and a package.json that points to them. The repository runs
// the sources directly, but Node.js does not strip types in node_modules.

const here = fileURLToPath(new URL('.', import.meta.url));
const target = resolve(process.argv[2] ?? join(here, 'dist'));

rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');
const args = [tsc, '--project', join(here, 'tsconfig.build.json'), '--outDir', join(target, 'dist')];
const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' });
if (status !== 0) process.exit(1);

const rewrite = (pattern: string, change: (text: string) => string) => {
  for (const name of globSync(pattern, { cwd: join(target, 'dist') })) {
    const file = join(target, 'dist', name);
    writeFileSync(file, change(readFileSync(file, 'utf8')));
  }
};
// Declarations import the published file names, because some compilers do not map .ts to .js.
rewrite('*.d.ts', (text) => text.replaceAll(/(?<= from '\.\/[\w-]+)\.ts(?=')/g, '.js'));
// Source maps point to the published sources, not to local paths.
rewrite('*.map', (text) => {
  const map = JSON.parse(text);
  return JSON.stringify({ ...map, sources: map.sources.map((path: string) => `../src/${basename(path)}`) });
});

cpSync(join(here, 'src'), join(target, 'src'), { recursive: true });
cpSync(join(here, 'README.md'), join(target, 'README.md'));
const { private: _, scripts: _scripts, ...manifest } = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8'));
const published = {
  ...manifest,
  // For compilers that do not read exports.
  main: './dist/index.js',
  types: './dist/index.d.ts',
  exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' }, './package.json': './package.json' },
  files: ['dist', 'src'],
};
writeFileSync(join(target, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
