import { Anchor, Title } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { AnswerOf } from '../../api/call.ts';
import { listing } from '../../api/queries.ts';
import { Empty } from '../../ui/empty.tsx';
import { type Column, ListTable } from '../../ui/list-table.tsx';

type Partner = AnswerOf<'PartnerList'>['partners'][number];

/** Which partners are offered what. */
export function Offers({ providers }: { providers: AnswerOf<'ProviderList'>['providers'] }) {
  const query = useInfiniteQuery(listing('PartnerList', { limit: 25 }));
  const nameOf = (id: string) => providers.find(({ provider_id }) => provider_id === id)?.name ?? id;
  const columns: Column<Partner>[] = [
    {
      title: 'Partner',
      cell: ({ client_id, name }) => (
        <Anchor component={Link} to="/games" search={{ partner: String(client_id) } as never}>
          {name}
        </Anchor>
      ),
    },
    {
      title: 'Is offered the games of',
      cell: ({ offers }) => (offers.length === 0 ? 'nobody yet' : offers.map(nameOf).join(', ')),
    },
  ];
  return (
    <section aria-label="Offers">
      <Title order={2} mb="xs">
        Offers
      </Title>
      <ListTable
        label="Offers"
        query={query}
        rowsOf={({ partners }) => partners}
        keyOf={({ client_id }) => String(client_id)}
        columns={columns}
        empty={<Empty title="There is no partner yet" />}
      />
    </section>
  );
}
