import type { CampaignBody, CampaignStatus } from '@freebets/contract';
import {
  formatCoefficient,
  formatInstant,
  formatMoney,
  type Instant,
  timeText,
  winOf,
} from '../../primitives/amounts.ts';
import { type BetAmounts, type Terms, termsBytes } from '../terms.ts';

/** The definition of a campaign. It never changes after creation. */
export interface Campaign extends Limits {
  campaignId: string;
  terms: Terms;
  betAmounts: BetAmounts;
  contentHash: string;
  createdAt: Instant;
}

/** The campaign cap and the per-player cap, in free bets; null is no limit. */
export interface Limits {
  bonusLimit: number | null;
  bonusLimitPerUser: number | null;
}

/** The free bets of a campaign by state. `issued` counts every free bet ever issued, including cancelled ones. */
export interface CampaignCounts {
  issued: number;
  cancelled: number;
  /** Free bets stored as expired. Overdue free bets that the sweeper has not stored yet are not counted here. */
  expired: number;
  finished: number;
  /** Bets that were placed and not rolled back. */
  betsPlaced: number;
}

/** The part of a campaign that changes. */
export interface CampaignState extends CampaignCounts {
  stoppedAt: Instant | null;
  pausedAt: Instant | null;
  /** They replace the limits that the campaign was created with; null if the limits never changed. */
  changedLimits: (Limits & { at: Instant }) | null;
}

export const newCampaignState = (): CampaignState => ({
  issued: 0,
  cancelled: 0,
  expired: 0,
  finished: 0,
  betsPlaced: 0,
  stoppedAt: null,
  pausedAt: null,
  changedLimits: null,
});

/** The limits in force. */
export const limitsOf = (campaign: Campaign, { changedLimits }: CampaignState): Limits => changedLimits ?? campaign;

/** Held counts per player are stored for campaigns that have a per-player cap or whose limits ever changed. */
export const storesHeldCounts = (campaign: Campaign, { changedLimits }: CampaignState): boolean =>
  campaign.bonusLimitPerUser !== null || changedLimits !== null;

/** A cancelled free bet frees its place under the campaign cap; an expired one does not. */
export function isExhausted(campaign: Campaign, state: CampaignState): boolean {
  const { bonusLimit } = limitsOf(campaign, state);
  return bonusLimit !== null && state.issued - state.cancelled >= bonusLimit;
}

/** The campaign can never issue again: it was stopped, or its validity has ended. */
export const isOver = (campaign: Campaign, state: CampaignState, now: Instant): boolean =>
  state.stoppedAt !== null || now >= campaign.terms.validUntil;

export function campaignStatus(campaign: Campaign, state: CampaignState, now: Instant): CampaignStatus {
  if (state.stoppedAt !== null) return 'stopped';
  if (now >= campaign.terms.validUntil) return 'ended';
  if (state.pausedAt !== null) return 'paused';
  if (isExhausted(campaign, state)) return 'exhausted';
  return now < campaign.terms.validFrom ? 'scheduled' : 'active';
}

export const coefficientLimits = ({
  minCoefficient,
  maxCoefficient,
}: Pick<Terms, 'minCoefficient' | 'maxCoefficient'>) => ({
  min_coefficient: minCoefficient === null ? null : formatCoefficient(minCoefficient),
  max_coefficient: maxCoefficient === null ? null : formatCoefficient(maxCoefficient),
});

/**
 * The winnings if all these bets win at the maximum coefficient; null if their number or the coefficient has no limit.
 */
export function maxWinnings(
  { betAmounts, terms }: Pick<Campaign, 'betAmounts' | 'terms'>,
  currency: string,
  bets: bigint | null,
): string | null {
  if (bets === 0n) return formatMoney(0n);
  if (bets === null || terms.maxCoefficient === null) return null;
  return formatMoney(winOf(betAmounts.get(currency) as number, terms.maxCoefficient, terms.stakeReturned) * bets);
}

/** The maximum liability of the whole campaign, by currency. */
export function maxExposureOf({
  bonusLimit,
  betAmounts,
  terms,
}: Pick<Campaign, 'betAmounts' | 'terms' | 'bonusLimit'>): { currency: string; amount: string | null }[] {
  const bets = bonusLimit === null ? null : BigInt(bonusLimit) * BigInt(terms.quantity);
  return [...betAmounts.keys()].map((currency) => ({
    currency,
    amount: maxWinnings({ betAmounts, terms }, currency, bets),
  }));
}

/** How much other limits would add to the maximum liability, by currency. */
export function raisedExposureOf(
  { campaign, state }: { campaign: Campaign; state: CampaignState },
  to: Limits,
): { currency: string; amount: string | null }[] {
  const { bonusLimit: from, bonusLimitPerUser } = limitsOf(campaign, state);
  const raisesPlayerCap =
    bonusLimitPerUser !== null && (to.bonusLimitPerUser ?? Number.POSITIVE_INFINITY) > bonusLimitPerUser;
  const bets = addedBets(from, to.bonusLimit, raisesPlayerCap, campaign.terms.quantity);
  return [...campaign.betAmounts.keys()].map((currency) => ({
    currency,
    amount: maxWinnings(campaign, currency, bets),
  }));
}

/**
 * The bets that other limits add; null if they are unlimited. A raised per-player cap adds bets only if the campaign
 * has no cap before and after: otherwise the campaign cap bounds them.
 */
function addedBets(from: number | null, to: number | null, raisesPlayerCap: boolean, quantity: number): bigint | null {
  if (to === null) return from === null && !raisesPlayerCap ? 0n : null;
  return from === null ? 0n : BigInt(Math.max(0, to - from)) * BigInt(quantity);
}

/** The fields that a campaign has in common with the request that creates it. */
export const termsBody = ({ terms, betAmounts }: Pick<Campaign, 'terms' | 'betAmounts'>) => ({
  name: terms.name ?? '',
  quantity: terms.quantity,
  valid_from: formatInstant(terms.validFrom),
  valid_until: formatInstant(terms.validUntil),
  games: [...terms.games],
  bet_amounts: [...betAmounts].map(([currency, cents]) => ({ currency, amount: formatMoney(cents) })),
});

export function campaignBody(campaign: Campaign, state: CampaignState, now: Instant): CampaignBody {
  const { terms } = campaign;
  const { bonusLimit, bonusLimitPerUser } = limitsOf(campaign, state);
  return {
    campaign_id: campaign.campaignId,
    ...termsBody(campaign),
    duration_min: terms.durationMin,
    stake_returned: terms.stakeReturned,
    config: {
      bonus_limit: bonusLimit,
      bonus_limit_per_user: bonusLimitPerUser,
      ...coefficientLimits(terms),
    },
    status: campaignStatus(campaign, state, now),
    created_at: formatInstant(campaign.createdAt),
    stopped_at: timeText(state.stoppedAt),
    paused_at: timeText(state.pausedAt),
    limits_changed_at: timeText(state.changedLimits?.at ?? null),
  };
}

const betAmountBytes = 80;
/** For the winnings and the exposure in one currency. */
const totalsBytes = 200;

/** The most bytes that a campaign takes in a response. */
export const campaignBytes = ({ terms, betAmounts }: Campaign): number =>
  termsBytes(terms) + betAmountBytes * betAmounts.size;

export const countedCampaignBytes = (campaign: Campaign): number =>
  campaignBytes(campaign) + totalsBytes * campaign.betAmounts.size;
