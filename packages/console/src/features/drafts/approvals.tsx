import type { DraftBody, DraftState } from '@freebets/contract';
import { Anchor, Group, SegmentedControl, Select, Text } from '@mantine/core';
import { useInfiniteQuery, useQueries } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { callQuery, listQuery } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { oneOf } from '../../ui/address.ts';
import { MoneyList } from '../../ui/figures.tsx';
import { type Column, ListTable } from '../../ui/list-table.tsx';
import { Empty, Name, Page } from '../../ui/page.tsx';
import { Status, statusOptions, statusText } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { AdminRequests } from '../confirmations/requests.tsx';
import { kindNames } from './words.tsx';

const route = getRouteApi('/inside/approvals');

const states = ['open', 'submitted', 'approved', 'refused', 'expired', 'discarded'] as const satisfies DraftState[];
const shows = { waiting: 'Waiting for me', mine: 'My drafts', all: 'All' };
type Show = keyof typeof shows;

const columns = (partnerOf: (clientId: number) => string): Column<DraftBody>[] => [
  {
    title: 'Draft',
    cell: ({ client_id, draft_id, title, kind }) => (
      <>
        <Anchor inherit component={Link} to={`/p/${client_id}/drafts/${draft_id}`} fw={600}>
          <Name isShort>{title ?? 'Untitled'}</Name>
        </Anchor>
        <Text size="xs" c="dimmed">
          {kindNames[kind]} · {partnerOf(client_id)}
        </Text>
      </>
    ),
  },
  { title: 'Status', cell: ({ state }) => <Status is={state} of="draft" /> },
  { title: 'Author', isMinor: true, cell: ({ author }) => author.name },
  {
    title: 'Maximum liability',
    isFigure: true,
    cell: ({ kind, max_exposure }) => (
      <>
        <MoneyList amounts={max_exposure ?? []} most={2} />
        {kind === 'limits' && (
          <Text size="xs" c="dimmed">
            in addition
          </Text>
        )}
      </>
    ),
  },
  { title: 'Changed', isMinor: true, cell: ({ changed_at }) => <Time at={changed_at} /> },
  {
    title: 'Decide by',
    isMinor: true,
    cell: ({ expires_at, state }) => <Time at={state === 'submitted' ? expires_at : null} is="ahead" />,
  },
];

const empties: Record<Show, [string, string]> = {
  waiting: [
    'Nothing to approve',
    'Drafts that colleagues submit above their limit appear here until someone decides on them.',
  ],
  mine: ['No drafts of yours', 'Create one with “New campaign” on the Campaigns screen.'],
  all: ['No drafts yet', 'Campaigns that staff create start as drafts.'],
};

/** The names of the drafts' partners; their IDs while they load. */
function usePartnerNames(drafts: DraftBody[]): (clientId: number) => string {
  const ids = [...new Set(drafts.map(({ client_id }) => client_id))];
  const answers = useQueries({ queries: ids.map((client_id) => callQuery('PartnerGet', { client_id })) });
  const names = new Map(answers.flatMap(({ data }) => (data ? [[data.client_id, data.name] as const] : [])));
  return (clientId) => names.get(clientId) ?? `Partner ${clientId}`;
}

export function Approvals() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const may = useMay();
  const offered = (Object.keys(shows) as Show[]).filter((each) => each === 'all' || may('DraftApprove'));
  const show = oneOf(offered, search.show) ?? offered[0] ?? 'all';
  const state = show === 'waiting' ? undefined : oneOf(states, search.state);
  const query = useInfiniteQuery(
    listQuery('DraftList', {
      limit: 25,
      ...(show === 'waiting' && { waiting_for_me: true }),
      ...(show === 'mine' && { author: 'me' as const }),
      ...(state && { state }),
    }),
  );
  const partnerOf = usePartnerNames(query.data?.pages.flatMap((page) => page.drafts) ?? []);
  const [title, about] = state ? [`No drafts: ${statusText(state, 'draft')}`, 'Choose another status.'] : empties[show];
  return (
    <Page title="Approvals" about="Drafts, and requests that need a second person.">
      <AdminRequests />
      <Group gap="sm">
        {offered.length > 1 && (
          <SegmentedControl
            aria-label="Which drafts"
            data={offered.map((value) => ({ value, label: shows[value] }))}
            value={show}
            onChange={(value) => void navigate({ search: { show: value }, replace: true })}
          />
        )}
        {show !== 'waiting' && (
          <Select
            aria-label="Status"
            placeholder="Any status"
            data={statusOptions(states, 'draft')}
            value={state ?? null}
            onChange={(value) => void navigate({ search: { ...search, state: value ?? undefined }, replace: true })}
            clearable
            w={200}
          />
        )}
      </Group>
      <ListTable
        label="Drafts"
        query={query}
        rowsOf={(page) => page.drafts}
        keyOf={({ client_id, draft_id }) => `${client_id} ${draft_id}`}
        columns={columns(partnerOf)}
        empty={<Empty title={title}>{about}</Empty>}
      />
    </Page>
  );
}
