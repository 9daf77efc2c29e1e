import type { FreeBetBody } from '@freebets/contract';
import { Anchor, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { listing } from '../../api/queries.ts';
import { Empty } from '../../ui/empty.tsx';
import { GamePictures } from '../../ui/game-picture.tsx';
import { type Column, ListTable } from '../../ui/list-table.tsx';
import { Money } from '../../ui/money.tsx';
import { Page } from '../../ui/page.tsx';
import { Status } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';

const route = getRouteApi('/inside/p/$clientId/players/$playerId');

const columns = (clientId: number): Column<FreeBetBody>[] => [
  {
    title: 'Free bet',
    cell: ({ issue_id, campaign_id, quantity, bet_amount, currency }) => (
      <>
        <Anchor component={Link} to={`/p/${clientId}/free-bets/${issue_id}`} fw={600}>
          {quantity} × <Money amount={bet_amount} currency={currency} />
        </Anchor>
        <Text size="xs" c="dimmed">
          {campaign_id ?? 'given directly'}
        </Text>
      </>
    ),
  },
  { title: 'Status', cell: ({ status }) => <Status is={status} /> },
  { title: 'Left', isFigure: true, cell: ({ remaining, quantity }) => `${remaining} of ${quantity}` },
  { title: 'Games', isMinor: true, cell: ({ games }) => <GamePictures clientId={clientId} ids={games} /> },
  { title: 'Issued', isMinor: true, cell: ({ issued_at }) => <Time at={issued_at} /> },
  { title: 'Expires', cell: ({ expires_at }) => <Time at={expires_at} /> },
];

export function Player() {
  const { clientId, playerId } = route.useParams();
  const query = useInfiniteQuery(
    listing('FreeBetList', { client_id: Number(clientId), player_id: playerId, limit: 25 }),
  );
  return (
    <Page title={playerId} about="Player">
      <ListTable
        label={`Free bets of ${playerId}`}
        query={query}
        rowsOf={(page) => page.free_bets}
        keyOf={({ issue_id }) => issue_id}
        columns={columns(Number(clientId))}
        empty={
          <Empty title="This player has had no free bet">
            Check the id: it must be exactly the one that the partner uses.
          </Empty>
        }
      />
    </Page>
  );
}
