import type { Terminal } from './command.ts';

// What a command that takes long says meanwhile: to somebody who watches, a line that is written over; to a file, a line now
// and then; to a program, lines of JSON.

export interface Progress {
  done: number;
  total: number;
  refused?: number;
  perSecond: number | null;
}

export interface Reporter {
  /** A step is done. */
  say(stage: string, values: object, sentence: string): void;
  /** A step is under way. */
  progress(stage: string, verb: string, progress: Progress): void;
  /** The line that was written over is left as it is. */
  end(): void;
}

const plainEveryMs = 5000;
const drawnEveryMs = 100;
const barWidth = 24;

export function reporterFor({ stdout }: Terminal, isJson: boolean): Reporter {
  const isWatched = stdout.isTTY === true && !isJson;
  const everyMs = isWatched ? drawnEveryMs : plainEveryMs;
  let isDrawn = false;
  let nextAt = 0;
  const end = () => {
    if (isDrawn) stdout.write('\n');
    isDrawn = false;
    // What is done soon says nothing before its end.
    nextAt = performance.now() + everyMs;
  };
  return {
    say(stage, values, sentence) {
      end();
      stdout.write(`${isJson ? JSON.stringify({ stage, ...values }) : sentence}\n`);
    },
    progress(stage, verb, progress) {
      if (performance.now() < nextAt && progress.done < progress.total) return;
      nextAt = performance.now() + everyMs;
      if (isJson) stdout.write(`${JSON.stringify({ stage, ...valuesOf(progress) })}\n`);
      else if (isWatched) stdout.write(`\r\x1b[2K${bar(progress)} ${lineOf(verb, progress)}`);
      else stdout.write(`${lineOf(verb, progress)}.\n`);
      isDrawn = isWatched;
    },
    end,
  };
}

const secondsLeft = ({ done, total, perSecond }: Progress): number | null =>
  perSecond === null || perSecond === 0 || done === total ? null : Math.ceil((total - done) / perSecond);

const valuesOf = (progress: Progress) => {
  const { done, total, refused, perSecond } = progress;
  const left = secondsLeft(progress);
  return { done, total, ...(refused !== undefined && { refused }), per_second: perSecond, seconds_left: left };
};

function bar({ done, total }: Progress): string {
  const filled = total === 0 ? barWidth : Math.floor((done / total) * barWidth);
  return `[${'#'.repeat(filled)}${'-'.repeat(barWidth - filled)}]`;
}

/** 1234567 as 1,234,567. */
export const figure = (number: number): string => number.toLocaleString('en-US');

function lineOf(verb: string, progress: Progress): string {
  const { done, total, refused = 0, perSecond } = progress;
  const left = secondsLeft(progress);
  return [
    `${verb} ${figure(done)} of ${figure(total)}`,
    ...(refused > 0 ? [`${figure(refused)} refused`] : []),
    ...(perSecond === null || done === total ? [] : [`${figure(perSecond)} a second`]),
    ...(left === null ? [] : [`${duration(left)} left`]),
  ].join(', ');
}

function duration(seconds: number): string {
  if (seconds < 100) return `${seconds} s`;
  return seconds < 6000 ? `${Math.ceil(seconds / 60)} min` : `${Math.ceil(seconds / 3600)} h`;
}
