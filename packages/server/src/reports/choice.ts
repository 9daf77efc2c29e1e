import type { PartnerSelection } from '../calls/partner-selection.ts';
import type { SignedIn } from '../calls/signed-in.ts';
import { formatInstant } from '../primitives/amounts.ts';
import type { ReportReach } from './sql/reports.ts';

/** The partners of a report: the requested one, or else all real partners in scope, or all sandboxes if requested. */
export const selectionFor = (
  person: SignedIn | undefined,
  clientId: number | undefined,
  sandboxes = false,
): PartnerSelection =>
  clientId === undefined
    ? { partners: person?.partners ?? null, among: sandboxes ? 'sandboxes' : 'real' }
    : { partners: [clientId], among: 'all' };

export const reachBody = ({ has_sandboxes, counted_until }: ReportReach) => ({
  sandboxes: has_sandboxes,
  counted_until: formatInstant(counted_until),
});
