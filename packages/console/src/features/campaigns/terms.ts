import type { CampaignGetResponse, DraftContents } from '@freebets/contract';
import { count, moneyText } from '../../ui/money.tsx';

// The terms of a campaign as a manager would say them, of one that exists or of a draft that is not complete yet.

type Content = DraftContents['campaign'];

export interface Terms {
  quantity: number | null;
  games: string[];
  amounts: { currency: string; amount: string }[];
  validFrom: string | null;
  validUntil: string | null;
  durationMin: number | null;
  limit: number | null;
  limitPerPlayer: number | null;
  minCoefficient: string | null;
  maxCoefficient: string | null;
  /** Null if unknown, such as in a draft that is not valid yet. */
  stakeReturned: boolean | null;
}

/** A draft may lack any of these fields. Its content does not say whether the stake is returned; the draft itself does. */
export function termsOf(
  content: Partial<Content> | CampaignGetResponse,
  { stake_returned }: { stake_returned: boolean | null },
): Terms {
  const { config } = content;
  return {
    quantity: content.quantity ?? null,
    games: content.games ?? [],
    amounts: content.bet_amounts ?? [],
    validFrom: content.valid_from ?? null,
    validUntil: content.valid_until ?? null,
    durationMin: content.duration_min ?? null,
    limit: config?.bonus_limit ?? null,
    limitPerPlayer: config?.bonus_limit_per_user ?? null,
    minCoefficient: config?.min_coefficient ?? null,
    maxCoefficient: config?.max_coefficient ?? null,
    stakeReturned: stake_returned,
  };
}

const plural = (value: number, word: string): string => `${count(value)} ${word}${value === 1 ? '' : 's'}`;

/** Such as "2 days". */
export function durationText(minutes: number): string {
  const [length, word] =
    (
      [
        [1440, 'day'],
        [60, 'hour'],
      ] as const
    ).find(([length]) => minutes % length === 0) ?? ([1, 'minute'] as const);
  return plural(minutes / length, word);
}

const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
export const dayText = (time: string): string => day.format(new Date(time));

function orOf(parts: string[]): string {
  const last = parts.at(-1) ?? '…';
  return parts.length < 2 ? last : `${parts.slice(0, -1).join(', ')} or ${last}`;
}

const amountsText = (amounts: Terms['amounts']): string =>
  orOf(amounts.map((each) => moneyText(each.amount, each.currency)));

export function gamesText(games: string[], titleOf: (id: string) => string): string {
  if (games.length <= 3) return orOf(games.map(titleOf));
  return `${games.slice(0, 2).map(titleOf).join(', ')} or ${count(games.length - 2)} other games`;
}

export function coefficientsText({
  minCoefficient,
  maxCoefficient,
}: Pick<Terms, 'minCoefficient' | 'maxCoefficient'>): string {
  if (minCoefficient === null && maxCoefficient === null) return 'any';
  if (maxCoefficient === null) return `${minCoefficient} and more`;
  return minCoefficient === null ? `up to ${maxCoefficient}` : `${minCoefficient} to ${maxCoefficient}`;
}

/** The industry abbreviates stake not returned to SNR. */
export const payoutText = (stakeReturned: boolean | null): string => {
  if (stakeReturned === null) return 'not known yet';
  return stakeReturned ? 'Stake returned' : 'Stake not returned (SNR)';
};

export function limitsText({ limit, limitPerPlayer }: Pick<Terms, 'limit' | 'limitPerPlayer'>): string {
  const inAll = limit === null ? 'any number of free bets' : `at most ${plural(limit, 'free bet')}`;
  const each = limitPerPlayer === null ? 'any number' : count(limitPerPlayer);
  return `${inAll} in all, ${each} to one player`;
}

/** Two or three sentences. */
export function sentencesOf(terms: Terms, titleOf: (id: string) => string): string {
  const { quantity, amounts, games, validFrom, validUntil, durationMin } = terms;
  const bets = quantity === null ? '…' : plural(quantity, 'bet');
  const lasting =
    durationMin === null ? 'lasts until then' : `lasts ${durationText(durationMin)} from when it can be used`;
  return [
    `A free bet gives its player ${bets} of ${amountsText(amounts)}, in ${gamesText(games, titleOf)}.`,
    `It is given from ${validFrom ? dayText(validFrom) : '…'} until ${validUntil ? dayText(validUntil) : '…'}, and ${lasting}.`,
    `The campaign gives ${limitsText(terms)}; bets are taken at coefficients of ${coefficientsText(terms).replace('any', 'any size')}.`,
  ].join(' ');
}
