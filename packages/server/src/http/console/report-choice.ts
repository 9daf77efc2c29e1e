import { formatInstant } from '../../domain/amounts.ts';
import type { Chosen, ReportReach } from '../../sql/reports.ts';
import type { SignedIn } from '../../staff/sessions.ts';

// Whose activity is added up.

/** The partner that is named; else all in scope, and sandboxes only where they are asked for. */
export const chosenBy = (person: SignedIn | undefined, clientId: number | undefined, sandboxes = false): Chosen =>
  clientId === undefined
    ? { partners: person?.partners ?? null, withSandboxes: sandboxes }
    : { partners: [clientId], withSandboxes: true };

export const reachBody = ({ has_sandboxes, counted_until }: ReportReach) => ({
  sandboxes: has_sandboxes,
  counted_until: formatInstant(counted_until),
});
