import type { CampaignGetResponse, CampaignStatus } from '@freebets/contract';
import { Anchor, Box, Button, Group, SegmentedControl, Select, Text } from '@mantine/core';
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
import { useDuplicate } from './duplicate.ts';

const route = getRouteApi('/inside/p/$clientId/campaigns');

const campaignStatuses = [
  'active',
  'scheduled',
  'paused',
  'exhausted',
  'ended',
  'stopped',
] as const satisfies CampaignStatus[];

const createdWithin = { '7': 'In the last 7 days', '30': 'In the last 30 days', '90': 'In the last 90 days' };

/** From the beginning of a day on, so that the question stays the same while one looks. */
function daysAgo(days: number): string {
  const day = new Date(Date.now() - days * 86_400_000);
  return new Date(day.getFullYear(), day.getMonth(), day.getDate()).toISOString();
}

const Runs = ({ campaign: { valid_from, valid_until } }: { campaign: CampaignGetResponse }) => (
  <>
    <div className="figure">
      from <Time at={valid_from} />
    </div>
    <div className="figure">
      until <Time at={valid_until} />
    </div>
  </>
);

const columns = (clientId: number): Column<CampaignGetResponse>[] => [
  {
    title: 'Campaign',
    cell: ({ campaign_id, name, games }) => (
      <Group gap="sm" wrap="nowrap">
        <GamePictures ids={games} />
        <Box miw={130}>
          <Anchor inherit component={Link} to={`/p/${clientId}/campaigns/${encodeURIComponent(campaign_id)}`} fw={600}>
            {name}
          </Anchor>
          <Text size="xs" c="dimmed">
            {campaign_id}
          </Text>
        </Box>
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
  { title: 'Runs', isMinor: true, cell: (campaign) => <Runs campaign={campaign} /> },
];

function DuplicateButton({ clientId, campaign }: { clientId: number; campaign: CampaignGetResponse }) {
  const duplicate = useDuplicate(clientId);
  return (
    <Button
      size="compact-xs"
      variant="default"
      loading={duplicate.isPending}
      onClick={() => duplicate.mutate(campaign.campaign_id)}
      aria-label={`Duplicate ${campaign.name}`}
    >
      Duplicate
    </Button>
  );
}

const duplicating = (clientId: number): Column<CampaignGetResponse> => ({
  title: 'Again',
  isMinor: true,
  cell: (campaign) => <DuplicateButton clientId={clientId} campaign={campaign} />,
});

function Filters() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const filter = (changes: typeof search) => {
    const filled = Object.entries({ ...search, ...changes }).filter(([, value]) => value);
    void navigate({ search: Object.fromEntries(filled), replace: true });
  };
  return (
    <Group gap="sm">
      <SegmentedControl
        aria-label="Status"
        data={[{ value: '', label: 'All' }, ...campaignStatuses.map((value) => ({ value, label: value }))]}
        value={oneOf(campaignStatuses, search.status) ?? ''}
        onChange={(status) => filter({ status })}
        maw="100%"
        style={{ overflowX: 'auto' }}
      />
      <Select
        aria-label="Created"
        placeholder="Created at any time"
        data={Object.entries(createdWithin).map(([value, label]) => ({
          value,
          label: `Created: ${label.toLowerCase()}`,
        }))}
        value={search.created ?? null}
        onChange={(created) => filter({ created: created ?? '' })}
        clearable
        w={240}
      />
    </Group>
  );
}

export function Campaigns() {
  const clientId = Number(route.useParams().clientId);
  const search = route.useSearch();
  const status = oneOf(campaignStatuses, search.status);
  const days = oneOf(Object.keys(createdWithin), search.created);
  const may = useMay();
  const query = useInfiniteQuery(
    listing('CampaignList', {
      client_id: clientId,
      limit: 25,
      ...(status && { status }),
      ...(days && { created_from: daysAgo(Number(days)) }),
    }),
  );
  return (
    <Page
      title="Campaigns"
      actions={
        may('DraftSave') && (
          <>
            <Button
              variant="default"
              renderRoot={(props) => <Link {...props} to="/approvals" search={{ show: 'mine' }} />}
            >
              My drafts
            </Button>
            <Button component={Link} to={`/p/${clientId}/campaigns/new`}>
              New campaign
            </Button>
          </>
        )
      }
    >
      <Filters />
      <ListTable
        label="Campaigns"
        query={query}
        rowsOf={(page) => page.campaigns}
        keyOf={({ campaign_id }) => campaign_id}
        columns={[...columns(clientId), ...(may('DraftCopy') ? [duplicating(clientId)] : [])]}
        empty={
          <Empty title={status || days ? 'No campaign matches' : 'No campaigns yet'}>
            {status || days
              ? 'Choose another status or time.'
              : 'A campaign says which players may get what, in which games. Make the first one.'}
          </Empty>
        }
      />
    </Page>
  );
}
