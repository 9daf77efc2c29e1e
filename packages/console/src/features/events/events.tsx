import type { EventBody } from '@freebets/contract';
import { Anchor, Button, Code, Tabs } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { listing } from '../../api/queries.ts';
import { Empty } from '../../ui/empty.tsx';
import { type Column, ListTable } from '../../ui/list-table.tsx';
import { count } from '../../ui/money.tsx';
import { Page } from '../../ui/page.tsx';
import { oneOf } from '../../ui/search.ts';
import { Time } from '../../ui/time.tsx';
import { dayOf, midnight, timestamp } from '../../ui/zone.ts';
import { Deliveries } from './deliveries.tsx';
import { DeliveryFilters, FeedFilters } from './filters.tsx';
import { WebhookPanel } from './webhook.tsx';
import { eventTypes, whatHappened } from './words.ts';

const route = getRouteApi('/inside/p/$clientId/events');

const views = ['feed', 'deliveries'] as const;

const columns = (clientId: number): Column<EventBody>[] => [
  {
    title: 'What happened',
    cell: (event) => (
      <Anchor component={Link} to={`/p/${clientId}/events/${event.sequence}`} size="sm">
        {whatHappened(event)}
      </Anchor>
    ),
  },
  { title: 'Type', isMinor: true, cell: ({ type }) => <Code>{type}</Code> },
  { title: 'Number', isFigure: true, isMinor: true, cell: ({ sequence }) => count(sequence) },
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
      about="What has happened, as the partner is sent it."
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
  const query = useInfiniteQuery(listing('EventSearch', { client_id: clientId, limit: 50, ...filter }));
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <ListTable
      label="Events"
      query={query}
      rowsOf={(page) => page.events}
      keyOf={({ sequence }) => String(sequence)}
      columns={columns(clientId)}
      empty={
        <Empty title={isFiltered ? 'No event that is kept matches' : 'Nothing has happened yet'}>
          {isFiltered
            ? 'Choose other filters.'
            : 'Every campaign that is created, and every free bet that is issued, used or settled will be here.'}
        </Empty>
      }
    />
  );
}
