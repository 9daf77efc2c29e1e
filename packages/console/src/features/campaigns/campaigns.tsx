import type { CampaignGetResponse, CampaignStatus } from '@freebets/contract';
import { ActionIcon, Anchor, Box, Button, Group, Select, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { CopyIcon, SearchIcon } from '@primer/octicons-react';
import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { call } from '../../api/call.ts';
import { listQuery } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { idInPath, oneOf } from '../../ui/address.ts';
import type { Side } from '../../ui/dates.ts';
import { SearchField } from '../../ui/fields.tsx';
import { Budget, count, MoneyList } from '../../ui/figures.tsx';
import { GamePictures } from '../../ui/games.tsx';
import { type Column, ListTable } from '../../ui/list-table.tsx';
import { Empty, Name, Page } from '../../ui/page.tsx';
import { Status, StatusFilter } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { cut } from '../../ui/words.ts';

const route = getRouteApi('/inside/p/$clientId/campaigns');

const campaignStatuses = ['live', 'active', 'scheduled', 'paused', 'exhausted', 'ended', 'stopped'] as const satisfies (
  | CampaignStatus
  | 'live'
)[];

const sorts = { newest: 'Newest first', ends_soonest: 'Ending soonest', name: 'Name' };
type Sort = keyof typeof sorts;
const sortNames = Object.keys(sorts) as Sort[];

const CapUsed = ({ campaign: { counts, config } }: { campaign: CampaignGetResponse }) => (
  <Budget given={counts.issued - counts.cancelled} limit={config.bonus_limit} />
);

const NameOf = ({ clientId, campaign }: { clientId: number; campaign: CampaignGetResponse }) => (
  <Group gap="sm" wrap="nowrap">
    <Box visibleFrom="sm">
      <GamePictures ids={campaign.games} most={2} />
    </Box>
    <Box miw={160}>
      <Anchor inherit component={Link} to={`/p/${clientId}/campaigns/${idInPath(campaign.campaign_id)}`} fw={600}>
        <Name isShort>{campaign.name}</Name>
      </Anchor>
      <Text size="xs" c="dimmed" lineClamp={1} className="name">
        {campaign.campaign_id}
      </Text>
      <Box hiddenFrom="sm" mt={4}>
        <CapUsed campaign={campaign} />
        <Text size="xs" c="dimmed" component="div">
          <Runs campaign={campaign} />
        </Text>
      </Box>
    </Box>
  </Group>
);

/** Leaves out currencies without activity. */
const Sums = ({ amounts }: { amounts: CampaignGetResponse['exposure'] }) => (
  <MoneyList amounts={amounts.filter(({ amount }) => amount !== '0.00')} most={2} />
);

const columns = (clientId: number): Column<CampaignGetResponse>[] => [
  { title: 'Campaign', cell: (campaign) => <NameOf clientId={clientId} campaign={campaign} /> },
  { title: 'Status', cell: ({ status }) => <Status is={status} /> },
  { title: 'Cap used', isMinor: true, cell: (campaign) => <CapUsed campaign={campaign} /> },
  { title: 'Bets', isFigure: true, isMinor: true, cell: ({ counts }) => count(counts.bets_placed) },
  { title: 'Won', isFigure: true, isMinor: true, cell: ({ winnings }) => <Sums amounts={winnings} /> },
  { title: 'Exposure', isFigure: true, isMinor: true, cell: ({ exposure }) => <Sums amounts={exposure} /> },
  { title: 'Dates', isMinor: true, cell: (campaign) => <Runs campaign={campaign} /> },
];

function DuplicateButton({ clientId, campaign }: { clientId: number; campaign: CampaignGetResponse }) {
  const duplicate = useDuplicate(clientId);
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      loading={duplicate.isPending}
      onClick={() => duplicate.mutate(campaign.campaign_id)}
      aria-label={`Duplicate ${campaign.name}`}
      title="Duplicate as a new draft"
    >
      <CopyIcon size={18} />
    </ActionIcon>
  );
}

const duplicating = (clientId: number): Column<CampaignGetResponse> => ({
  title: 'Copy',
  isMinor: true,
  cell: (campaign) => <DuplicateButton clientId={clientId} campaign={campaign} />,
});

/** The filters in the address. */
function useAsked() {
  const search = route.useSearch();
  return {
    words: cut(search.search?.trim() ?? '', 128) || undefined,
    status: oneOf(campaignStatuses, search.status),
    sort: oneOf(sortNames, search.sort) ?? 'newest',
  };
}

