import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { download } from '../../api/call.ts';
import { asking, listing } from '../../api/queries.ts';
import { useMay, usePerson } from '../../api/session.ts';
import { count } from '../../ui/money.tsx';
import { Page } from '../../ui/page.tsx';
import { RefusalNote } from '../../ui/refusal.tsx';
import { GameFilters } from './game-filters.tsx';
import { GameGrid } from './game-grid.tsx';
import { ImportDialog } from './import-dialog.tsx';
import { Offers } from './offers.tsx';

const route = getRouteApi('/inside/games');

export interface GameSearch {
  partner?: string;
  search?: string;
  provider?: string;
  currency?: string;
  free_bets?: string;
}

const wanted = ({ partner, search, provider, currency, free_bets }: GameSearch) => ({
  limit: 60,
  ...(search && { search }),
  ...(provider && { provider_id: provider }),
  ...(currency && { currency }),
  ...(free_bets && { free_bets: free_bets === 'yes' }),
  ...(/^\d+$/.test(partner ?? '') && { client_id: Number(partner) }),
});

/** The catalogue. */
export function Games() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const may = useMay();
  const { partners: scope } = usePerson();
  const [isImporting, importing] = useDisclosure(false);
  const query = useInfiniteQuery(listing('CatalogueGames', wanted(search)));
  const { data: known } = useQuery(asking('ProviderList', {}));
  const save = useMutation({ mutationFn: () => download('CatalogueExport', {}) });
  const total = query.data?.pages[0]?.total;
  const providers = known?.providers ?? [];
  return (
    <Page
      title="Games"
      about={
        total === undefined
          ? undefined
          : `${count(total)} ${total === 1 ? 'game' : 'games'} of ${providers.length} providers`
      }
      actions={
        <>
          <Button variant="default" loading={save.isPending} onClick={() => save.mutate()}>
            Export
          </Button>
          {may('CatalogueImport') && scope === null && <Button onClick={importing.open}>Import…</Button>}
        </>
      }
    >
      {save.error && <RefusalNote error={save.error} />}
      <GameFilters
        search={search}
        providers={providers}
        onChange={(next) => void navigate({ search: (before) => ({ ...before, ...next }), replace: true })}
      />
      <GameGrid query={query} providers={providers} isFiltered={Object.values(search).some(Boolean)} />
      <Offers providers={providers} />
      {may('CatalogueImport') && <ImportDialog isOpen={isImporting} onClose={importing.close} />}
    </Page>
  );
}
