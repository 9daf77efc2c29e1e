import type { ApprovalReason } from '@freebets/contract';
import { formatMoney, parseCents } from '../../primitives/amounts.ts';
import type { Command } from '../batch/command.ts';
import type { WorkingSet } from '../batch/working-set.ts';
import { limitsOf } from '../campaigns/campaign.ts';

// Decides which staff changes need a draft, and which drafts need approval by a second person. Requests of the
// partner's own systems need neither.

/** The maximum winnings by currency; null if they are unlimited. */
export type Exposure = readonly { currency: string; amount: string | null }[];

/** In cents, for currencies with an amount above zero. */
export const centsOf = (exposure: Exposure): Map<string, bigint> =>
  new Map(
    exposure
      .map(({ currency, amount }) => [currency, parseCents(amount ?? '0')] as const)
      .filter(([, cents]) => cents > 0n),
  );

/** Whether a limit is raised; null is no limit. */
const isHigher = (to: number | null, from: number | null): boolean => from !== null && (to === null || to > from);

/** Whether a command needs a draft, by kind. Checked under the same locks as the command's rule. */
const gates: { [K in Command['kind']]?: (working: WorkingSet, command: Extract<Command, { kind: K }>) => boolean } = {
  create_campaign: () => true,
  change_limits(working, { campaignId, bonusLimit, bonusLimitPerUser }) {
    const entry = working.campaigns.get(campaignId);
    if (entry === undefined) return false;
    const inForce = limitsOf(entry.campaign, entry.state);
    return isHigher(bonusLimit, inForce.bonusLimit) || isHigher(bonusLimitPerUser, inForce.bonusLimitPerUser);
  },
  start_job(working, { jobId }) {
    const job = working.jobs.get(jobId);
    return job !== undefined && job.shared !== null && job.startedAt === null;
  },
};

export function needsDraft(working: WorkingSet, command: Command): boolean {
  const gate = gates[command.kind] as ((working: WorkingSet, command: Command) => boolean) | undefined;
  return gate?.(working, command) ?? false;
}

/**
 * Why a second person must approve, by currency; empty if approval isn't needed. The exposure counts together with
 * `used`, the author's recent unapproved exposure in cents. A sum equal to the limit needs no approval.
 */
export function approvalReasons(
  exposure: Exposure,
  limits: ReadonlyMap<string, number>,
  used: ReadonlyMap<string, bigint>,
): ApprovalReason[] {
  return exposure.flatMap(({ currency, amount }): ApprovalReason[] => {
    const limit = limits.get(currency);
    const usedCents = used.get(currency) ?? 0n;
    const shown = {
      currency,
      amount,
      limit: limit === undefined ? null : formatMoney(limit),
      used: formatMoney(usedCents),
    };
    if (amount === null) return [{ reason: 'no_bound', ...shown }];
    const cents = parseCents(amount);
    // No winnings, no cost.
    if (cents === 0n) return [];
    if (limit === undefined) return [{ reason: 'no_limit', ...shown }];
    return usedCents + cents <= BigInt(limit) ? [] : [{ reason: 'above_limit', ...shown }];
  });
}
