import { useQuery } from '@tanstack/react-query';
import type { AnswerOf } from '../../api/call.ts';
import { asking } from '../../api/queries.ts';
import type { ReportGroup } from './selection.ts';

export type Row = AnswerOf<'ReportGet'>['rows'][number];

const most = { limit: 1000 };

/** What a row is about, in words; names are read only where they are shown. */
export function useNames(by: ReportGroup[]): (group: ReportGroup, row: Row) => string {
  const kept = { staleTime: 300_000 };
  const partners = useQuery({ ...asking('PartnerList', most), ...kept, enabled: by.includes('partner') });
  const games = useQuery({ ...asking('CatalogueGames', most), ...kept, enabled: by.includes('game') });
  const providers = useQuery({ ...asking('ProviderList', {}), ...kept, enabled: by.includes('provider') });
  const partnerNames = new Map(partners.data?.partners.map(({ client_id, name }) => [client_id, name]));
  const gameTitles = new Map(games.data?.games.map(({ id, title }) => [id, title]));
  const providerNames = new Map(providers.data?.providers.map(({ provider_id, name }) => [provider_id, name]));
  const noGame = 'no game: given, not played';
  const words: Record<ReportGroup, (row: Row) => string> = {
    partner: ({ client_id = 0 }) => partnerNames.get(client_id) ?? `Partner ${client_id}`,
    campaign: ({ campaign_id }) => campaign_id ?? 'without a campaign',
    game: ({ game_id }) => (game_id == null ? noGame : (gameTitles.get(game_id) ?? game_id)),
    provider: ({ provider_id }) => (provider_id == null ? noGame : (providerNames.get(provider_id) ?? provider_id)),
    currency: ({ currency }) => currency,
    day: ({ day = '' }) => day,
    month: ({ month = '' }) => month,
  };
  return (group, row) => words[group](row);
}
