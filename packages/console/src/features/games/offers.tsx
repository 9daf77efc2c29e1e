import { Anchor, Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { AnswerOf } from '../../api/call.ts';
import { listing } from '../../api/queries.ts';
import { AnchorLink } from '../../ui/anchor-link.tsx';
import { Empty } from '../../ui/empty.tsx';
import { type Column, ListTable } from '../../ui/list-table.tsx';
import { SearchField } from '../../ui/search-field.tsx';

type Partner = AnswerOf<'PartnerList'>['partners'][number];

interface OffersProps {
  search: string | undefined;
  providers: AnswerOf<'ProviderList'>['providers'];
  onSearch(words: string | undefined): void;
}

/** Which partners are offered what. */
export function Offers({ search, providers, onSearch }: OffersProps) {
  const query = useInfiniteQuery(listing('PartnerList', { limit: 25, ...(search && { search }) }));
  const nameOf = (id: string) => providers.find(({ provider_id }) => provider_id === id)?.name ?? id;
  return (
    <Stack>
      <SearchField
        label="Find a partner"
        placeholder="Part of the name, or the id"
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
        empty={<Empty title={search ? 'No partner is called so' : 'There is no partner yet'} />}
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
    title: 'Is offered the games of',
    cell: ({ offers }) => (
      <Text size="sm" lineClamp={2}>
        {offers.length === 0 ? 'nobody yet' : offers.length === all ? `all ${all}` : offers.map(nameOf).join(', ')}
      </Text>
    ),
  },
  {
    title: 'Games',
    isMinor: true,
    cell: ({ client_id }) => (
      <AnchorLink to="/games" search={{ partner: String(client_id) }} size="sm" className="figure">
        Its games
      </AnchorLink>
    ),
  },
];
