import type { AuditRecord, CampaignGetResponse, DraftBody, FreeBetBody, FreeBetStatus } from '@freebets/contract';
import { Anchor, Stack, Tabs, Text, Title } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { listQuery } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { idInPath, oneOf } from '../../ui/address.ts';
import { Money } from '../../ui/figures.tsx';
import { type Column, ListTable } from '../../ui/list-table.tsx';
import { Empty, Name } from '../../ui/page.tsx';
import { Status, StatusFilter, statusText } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { actionText, actorText } from '../audit/words.tsx';
import { kindNames } from '../drafts/words.tsx';
import { FoundEvents } from '../events/found-events.tsx';
import { expiryOf, leftText } from '../free-bets/left.ts';
import { jobColumns, jobsQuery } from '../lists/lists.tsx';

const route = getRouteApi('/inside/p/$clientId/campaigns/$campaignId');

const names = { 'free-bets': 'Free bets', lists: 'Bulk awards', events: 'Events', history: 'History' };
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
  const query = useInfiniteQuery(listQuery('FreeBetList', asked));
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
          <Empty title={status ? `No ${statusText(status)} free bets` : 'No free bets issued yet'}>
            {!status && 'Issue one to a player, or start a bulk award.'}
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
      label="Bulk awards"
      query={query}
      rowsOf={(page) => page.jobs}
      keyOf={({ job_id }) => job_id}
      columns={jobColumns(clientId, false)}
      empty={
        <Empty title="No bulk awards yet">
          A bulk award issues free bets of this campaign to many players at once.
        </Empty>
      }
    />
  );
}

const Events = ({ clientId, campaign: { campaign_id, created_at } }: PartProps) => (
  <FoundEvents clientId={clientId} of={{ campaign_id, from: created_at }} />
);

interface HistoryProps {
  clientId: number;
  campaign: CampaignGetResponse;
}

/** The campaign's drafts and decisions; for users who can read the audit log, also every staff action. */
function History(props: HistoryProps) {
  const may = useMay();
  return (
    <Stack gap="lg">
      <Drafts {...props} />
      {may('AuditList') && <Records {...props} />}
    </Stack>
  );
}

const draftColumns: Column<DraftBody>[] = [
  {
    title: 'Draft',
    cell: ({ client_id, draft_id, kind }) => (
      <Anchor inherit component={Link} to={`/p/${client_id}/drafts/${draft_id}`}>
        {kindNames[kind]}
      </Anchor>
    ),
  },
  { title: 'Status', cell: ({ state }) => <Status is={state} of="draft" /> },
  { title: 'By', cell: ({ author }) => author.name },
  { title: 'Reason', isMinor: true, cell: ({ submit_reason }) => <Reason>{submit_reason}</Reason> },
  { title: 'Decided by', isMinor: true, cell: ({ decided_by }) => decided_by?.name ?? '–' },
  { title: 'Decision', isMinor: true, cell: ({ decision_reason }) => <Reason>{decision_reason}</Reason> },
  { title: 'When', cell: ({ decided_at, changed_at }) => <Time at={decided_at ?? changed_at} /> },
];

const Reason = ({ children }: { children: string | null }) => (
  <Text size="sm" span className="name">
    {children ?? '–'}
  </Text>
);

function Drafts({ clientId, campaign: { campaign_id } }: HistoryProps) {
  const query = useInfiniteQuery(listQuery('DraftList', { client_id: clientId, target_id: campaign_id, limit: 25 }));
  return (
    <ListTable
      label="Drafts"
      query={query}
      rowsOf={(page) => page.drafts}
      keyOf={({ draft_id }) => draft_id}
      columns={draftColumns}
      empty={
        <Empty title="Not created from a draft">
          The partner created this campaign over the API. See the events for its changes.
        </Empty>
      }
    />
  );
}

const recordColumns: Column<AuditRecord>[] = [
  { title: 'Action', cell: ({ action }) => actionText(action) },
  { title: 'By', cell: actorText },
  { title: 'Reason', cell: ({ reason }) => <Reason>{reason}</Reason> },
  { title: 'When', cell: ({ at }) => <Time at={at} /> },
];

function Records({ clientId, campaign: { campaign_id } }: HistoryProps) {
  const target = { kind: 'campaign', id: campaign_id };
  const query = useInfiniteQuery(listQuery('AuditList', { client_id: clientId, target, limit: 50 }));
  return (
    <Stack gap="xs">
      <Title order={2}>Audit log</Title>
      <ListTable
        label="History"
        query={query}
        rowsOf={(page) => page.records}
        keyOf={({ sequence }) => String(sequence)}
        columns={recordColumns}
        empty={<Empty title="No staff changes">Changes that the partner made over the API are in the events.</Empty>}
      />
    </Stack>
  );
}
