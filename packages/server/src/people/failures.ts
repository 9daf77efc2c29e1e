import type { Failed } from './sql/sign-in-failures.ts';
import { emailKey } from './sql/staff.ts';

// After some failed sign-ins the next ones are refused for a while, without any being looked at: the while doubles with each failure.
// Nothing waits meanwhile, and what is refused does not count as a failure. It is the same for accounts that do not exist.

const second = 1000;
const minute = 60 * second;

const untilSlow = 5;
const untilLocked = 10;
const longestSlowMs = 30 * second;
const lockedMs = 30 * minute;

/** How long a failure counts. Of an address not longer than it takes to make as many at the slowest pace, since many people may share one. */
const remembered = { email: lockedMs, address: 5 * minute };

type Kind = keyof typeof remembered;
const kindOf = ({ subject }: Pick<Failed, 'subject'>): Kind => (subject.startsWith('email ') ? 'email' : 'address');

type Counted = Omit<Failed, 'refused'>;

/** Those that still count. */
export const failuresOf = (failed: Counted): number =>
  failed.now - failed.failed_at < remembered[kindOf(failed)] ? failed.failures : 0;

function refusedForMs(kind: Kind, failures: number): number {
  if (failures < untilSlow) return 0;
  if (kind === 'email' && failures >= untilLocked) return lockedMs;
  return Math.min(longestSlowMs, second * 2 ** (failures - untilSlow));
}

export const isRefused = (failed: Counted): boolean =>
  failed.now - failed.failed_at < refusedForMs(kindOf(failed), failuresOf(failed));

/** Not only slowed down. */
export const isLocked = (failed: Counted): boolean => kindOf(failed) === 'email' && failuresOf(failed) >= untilLocked;

/** With so many failures, and not with one less. */
export function whatBegins(failed: Pick<Failed, 'subject'>, failures: number): 'slowed_down' | 'locked' | undefined {
  if (failures === untilSlow) return 'slowed_down';
  return failures === untilLocked && kindOf(failed) === 'email' ? 'locked' : undefined;
}

/** After which nothing of it counts any more. */
export const longestRememberedMs = Math.max(...Object.values(remembered));

/** What is recorded of it is about this. */
export function targetOf(failed: Pick<Failed, 'subject'>): { kind: 'account' | 'address'; id: string } {
  const kind = kindOf(failed);
  return { kind: kind === 'email' ? 'account' : kind, id: failed.subject.slice(kind.length + 1) };
}

export const subjectOfEmail = (email: string): string => `email ${emailKey(email)}`;
