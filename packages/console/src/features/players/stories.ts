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

export interface Stories {
  /** By the id of the free bet; of one that is not here, nothing is known yet. */
  stories: Map<string, Story>;
  isPending: boolean;
  error: Error | null;
  retry(): void;
}

/** What became of these free bets: of those that were used or cancelled, with one request for each page of them. */
export function useStories(clientId: number, pages: FreeBetBody[][]): Stories {
  const asked = pages.map((page) => page.filter(hasOne).map(({ issue_id }) => issue_id));
  const answers = useQueries({
    queries: asked
      .filter((issue_ids) => issue_ids.length > 0)
      .map((issue_ids) => asking('FreeBetStories', { client_id: clientId, issue_ids })),
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
