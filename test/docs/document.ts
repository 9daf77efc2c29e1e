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
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { isLong } from '../support/long.ts';
import { type Block, blocksOf, readDocument, root } from './markdown.ts';

// Runs the examples of a document the way a reader would: one after the other, in one shell and one folder, so that a
// later example may use what an earlier one has set or written. The first that fails ends the run.

export interface Example {
  block: Block;
  /** The block after it, where that shows what the example answers. */
  answer: Block | undefined;
}

export interface Ran extends Example {
  result: 'done' | 'failed' | 'not reached' | 'no interpreter';
  stdout: string;
  stderr: string;
}

/** The server's address in the docs. */
const shownAddress = 'http://127.0.0.1:8080';

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

/** What a reader copies beside a program. */
const besideExamples = [
  'clients/python/freebets.py',
  'clients/php/freebets.php',
  'packages/contract/vectors/signatures.json',
];

/** In the other languages the examples run with --long only. */
const isRun = (language: string): boolean => isLong || language === 'ts';

const isInstalled = (program: string): boolean =>
  spawnSync('sh', ['-c', `command -v "$1"`, 'sh', program]).status === 0;

export function examplesOf(file: string): Example[] {
  const blocks = blocksOf(readDocument(file));
  return blocks.flatMap((block, i) => {
    if (block.language !== 'sh' && programs[block.language] === undefined) return [];
    const next = blocks[i + 1];
    return [{ block, answer: next && ['json', 'text'].includes(next.language) ? next : undefined }];
  });
}

/** All of it, or only what is written in one language. */
export async function runDocument(
  file: string,
  address: string,
  env: Record<string, string>,
  language?: string,
): Promise<Ran[]> {
  const folder = mkdtempSync(join(tmpdir(), 'freebets-docs-'));
  try {
    // With it "npx freebets" finds the program here as it does in the project.
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    for (const path of besideExamples) copyFileSync(join(root, path), join(folder, basename(path)));
    const wanted = examplesOf(file).filter(({ block }) => language === undefined || block.language === language);
    const examples = wanted.map(({ block, answer }) => ({
      block: { ...block, code: block.code.replaceAll(shownAddress, address) },
      answer: answer && { ...answer, code: answer.code.replaceAll(shownAddress, address) },
    }));
    const steps = examples.map(({ block }, i) => stepOf(block, join(folder, `example-${i}`)));
    writeFileSync(join(folder, 'all.sh'), `set -euo pipefail\n${steps.join('')}`);
    const { PATH = '', HOME = folder, NODE_COMPILE_CACHE = '' } = process.env;
    const surroundings = {
      PATH: `${quickNpx(folder, steps)}:${PATH}`,
      HOME,
      NODE_COMPILE_CACHE,
      // An example is over before what the second compiler makes is worth its time.
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

let isHandedOn = false;

/**
 * A folder with an "npx" that hands its first call on to the real one, in one document. The others it carries out itself, by
 * what that has found: npm takes longer to find a program than the program takes.
 */
function quickNpx(folder: string, steps: string[]): string {
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  const handOn = `if mkdir ${bin}/found 2> /dev/null; then PATH="\${PATH#*:}" exec npx "$@"; fi`;
  const lines = ['#!/bin/sh', ...(isHandedOn ? [] : [handOn]), `PATH="${root}node_modules/.bin:$PATH" exec "$@"`];
  isHandedOn ||= steps.some((step) => step.includes('npx '));
  writeFileSync(join(bin, 'npx'), `${lines.join('\n')}\n`, { mode: 0o755 });
  return bin;
}

/** The lines that run one example in the shell of them all; an example of the shell is run by that shell itself. */
function stepOf({ language, code }: Block, path: string): string {
  const step = (lines: string) => `{\n${lines}\n} > ${path}.out 2> ${path}.err\ntouch ${path}.done\n`;
  const program = programs[language];
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
