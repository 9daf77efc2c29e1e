import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Config } from '../ops/config.ts';
import type { CallerAccess } from '../partners/callers/sql/secrets.ts';
import { Failure } from '../primitives/failure.ts';

// Shared by all commands. commands.ts declares the commands and their options.

/** The environment and the output streams of a command. */
export interface Terminal {
  env: Record<string, string | undefined>;
  stdout: Output;
  stderr: Output;
  /** Waits until stdout has flushed or `stopped` is aborted. Returns the write error, if there was one. */
  flush(stopped?: AbortSignal): Promise<NodeJS.ErrnoException | undefined>;
  /** Aborted by a signal. For commands that run until they are stopped. */
  stopSignal(): AbortSignal;
  /** Defers the first signal until the returned function is called. A later signal ends the process at once. */
  holdSignals(): () => void;
}

export interface Output {
  write(text: string): unknown;
  /** Whether this is a terminal, where a progress line can be redrawn. */
  isTTY?: boolean;
}

/** The arguments and options of a command, already validated against its declaration in commands.ts. */
export interface Arguments<
  Positionals extends readonly string[] = readonly string[],
  Options extends object = Record<string, unknown>,
> {
  positionals: Positionals;
  options: Options & { json?: boolean };
}

/** `run` returns a plain value, which --json prints. `show` formats that value for people. */
export interface Handler<Given extends Arguments<readonly string[], object> = Arguments, Result = unknown> {
  run(config: Config, given: Given, terminal: Terminal): Promise<Result>;
  show(result: Result): string;
  /** For results that are shown only once: the message when the output could not be written. */
  lostMessage?(result: Result): string | undefined;
  /** 0 if absent. Failures are thrown, and exit with 1. */
  exitCode?(result: Result): number;
}

/** Infers the parameter type of `show` from the return type of `run`. */
export const command = <Given extends Arguments<readonly string[], object>, Result>(
  handler: Handler<Given, Result>,
): Handler => handler as unknown as Handler;

/** Pads each column to its widest cell. */
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

/** Formats an instant as API responses do. */
export const iso = (instant: number | null): string | null =>
  instant === null ? null : new Date(instant).toISOString();

/** Imports a command's modules only when it runs, because most take longer to load than to run. */
export type LoadHandler = () => Promise<Handler>;

// Checks that the output was written. A full disk is an error; a closed pipe, as in "freebets client list | head -1",
// is not.

/** Throws if the output is incomplete. With `lost`, a closed pipe fails too, because the result is shown only once. */
export async function requireWritten(terminal: Terminal, lostMessage?: string): Promise<void> {
  const error = await terminal.flush();
  if (error === undefined || (isHangUp(error) && lostMessage === undefined)) return;
  throw new Failure(
    [`The output cannot be written: ${error.message}.`, ...(lostMessage === undefined ? [] : [lostMessage])].join(' '),
  );
}

const isHangUp = ({ code }: NodeJS.ErrnoException): boolean => code === 'EPIPE';

/** Writes with backpressure, so that a long text is never held in memory. Stops when the reader closes the pipe. */
export async function writeAll(terminal: Terminal, pieces: AsyncIterable<string>, stopped: AbortSignal): Promise<void> {
  for await (const piece of pieces) {
    terminal.stdout.write(piece);
    if (await terminal.flush(stopped)) return requireWritten(terminal);
    stopped.throwIfAborted();
  }
}

// Shared by the declarations of commands.

export type ToAction = (load: LoadHandler) => (...given: unknown[]) => Promise<void>;

/** Rejects a leading dash: it is the next option, so the value is missing. */
export function value(text: string): string {
  if (text.startsWith('-')) throw new InvalidArgumentError("A value can't begin with a dash.");
  return text;
}

export const oneOf = (flags: string, choices: readonly string[], about: string): Option =>
  new Option(flags, about).choices(choices);

export const signings = Object.keys({ plain: 1, strict: 1 } satisfies Record<CallerAccess['signing'], 1>);

// Reads the command tree for help, completion and the docs.

/** Every command, including groups. */
export const commandsIn = (command: Command): Command[] => [command, ...command.commands.flatMap(commandsIn)];

/** The commands that run, without groups. */
export const leavesOf = (command: Command): Command[] =>
  commandsIn(command).filter((inner) => inner !== command && inner.commands.length === 0);

/** The words that name a command. */
export const wordsOf = (command: Command): string[] =>
  command.parent === null ? [] : [...wordsOf(command.parent), command.name()];

export const argumentsOf = (command: Command): string[] =>
  command.registeredArguments.map((argument) => argument.argChoices?.join('|') ?? argument.name());

/** The usage line: command words, ARGUMENTS in capitals, then --options. Optional ones are in brackets. */
export function usageOf(command: Command): string {
  if (command.commands.length > 0) return [...wordsOf(command), 'COMMAND'].join(' ');
  const options = command.options.map((option) => {
    const value = option.argChoices?.join('|') ?? '$1';
    const text = option.flags.replace(/<(.+)>/, value);
    return option.mandatory ? text : `[${text}]`;
  });
  return [...wordsOf(command), ...argumentsOf(command), ...options].join(' ');
}
