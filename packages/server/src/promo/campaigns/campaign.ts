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

/** What was promised. It never changes after creation. */
export interface Campaign extends Limits {
  campaignId: string;
  terms: Terms;
  betAmounts: BetAmounts;
  contentHash: string;
  createdAt: Instant;
}

/** How many free bets it gives, in all and to one player; null is no limit. */
export interface Limits {
  bonusLimit: number | null;
  bonusLimitPerUser: number | null;
}

/** What has become of its free bets. `issued` counts every one ever issued, the cancelled among them. */
export interface CampaignCounts {
  issued: number;
  cancelled: number;
  /** Those that are written down as expired; one whose time has come counts from that instant, written down or not. */
  expired: number;
  finished: number;
  /** Bets that stand: placed and not rolled back. */
  betsPlaced: number;
}

/** What has happened to it. */
export interface CampaignState extends CampaignCounts {
  stoppedAt: Instant | null;
  pausedAt: Instant | null;
  /** In force instead of those it was created with, once they were changed. */
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

/** Whether it is written down what each player holds: of a campaign that limits players, or whose limits ever changed. */
export const keepsPlayers = (campaign: Campaign, { changedLimits }: CampaignState): boolean =>
  campaign.bonusLimitPerUser !== null || changedLimits !== null;

/** A cancelled free bet gives its place back; an expired one does not. */
export function isExhausted(campaign: Campaign, state: CampaignState): boolean {
  const { bonusLimit } = limitsOf(campaign, state);
  return bonusLimit !== null && state.issued - state.cancelled >= bonusLimit;
}

/** It gives nothing any more, whatever is done with it. */
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

/** What so many bets win if all of them win at the highest coefficient; null where nothing bounds one or the other. */
export function mostWonBy(
  { betAmounts, terms }: Pick<Campaign, 'betAmounts' | 'terms'>,
  currency: string,
  bets: bigint | null,
): string | null {
  if (bets === 0n) return formatMoney(0n);
  if (bets === null || terms.maxCoefficient === null) return null;
  return formatMoney(winOf(betAmounts.get(currency) as number, terms.maxCoefficient, terms.stakeReturned) * bets);
}

/** The most that the whole campaign could ever win, by currency. */
export function maxExposureOf({
  bonusLimit,
  betAmounts,
  terms,
}: Pick<Campaign, 'betAmounts' | 'terms' | 'bonusLimit'>): { currency: string; amount: string | null }[] {
  const bets = bonusLimit === null ? null : BigInt(bonusLimit) * BigInt(terms.quantity);
  return [...betAmounts.keys()].map((currency) => ({
    currency,
    amount: mostWonBy({ betAmounts, terms }, currency, bets),
  }));
}

/** The most that it could win more than before with other limits, by currency. */
export function raisedExposureOf(
  { campaign, state }: { campaign: Campaign; state: CampaignState },
  to: Limits,
): { currency: string; amount: string | null }[] {
  const { bonusLimit: from, bonusLimitPerUser } = limitsOf(campaign, state);
  const isForPlayers =
    bonusLimitPerUser !== null && (to.bonusLimitPerUser ?? Number.POSITIVE_INFINITY) > bonusLimitPerUser;
  const bets = betsMore(from, to.bonusLimit, isForPlayers, campaign.terms.quantity);
  return [...campaign.betAmounts.keys()].map((currency) => ({
    currency,
    amount: mostWonBy(campaign, currency, bets),
  }));
}

/** Null where nothing bounds them. What one player may have more counts only where the campaign gives without end. */
function betsMore(from: number | null, to: number | null, isForPlayers: boolean, quantity: number): bigint | null {
  if (to === null) return from === null && !isForPlayers ? 0n : null;
  return from === null ? 0n : BigInt(Math.max(0, to - from)) * BigInt(quantity);
}

/** What a request for a campaign and the campaign itself say alike. */
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
/** The winnings and the exposure in one currency. */
const totalsBytes = 200;

/** The most bytes that a campaign takes in a response. */
export const campaignBytes = ({ terms, betAmounts }: Campaign): number =>
  termsBytes(terms) + betAmountBytes * betAmounts.size;

export const countedCampaignBytes = (campaign: Campaign): number =>
  campaignBytes(campaign) + totalsBytes * campaign.betAmounts.size;
