import type { AnswerOf } from '../../api/call.ts';
import type { ReportGroup } from './selection.ts';

export type Row = AnswerOf<'ReportGet'>['rows'][number];

const noGame = 'no game: given, not played';

/** What a row is about, in words. */
const words: Record<ReportGroup, (row: Row) => string> = {
  partner: ({ client_id, partner_name }) => partner_name ?? `Partner ${client_id}`,
  campaign: ({ campaign_id, campaign_name }) => campaign_name ?? campaign_id ?? 'without a campaign',
  game: ({ game_id, game_title }) => game_title ?? game_id ?? noGame,
  provider: ({ provider_id, provider_name }) => provider_name ?? provider_id ?? noGame,
  currency: ({ currency }) => currency,
  day: ({ day = '' }) => day,
  month: ({ month = '' }) => month,
};

export const nameOf = (group: ReportGroup, row: Row): string => words[group](row);

/** Names that several campaigns have: beside these stands the id. */
export function sharedNames(rows: Row[]): Set<string> {
  const ids = Map.groupBy(rows, (row) => nameOf('campaign', row));
  const isShared = (some: Row[]) =>
    new Set(some.map(({ client_id, campaign_id }) => `${client_id} ${campaign_id}`)).size > 1;
  return new Set([...ids].flatMap(([name, some]) => (isShared(some) ? [name] : [])));
}

/** What tells a row from others: names may be equal. */
export const keyOf = ({ client_id, campaign_id, game_id, provider_id, day, month, currency }: Row): string =>
  [client_id, campaign_id, game_id, provider_id, day, month, currency].join('\n');
