import { Button, Stack, Tabs } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { download } from '../../api/call.ts';
import { asking, listing } from '../../api/queries.ts';
import { useMay, usePerson } from '../../api/session.ts';
import { numberIn } from '../../ui/address-id.ts';
import { count } from '../../ui/money.tsx';
import { Page } from '../../ui/page.tsx';
import { RefusalNote } from '../../ui/refusal.tsx';
import { GameFilters, type GameSearch } from './game-filters.tsx';
import { GameGrid } from './game-grid.tsx';
import { ImportDialog } from './import-dialog.tsx';
import { Offers } from './offers.tsx';

const route = getRouteApi('/inside/games');

const wanted = ({ partner, search, provider, currency, free_bets }: GameSearch) => ({
  limit: 60,
  ...(search && { search }),
  ...(provider && { provider_id: provider }),
  ...(currency && { currency }),
  ...(free_bets && { free_bets: free_bets === 'yes' }),
  ...(numberIn(partner) && { client_id: numberIn(partner) }),
});

const isFiltered = ({ view: _, ...filters }: GameSearch): boolean => Object.values(filters).some(Boolean);

function aboutOf(total: number | undefined, isFiltered: boolean, providers: number): string | undefined {
  if (total === undefined) return undefined;
  const games = `${count(total)} ${total === 1 ? 'game' : 'games'}`;
  return isFiltered ? `${games} ${total === 1 ? 'matches' : 'match'}` : `${games} of ${count(providers)} providers`;
}

/** The catalogue, and which partners are offered what of it. */
export function Games() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const may = useMay();
  const { partners: scope } = usePerson();
  const [isImporting, importing] = useDisclosure(false);
  const query = useInfiniteQuery(listing('CatalogueGames', wanted(search)));
  const { data: known } = useQuery(asking('ProviderList', {}));
  const save = useMutation({ mutationFn: () => download('CatalogueExport', {}) });
  const providers = known?.providers ?? [];
  const set = (next: GameSearch) => void navigate({ search: (before) => ({ ...before, ...next }), replace: true });
  return (
    <Page
      title="Games"
      about={aboutOf(query.data?.pages[0]?.total, isFiltered(search), providers.length)}
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
      <Tabs
        value={search.view ?? 'games'}
        onChange={(view) => set({ view: view === 'offers' ? view : undefined })}
        keepMounted={false}
      >
        <Tabs.List mb="md">
          <Tabs.Tab value="games">Games</Tabs.Tab>
          <Tabs.Tab value="offers">Offers</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="games">
          <Stack>
            <GameFilters search={search} providers={providers} onChange={set} />
            <GameGrid query={query} providers={providers} isFiltered={isFiltered(search)} />
          </Stack>
        </Tabs.Panel>
        <Tabs.Panel value="offers">
          <Offers search={search.search} providers={providers} onSearch={(words) => set({ search: words })} />
        </Tabs.Panel>
      </Tabs>
      {may('CatalogueImport') && <ImportDialog isOpen={isImporting} onClose={importing.close} />}
    </Page>
  );
}
