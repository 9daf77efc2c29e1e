import type { Pool } from 'pg';
import { isInvalidParameter } from '../../db/faults.ts';
import { ask } from '../../db/statement.ts';
import { formatInstant } from '../../domain/amounts.ts';
import { refuse } from '../../domain/outcome.ts';
import { type Chosen, type ReportReach, useTimeZone } from '../../sql/reports.ts';
import type { SignedIn } from '../../staff/sessions.ts';

// Whose activity is added up, and by whose days.

/** The partner that is named; else all in scope, and sandboxes only where they are asked for. */
export const chosenBy = (person: SignedIn | undefined, clientId: number | undefined, sandboxes = false): Chosen =>
  clientId === undefined
    ? { partners: person?.partners ?? null, withSandboxes: sandboxes }
    : { partners: [clientId], withSandboxes: true };

export const badTimeZone = refuse('invalid_request', [
  { field: 'time_zone', reason: 'must be a time zone of the IANA, such as Europe/Berlin' },
]);

/** PostgreSQL alone would take words that name no zone for rules of their own, and may know fewer zones than we do. */
export async function isTimeZone(pool: Pool, timeZone: string): Promise<boolean> {
  if (timeZone === 'UTC') return true;
  try {
    new Intl.DateTimeFormat('en', { timeZone });
    await ask(pool, useTimeZone(timeZone));
    return true;
  } catch (error) {
    if (error instanceof RangeError || isInvalidParameter(error)) return false;
    throw error;
  }
}

export const reachBody = ({ has_sandboxes, counted_until }: ReportReach) => ({
  sandboxes: has_sandboxes,
  counted_until: formatInstant(counted_until),
});
