import assert from 'node:assert/strict';
import type { ApprovalReason, ErrorName } from '@freebets/contract';
import { type ChangeContext, Refused } from '../../audit/change.ts';
import { inOneSnapshot, inOneTrip, inTransaction } from '../../engine/transaction.ts';
import type { PartnerProfile } from '../../partners/profile.ts';
import type { Outcome } from '../../primitives/outcome.ts';
import type { CommandOf } from '../batch/command.ts';
import { getFreeBet } from '../free-bets/sql.ts';
import { exposureOfIssue } from '../jobs/exposure.ts';
import { approvalReasons, centsOf, type Exposure } from './approval.ts';
import { lockAuthor } from './sql/drafts.ts';
import {
  type ExposureSource,
  holdUnapprovedExposure,
  readOtherExposure,
  releaseUnapprovedExposure,
} from './sql/unapproved-exposure.ts';

// A direct free bet issued by staff counts toward the author's allowance, like a draft within the limits. The lane
// issues it in another transaction, so its maximum winnings are held before and released if the issue is refused. If
// the server crashes in between, the amount stays held for 24 hours: the author can then issue less, never more.

export interface AllowanceContext extends ChangeContext {
  /** In cents, by currency. */
  approvalLimits: ReadonlyMap<string, number>;
  profileOf(clientId: number): PartnerProfile;
}

type Issue = CommandOf<'issue_direct'>;
/** The free bet is issued with the payout type used for its exposure, even if the setting changes in between. */
type JudgedIssue = Issue & { stakeReturned: boolean };

export async function withinAllowance<T>(
  context: AllowanceContext,
  clientId: number,
  issue: Issue,
  carryOut: (issue: JudgedIssue) => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  const source = sourceOf(context, clientId, issue);
  const judged = withPayoutType(context, clientId, issue);
  const held = await holdAmounts(context, source, exposureOfIssue(judged));
  const outcome = await carryOut(judged);
  if (!outcome.ok && held.length > 0 && !mayHaveCommitted(outcome.error)) await releaseAmounts(context, source, held);
  return outcome;
}

/** Throws what `withinAllowance` would throw now, but holds nothing. */
export async function assertWithinAllowance(context: AllowanceContext, clientId: number, issue: Issue): Promise<void> {
  const { finding, reading } = readsOf(sourceOf(context, clientId, issue));
  const found = await inOneSnapshot(context.pool, [finding, reading]);
  const exposure = exposureOfIssue(withPayoutType(context, clientId, issue));
  if (found.of(finding) === undefined) assertAllowed(context, exposure, found.of(reading));
}

function sourceOf({ by: { actor } }: AllowanceContext, clientId: number, { issueId }: Issue): ExposureSource {
  assert(actor.kind === 'staff', 'an allowance belongs to a staff member');
  return { staffId: actor.staff_id, clientId, kind: 'free_bet', id: issueId };
}

const withPayoutType = ({ profileOf }: AllowanceContext, clientId: number, issue: Issue): JudgedIssue => ({
  ...issue,
  stakeReturned: profileOf(clientId).stakeReturned,
});

/** After these errors the free bet may exist: the connection may have been lost after the commit. */
const mayHaveCommitted = (error: ErrorName): boolean => error === 'unavailable' || error === 'internal_error';

/**
 * Returns the currencies in which it holds an amount. Holds nothing for a free bet that exists: a repeat issues
 * nothing.
 */
const holdAmounts = (context: AllowanceContext, source: ExposureSource, exposure: Exposure) =>
  inTransaction(context.pool, async (connection): Promise<string[]> => {
    const { finding, reading } = readsOf(source);
    const found = await inOneTrip(connection, [lockAuthor(source.staffId), finding, reading]);
    if (found.of(finding) !== undefined) return [];
    assertAllowed(context, exposure, found.of(reading));
    const cents = centsOf(exposure);
    if (cents.size > 0) await inOneTrip(connection, [holdUnapprovedExposure(source, cents)]);
    return [...cents.keys()];
  });

const readsOf = (source: ExposureSource) => ({
  finding: getFreeBet(source.clientId, source.id),
  reading: readOtherExposure(source),
});

function assertAllowed(
  { approvalLimits }: AllowanceContext,
  exposure: Exposure,
  used: ReadonlyMap<string, bigint>,
): void {
  const [reason] = approvalReasons(exposure, approvalLimits, used);
  if (reason !== undefined)
    throw new Refused('approval_needed', [{ field: 'max_exposure', reason: reasonText(reason) }]);
}

function reasonText({ reason, currency, amount, limit, used }: ApprovalReason): string {
  if (reason === 'no_bound') return 'has no bound without max_coefficient';
  if (reason === 'no_limit')
    return `is ${amount} ${currency}, and without approval nothing can be given in ${currency}`;
  return `is ${amount} ${currency}, with ${used} given without approval in the last 24 hours, and the limit is ${limit}`;
}

const releaseAmounts = ({ pool }: AllowanceContext, source: ExposureSource, currencies: string[]) =>
  inTransaction(pool, (connection) =>
    inOneTrip(connection, [lockAuthor(source.staffId), ...releaseUnapprovedExposure(source, currencies)]),
  );
