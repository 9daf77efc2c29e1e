import type { Pool } from 'pg';
import { isInvalidParameter } from '../engine/faults.ts';
import { ask } from '../engine/statement.ts';
import { refuse } from '../primitives/outcome.ts';
import { useTimeZone } from './sql/reports.ts';

// Time zones by name. Browsers still send some old names that a database may lack, and a database may not know a new
// name yet. The name that the database knows is used.

/** The name that browsers send, and the current IANA name. */
const renamed = [
  ['Africa/Asmera', 'Africa/Asmara'],
  ['America/Buenos_Aires', 'America/Argentina/Buenos_Aires'],
  ['America/Catamarca', 'America/Argentina/Catamarca'],
  ['America/Coral_Harbour', 'America/Atikokan'],
  ['America/Cordoba', 'America/Argentina/Cordoba'],
  ['America/Godthab', 'America/Nuuk'],
  ['America/Indianapolis', 'America/Indiana/Indianapolis'],
  ['America/Jujuy', 'America/Argentina/Jujuy'],
  ['America/Louisville', 'America/Kentucky/Louisville'],
  ['America/Mendoza', 'America/Argentina/Mendoza'],
  ['Asia/Calcutta', 'Asia/Kolkata'],
  ['Asia/Katmandu', 'Asia/Kathmandu'],
  ['Asia/Rangoon', 'Asia/Yangon'],
  ['Asia/Saigon', 'Asia/Ho_Chi_Minh'],
  ['Atlantic/Faeroe', 'Atlantic/Faroe'],
  ['Europe/Kiev', 'Europe/Kyiv'],
  ['Pacific/Enderbury', 'Pacific/Kanton'],
  ['Pacific/Ponape', 'Pacific/Pohnpei'],
  ['Pacific/Truk', 'Pacific/Chuuk'],
];
const otherNames = new Map(
  renamed.flatMap(([old = '', present = '']) => [
    [old, present],
    [present, old],
  ]),
);

export const badTimeZone = refuse('invalid_request', [
  { field: 'time_zone', reason: 'must be a time zone of the IANA, such as Europe/Berlin' },
]);

/** The name under which the database knows the zone; undefined if it knows none. */
export async function resolveZone(
  timeZone: string,
  isKnown: (name: string) => Promise<boolean>,
): Promise<string | undefined> {
  const name = fullNameOf(timeZone);
  if (name === undefined || name === 'UTC') return name;
  for (const each of [name, otherNames.get(name)]) {
    if (each !== undefined && (await isKnown(each))) return each;
  }
  return undefined;
}

/**
 * Undefined if the runtime does not know the zone: PostgreSQL would read unknown words as POSIX rules. It would also
 * read a name without a slash, such as CET, as an abbreviation with the same offset in summer and winter.
 */
function fullNameOf(timeZone: string): string | undefined {
  try {
    const { timeZone: resolved } = new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions();
    return timeZone.includes('/') ? timeZone : resolved;
  } catch {
    return undefined;
  }
}

export const knowsZone =
  (pool: Pool) =>
  async (timeZone: string): Promise<boolean> => {
    try {
      await ask(pool, useTimeZone(timeZone));
      return true;
    } catch (error) {
      if (isInvalidParameter(error)) return false;
      throw error;
    }
  };
