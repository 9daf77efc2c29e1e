import type { Config } from '../ops/config.ts';

// What the commands of the terminal share. Which there are, and what they take, stands in commands.ts.

/** Where a command is typed: what it is given, and where it writes. */
export interface Terminal {
  env: Record<string, string | undefined>;
  stdout: Output;
  stderr: Output;
  /** When all that was written to stdout was taken, or whoever waits is to end: why it was not, if so. */
  unwritten(stopped?: AbortSignal): Promise<NodeJS.ErrnoException | undefined>;
  /** For a command that goes on until it is told to end: aborted when it is time. */
  stopSignal(): AbortSignal;
  /** For what must not be broken off: the first signal to end waits until what is returned is called, and a later one does not. */
  holdSignals(): () => void;
}

export interface Output {
  write(text: string): unknown;
  /** Whether somebody watches: what is written can be written over. */
  isTTY?: boolean;
}

/** What was typed after the words of the command; commands.ts says what each may be given, and it has been checked. */
export interface Arguments<
  Positionals extends readonly string[] = readonly string[],
  Options extends object = Record<string, unknown>,
> {
  positionals: Positionals;
  options: Options & { json?: boolean };
}

/** The result is a plain value for programs (--json), and `show` makes the lines for people out of it. */
export interface Handler<Given extends Arguments<readonly string[], object> = Arguments, Result = unknown> {
  run(config: Config, given: Given, terminal: Terminal): Promise<Result>;
  show(result: Result): string;
  /** For what is shown only now: what has become of it if it could not be shown. */
  lost?(result: Result): string | undefined;
  /** 0 when absent. What has failed is thrown, and ends with 1. */
  exitCode?(result: Result): number;
}

/** Infers what `show` is given from what `run` answers. */
export const command = <Given extends Arguments<readonly string[], object>, Result>(
  handler: Handler<Given, Result>,
): Handler => handler as unknown as Handler;

/** Columns as wide as their widest cell. */
export function table(head: string[], rows: string[][]): string {
  const widths = head.map((title, i) =>
    rows.reduce((width, row) => Math.max(width, row[i]?.length ?? 0), title.length),
  );
  const line = (cells: string[]) =>
    cells
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd();
  return [line(head), ...rows.map(line)].join('\n');
}

/** For programs, instants are written as they are in answers. */
export const iso = (instant: number | null): string | null =>
  instant === null ? null : new Date(instant).toISOString();

/** Loads the parts that a command needs when it is run, and not before: most take longer to load than to run. */
export type Load = () => Promise<Handler>;
