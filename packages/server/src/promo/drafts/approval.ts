import type { ApprovalReason } from '@freebets/contract';
import { formatMoney, parseCents } from '../../primitives/amounts.ts';
import type { Command } from '../batch/command.ts';
import type { WorkingSet } from '../batch/working-set.ts';
import { limitsOf } from '../campaigns/campaign.ts';

// What somebody of the staff may not simply do, and when a draft of it needs a second person. The partner's own systems are not
// asked.

/** The most that could be won, by currency; null where nothing bounds it. */
export type Exposure = readonly { currency: string; amount: string | null }[];

/** In cents, of the currencies in which anything could be won at all. */
export const centsOf = (exposure: Exposure): Map<string, bigint> =>
  new Map(
    exposure
      .map(({ currency, amount }) => [currency, parseCents(amount ?? '0')] as const)
      .filter(([, cents]) => cents > 0n),
  );

/** Whether a limit becomes higher; null is none. */
const isHigher = (to: number | null, from: number | null): boolean => from !== null && (to === null || to > from);

/** By kind of command, whether it must be a draft first; asked under the locks that the command is decided under. */
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

export function mustBeDraft(working: WorkingSet, command: Command): boolean {
  const gate = gates[command.kind] as ((working: WorkingSet, command: Command) => boolean) | undefined;
  return gate?.(working, command) ?? false;
}

/**
 * Why somebody else must approve it, by currency; nothing when nobody must. What it could win counts together with what its author
 * had without approval lately, in cents. Up to the limit, and no cent more.
 */
export function whyApprovalIsNeeded(
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
    // Whatever can win nothing costs nothing.
    if (cents === 0n) return [];
    if (limit === undefined) return [{ reason: 'no_limit', ...shown }];
    return usedCents + cents <= BigInt(limit) ? [] : [{ reason: 'above_limit', ...shown }];
  });
}
