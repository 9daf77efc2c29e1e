import type { EventBody } from '@freebets/contract';
import { Anchor, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { listing } from '../../api/queries.ts';
import { type Column, ListTable } from '../../ui/list-table.tsx';
import { Empty } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';
import { whatHappened } from './words.ts';

/** Where one goes on from here. */
function About({ clientId, event: { data } }: { clientId: number; event: EventBody }) {
  if ('campaign' in data) return null;
  const [to, text] =
    'job' in data
      ? [`/p/${clientId}/lists/${data.job.job_id}`, 'The list']
      : [`/p/${clientId}/free-bets/${data.free_bet.issue_id}`, 'The free bet'];
  return (
    <Anchor size="sm" component={Link} to={to}>
      {text}
    </Anchor>
  );
}

const columns = (clientId: number): Column<EventBody>[] => [
  { title: 'When', cell: ({ occurred_at }) => <Time at={occurred_at} /> },
  {
    title: 'What',
    cell: (event) => (
      <Text size="sm" className="name">
        {whatHappened(event)}
      </Text>
    ),
  },
  { title: 'About', isMinor: true, cell: (event) => <About clientId={clientId} event={event} /> },
  {
    title: 'Event',
    isMinor: true,
    cell: ({ sequence, type }) => (
      <Anchor size="sm" component={Link} to={`/p/${clientId}/events/${sequence}`}>
        {type}
      </Anchor>
    ),
  },
];

interface FoundEventsProps {
  clientId: number;
  /** What they are about, and since when there can be any: the fewer are searched, the sooner they are found. */
  of: ({ campaign_id: string } | { issue_id: string }) & { from: string };
}

/** What the partner was sent about it, the latest first. */
export function FoundEvents({ clientId, of }: FoundEventsProps) {
  const query = useInfiniteQuery(listing('EventSearch', { client_id: clientId, limit: 25, ...of }));
  return (
    <ListTable
      label="Events"
      query={query}
      rowsOf={(page) => page.events}
      keyOf={({ sequence }) => String(sequence)}
      columns={columns(clientId)}
      empty={<Empty title="No event is kept">Events are kept for some time only.</Empty>}
    />
  );
}
