import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Config } from '../ops/config.ts';
import type { CallerAccess } from '../partners/callers/sql/secrets.ts';
import { Failure } from '../primitives/failure.ts';

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

// Whether what a command has to say has arrived. That nobody reads any more, as in "freebets client list | head -1", is no
// fault; that a disk is full is one.

/** Refuses to end well where something is missing. What is `lost` with it was to be shown only now, so that a reader must be there. */
export async function requireWritten(terminal: Terminal, lost?: string): Promise<void> {
  const error = await terminal.unwritten();
  if (error === undefined || (isHangUp(error) && lost === undefined)) return;
  throw new Failure(
    [`The output cannot be written: ${error.message}.`, ...(lost === undefined ? [] : [lost])].join(' '),
  );
}

const isHangUp = ({ code }: NodeJS.ErrnoException): boolean => code === 'EPIPE';

/** No faster than it is read, so that a long text is never held whole, and no longer. */
export async function writeAll(terminal: Terminal, pieces: AsyncIterable<string>, stopped: AbortSignal): Promise<void> {
  for await (const piece of pieces) {
    terminal.stdout.write(piece);
    if (await terminal.unwritten(stopped)) return requireWritten(terminal);
    stopped.throwIfAborted();
  }
}

// What the declarations of commands share.

export type Does = (load: Load) => (...given: unknown[]) => Promise<void>;

/** No value of an option begins with a dash: it is the next option, and the value was left out. */
export function value(text: string): string {
  if (text.startsWith('-')) throw new InvalidArgumentError('A value does not begin with a dash.');
  return text;
}

export const oneOf = (flags: string, choices: readonly string[], about: string): Option =>
  new Option(flags, about).choices(choices);

export const signings = Object.keys({ plain: 1, strict: 1 } satisfies Record<CallerAccess['signing'], 1>);

// What can be read from the tree of commands, for help, completion and the docs.

/** Every command, with those that only group others. */
export const commandsIn = (command: Command): Command[] => [command, ...command.commands.flatMap(commandsIn)];

/** The commands that do something. */
export const leavesOf = (command: Command): Command[] =>
  commandsIn(command).filter((inner) => inner !== command && inner.commands.length === 0);

/** The words that name a command. */
export const wordsOf = (command: Command): string[] =>
  command.parent === null ? [] : [...wordsOf(command.parent), command.name()];

export const argumentsOf = (command: Command): string[] =>
  command.registeredArguments.map((argument) => argument.argChoices?.join('|') ?? argument.name());

/** As it is typed: words, ARGUMENTS in capitals, then --options, those that may be absent in brackets. */
export function usageOf(command: Command): string {
  if (command.commands.length > 0) return [...wordsOf(command), 'COMMAND'].join(' ');
  const options = command.options.map((option) => {
    const value = option.argChoices?.join('|') ?? '$1';
    const text = option.flags.replace(/<(.+)>/, value);
    return option.mandatory ? text : `[${text}]`;
  });
  return [...wordsOf(command), ...argumentsOf(command), ...options].join(' ');
}
