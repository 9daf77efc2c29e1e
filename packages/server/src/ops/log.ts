import { writeSync } from 'node:fs';
import pino, { type Logger } from 'pino';
import { membersOf } from '../edge/exchange.ts';
import { formatInstant } from '../primitives/amounts.ts';

// The log goes to the standard output, which somebody else must read. Lines are gathered, and written when there are
// enough of them, or soon. What is not taken is kept up to a bound; beyond it lines are dropped and counted, as are those that
// nobody will ever take. So nothing waits for the reader: no request, and the end of the process for half a second at most.

export interface Log extends Logger {
  /** The line of a request, at the level `info`; its members are JSON. */
  request(members: string): void;
  /** Lines dropped since the start, because the output did not take them. */
  dropped(): number;
}

/** Where several processes write to one output, each writes whole lines at a time, and no more than a pipe takes at a stroke. */
export function openLog(level: string, output: 'own' | 'shared' = 'own'): Log {
  const { write, dropped } =
    level === 'silent' ? silence : openOutput(output === 'shared' ? pipeBytes : Number.POSITIVE_INFINITY);
  const log = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, { write });
  // The line that pino would write takes it 3.4 µs, a twentieth of what a request costs; with its members written out by who
  // knows them it takes 0.3 µs.
  const request = log.isLevelEnabled('info') ? (members: string) => write(lineOf(30, members)) : () => {};
  return Object.assign(log, { request, dropped });
}

const lineOf = (level: number, members: string): string => `{"level":${level},"time":"${timeNow()}",${members}}\n`;

let last = { at: 0, text: '' };

/** The requests of a batch are answered within a millisecond or two. */
function timeNow(): string {
  const at = Date.now();
  if (at !== last.at) last = { at, text: formatInstant(at) };
  return last.text;
}

const silence = { write: () => {}, dropped: () => 0 };

const standardOutput = 1;
const newline = 0x0a;
/** Less than the 64 KiB that a pipe holds. Each write wakes the reader. */
const enoughCharacters = 48 * 1024;
const latestMs = 200;
const mostCharacters = 4 * 1024 * 1024;
const retryMs = 10;
const lastRetries = 50;
/** POSIX asks for no more than 512; Linux and others take a page. */
const pipeBytes = 4096;

function openOutput(atAStroke: number) {
  // Node.js makes a pipe non-blocking when it opens the stream, and then a write takes what fits. A thread that waits in a
  // write, as those of asynchronous files do, would keep the process from ending.
  void process.stdout;
  let lines = '';
  let begun: Buffer = Buffer.alloc(0);
  let isStalled = false;
  // What was taken ends within a line.
  let isCut = false;
  // Of `told` lines the last one of what was begun tells.
  let [dropped, reported, told] = [0, 0, 0];

  const takeLines = (): Buffer => {
    told = dropped - reported;
    reported = dropped;
    const text =
      told > 0 ? lines + lineOf(40, membersOf({ lines: told, msg: 'lines were dropped: nobody took them' })) : lines;
    lines = '';
    return Buffer.from(isCut && text !== '' ? `\n${text}` : text);
  };
  /** What was begun is lost, but for the end of a line that was cut there. What a lost line told is told again. */
  const lose = () => {
    const lost = begun.subarray(begun[0] === newline ? 1 : 0);
    if (lost.length > 0) {
      dropped += lost.filter((byte) => byte === newline).length - Number(told > 0);
      reported -= told;
    }
    begun = Buffer.alloc(0);
    isStalled = false;
  };
  const flush = () => {
    do {
      if (begun.length === 0) begun = takeLines();
      if (begun.length === 0) return;
      const taken = writeSome(begun, atAStroke);
      if (taken === undefined) return lose();
      isStalled = taken < begun.length && taken === 0;
      if (taken > 0) isCut = begun[taken - 1] !== newline;
      begun = begun.subarray(taken);
    } while (!isStalled && (begun.length > 0 || lines !== ''));
    if (isStalled) setTimeout(flush, retryMs).unref();
  };
  setInterval(() => isStalled || flush(), latestMs).unref();
  process.on('exit', () => {
    flush();
    for (let i = 0; isStalled && i < lastRetries; i++) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, retryMs);
      flush();
    }
  });
  return {
    dropped: () => dropped,
    write(line: string) {
      if (lines.length + line.length > mostCharacters) {
        dropped += 1;
        return;
      }
      lines += line;
      if (lines.length >= enoughCharacters && !isStalled) flush();
    },
  };
}

/** The length of as many lines as fit; of the first, where it does not. */
function wholeLines(bytes: Buffer, most: number): number {
  if (bytes.length <= most) return bytes.length;
  const fitting = bytes.lastIndexOf('\n', most - 1);
  return (fitting >= 0 ? fitting : bytes.indexOf('\n', most)) + 1;
}

/** Of a reader that is slow, and of a disk that is full. */
const passing = ['EAGAIN', 'ENOSPC', 'EDQUOT'];

/** How many bytes were taken; undefined where nobody may ever take them: the service goes on without. */
function writeSome(bytes: Buffer, atAStroke: number): number | undefined {
  try {
    return writeSync(standardOutput, bytes.subarray(0, wholeLines(bytes, atAStroke)));
  } catch (error) {
    return passing.includes((error as NodeJS.ErrnoException).code ?? '') ? 0 : undefined;
  }
}
