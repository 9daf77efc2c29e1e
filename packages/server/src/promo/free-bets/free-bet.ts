import type { FreeBetBody, FreeBetStatus } from '@freebets/contract';
import { type Cents, formatInstant, formatMoney, type Instant } from '../../primitives/amounts.ts';
import { coefficientLimits } from '../campaigns/campaign.ts';
import { type Terms, termsBytes } from '../terms.ts';

export interface FreeBet {
  issueId: string;
  campaignId: string | null;
  playerId: string;
  currency: string;
  betAmount: Cents;
  terms: Terms;
  issuedAt: Instant;
  expiresAt: Instant;
  cancelledAt: Instant | null;
  /** Bets placed with it and not rolled back, settled or not. */
  betsPlaced: number;
  betsSettled: number;
  /** The sweeper has processed the expiry. */
  swept: boolean;
  contentHash: string;
}

/** The hash is left out: it only serves to compare requests. */
export type FreeBetSnapshot = Omit<FreeBet, 'contentHash'>;

/** Copies field by field: a rest pattern takes 15 times as long, and every command makes copies. */
export const freeBetSnapshot = (freeBet: FreeBet): FreeBetSnapshot => ({
  issueId: freeBet.issueId,
  campaignId: freeBet.campaignId,
  playerId: freeBet.playerId,
  currency: freeBet.currency,
  betAmount: freeBet.betAmount,
  terms: freeBet.terms,
  issuedAt: freeBet.issuedAt,
  expiresAt: freeBet.expiresAt,
  cancelledAt: freeBet.cancelledAt,
  betsPlaced: freeBet.betsPlaced,
  betsSettled: freeBet.betsSettled,
  swept: freeBet.swept,
});

export type NewFreeBet = Omit<FreeBet, 'cancelledAt' | 'betsPlaced' | 'betsSettled' | 'swept'>;

export const newFreeBet = (given: NewFreeBet): FreeBet => ({
  ...given,
  cancelledAt: null,
  betsPlaced: 0,
  betsSettled: 0,
  swept: false,
});

const minuteMs = 60_000;

/** The earlier of activation + duration and the end of validity; the activation is the later of issue and start. */
export function expiryOf({ validFrom, validUntil, durationMin }: Terms, issuedAt: Instant): Instant {
  if (durationMin === null) return validUntil;
  return Math.min(Math.max(issuedAt, validFrom) + durationMin * minuteMs, validUntil);
}

export const remainingOf = (freeBet: FreeBetSnapshot): number => freeBet.terms.quantity - freeBet.betsPlaced;

/**
 * Only unused bets expire: a free bet with all bets placed in time waits for their settlement. A swept free bet stays
 * expired even if the clock of the new primary is a little behind after a failover.
 */
export const isExpired = (freeBet: FreeBetSnapshot, now: Instant): boolean =>
  (freeBet.swept || now >= freeBet.expiresAt) && remainingOf(freeBet) > 0;

export function freeBetStatus(freeBet: FreeBetSnapshot, now: Instant): FreeBetStatus {
  if (freeBet.cancelledAt !== null) return 'cancelled';
  if (freeBet.betsSettled === freeBet.terms.quantity) return 'finished';
  if (isExpired(freeBet, now)) return 'expired';
  if (freeBet.betsPlaced > 0) return 'in_use';
  return now < freeBet.terms.validFrom ? 'issued' : 'active';
}

export function freeBetBody(freeBet: FreeBetSnapshot, now: Instant): FreeBetBody {
  const { terms } = freeBet;
  return {
    issue_id: freeBet.issueId,
    campaign_id: freeBet.campaignId,
    status: freeBetStatus(freeBet, now),
    player_id: freeBet.playerId,
    currency: freeBet.currency,
    bet_amount: formatMoney(freeBet.betAmount),
    quantity: terms.quantity,
    remaining: remainingOf(freeBet),
    games: terms.games as string[],
    config: coefficientLimits(terms),
    valid_from: formatInstant(terms.validFrom),
    valid_until: formatInstant(terms.validUntil),
    expires_at: formatInstant(freeBet.expiresAt),
    issued_at: formatInstant(freeBet.issuedAt),
  };
}

/** The response to the original issue request, regardless of later changes. */
export const issuedBody = (freeBet: FreeBet): FreeBetBody => freeBetBody(newFreeBet(freeBet), freeBet.issuedAt);

/** The most bytes that a free bet takes in a response. */
export const freeBetBytes = ({ terms }: Pick<FreeBet, 'terms'>): number => termsBytes(terms);
