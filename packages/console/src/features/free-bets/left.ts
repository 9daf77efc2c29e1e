import type { FreeBetBody } from '@freebets/contract';
import type { Side } from '../../ui/dates.ts';

// Cancelled and expired free bets keep their counts and times, but the player has no bets left.

const isUsable = ({ status }: FreeBetBody): boolean => ['issued', 'active', 'in_use'].includes(status);

export const leftText = (freeBet: FreeBetBody): string =>
  `${isUsable(freeBet) ? freeBet.remaining : 0} of ${freeBet.quantity}`;

/** Null for a free bet that was cancelled, or has no bets left that could expire. */
export function expiryOf(freeBet: FreeBetBody): { at: string | null; is: Side } {
  const { status, expires_at, remaining } = freeBet;
  if (status === 'expired') return { at: expires_at, is: 'past' };
  return { at: isUsable(freeBet) && remaining > 0 ? expires_at : null, is: 'ahead' };
}
