import type { EventBody } from '@freebets/contract';
import { Anchor, Button, Group, NumberInput, Select, Tabs, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Empty } from '../../ui/empty.tsx';
import { type Column, ListTable } from '../../ui/list-table.tsx';
import { Page } from '../../ui/page.tsx';
import { oneOf } from '../../ui/search.ts';
import { Time } from '../../ui/time.tsx';
import { Deliveries, deliveryStates } from './deliveries.tsx';
import { eventTypes, feedQuery } from './feed.ts';
import { WebhookPanel } from './webhook.tsx';

const route = getRouteApi('/inside/p/$clientId/events');

const views = ['feed', 'deliveries'] as const;

/** What it was about, in a few words. */
function subjectOf({ data }: EventBody): string {
  if ('campaign' in data) return data.campaign.name;
  if ('job' in data) return data.job.name;
  return data.free_bet.player_id;
}

const columns = (clientId: number): Column<EventBody>[] => [
  {
    title: 'Event',
    cell: ({ sequence, type }) => (
      <Anchor component={Link} to={`/p/${clientId}/events/${sequence}`} fw={600}>
        {type}
      </Anchor>
    ),
  },
  { title: 'Number', isFigure: true, isMinor: true, cell: ({ sequence }) => sequence },
  { title: 'About', cell: (event) => <Text size="sm">{subjectOf(event)}</Text> },
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
          <Filters isOfDeliveries={false} />
          <Feed clientId={clientId} />
        </Tabs.Panel>
        <Tabs.Panel value="deliveries" pt="md">
          <Filters isOfDeliveries />
          <Deliveries clientId={clientId} />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}

/** All of them stand in the address. */
function Filters({ isOfDeliveries }: { isOfDeliveries: boolean }) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const set = (name: 'type' | 'state' | 'from' | 'to', value: string | null) => {
    const { [name]: _, ...rest } = search;
    void navigate({ search: value ? { ...rest, [name]: value } : rest, replace: true });
  };
  return (
    <Group gap="sm" mb="md" align="flex-end">
      <Select
        label="Type"
        placeholder="All"
        data={[...eventTypes]}
        value={oneOf(eventTypes, search.type) ?? null}
        onChange={(value) => set('type', value)}
        clearable
        searchable
        size="xs"
      />
      {isOfDeliveries && (
        <>
          <Select
            label="State"
            placeholder="All"
            data={[...deliveryStates]}
            value={oneOf(deliveryStates, search.state) ?? null}
            onChange={(value) => set('state', value)}
            clearable
            size="xs"
            w={120}
          />
          {(['from', 'to'] as const).map((name) => (
            <NumberInput
              key={name}
              label={name === 'from' ? 'From number' : 'To number'}
              value={search[name] ?? ''}
              onChange={(value) => set(name, String(value))}
              min={1}
              allowDecimal={false}
              allowNegative={false}
              hideControls
              size="xs"
              w={110}
            />
          ))}
        </>
      )}
    </Group>
  );
}

function Feed({ clientId }: { clientId: number }) {
  const type = oneOf(eventTypes, route.useSearch().type);
  const query = useInfiniteQuery(feedQuery(clientId, type));
  return (
    <ListTable
      label="Events"
      query={query}
      rowsOf={(page) => page.events}
      keyOf={({ sequence }) => String(sequence)}
      columns={columns(clientId)}
      empty={
        <Empty title={type ? `No event ${type} is kept` : 'Nothing has happened yet'}>
          {type ? 'Choose another type.' : 'Every free bet that is issued, used or settled will be here.'}
        </Empty>
      }
    />
  );
}
