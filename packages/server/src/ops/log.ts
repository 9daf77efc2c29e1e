import { writeSync } from 'node:fs';
import pino, { type Logger } from 'pino';
import { membersOf } from '../edge/exchange.ts';
import { formatInstant } from '../primitives/amounts.ts';

// Writes the log to the standard output. Lines are buffered and written when there are enough of them, or after a short
// time. If the reader is slow, lines are kept up to a limit; beyond it, lines are dropped and counted, as they are if
// the output is closed. So requests never wait for the reader, and the end of the process waits for half a second at
// most.

export interface Log extends Logger {
  /** Logs a request at level `info`. `members` are the JSON members of the line. */
  request(members: string): void;
  /** The number of lines dropped since the start because the output did not take them. */
  dropped(): number;
}

/**
 * If several processes share one output, each write has whole lines and at most the size that a pipe writes atomically.
 */
export function openLog(level: string, output: 'own' | 'shared' = 'own'): Log {
  const { write, dropped } =
    level === 'silent' ? silence : openOutput(output === 'shared' ? pipeBytes : Number.POSITIVE_INFINITY);
  const log = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, { write });
  // pino takes 3.4 µs for a line, a twentieth of the cost of a request. With members that the caller has already
  // serialized it takes 0.3 µs.
  const request = log.isLevelEnabled('info') ? (members: string) => write(lineOf(30, members)) : () => {};
  return Object.assign(log, { request, dropped });
}

const lineOf = (level: number, members: string): string => `{"level":${level},"time":"${timeNow()}",${members}}\n`;

let last = { at: 0, text: '' };

/** Caches the text, because all requests of a batch get their responses within a millisecond or two. */
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
/** The size of an atomic write to a pipe. POSIX guarantees only 512 bytes; Linux and others allow a page. */
const pipeBytes = 4096;

function openOutput(maxWriteBytes: number) {
  // Opening the stream makes Node set a pipe to non-blocking, so that a write takes what fits. Asynchronous file writes
  // would block a thread, which would prevent the process from ending.
  void process.stdout;
  let lines = '';
  let begun: Buffer = Buffer.alloc(0);
  let isStalled = false;
  // The output ends in the middle of a line.
  let isCut = false;
  // `inReport` is the number of dropped lines that the last line of `begun` reports.
  let [dropped, reported, inReport] = [0, 0, 0];

  const takeLines = (): Buffer => {
    inReport = dropped - reported;
    reported = dropped;
    const text =
      inReport > 0
        ? lines +
          lineOf(40, membersOf({ lines: inReport, msg: 'log lines were dropped because the output was blocked' }))
        : lines;
    lines = '';
    return Buffer.from(isCut && text !== '' ? `\n${text}` : text);
  };
  /** Drops `begun` and counts its lines, except the end of a cut line. Dropped reports are repeated. */
  const lose = () => {
    const lost = begun.subarray(begun[0] === newline ? 1 : 0);
    if (lost.length > 0) {
      dropped += lost.filter((byte) => byte === newline).length - Number(inReport > 0);
      reported -= inReport;
    }
    begun = Buffer.alloc(0);
    isStalled = false;
  };
  const flush = () => {
    do {
      if (begun.length === 0) begun = takeLines();
      if (begun.length === 0) return;
      const taken = writeSome(begun, maxWriteBytes);
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

/** The length of the lines that fit, or of the first line if even that does not fit. */
function wholeLines(bytes: Buffer, most: number): number {
  if (bytes.length <= most) return bytes.length;
  const fitting = bytes.lastIndexOf('\n', most - 1);
  return (fitting >= 0 ? fitting : bytes.indexOf('\n', most)) + 1;
}

/** Temporary errors: a slow reader or a full disk. */
const passing = ['EAGAIN', 'ENOSPC', 'EDQUOT'];

/**
 * Returns the number of bytes taken; undefined if the output is broken for good. The service continues without a log.
 */
function writeSome(bytes: Buffer, maxWriteBytes: number): number | undefined {
  try {
    return writeSync(standardOutput, bytes.subarray(0, wholeLines(bytes, maxWriteBytes)));
  } catch (error) {
    return passing.includes((error as NodeJS.ErrnoException).code ?? '') ? 0 : undefined;
  }
}
