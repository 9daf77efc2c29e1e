import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';

// Builds the console during installation, unless the hash of its sources is unchanged. Without Vite, such as in a
// production image, nothing is built and the API still works.

const here = fileURLToPath(new URL('.', import.meta.url));
const contract = fileURLToPath(new URL('../contract', import.meta.url));
const client = fileURLToPath(new URL('../client', import.meta.url));
const lock = fileURLToPath(new URL('../../package-lock.json', import.meta.url));
const stamp = `${here}dist/sources.sha256`;

function hashOfSources(): string {
  const hash = createHash('sha256');
  const sources = globSync(['src/**/*.{ts,tsx,css}', 'public/*', '*.html', '*.ts', '*.json'], { cwd: here });
  const files = [
    ...sources.map((file) => here + file),
    ...[contract, client].flatMap((folder) => globSync(`${folder}/src/*.ts`)),
    lock,
  ];
  for (const file of files.toSorted()) hash.update(basename(file)).update(readFileSync(file));
  return hash.digest('hex');
}

/** Writes .gz and .br files next to each file. They are built once, so they use the best compression. */
async function compress(file: string): Promise<void> {
  const plain = readFileSync(file);
  writeFileSync(`${file}.gz`, await promisify(gzip)(plain, { level: 9 }));
  writeFileSync(`${file}.br`, await promisify(brotliCompress)(plain));
}

async function build(): Promise<void> {
  const hash = hashOfSources();
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return;
  const vite = await import('vite').catch(() => undefined);
  if (vite === undefined)
    return console.log('Vite is not installed: the console is not built, and /console returns 503. The API works.');
  await vite.build({ root: here, logLevel: 'warn' });
  await Promise.all(globSync('dist/assets/*', { cwd: here }).map((file) => compress(here + file)));
  writeFileSync(stamp, hash);
}

await build();
