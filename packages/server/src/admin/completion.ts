import type { Command } from 'commander';
import { commandsIn, wordsOf } from './command.ts';

// Shell completion scripts, generated from the command tree. They contain all candidates, so that completion does not
// start the program.

const scripts = { bash, zsh };
type Shell = keyof typeof scripts;
export const shells = Object.keys(scripts) as Shell[];

export const completionScript = (program: Command, shell: Shell): string => scripts[shell](program);

interface Candidate {
  word: string;
  about: string;
}

/** The words of a command, each after a space, as both scripts collect them from the line. */
const placeOf = (command: Command): string =>
  wordsOf(command)
    .map((word) => ` ${word}`)
    .join('');

/** Every global option except --version also applies to subcommands. */
const isForAll = ({ long }: { long?: string }): boolean => long !== '--version';

/** What can follow the words of a command. */
function candidatesOf(program: Command, command: Command): Candidate[] {
  const options = command === program ? program.options : [...command.options, ...program.options.filter(isForAll)];
  return [
    ...command.commands.map((inner) => ({ word: inner.name(), about: inner.description() })),
    ...command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices.map((word) => ({ word, about: '' }))),
    ...options.map(({ long, description }) => ({ word: String(long), about: description })),
    { word: '--help', about: 'Show the help of a command.' },
  ];
}

interface Place {
  place: string;
  candidates: Candidate[];
}

/** The candidates after each command, and after each option with fixed choices. */
function placesOf(program: Command): { commands: Place[]; values: Place[] } {
  const all = commandsIn(program);
  return {
    commands: all.map((command) => ({ place: placeOf(command), candidates: candidatesOf(program, command) })),
    values: all.flatMap((command) =>
      command.options
        .filter(({ argChoices }) => argChoices !== undefined)
        .map(({ long, argChoices = [] }) => ({
          place: `${placeOf(command)} ${long}`,
          candidates: argChoices.map((word) => ({ word, about: '' })),
        })),
    ),
  };
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const alternatives = (places: Place[]): string => places.map(({ place }) => quoted(place)).join(' | ');

function bash(program: Command): string {
  const { commands, values } = placesOf(program);
  const branch = ({ place, candidates }: Place) =>
    `    ${quoted(place)}) words=${quoted(candidates.map(({ word }) => word).join(' '))} ;;`;
  return `# Completion of freebets for bash: source <(freebets completion bash)
_freebets() {
  local at= i words=
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$at \${COMP_WORDS[i]}" in
      ${alternatives(commands.filter(({ place }) => place !== ''))}) at="$at \${COMP_WORDS[i]}" ;;
    esac
  done
  case "$at" in
${commands.map(branch).join('\n')}
  esac
  case "$at \${COMP_WORDS[COMP_CWORD - 1]}" in
${values.map(branch).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _freebets freebets`;
}

function zsh(program: Command): string {
  const { commands, values } = placesOf(program);
  const described = ({ word, about }: Candidate) =>
    quoted(about === '' ? word : `${word}:${about.replaceAll(':', '\\:')}`);
  const branch = ({ place, candidates }: Place) =>
    `    ${quoted(place)}) found=(${candidates.map(described).join(' ')}) ;;`;
  return `#compdef freebets
# Completion of freebets for zsh: source <(freebets completion zsh)
_freebets() {
  local at= i
  local -a found
  for ((i = 2; i < CURRENT; i++)); do
    case "$at $words[i]" in
      ${alternatives(commands.filter(({ place }) => place !== ''))}) at="$at $words[i]" ;;
    esac
  done
  case "$at" in
${commands.map(branch).join('\n')}
  esac
  case "$at $words[CURRENT - 1]" in
${values.map(branch).join('\n')}
  esac
  _describe freebets found || _files
}
if [[ $funcstack[1] == _freebets ]]; then _freebets "$@"; else compdef _freebets freebets; fi`;
}
