import type { Instant } from '../../primitives/amounts.ts';
import type { StoredEvent } from '../../promo/batch/sql/events.ts';
import type { Activity, StoredBatch } from './sql.ts';

// Adds up stored events without creating event bodies. Changes of a free bet have no game. A bet counts in the hour in
// which it was placed, and a rollback subtracts it from the same hour.

/** By key. */
export type Sums = Map<string, Activity>;

const hourMs = 3_600_000;
const hourOf = (at: Instant): Instant => at - (at % hourMs);

export function foldBatch(sums: Sums, { occurred_at: at, events }: StoredBatch): void {
  const hour = hourOf(at);
  for (const event of events) {
    if ('bet' in event) foldBet(sums, hour, event);
    else if ('freeBet' in event) foldFreeBet(sums, hour, event);
  }
}

type OfBet = Extract<StoredEvent, { bet: unknown }>;
type OfFreeBet = Exclude<Extract<StoredEvent, { freeBet: unknown }>, OfBet>;

function foldFreeBet(sums: Sums, hour: Instant, { type, freeBet: { campaignId, currency } }: OfFreeBet): void {
  if (type === 'freebet.finished') return;
  const row = rowOf(sums, hour, campaignId ?? '', currency, '', '');
  if (type === 'freebet.issued') row.issued += 1;
  else if (type === 'freebet.cancelled') row.cancelled += 1;
  else row.expired += 1;
}

function foldBet(sums: Sums, hour: Instant, { type, freeBet, bet }: OfBet): void {
  const { campaignId, currency, betAmount } = freeBet;
  const isSettled = type === 'freebet.settled';
  const row = rowOf(
    sums,
    isSettled ? hour : hourOf(bet.placedAt),
    campaignId ?? '',
    currency,
    bet.gameId,
    bet.providerId,
  );
  if (isSettled) {
    row.settled += 1;
    row.won += BigInt(bet.winAmount ?? 0);
    return;
  }
  const sign = type === 'freebet.used' ? 1 : -1;
  row.bets += sign;
  row.staked += BigInt(sign * betAmount);
}

function rowOf(
  sums: Sums,
  hour: Instant,
  campaignId: string,
  currency: string,
  gameId: string,
  providerId: string,
): Activity {
  // No id contains a newline.
  const key = `${hour}\n${campaignId}\n${currency}\n${gameId}\n${providerId}`;
  const known = sums.get(key);
  if (known !== undefined) return known;
  const none = { issued: 0, cancelled: 0, expired: 0, bets: 0, settled: 0, staked: 0n, won: 0n };
  const row = { hour, campaignId, currency, gameId, providerId, ...none };
  sums.set(key, row);
  return row;
}

/** Sorted by key, without rows that are all zero. */
export const rowsOf = (sums: Sums): Activity[] =>
  [...sums]
    .filter(([, { issued, cancelled, expired, bets, settled, staked, won }]) =>
      [issued, cancelled, expired, bets, settled, staked, won].some((value) => value),
    )
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, row]) => row);
