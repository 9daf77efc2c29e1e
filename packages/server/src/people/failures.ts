import type { Failed } from './sql/sign-in-failures.ts';
import { emailKey } from './sql/staff.ts';

// After several failed sign-ins, further attempts are refused without a check for a time that doubles with each
// failure. Attempts do not wait, and a refused attempt does not count as a failure. Accounts that do not exist behave
// the same.

const second = 1000;
const minute = 60 * second;

const slowAfter = 5;
const lockAfter = 10;
const maxSlowMs = 30 * second;
const lockedMs = 30 * minute;

/**
 * How long a failure counts. Shorter for an address, because many people may share one: just long enough to reach as
 * many failures at the slowest pace.
 */
const remembered = { email: lockedMs, address: 5 * minute };

type Kind = keyof typeof remembered;
const kindOf = ({ subject }: Pick<Failed, 'subject'>): Kind => (subject.startsWith('email ') ? 'email' : 'address');

type Counted = Omit<Failed, 'refused'>;

/** The failures that still count. */
export const failuresOf = (failed: Counted): number =>
  failed.now - failed.failed_at < remembered[kindOf(failed)] ? failed.failures : 0;

function refusedForMs(kind: Kind, failures: number): number {
  if (failures < slowAfter) return 0;
  if (kind === 'email' && failures >= lockAfter) return lockedMs;
  return Math.min(maxSlowMs, second * 2 ** (failures - slowAfter));
}

export const isRefused = (failed: Counted): boolean =>
  failed.now - failed.failed_at < refusedForMs(kindOf(failed), failuresOf(failed));

/** Locked, not just slowed down. */
export const isLocked = (failed: Counted): boolean => kindOf(failed) === 'email' && failuresOf(failed) >= lockAfter;

/** The state that begins with exactly this many failures. */
export function newRestriction(
  failed: Pick<Failed, 'subject'>,
  failures: number,
): 'slowed_down' | 'locked' | undefined {
  if (failures === slowAfter) return 'slowed_down';
  return failures === lockAfter && kindOf(failed) === 'email' ? 'locked' : undefined;
}

/** After this time no failure counts any more. */
export const maxRememberedMs = Math.max(...Object.values(remembered));

/** The target of the audit records. */
export function targetOf(failed: Pick<Failed, 'subject'>): { kind: 'account' | 'address'; id: string } {
  const kind = kindOf(failed);
  return { kind: kind === 'email' ? 'account' : kind, id: failed.subject.slice(kind.length + 1) };
}

export const subjectOfEmail = (email: string): string => `email ${emailKey(email)}`;