function Filters() {
  const { words, status, sort } = useAsked();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const filter = (changes: typeof search) => {
    const filled = Object.entries({ ...search, ...changes }).filter(([, value]) => value);
    void navigate({ search: Object.fromEntries(filled), replace: true });
  };
  return (
    <Group gap="sm">
      <SearchField
        aria-label="Find campaigns"
        placeholder="Name or ID"
        leftSection={<SearchIcon size={16} aria-hidden />}
        value={words}
        onSearch={(found) => filter({ search: found })}
        maxLength={128}
        w={{ base: '100%', sm: 220 }}
      />
      <StatusFilter
        label="Status"
        words={campaignStatuses}
        value={status}
        onChange={(chosen) => filter({ status: chosen })}
      />
      <Select
        aria-label="Sort by"
        data={sortNames.map((value) => ({ value, label: sorts[value] }))}
        value={sort}
        onChange={(chosen) => filter({ sort: chosen === 'newest' ? undefined : (chosen ?? undefined) })}
        allowDeselect={false}
        w={160}
      />
    </Group>
  );
}

export function Campaigns() {
  const clientId = Number(route.useParams().clientId);
  const { words, status, sort } = useAsked();
  const may = useMay();
  const query = useInfiniteQuery(
    listQuery('CampaignSearch', {
      client_id: clientId,
      limit: 25,
      sort,
      ...(words && { search: words }),
      ...(status && { status }),
    }),
  );
  return (
    <Page title="Campaigns" actions={may('DraftSave') && <CreateButtons clientId={clientId} />}>
      <Filters />
      <ListTable
        label="Campaigns"
        query={query}
        rowsOf={(page) => page.campaigns}
        keyOf={({ campaign_id }) => campaign_id}
        columns={[...columns(clientId), ...(may('DraftCopy') ? [duplicating(clientId)] : [])]}
        empty={<NoCampaigns isFiltered={Boolean(words || status)} sort={sort} />}
      />
    </Page>
  );
}

const CreateButtons = ({ clientId }: { clientId: number }) => (
  <>
    <Button variant="default" renderRoot={(props) => <Link {...props} to="/approvals" search={{ show: 'mine' }} />}>
      My drafts
    </Button>
    <Button component={Link} to={`/p/${clientId}/drafts/new`}>
      New campaign
    </Button>
  </>
);

function NoCampaigns({ isFiltered, sort }: { isFiltered: boolean; sort: Sort }) {
  if (isFiltered) return <Empty title="No matching campaigns">Shorten the search or choose another status.</Empty>;
  if (sort === 'ends_soonest')
    return <Empty title="No campaigns are about to end">All have ended, or there are none yet.</Empty>;
  return (
    <Empty title="No campaigns yet">
      A campaign sets the games, stakes, dates and caps of its free bets. Create the first one with “New campaign”.
    </Empty>
  );
}

type Running = Pick<CampaignGetResponse, 'status' | 'stopped_at' | 'paused_at' | 'valid_from' | 'valid_until'>;

function momentOf({ status, stopped_at, paused_at, valid_from, valid_until }: Running): [string, string | null, Side] {
  if (status === 'stopped') return ['stopped', stopped_at, 'past'];
  if (status === 'paused') return ['paused', paused_at, 'past'];
  if (status === 'scheduled') return ['starts', valid_from, 'ahead'];
  return status === 'ended' ? ['ended', valid_until, 'past'] : ['ends', valid_until, 'ahead'];
}

/** The most relevant time of a campaign for its status. */
export function Runs({ campaign }: { campaign: Running }) {
  const [what, at, side] = momentOf(campaign);
  return (
    <span className="figure">
      {what} <Time at={at} is={side} />
    </span>
  );
}

/** Creates a draft with the terms of a campaign and opens it. */
export function useDuplicate(clientId: number) {
  const navigate = useNavigate();
  return useMutation({
    mutationFn: (campaignId: string) => call('DraftCopy', { client_id: clientId, campaign_id: campaignId }),
    onSuccess: ({ draft_id }) => navigate({ to: `/p/${clientId}/drafts/${draft_id}` }),
    onError: ({ message }) =>
      notifications.show({ color: 'red', title: 'Could not duplicate the campaign', message, withCloseButton: false }),
  });
}
