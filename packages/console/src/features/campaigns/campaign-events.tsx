import type { EventBody } from '@freebets/contract';
import { Anchor, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Empty } from '../../ui/empty.tsx';
import { type Column, ListTable } from '../../ui/list-table.tsx';
import { count } from '../../ui/money.tsx';
import { Name } from '../../ui/name.tsx';
import { Time } from '../../ui/time.tsx';
import { capital } from '../../ui/words.ts';
import { campaignFeedQuery } from '../events/feed.ts';

function About({ clientId, event: { data } }: { clientId: number; event: EventBody }) {
  if ('campaign' in data) return <Text size="sm">the campaign itself</Text>;
  if ('job' in data) {
    return (
      <Anchor size="sm" component={Link} to={`/p/${clientId}/lists/${data.job.job_id}`}>
        <Name isShort>{data.job.name}</Name>
      </Anchor>
    );
  }
  return (
    <Anchor size="sm" component={Link} to={`/p/${clientId}/free-bets/${data.free_bet.issue_id}`}>
      <Name isShort>{data.free_bet.player_id}</Name>
    </Anchor>
  );
}

/** "freebet.rolled_back" is "Rolled back": what it is about stands beside it. */
const whatHappened = (type: EventBody['type']): string => capital(type.split('.')[1] ?? type);

const columns = (clientId: number): Column<EventBody>[] => [
  {
    title: 'What',
    cell: ({ sequence, type }) => (
      <Anchor size="sm" component={Link} to={`/p/${clientId}/events/${sequence}`} title={type}>
        {whatHappened(type)}
      </Anchor>
    ),
  },
  { title: 'About', cell: (event) => <About clientId={clientId} event={event} /> },
  { title: 'When', cell: ({ occurred_at }) => <Time at={occurred_at} /> },
  { title: 'Number', isFigure: true, isMinor: true, cell: ({ sequence }) => count(sequence) },
];

/** What the partner was sent about it, the latest first. */
export function CampaignEvents({ clientId, campaignId }: { clientId: number; campaignId: string }) {
  const query = useInfiniteQuery(campaignFeedQuery(clientId, campaignId));
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
