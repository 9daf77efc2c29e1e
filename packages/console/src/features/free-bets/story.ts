import type { BetBody, FreeBetBody } from '@freebets/contract';
import { useQueries } from '@tanstack/react-query';
import type { CallResponse } from '../../api/call.ts';
import { callQuery } from '../../api/queries.ts';
import { moneyText } from '../../ui/figures.tsx';
import { amountOf, centsOf } from '../../ui/numbers.ts';

// The history of a free bet in plain words, in order of time.

export interface Chapter {
  /** Null if unknown. */
  at: string | null;
  text: string;
  isAhead?: boolean;
}

export type WholeFreeBet = FreeBetBody & { bets: BetBody[] };
/** `cancellation` is null while it loads and if there is none. */
type Ended = WholeFreeBet & Pick<Story, 'cancellation'>;
type TitleOf = (gameId: string) => string;

const bets = (count: number): string => `${count} ${count === 1 ? 'bet' : 'bets'}`;

const length = (ms: number): string => {
  const minutes = Math.round(ms / 60_000);
  const [count, unit] =
    minutes % 1440 === 0 ? [minutes / 1440, 'day'] : minutes % 60 === 0 ? [minutes / 60, 'hour'] : [minutes, 'minute'];
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
};

/** The reason for the expiry time. */
function expiryReason({ expires_at, valid_until, issued_at, valid_from }: FreeBetBody): string {
  if (expires_at === valid_until) return 'the end of its validity';
  const begin = Math.max(Date.parse(issued_at), Date.parse(valid_from));
  return `${length(Date.parse(expires_at) - begin)} after it became usable`;
}

export function statusReason(freeBet: WholeFreeBet): string {
  const { status, remaining, quantity, bets: placed } = freeBet;
  const open = placed.filter((bet) => bet.status === 'placed').length;
  return {
    issued: 'Not usable yet: its validity has not started.',
    active: `Usable: ${bets(remaining)} left, none placed yet.`,
    in_use: `In use: ${bets(quantity - remaining)} placed, ${remaining} left, ${open} not settled yet.`,
    finished: `Finished: ${quantity === 1 ? 'its bet is' : 'all its bets are'} settled.`,
    cancelled: 'Cancelled before any bet was placed. It cannot be used.',
    expired: `Expired with ${bets(remaining)} left, ${expiryReason(freeBet)}.`,
  }[status];
}

function chaptersOfBet(bet: BetBody, { currency }: FreeBetBody, titleOf: TitleOf, which: string): Chapter[] {
  const atOdds = bet.coefficient === null ? '' : ` at odds of ${bet.coefficient}`;
  const placed: Chapter = {
    at: bet.placed_at,
    text: `${which} placed in ${titleOf(bet.game_id)}${bet.status === 'placed' ? atOdds : ''}.`,
  };
  if (bet.settled_at === null) return [placed];
  const result = bet.status === 'won' ? `won ${moneyText(bet.win_amount ?? '0.00', currency)}${atOdds}` : 'lost';
  return [placed, { at: bet.settled_at, text: `${which} settled: ${result}.` }];
}

function cancelled(cancellation: Story['cancellation']): Chapter {
  if (cancellation === null) return { at: null, text: 'Cancelled before any bet was placed.' };
  const { at, by, reason } = cancellation;
  return {
    at,
    text: `Cancelled by ${by ?? 'the partner'} before any bet was placed${reason ? `: “${reason}”` : ''}.`,
  };
}

function ending(freeBet: Ended): Chapter[] {
  const { status, expires_at, remaining, quantity, bets: placed, cancellation } = freeBet;
  if (status === 'cancelled') return [cancelled(cancellation)];
  if (status === 'expired')
    return [{ at: expires_at, text: `Expired with ${remaining} of ${bets(quantity)} left, ${expiryReason(freeBet)}.` }];
  if (status === 'finished') {
    const settled = placed.flatMap(({ settled_at }) => settled_at ?? []).toSorted();
    return [{ at: settled.at(-1) ?? null, text: 'Finished: all bets are settled.' }];
  }
  if (remaining === 0) return [];
  const unused = `${bets(remaining)} ${remaining === 1 ? 'is' : 'are'} still unused`;
  return [{ at: expires_at, text: `Expires if ${unused}, ${expiryReason(freeBet)}.`, isAhead: true }];
}

/** Unknown times come last. */
const timeOf = ({ at }: Chapter): number => (at === null ? Number.POSITIVE_INFINITY : Date.parse(at));

export function storyOf(freeBet: Ended, campaignName: string | null, titleOf: TitleOf): Chapter[] {
  const { issued_at, valid_from, quantity, bet_amount, currency, status, cancellation } = freeBet;
  const from = campaignName === null ? 'without a campaign' : `from the campaign “${campaignName}”`;
  const beginning: Chapter[] = [
    { at: issued_at, text: `Issued: ${bets(quantity)} of ${moneyText(bet_amount, currency)} ${from}.` },
  ];
  const begin = Date.parse(valid_from);
  const isOverBefore = cancellation !== null && Date.parse(cancellation.at) < begin;
  if (begin > Date.parse(issued_at) && !isOverBefore)
    beginning.push({ at: valid_from, text: 'Becomes usable.', isAhead: status === 'issued' });
  const placed = freeBet.bets.toSorted((a, b) => Date.parse(a.placed_at) - Date.parse(b.placed_at));
  const middle = placed.flatMap((bet, i) => chaptersOfBet(bet, freeBet, titleOf, `Bet ${i + 1} of ${quantity}`));
  // A bet can be settled after the free bet expired, so sort by time.
  const all = [...beginning, ...middle, ...ending(freeBet)].toSorted((a, b) => timeOf(a) - timeOf(b));
  return [...all.filter(({ isAhead }) => !isAhead), ...all.filter(({ isAhead }) => isAhead)];
}

/** The winnings of a free bet so far. */
export const wonIn = (bets: BetBody[]): string =>
  amountOf(bets.reduce((sum, { win_amount }) => sum + (win_amount === null ? 0n : centsOf(win_amount)), 0n));

export type Story = CallResponse<'FreeBetStories'>['stories'][number];

const hasOne = ({ remaining, quantity, status }: FreeBetBody): boolean =>
  remaining < quantity || status === 'cancelled';

export interface Stories {
  /** By the ID of the free bet; missing while it loads. */
  stories: Map<string, Story>;
  isPending: boolean;
  error: Error | null;
  retry(): void;
}

/** The bets and cancellations of used or cancelled free bets, with one request per page of free bets. */
export function useStories(clientId: number, pages: FreeBetBody[][]): Stories {
  const asked = pages.map((page) => page.filter(hasOne).map(({ issue_id }) => issue_id));
  const answers = useQueries({
    queries: asked
      .filter((issue_ids) => issue_ids.length > 0)
      .map((issue_ids) => callQuery('FreeBetStories', { client_id: clientId, issue_ids })),
  });
  const failed = answers.filter(({ data, error }) => error && !data);
  return {
    stories: new Map(
      answers.flatMap(({ data }) => data?.stories.map((story) => [story.issue_id, story] as const) ?? []),
    ),
    isPending: answers.some((answer) => answer.isPending),
    error: failed[0]?.error ?? null,
    retry: () => {
      for (const { refetch } of failed) void refetch();
    },
  };
}
