import { type ParseArgsConfig, parseArgs } from 'node:util';
import type { Config } from '../config.ts';
import { Failure } from '../failure.ts';

// A command of the terminal: what it is called, what it takes, and what it does. The result is a plain value for
// programs (--json), and `show` makes the lines for people out of it.

export interface Command<Result = unknown> {
  /** As it is typed: words, then ARGUMENTS in capitals, then [--options VALUE]. */
  usage: string;
  about: string;
  options?: NonNullable<ParseArgsConfig['options']>;
  run(config: Config, args: Arguments): Promise<Result>;
  show(result: Result): string;
}

export interface Arguments {
  positionals: string[];
  options: Record<string, string | boolean | undefined>;
}

export const command = <Result>(definition: Command<Result>): Command => definition as Command;

/** The words that name a command: those of its usage that are written small. */
export const wordsOf = ({ usage }: Command): string[] => usage.split(' ').filter((word) => /^[a-z][a-z-]*$/.test(word));

/** What stands before the options. */
const argumentsOf = ({ usage }: Command): string[] => {
  const words = usage.split(/ \[?--/, 1)[0] ?? '';
  return words.split(' ').filter((word) => /^[A-Z_]+$/.test(word));
};

export function parseArguments(chosen: Command, args: string[]): Arguments {
  const options = { ...chosen.options, json: { type: 'boolean' as const } };
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true, strict: true });
    const expected = argumentsOf(chosen);
    if (positionals.length !== expected.length) {
      throw new Error(`This command takes ${expected.join(' and ') || 'no arguments'}`);
    }
    return { positionals, options: values as Arguments['options'] };
  } catch (error) {
    const [reason] = (error as Error).message.split(/\.\s/);
    throw new Failure(`${reason}. Usage: freebets ${chosen.usage}`);
  }
}

/** Columns as wide as their widest cell. */
export function table(head: string[], rows: string[][]): string {
  const widths = head.map((title, i) => Math.max(title.length, ...rows.map((row) => row[i]?.length ?? 0)));
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
