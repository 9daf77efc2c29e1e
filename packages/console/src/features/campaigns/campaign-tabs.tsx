import type { AuditRecord, FreeBetBody, FreeBetStatus } from '@freebets/contract';
import { Anchor, Stack, Tabs, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { listing } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { Empty } from '../../ui/empty.tsx';
import { type Column, ListTable } from '../../ui/list-table.tsx';
import { Money } from '../../ui/money.tsx';
import { Name } from '../../ui/name.tsx';
import { oneOf } from '../../ui/search.ts';
import { Status } from '../../ui/status.tsx';
import { StatusFilter } from '../../ui/status-filter.tsx';
import { Time } from '../../ui/time.tsx';
import { jobColumns, jobsQuery } from '../lists/job-columns.tsx';
import { CampaignEvents } from './campaign-events.tsx';

const route = getRouteApi('/inside/p/$clientId/campaigns/$campaignId');

const names = { 'free-bets': 'Free bets', lists: 'Lists', events: 'Events', history: 'History' };
type Tab = keyof typeof names;

export function CampaignTabs({ clientId, campaignId }: { clientId: number; campaignId: string }) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const may = useMay();
  const tabs = (Object.keys(names) as Tab[]).filter((tab) => tab !== 'history' || may('AuditList'));
  const chosen = oneOf(tabs, search.tab) ?? 'free-bets';
  const parts = { 'free-bets': FreeBets, lists: Lists, events: CampaignEvents, history: History };
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
          {tab === chosen && <Part clientId={clientId} campaignId={campaignId} />}
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}

interface PartProps {
  clientId: number;
  campaignId: string;
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
      <Anchor inherit component={Link} to={`/p/${clientId}/players/${encodeURIComponent(player_id)}`}>
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
  { title: 'Left', isFigure: true, cell: ({ remaining, quantity }) => `${remaining} of ${quantity}` },
  { title: 'Issued', isMinor: true, cell: ({ issued_at }) => <Time at={issued_at} /> },
  { title: 'Expires', isMinor: true, cell: ({ expires_at }) => <Time at={expires_at} /> },
];

function FreeBets({ clientId, campaignId }: PartProps) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const status = oneOf(freeBetStatuses, search.status);
  const asked = { client_id: clientId, campaign_id: campaignId, limit: 25, ...(status && { status }) };
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

/** The service lists all jobs of a partner: those of other campaigns are left out here. */
function Lists({ clientId, campaignId }: PartProps) {
  const query = useInfiniteQuery(jobsQuery(clientId, 200));
  return (
    <ListTable
      label="Lists"
      query={query}
      rowsOf={({ jobs }) => jobs.filter((job) => 'campaign_id' in job && job.campaign_id === campaignId)}
      keyOf={({ job_id }) => job_id}
      columns={jobColumns(clientId, false)}
      empty={<Empty title="No list yet">A list gives free bets of this campaign to many players at a time.</Empty>}
    />
  );
}

const actorText = (actor: AuditRecord['actor']): string =>
  'email' in actor && typeof actor.email === 'string' ? actor.email : 'at the terminal';

const historyColumns: Column<AuditRecord>[] = [
  { title: 'When', cell: ({ at }) => <Time at={at} /> },
  { title: 'Who', cell: ({ actor }) => actorText(actor) },
  { title: 'What', cell: ({ action }) => action },
  {
    title: 'Why',
    cell: ({ reason }) => (
      <Text size="sm" span>
        {reason ?? '–'}
      </Text>
    ),
  },
];

function History({ clientId, campaignId }: PartProps) {
  const target = { kind: 'campaign', id: campaignId };
  const query = useInfiniteQuery(listing('AuditList', { client_id: clientId, target, limit: 50 }));
  return (
    <ListTable
      label="History"
      query={query}
      rowsOf={(page) => page.records}
      keyOf={({ sequence }) => String(sequence)}
      columns={historyColumns}
      empty={<Empty title="Nobody of the staff has changed it">What partners do over the API is in the events.</Empty>}
    />
  );
}
