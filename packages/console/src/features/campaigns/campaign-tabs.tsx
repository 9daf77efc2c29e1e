import type { CampaignGetResponse, FreeBetBody, FreeBetStatus } from '@freebets/contract';
import { Anchor, Stack, Tabs } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { listing } from '../../api/queries.ts';
import { idInPath } from '../../ui/address-id.ts';
import { Empty } from '../../ui/empty.tsx';
import { type Column, ListTable } from '../../ui/list-table.tsx';
import { Money } from '../../ui/money.tsx';
import { Name } from '../../ui/name.tsx';
import { oneOf } from '../../ui/search.ts';
import { Status } from '../../ui/status.tsx';
import { StatusFilter } from '../../ui/status-filter.tsx';
import { Time } from '../../ui/time.tsx';
import { FoundEvents } from '../events/found-events.tsx';
import { expiryOf, leftText } from '../free-bets/left.ts';
import { jobColumns, jobsQuery } from '../lists/job-columns.tsx';
import { History } from './campaign-history.tsx';

const route = getRouteApi('/inside/p/$clientId/campaigns/$campaignId');

const names = { 'free-bets': 'Free bets', lists: 'Lists', events: 'Events', history: 'History' };
type Tab = keyof typeof names;

export function CampaignTabs({ clientId, campaign }: PartProps) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const tabs = Object.keys(names) as Tab[];
  const chosen = oneOf(tabs, search.tab) ?? 'free-bets';
  const parts = { 'free-bets': FreeBets, lists: Lists, events: Events, history: History };
  const Part = parts[chosen];
  return (
    <Tabs
      value={chosen}
      onChange={(tab) => void navigate({ search: { ...search, tab: tab ?? undefined }, replace: true })}
      keepMounted={false}
    >
      <Tabs.List mb="sm">
        {tabs.map((tab) => (
          <Tabs.Tab key={tab} value={tab}>
            {names[tab]}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {tabs.map((tab) => (
        <Tabs.Panel key={tab} value={tab}>
          {tab === chosen && <Part clientId={clientId} campaign={campaign} />}
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}

interface PartProps {
  clientId: number;
  campaign: CampaignGetResponse;
}

const freeBetStatuses = [
  'issued',
  'active',
  'in_use',
  'finished',
  'cancelled',
  'expired',
] as const satisfies FreeBetStatus[];

const freeBetColumns = (clientId: number): Column<FreeBetBody>[] => [
  {
    title: 'Player',
    cell: ({ player_id }) => (
      <Anchor inherit component={Link} to={`/p/${clientId}/players/${idInPath(player_id)}`}>
        <Name isShort>{player_id}</Name>
      </Anchor>
    ),
  },
  {
    title: 'Free bet',
    cell: ({ issue_id, quantity, bet_amount, currency }) => (
      <Anchor inherit component={Link} to={`/p/${clientId}/free-bets/${issue_id}`}>
        {quantity} × <Money amount={bet_amount} currency={currency} />
      </Anchor>
    ),
  },
  { title: 'Status', cell: ({ status }) => <Status is={status} /> },
  { title: 'Left', isFigure: true, cell: leftText },
  { title: 'Issued', isMinor: true, cell: ({ issued_at }) => <Time at={issued_at} /> },
  { title: 'Expires', isMinor: true, cell: (freeBet) => <Time {...expiryOf(freeBet)} /> },
];

function FreeBets({ clientId, campaign: { campaign_id } }: PartProps) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const status = oneOf(freeBetStatuses, search.status);
  const asked = { client_id: clientId, campaign_id, limit: 25, ...(status && { status }) };
  const query = useInfiniteQuery(listing('FreeBetList', asked));
  return (
    <Stack gap="sm">
      <StatusFilter
        label="Status of free bets"
        words={freeBetStatuses}
        value={status}
        onChange={(value) => void navigate({ search: { ...search, status: value }, replace: true })}
      />
      <ListTable
        label="Free bets"
        query={query}
        rowsOf={(page) => page.free_bets}
        keyOf={({ issue_id }) => issue_id}
        columns={freeBetColumns(clientId)}
        empty={
          <Empty title={status ? `No free bet is ${status.replace('_', ' ')}` : 'No free bet has been given'}>
            {!status && 'Issue one to a player, or give them to a list of players.'}
          </Empty>
        }
      />
    </Stack>
  );
}

function Lists({ clientId, campaign: { campaign_id } }: PartProps) {
  const query = useInfiniteQuery(jobsQuery(clientId, { campaign_id }));
  return (
    <ListTable
      label="Lists"
      query={query}
      rowsOf={(page) => page.jobs}
      keyOf={({ job_id }) => job_id}
      columns={jobColumns(clientId, false)}
      empty={<Empty title="No list yet">A list gives free bets of this campaign to many players at a time.</Empty>}
    />
  );
}

const Events = ({ clientId, campaign: { campaign_id, created_at } }: PartProps) => (
  <FoundEvents clientId={clientId} of={{ campaign_id, from: created_at }} />
);
