import { Anchor, Badge, Button, Group, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { CallResponse } from '../../api/call.ts';
import { listQuery } from '../../api/queries.ts';
import { useMayForAll } from '../../api/session.ts';
import { SearchField } from '../../ui/fields.tsx';
import { count } from '../../ui/figures.tsx';
import { type Column, ListTable } from '../../ui/list-table.tsx';
import { Empty, Page } from '../../ui/page.tsx';
import { Status } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { AdminRequests } from '../confirmations/requests.tsx';

const route = getRouteApi('/inside/partners');

type Partner = CallResponse<'PartnerUpdate'>;

const columns: Column<Partner>[] = [
  {
    title: 'Partner',
    cell: ({ client_id, name, sandbox }) => (
      <>
        <Group gap="xs">
          <Anchor component={Link} to={`/partners/${client_id}`} fw={600}>
            {name}
          </Anchor>
          {sandbox && <SandboxMark />}
        </Group>
        <Text size="xs" c="dimmed">
          client_id {client_id}
        </Text>
      </>
    ),
  },
  { title: 'Status', cell: ({ disabled_at }) => <Status is={disabled_at === null ? 'active' : 'disabled'} /> },
  { title: 'Webhook', cell: ({ webhook }) => (webhook === null ? 'none' : <Status is={webhook} />) },
  { title: 'Game providers', isFigure: true, isMinor: true, cell: ({ offers }) => count(offers.length) },
  { title: 'Signing', isMinor: true, cell: ({ signing }) => signing },
  { title: 'Allowed from', isMinor: true, cell: ({ allow_from }) => placesText(allow_from) },
  { title: 'Created', isMinor: true, cell: ({ created_at }) => <Time at={created_at} /> },
];

const placesText = (networks: string[] | null): string => {
  if (networks === null) return 'anywhere';
  return networks.length === 1 ? (networks[0] ?? '') : `${networks.length} networks`;
};

export const SandboxMark = () => (
  <Badge variant="outline" color="gray" tt="none" radius="sm">
    sandbox
  </Badge>
);

export function Partners() {
  const { search } = route.useSearch();
  const navigate = route.useNavigate();
  const mayForAll = useMayForAll();
  const query = useInfiniteQuery(listQuery('PartnerList', { limit: 25, ...(search && { search }) }));
  return (
    <Page
      title="Partners"
      actions={
        mayForAll('PartnerCreate') && (
          <Button component={Link} to="/partners/new">
            New partner
          </Button>
        )
      }
    >
      <AdminRequests target={{ kind: 'partner' }} />
      <SearchField
        label="Find"
        placeholder="Part of the name, or the ID"
        value={search}
        onSearch={(words) => void navigate({ search: words === undefined ? {} : { search: words }, replace: true })}
        maxLength={128}
        maw={320}
      />
      <ListTable
        label="Partners"
        query={query}
        rowsOf={(page) => page.partners}
        keyOf={({ client_id }) => String(client_id)}
        columns={columns}
        empty={
          <Empty title={search ? 'No matching partners' : 'No partners yet'}>
            {search
              ? 'Search for a part of the name, or the beginning of the ID.'
              : 'A partner is a casino or sportsbook that offers free bets to its players. Create the first one.'}
          </Empty>
        }
      />
    </Page>
  );
}
