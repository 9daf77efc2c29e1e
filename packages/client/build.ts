import { spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

// "npm run build -w packages/client" makes what is published, in packages/client/dist or a folder that is named: JavaScript,
// declarations, source maps with the sources they lead to, and a package.json that points to them. In the repository the sources
// themselves are run; within node_modules Node.js refuses types.

const here = fileURLToPath(new URL('.', import.meta.url));
const target = resolve(process.argv[2] ?? join(here, 'dist'));

rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');
const args = [tsc, '--project', join(here, 'tsconfig.build.json'), '--outDir', join(target, 'dist')];
const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' });
if (status !== 0) process.exit(1);

// A declaration names the file that is there, for compilers that do not look for another under the name of the source.
for (const name of globSync('*.d.ts', { cwd: join(target, 'dist') })) {
  const file = join(target, 'dist', name);
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll(/(?<= from '\.\/[\w-]+)\.ts(?=')/g, '.js'));
}

cpSync(join(here, 'src'), join(target, 'src'), { recursive: true });
cpSync(join(here, 'README.md'), join(target, 'README.md'));
const { private: _, scripts: _scripts, ...manifest } = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8'));
const published = {
  ...manifest,
  exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' }, './package.json': './package.json' },
  files: ['dist', 'src'],
};
writeFileSync(join(target, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
