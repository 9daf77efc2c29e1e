import type { EventBody } from '@freebets/contract';
import { Anchor, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { listQuery } from '../../api/queries.ts';
import { type Column, ListTable } from '../../ui/list-table.tsx';
import { Empty } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';
import { eventText } from './words.ts';

/** A link to what the event is about. */
function About({ clientId, event: { data } }: { clientId: number; event: EventBody }) {
  if ('campaign' in data) return null;
  const [to, text] =
    'job' in data
      ? [`/p/${clientId}/lists/${data.job.job_id}`, 'Bulk award']
      : [`/p/${clientId}/free-bets/${data.free_bet.issue_id}`, 'Free bet'];
  return (
    <Anchor size="sm" component={Link} to={to}>
      {text}
    </Anchor>
  );
}

const columns = (clientId: number): Column<EventBody>[] => [
  { title: 'When', cell: ({ occurred_at }) => <Time at={occurred_at} /> },
  {
    title: 'Event',
    cell: (event) => (
      <Text size="sm" className="name">
        {eventText(event)}
      </Text>
    ),
  },
  { title: 'About', isMinor: true, cell: (event) => <About clientId={clientId} event={event} /> },
  {
    title: 'Type',
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
  /** The subject, and its creation time, which shortens the search. */
  of: ({ campaign_id: string } | { issue_id: string }) & { from: string };
}

/** The events of a campaign or free bet, newest first. */
export function FoundEvents({ clientId, of }: FoundEventsProps) {
  const query = useInfiniteQuery(listQuery('EventSearch', { client_id: clientId, limit: 25, ...of }));
  return (
    <ListTable
      label="Events"
      query={query}
      rowsOf={(page) => page.events}
      keyOf={({ sequence }) => String(sequence)}
      columns={columns(clientId)}
      empty={<Empty title="No events">Older events are deleted after the retention period.</Empty>}
    />
  );
}
