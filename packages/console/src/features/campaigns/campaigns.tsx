import type { CampaignGetResponse, CampaignStatus } from '@freebets/contract';
import { Anchor, Button, Group, SegmentedControl, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { listing } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { Budget } from '../../ui/budget.tsx';
import { Empty } from '../../ui/empty.tsx';
import { GamePictures } from '../../ui/game-picture.tsx';
import { type Column, ListTable } from '../../ui/list-table.tsx';
import { count, MoneyList } from '../../ui/money.tsx';
import { Page } from '../../ui/page.tsx';
import { oneOf } from '../../ui/search.ts';
import { Status } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';

const route = getRouteApi('/inside/p/$clientId/campaigns');

export const campaignStatuses = [
  'active',
  'scheduled',
  'paused',
  'exhausted',
  'ended',
  'stopped',
] as const satisfies CampaignStatus[];

const columns = (clientId: number): Column<CampaignGetResponse>[] => [
  {
    title: 'Campaign',
    cell: ({ campaign_id, name, games }) => (
      <Group gap="sm" wrap="nowrap">
        <GamePictures clientId={clientId} ids={games} />
        <div>
          <Anchor component={Link} to={`/p/${clientId}/campaigns/${encodeURIComponent(campaign_id)}`} fw={600}>
            {name}
          </Anchor>
          <Text size="xs" c="dimmed">
            {campaign_id}
          </Text>
        </div>
      </Group>
    ),
  },
  { title: 'Status', cell: ({ status }) => <Status is={status} /> },
  {
    title: 'Given',
    cell: ({ counts, config }) => <Budget given={counts.issued - counts.cancelled} limit={config.bonus_limit} />,
  },
  { title: 'Bets', isFigure: true, isMinor: true, cell: ({ counts }) => count(counts.bets_placed) },
  { title: 'Won', isFigure: true, isMinor: true, cell: ({ winnings }) => <MoneyList amounts={winnings} /> },
  { title: 'Could still win', isFigure: true, isMinor: true, cell: ({ exposure }) => <MoneyList amounts={exposure} /> },
  { title: 'Ends', isMinor: true, cell: ({ valid_until }) => <Time at={valid_until} /> },
];

export function Campaigns() {
  const clientId = Number(route.useParams().clientId);
  const status = oneOf(campaignStatuses, route.useSearch().status);
  const navigate = route.useNavigate();
  const may = useMay();
  const query = useInfiniteQuery(
    listing('CampaignList', { client_id: clientId, limit: 25, ...(status && { status }) }),
  );
  return (
    <Page
      title="Campaigns"
      actions={
        may('DraftSave') && (
          <Button component={Link} to={`/p/${clientId}/campaigns/new`}>
            New campaign
          </Button>
        )
      }
    >
      <SegmentedControl
        aria-label="Status"
        data={[{ value: '', label: 'All' }, ...campaignStatuses.map((value) => ({ value, label: value }))]}
        value={status ?? ''}
        onChange={(value) => void navigate({ search: value === '' ? {} : { status: value }, replace: true })}
        style={{ alignSelf: 'flex-start', maxWidth: '100%', overflowX: 'auto' }}
      />
      <ListTable
        label="Campaigns"
        query={query}
        rowsOf={(page) => page.campaigns}
        keyOf={({ campaign_id }) => campaign_id}
        columns={columns(clientId)}
        empty={
          <Empty title={status ? `No campaign is ${status}` : 'No campaigns yet'}>
            {status
              ? 'Choose another status.'
              : 'A campaign says which players may get what, in which games. Make the first one.'}
          </Empty>
        }
      />
    </Page>
  );
}
