import type { BetBody, FreeBetBody } from '@freebets/contract';
import { useQueries } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import { asking } from '../../api/queries.ts';
import { amountOf, centsOf } from '../../ui/cents.ts';

/** What the bets of a free bet have won so far. */
export const wonIn = (bets: BetBody[]): string =>
  amountOf(bets.reduce((sum, { win_amount }) => sum + (win_amount === null ? 0n : centsOf(win_amount)), 0n));

/** Nothing happens any more to one that is finished, so that it is read one time. */
function betsQuery(clientId: number, { issue_id, status }: FreeBetBody) {
  const asked = { client_id: clientId, issue_id };
  if (status !== 'finished') return asking('FreeBetGet', asked);
  return {
    queryKey: ['finished free bet', asked],
    queryFn: ({ signal }: { signal: AbortSignal }) => call('FreeBetGet', asked, signal),
    staleTime: Number.POSITIVE_INFINITY,
  };
}

/** The bets of these free bets, by their ids; only those that were used are asked for. */
export function useBets(clientId: number, freeBets: FreeBetBody[]): Map<string, BetBody[]> {
  const used = freeBets.filter(({ remaining, quantity }) => remaining < quantity);
  const answers = useQueries({ queries: used.map((freeBet) => betsQuery(clientId, freeBet)) });
  return new Map(answers.flatMap(({ data }) => (data ? [[data.issue_id, data.bets]] : [])));
}
