import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { isLong } from '../support/long.ts';
import { type Block, blocksOf, readDocument, root } from './markdown.ts';

// Runs the examples of a document the way a reader would: one after the other, in one shell and one folder, so that a
// later example may use variables and files of an earlier one. The first failure ends the run.
//
// A note after the language changes that: "```ts receiver.ts" only writes the file, and "```python not run" does nothing.

export interface Example {
  block: Block;
  /** The block after it, if that shows the output of the example. */
  answer: Block | undefined;
}

export interface Ran extends Example {
  result: 'done' | 'failed' | 'not reached' | 'no interpreter';
  stdout: string;
  stderr: string;
}

/** The server's address in the docs. */
const shownAddress = 'http://127.0.0.1:8080';

/** The address of a reader's own receiver in the docs. */
const receiverPort = /(127\.0\.0\.1:|listen\()3000\b/g;

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

interface Language {
  interpreter: string;
  suffix: string;
}

const programs: Record<string, Language> = {
  ts: { interpreter: process.execPath, suffix: 'ts' },
  python: { interpreter: 'python3', suffix: 'py' },
  php: { interpreter: 'php', suffix: 'php' },
  java: { interpreter: 'java', suffix: 'java' },
};

/** Files that a reader copies into the folder of a program. */
const copiedFiles = ['packages/contract/vectors/signatures.json'];

/** Examples in other languages run only with --long. */
const isRun = (language: string): boolean => isLong || language === 'ts';

export const isInstalled = (program: string): boolean =>
  spawnSync('sh', ['-c', `command -v "$1"`, 'sh', program]).status === 0;

const isFile = ({ note }: Pick<Block, 'note'>): boolean => /^[\w-]+\.\w+$/.test(note);

export function examplesOf(file: string): Example[] {
  const blocks = blocksOf(readDocument(file));
  return blocks.flatMap((block, i) => {
    const isRunnable = block.language === 'sh' || programs[block.language] !== undefined;
    if (block.note === 'not run' || !(isRunnable || isFile(block))) return [];
    const next = blocks[i + 1];
    return [{ block, answer: next && ['json', 'text'].includes(next.language) ? next : undefined }];
  });
}

/** A file that is gone breaks only the examples that use it. */
function copyInto(folder: string, path: string): void {
  if (existsSync(join(root, path))) copyFileSync(join(root, path), join(folder, basename(path)));
}

/** Runs all examples, or only those in one language. */
export async function runDocument(
  file: string,
  address: string,
  env: Record<string, string>,
  language?: string,
): Promise<Ran[]> {
  const folder = mkdtempSync(join(tmpdir(), 'freebets-docs-'));
  try {
    // Lets "npx freebets" find the program here as it does in the project.
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    for (const path of copiedFiles) copyInto(folder, path);
    // What Composer writes when it installs the PHP client.
    mkdirSync(join(folder, 'vendor'));
    symlinkSync(join(root, 'clients/php/autoload.php'), join(folder, 'vendor/autoload.php'));
    const wanted = examplesOf(file).filter(
      ({ block }) => language === undefined || block.language === language || isFile(block),
    );
    const port = await freePort();
    const placed = (text: string) => text.replaceAll(shownAddress, address).replaceAll(receiverPort, `$1${port}`);
    const examples = wanted.map(({ block, answer }) => ({
      block: { ...block, code: placed(block.code) },
      answer: answer && { ...answer, code: placed(answer.code) },
    }));
    const steps = examples.map(({ block }, i) => stepOf(block, folder, join(folder, `example-${i}`)));
    writeFileSync(join(folder, 'all.sh'), `set -euo pipefail\n${steps.join('')}`);
    const { PATH = '', HOME = folder, NODE_COMPILE_CACHE = '' } = process.env;
    const surroundings = {
      PATH: `${quickNpx(folder, steps)}:${PATH}`,
      HOME,
      NODE_COMPILE_CACHE,
      PYTHONPATH: join(root, 'clients/python/src'),
      PYTHONDONTWRITEBYTECODE: '1',
      // Short programs end before the second compiler pays off.
      JDK_JAVA_OPTIONS: '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC',
      LANG: 'C.UTF-8',
    };
    const options = { cwd: folder, env: { ...surroundings, ...env }, stdio: 'ignore' as const };
    await once(spawn('bash', ['all.sh'], options), 'exit');
    return examples.map((example, i) => resultOf(example, join(folder, `example-${i}`)));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

let isNpxTried = false;

/**
 * A folder with an "npx" that passes only the first call of one document to the real npx, and runs the program itself for all others.
 * npm takes longer to find the program than the program takes to run.
 */
function quickNpx(folder: string, steps: string[]): string {
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  const tryNpx = `if mkdir ${bin}/found 2> /dev/null; then PATH="\${PATH#*:}" exec npx "$@"; fi`;
  const lines = ['#!/bin/sh', ...(isNpxTried ? [] : [tryNpx]), `PATH="${root}node_modules/.bin:$PATH" exec "$@"`];
  isNpxTried ||= steps.some((step) => step.includes('npx '));
  writeFileSync(join(bin, 'npx'), `${lines.join('\n')}\n`, { mode: 0o755 });
  return bin;
}

/** The lines that run one example. Shell examples run in the common shell, programs in a process of their own. */
function stepOf({ language, note, code }: Block, folder: string, path: string): string {
  const step = (lines: string) => `{\n${lines}\n} > ${path}.out 2> ${path}.err\ntouch ${path}.done\n`;
  const program = programs[language];
  if (isFile({ note })) {
    writeFileSync(join(folder, note), code);
    return step(':');
  }
  if (program === undefined) return step(code);
  if (!isRun(language) || !isInstalled(program.interpreter)) return `touch ${path}.skipped\n`;
  writeFileSync(`${path}.${program.suffix}`, code);
  return step(`${program.interpreter} ${path}.${program.suffix}`);
}

function resultOf(example: Example, path: string): Ran {
  const read = (suffix: string) => (existsSync(path + suffix) ? readFileSync(path + suffix, 'utf8') : '');
  const output = { ...example, stdout: read('.out'), stderr: read('.err') };
  if (existsSync(`${path}.done`)) return { ...output, result: 'done' };
  if (existsSync(`${path}.skipped`)) return { ...output, result: 'no interpreter' };
  return { ...output, result: existsSync(`${path}.out`) ? 'failed' : 'not reached' };
}

export const missingTools = (): string[] => ['bash', 'curl', 'openssl', 'npx'].filter((tool) => !isInstalled(tool));
