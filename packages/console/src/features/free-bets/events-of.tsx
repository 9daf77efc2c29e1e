import { Anchor, Button, Group, Stack, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { RefusalNote } from '../../ui/refusal.tsx';
import { Time } from '../../ui/time.tsx';
import { eventsOf } from '../events/feed.ts';
import type { WholeFreeBet } from './free-bet.tsx';

/** At most so many bets are searched around. */
const searchedBets = 10;

const timesOf = ({ issued_at, expires_at, status, bets }: WholeFreeBet): string[] => [
  issued_at,
  ...bets.slice(-searchedBets).flatMap(({ placed_at, settled_at }) => [placed_at, settled_at ?? placed_at]),
  ...(status === 'expired' ? [expires_at] : []),
];

/** Its events. The feed is by partner, so they are searched for, and only when somebody asks. */
export function EventsOf({ clientId, freeBet }: { clientId: number; freeBet: WholeFreeBet }) {
  const [isAsked, setIsAsked] = useState(false);
  const times = timesOf(freeBet);
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['EventsList', 'of', clientId, freeBet.issue_id, times, freeBet.status],
    queryFn: ({ signal }) => eventsOf(clientId, freeBet.issue_id, times, signal),
    enabled: isAsked,
    staleTime: 60_000,
  });
  return (
    <Stack gap="xs" component="section" aria-label="Events">
      <Group justify="space-between">
        <Title order={2}>Events</Title>
        {!data && (
          <Button size="xs" variant="default" loading={isFetching} onClick={() => setIsAsked(true)}>
            Find its events
          </Button>
        )}
      </Group>
      {error && <RefusalNote error={error} onRetry={() => void refetch()} />}
      {data && data.events.length > 0 && (
        <Table aria-label="Events" className="panel" verticalSpacing="xs">
          <Table.Tbody>
            {data.events.map(({ sequence, type, occurred_at }) => (
              <Table.Tr key={sequence}>
                <Table.Td>
                  <Anchor component={Link} size="sm" to={`/p/${clientId}/events/${sequence}`}>
                    {type}
                  </Anchor>
                </Table.Td>
                <Table.Td className="figure">{sequence}</Table.Td>
                <Table.Td>
                  <Time at={occurred_at} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      <Text size="xs" c="dimmed">
        {data === undefined
          ? 'What the partner was sent about this free bet.'
          : data.isWhole
            ? `${data.events.length === 0 ? 'None is kept any more.' : 'These are all.'}`
            : 'Found around the times above. Those of a cancellation or a bet that was rolled back can lie elsewhere.'}
      </Text>
    </Stack>
  );
}
