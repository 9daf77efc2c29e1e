import { Anchor, Button, Group, Select, Stack, Tabs, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { SearchIcon } from '@primer/octicons-react';
import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type CallResponse, download } from '../../api/call.ts';
import { callQuery, listQuery } from '../../api/queries.ts';
import { useMay, usePerson } from '../../api/session.ts';
import { numberIn } from '../../ui/address.ts';
import { ErrorNote } from '../../ui/error-note.tsx';
import { SearchField } from '../../ui/fields.tsx';
import { count } from '../../ui/figures.tsx';
import { type Column, ListTable } from '../../ui/list-table.tsx';
import { AnchorLink, Empty, Page } from '../../ui/page.tsx';
import { GameGrid } from './game-grid.tsx';
import { ImportDialog } from './import-dialog.tsx';

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
  return isFiltered
    ? `${count(total)} matching ${total === 1 ? 'game' : 'games'}`
    : `${games} from ${count(providers)} game providers`;
}

/** The game catalogue and the partners' offers. */
export function Games() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const may = useMay();
  const { partners: scope } = usePerson();
  const [isImporting, importing] = useDisclosure(false);
  const query = useInfiniteQuery(listQuery('CatalogueGames', wanted(search)));
  const { data: known } = useQuery(callQuery('ProviderList', {}));
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
            Export catalogue
          </Button>
          {may('CatalogueImport') && scope === null && <Button onClick={importing.open}>Import catalogue…</Button>}
        </>
      }
    >
      {save.error && <ErrorNote error={save.error} />}
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

/** The filters in the address. */
export interface GameSearch {
  view?: string;
  partner?: string;
  search?: string;
  provider?: string;
  currency?: string;
  free_bets?: string;
}

interface GameFiltersProps {
  search: GameSearch;
  providers: CallResponse<'ProviderList'>['providers'];
  onChange(next: GameSearch): void;
}

function GameFilters({ search, providers, onChange }: GameFiltersProps) {
  const currencies = [...new Set(providers.flatMap(({ currencies }) => currencies))].toSorted();
  return (
    <Group align="flex-end" gap="sm">
      <SearchField
        label="Search"
        placeholder="Title or ID"
        type="search"
        leftSection={<SearchIcon size={16} aria-hidden />}
        value={search.search}
        onSearch={(words) => onChange({ search: words })}
        maxLength={128}
      />
      <Select
        label="Game provider"
        placeholder="All"
        clearable
        searchable
        data={providers.map(({ provider_id, name }) => ({ value: provider_id, label: name }))}
        value={search.provider ?? null}
        onChange={(value) => onChange({ provider: value ?? undefined })}
      />
      <Select
        label="Currency"
        placeholder="All"
        clearable
        searchable
        w={120}
        data={currencies}
        value={search.currency ?? null}
        onChange={(value) => onChange({ currency: value ?? undefined })}
      />
      <Select
        label="Free bets"
        placeholder="All"
        clearable
        w={160}
        data={[
          { value: 'yes', label: 'Supported' },
          { value: 'no', label: 'Not supported' },
        ]}
        value={search.free_bets ?? null}
        onChange={(value) => onChange({ free_bets: value ?? undefined })}
      />
    </Group>
  );
}

type Partner = CallResponse<'PartnerList'>['partners'][number];

interface OffersProps {
  search: string | undefined;
  providers: CallResponse<'ProviderList'>['providers'];
  onSearch(words: string | undefined): void;
}

/** The game providers that each partner can use. */
function Offers({ search, providers, onSearch }: OffersProps) {
  const query = useInfiniteQuery(listQuery('PartnerList', { limit: 25, ...(search && { search }) }));
  const nameOf = (id: string) => providers.find(({ provider_id }) => provider_id === id)?.name ?? id;
  return (
    <Stack>
      <SearchField
        label="Find a partner"
        placeholder="Part of the name, or the ID"
        value={search}
        onSearch={onSearch}
        maxLength={128}
        maw={320}
      />
      <ListTable
        label="Offers"
        query={query}
        rowsOf={({ partners }) => partners}
        keyOf={({ client_id }) => String(client_id)}
        columns={columnsOf(providers.length, nameOf)}
        empty={<Empty title={search ? 'No matching partners' : 'No partners yet'} />}
      />
    </Stack>
  );
}

const columnsOf = (all: number, nameOf: (id: string) => string): Column<Partner>[] => [
  {
    title: 'Partner',
    cell: ({ client_id, name }) => (
      <Anchor component={Link} to={`/partners/${client_id}`} fw={600}>
        {name}
      </Anchor>
    ),
  },
  {
    title: 'Game providers offered',
    cell: ({ offers }) => (
      <Text size="sm" lineClamp={2}>
        {offers.length === 0 ? 'none' : offers.length === all ? `all ${all}` : offers.map(nameOf).join(', ')}
      </Text>
    ),
  },
  {
    title: 'Games',
    isMinor: true,
    cell: ({ client_id }) => (
      <AnchorLink to="/games" search={{ partner: String(client_id) }} size="sm" className="figure">
        Show games
      </AnchorLink>
    ),
  },
];
