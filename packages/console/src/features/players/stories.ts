import type { BetBody, FreeBetBody } from '@freebets/contract';
import { useQueries } from '@tanstack/react-query';
import type { AnswerOf } from '../../api/call.ts';
import { asking } from '../../api/queries.ts';
import { amountOf, centsOf } from '../../ui/cents.ts';

/** What the bets of a free bet have won so far. */
export const wonIn = (bets: BetBody[]): string =>
  amountOf(bets.reduce((sum, { win_amount }) => sum + (win_amount === null ? 0n : centsOf(win_amount)), 0n));

export type Story = AnswerOf<'FreeBetStories'>['stories'][number];

const hasOne = ({ remaining, quantity, status }: FreeBetBody): boolean =>
  remaining < quantity || status === 'cancelled';

/** What became of these free bets, by their ids: of those that were used or cancelled, with one request for each page of them. */
export function useStories(clientId: number, pages: FreeBetBody[][]): Map<string, Story> {
  const asked = pages.map((page) => page.filter(hasOne).map(({ issue_id }) => issue_id));
  const answers = useQueries({
    queries: asked
      .filter((issue_ids) => issue_ids.length > 0)
      .map((issue_ids) => asking('FreeBetStories', { client_id: clientId, issue_ids })),
  });
  return new Map(answers.flatMap(({ data }) => data?.stories.map((story) => [story.issue_id, story] as const) ?? []));
}
