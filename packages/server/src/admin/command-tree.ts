import type { Command } from 'commander';

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
