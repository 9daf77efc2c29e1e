import { Argument, Command, CommanderError, Help } from 'commander';
import { withCommandEnd } from '../ops/closing.ts';
import { readConfig } from '../ops/config.ts';
import { Failure } from '../primitives/failure.ts';
import { version } from '../primitives/version.ts';
import {
  type Arguments,
  argumentsOf,
  commandsIn,
  type Handler,
  type LoadHandler,
  leavesOf,
  requireWritten,
  type Terminal,
  usageOf,
  wordsOf,
} from './command.ts';
import { declareCommands } from './commands.ts';
import { completionScript, shells } from './completion.ts';

// Builds the `commander` command tree. Help, suggestions, completion, and the table in the docs are generated from it.

export function buildProgram(terminal: Terminal): Command {
  const program = new Command('freebets')
    .description('The Freebets server and its administration.')
    .version(version, '-V, --version', 'Show the version.')
    .helpOption('-h, --help', 'Show the help of a command.')
    .helpCommand('help [COMMAND]', 'Show the help of a command.')
    .option('--json', 'Print the result as one line of JSON.')
    .configureHelp({
      showGlobalOptions: true,
      // Sets this only while help is written, so that suggestions for a misspelled command use the default list.
      prepareContext({ helpWidth = 80 }) {
        Object.assign(this, { helpWidth, visibleCommands: leavesOf });
      },
      subcommandTerm: (command) => [...wordsOf(command), ...argumentsOf(command)].join(' '),
      commandUsage: (command) => `freebets ${usageOf(command)}`,
      formatHelp(command, helper) {
        return command.parent === null ? overviewOf(command) : Help.prototype.formatHelp.call(this, command, helper);
      },
    });
  // Usage errors are thrown; `runCli` prints them.
  program.configureOutput({ writeOut: (text) => terminal.stdout.write(text), writeErr: () => {} });
  declareCommands(
    program,
    (load) =>
      (...given) =>
        runHandler(terminal, load, commandOf(given)),
  );
  program
    .command('completion')
    .addArgument(new Argument('<SHELL>').choices(shells))
    .description('Print the completion script for bash or zsh.')
    .helpGroup('Shell')
    .action((shell: (typeof shells)[number], _, command: Command) =>
      print(terminal, command, completionScript(program, shell), { show: String }),
    );
  for (const command of commandsIn(program)) command.exitOverride((error) => refuse(command, error));
  return program;
}

/** The help of the program: one line for each command and each group of commands, so that it fits a screen. */
function overviewOf(program: Command): string {
  const lines = [...Map.groupBy(program.commands, (command) => command.helpGroup())].flatMap(([group, commands]) =>
    commands.map((command, i) => {
      const title = i === 0 ? group : '';
      return `${title.padEnd(16)}${command.name().padEnd(12)}${command.summary() || command.description()}`;
    }),
  );
  return [
    `Usage: freebets ${usageOf(program)}`,
    '',
    ...lines,
    '',
    '"freebets COMMAND --help" lists the subcommands and options of a command.',
    '--json prints the result as one line of JSON. --version prints the version.',
    'Settings are environment variables: see .env.example.',
    '',
  ].join('\n');
}

/** `commander` passes the command as the last argument of an action. */
const commandOf = (given: unknown[]): Command => given.at(-1) as Command;

async function runHandler(terminal: Terminal, load: LoadHandler, command: Command): Promise<void> {
  const config = readConfig(terminal.env);
  const handler = await load();
  const given = { positionals: command.args, options: command.optsWithGlobals() };
  const ends = { holdSignals: terminal.holdSignals, isClosedLast: handler.lostMessage !== undefined };
  const result = await withCommandEnd(ends, async () => {
    const result = await handler.run(config, given, terminal);
    if (result !== undefined) await print(terminal, command, result, handler);
    return result;
  });
  const exitCode = handler.exitCode?.(result) ?? 0;
  if (exitCode !== 0) throw new Ending(exitCode);
}

/** Ends a command with an exit code after it has printed its result. */
class Ending extends Error {
  readonly exitCode: number;

  constructor(exitCode: number) {
    super(`exit code ${exitCode}`);
    this.exitCode = exitCode;
  }
}

async function print<T>(
  terminal: Terminal,
  command: Command,
  result: T,
  { show, lostMessage }: Pick<Handler<Arguments, T>, 'show' | 'lostMessage'>,
): Promise<void> {
  terminal.stdout.write(`${command.optsWithGlobals().json ? JSON.stringify(result) : show(result)}\n`);
  await requireWritten(terminal, lostMessage?.(result));
}

/** Turns a usage error into one line: what is wrong, and the correct usage. */
function refuse(command: Command, error: CommanderError): void {
  if (error.exitCode === 0) throw error;
  const name = ['freebets', ...wordsOf(command)].join(' ');
  if (error.code === 'commander.help') {
    const words = command.commands.map((inner) => inner.name()).join(', ');
    throw new Failure(`"${name}" needs one of ${words}; see "${name} --help".`);
  }
  const message = error.message.replace(/^error: /, '').replaceAll('\n', ' ');
  const sentence = `${message[0]?.toUpperCase()}${message.slice(1)}`.replace(/\.?$/, '.');
  if (error.code === 'commander.unknownCommand') throw new Failure(`${sentence} See "${name} --help".`);
  // The missing option may be present but misspelled.
  const unknown = error.code === 'commander.missingMandatoryOptionValue' && command.args.find((arg) => arg[0] === '-');
  const misspelt = unknown ? ` There is no option '${unknown}'.` : '';
  throw new Failure(`${sentence}${misspelt} Usage: freebets ${usageOf(command)}`);
}

/** Runs a command line and returns its exit code. */
export async function runCli(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    await buildProgram(terminal).parseAsync(args.length === 0 ? ['--help'] : args, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof Ending) return error.exitCode;
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    const isStopped = error instanceof Error && error.name === 'AbortError';
    if (!isStopped) terminal.stderr.write(`${error instanceof Failure ? error.message : stackOf(error)}\n`);
    return 1;
  }
}

const stackOf = (error: unknown): string => (error instanceof Error && error.stack) || String(error);
