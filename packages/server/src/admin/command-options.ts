import { InvalidArgumentError, Option } from 'commander';
import type { CallerAccess } from '../partners/callers/sql/secrets.ts';
import type { Load } from './command.ts';

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
