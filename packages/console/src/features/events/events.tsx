import type { EventBody } from '@freebets/contract';
import { Anchor, Button, Code, Group, Select, Tabs } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { listQuery } from '../../api/queries.ts';
import { oneOf } from '../../ui/address.ts';
import { dayOf, midnight, timestamp } from '../../ui/dates.ts';
import { DateField, SearchField, WholeNumberInput } from '../../ui/fields.tsx';
import { count } from '../../ui/figures.tsx';
import { type Column, ListTable } from '../../ui/list-table.tsx';
import { Empty, Page } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';
import { Deliveries, deliveryStates } from './deliveries.tsx';
import { WebhookPanel } from './webhook.tsx';
import { eventText, eventTypes } from './words.ts';

const route = getRouteApi('/inside/p/$clientId/events');

const views = ['feed', 'deliveries'] as const;

const columns = (clientId: number): Column<EventBody>[] => [
  {
    title: 'Event',
    cell: (event) => (
      <Anchor component={Link} to={`/p/${clientId}/events/${event.sequence}`} size="sm">
        {eventText(event)}
      </Anchor>
    ),
  },
  { title: 'Type', isMinor: true, cell: ({ type }) => <Code>{type}</Code> },
  { title: 'Sequence', isFigure: true, isMinor: true, cell: ({ sequence }) => count(sequence) },
  { title: 'When', cell: ({ occurred_at }) => <Time at={occurred_at} /> },
];

export function Events() {
  const clientId = Number(route.useParams().clientId);
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const view = oneOf(views, search.view) ?? 'feed';
  return (
    <Page
      title="Events"
      about="Everything that happened, as sent to the partner."
      actions={
        <Button component={Link} variant="default" to={`/p/${clientId}/events/signature`}>
          Check a signature
        </Button>
      }
    >
      <WebhookPanel clientId={clientId} />
      <Tabs
        value={view}
        onChange={(value) => void navigate({ search: { ...search, view: value ?? 'feed' }, replace: true })}
        keepMounted={false}
      >
        <Tabs.List>
          <Tabs.Tab value="feed">Feed</Tabs.Tab>
          <Tabs.Tab value="deliveries">Deliveries</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="feed" pt="md">
          <FeedFilters />
          <Feed clientId={clientId} />
        </Tabs.Panel>
        <Tabs.Panel value="deliveries" pt="md">
          <DeliveryFilters />
          <Deliveries clientId={clientId} />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}

function Feed({ clientId }: { clientId: number }) {
  const { type: typeText, player, campaign, since, until } = route.useSearch();
  const type = oneOf(eventTypes, typeText);
  const [from, last] = [dayOf(since), dayOf(until)];
  const filter = {
    ...(type && { type }),
    ...(player && { player_id: player }),
    ...(campaign && { campaign_id: campaign }),
    ...(from && { from: timestamp(from) }),
    ...(last && { until: timestamp(midnight(last, 1)) }),
  };
  const query = useInfiniteQuery(listQuery('EventSearch', { client_id: clientId, limit: 50, ...filter }));
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <ListTable
      label="Events"
      query={query}
      rowsOf={(page) => page.events}
      keyOf={({ sequence }) => String(sequence)}
      columns={columns(clientId)}
      empty={
        <Empty title={isFiltered ? 'No matching events' : 'No events yet'}>
          {isFiltered
            ? 'Choose other filters. Older events are deleted after the retention period.'
            : 'Events of campaigns, bulk awards and free bets appear here.'}
        </Empty>
      }
    />
  );
}

// All filters are in the address.

type Search = ReturnType<typeof route.useSearch>;

function useFilters() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const set = (part: Partial<Search>) => void navigate({ search: (before) => ({ ...before, ...part }), replace: true });
  return { search, set };
}

const TypeFilter = () => {
  const { search, set } = useFilters();
  return (
    <Select
      label="Type"
      placeholder="All"
      data={eventTypes}
      value={oneOf(eventTypes, search.type) ?? null}
      onChange={(value) => set({ type: value ?? undefined })}
      clearable
      searchable
      size="xs"
    />
  );
};

function FeedFilters() {
  const { search, set } = useFilters();
  const { type, player, campaign, since, until } = search;
  return (
    <Group gap="sm" mb="md" align="flex-end" role="search" aria-label="Filters">
      <TypeFilter />
      <SearchField
        label="Player"
        placeholder="ID"
        value={player}
        onSearch={(words) => set({ player: words })}
        maxLength={128}
        size="xs"
        w={140}
      />
      <SearchField
        label="Campaign"
        placeholder="ID"
        value={campaign}
        onSearch={(words) => set({ campaign: words })}
        maxLength={128}
        size="xs"
        w={160}
      />
      <DateField
        label="From"
        value={dayOf(since) && since}
        onChange={(value) => set({ since: value || undefined })}
        isPaused
        size="xs"
      />
      <DateField
        label="To (inclusive)"
        value={dayOf(until) && until}
        onChange={(value) => set({ until: value || undefined })}
        isPaused
        size="xs"
      />
      {[type, player, campaign, since, until].some(Boolean) && (
        <Button
          variant="subtle"
          size="xs"
          onClick={() =>
            set({ type: undefined, player: undefined, campaign: undefined, since: undefined, until: undefined })
          }
        >
          Clear filters
        </Button>
      )}
    </Group>
  );
}

function DeliveryFilters() {
  const { search, set } = useFilters();
  return (
    <Group gap="sm" mb="md" align="flex-end" role="search" aria-label="Filters">
      <TypeFilter />
      <Select
        label="Status"
        placeholder="All"
        data={[...deliveryStates]}
        value={oneOf(deliveryStates, search.state) ?? null}
        onChange={(value) => set({ state: value ?? undefined })}
        clearable
        size="xs"
        w={120}
      />
      {(['from', 'to'] as const).map((name) => (
        <WholeNumberInput
          key={name}
          label={name === 'from' ? 'From sequence' : 'To sequence'}
          value={search[name] ?? ''}
          onChange={(value) => set({ [name]: value === '' ? undefined : String(value) })}
          min={1}
          hideControls
          size="xs"
          w={110}
        />
      ))}
    </Group>
  );
}
