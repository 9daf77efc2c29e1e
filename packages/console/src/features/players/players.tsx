import type { FreeBetBody } from '@freebets/contract';
import { Anchor, Box, Button, Group, Text, Title } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type FormEvent, useRef } from 'react';
import { CallError, type CallResponse, call } from '../../api/call.ts';
import { listQuery } from '../../api/queries.ts';
import { isUuid } from '../../ui/address.ts';
import { SearchField } from '../../ui/fields.tsx';
import { Money } from '../../ui/figures.tsx';
import { type Column, ListTable } from '../../ui/list-table.tsx';
import { Empty, Name, Page } from '../../ui/page.tsx';
import { Status } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { NoSuchPlayer, playerPath } from './no-such-player.tsx';

const route = getRouteApi('/inside/p/$clientId/players');

/** The path of the free bet or player with exactly this ID; undefined if there is none. */
async function pathFor(clientId: number, wanted: string): Promise<string | undefined> {
  try {
    if (isUuid(wanted)) {
      const { issue_id } = await call('FreeBetGet', { client_id: clientId, issue_id: wanted });
      return `/p/${clientId}/free-bets/${issue_id}`;
    }
    const { players } = await call('PlayerSearch', { client_id: clientId, prefix: wanted, limit: 1 });
    return players[0]?.player_id === wanted ? playerPath(clientId, wanted) : undefined;
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    return playerPath(clientId, wanted);
  }
}

const PlayerLink = ({ clientId, playerId }: { clientId: number; playerId: string }) => (
  <Box miw={100}>
    <Anchor inherit component={Link} to={playerPath(clientId, playerId)} fw={600}>
      <Name isShort>{playerId}</Name>
    </Anchor>
  </Box>
);

type Found = CallResponse<'PlayerSearch'>['players'][number];

const foundColumns = (clientId: number): Column<Found>[] => [
  { title: 'Player', cell: ({ player_id }) => <PlayerLink clientId={clientId} playerId={player_id} /> },
  { title: 'Latest free bet', cell: ({ last_issued_at }) => <Time at={last_issued_at} /> },
];

const latestColumns = (clientId: number): Column<FreeBetBody>[] => [
  { title: 'Player', cell: ({ player_id }) => <PlayerLink clientId={clientId} playerId={player_id} /> },
  {
    title: 'Free bet',
    cell: ({ issue_id, quantity, bet_amount, currency, campaign_id }) => (
      <>
        <Anchor inherit component={Link} to={`/p/${clientId}/free-bets/${issue_id}`}>
          {quantity} × <Money amount={bet_amount} currency={currency} />
        </Anchor>
        <Text size="xs" c="dimmed" lineClamp={1} className="name">
          {campaign_id ?? 'without a campaign'}
        </Text>
      </>
    ),
  },
  { title: 'Status', cell: ({ status }) => <Status is={status} /> },
  { title: 'Issued', isMinor: true, cell: ({ issued_at }) => <Time at={issued_at} /> },
];

/** Finds a player by the partner's ID or its beginning. */
export function Players() {
  const clientId = Number(route.useParams().clientId);
  const { find } = route.useSearch();
  const navigate = route.useNavigate();
  // The search field updates the address with a delay, which must not undo this navigation.
  const isLeaving = useRef(false);
  const open = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const wanted = String(new FormData(event.currentTarget).get('player') ?? '').trim();
    if (wanted === '') return;
    const to = await pathFor(clientId, wanted);
    // No exact match: the list below shows the IDs that begin with the text.
    if (to === undefined) return;
    isLeaving.current = true;
    await navigate({ to });
  };
  const search = (words: string | undefined) => {
    if (!isLeaving.current) void navigate({ search: words ? { find: words } : {}, replace: true });
  };
  return (
    <Page title="Players">
      <form onSubmit={(event) => open(event).catch(reportError)}>
        <Group align="flex-end" gap="sm">
          <SearchField
            name="player"
            label="Player"
            description="The partner's player ID or its beginning, or a free bet ID."
            value={find}
            onSearch={search}
            autoFocus
            autoCapitalize="none"
            autoCorrect="off"
            spellCheck={false}
            enterKeyHint="search"
            maxLength={128}
            w={420}
            maw="100%"
          />
          <Button type="submit">Find</Button>
        </Group>
      </form>
      {find === undefined ? <Latest clientId={clientId} /> : <FoundPlayers clientId={clientId} prefix={find} />}
    </Page>
  );
}

function FoundPlayers({ clientId, prefix }: { clientId: number; prefix: string }) {
  const query = useInfiniteQuery(listQuery('PlayerSearch', { client_id: clientId, prefix, limit: 20 }));
  const [page] = query.isPlaceholderData ? [] : (query.data?.pages ?? []);
  // An exact match comes first.
  const isUnknown = page !== undefined && page.players[0]?.player_id !== prefix;
  return (
    <>
      {isUnknown && <NoSuchPlayer clientId={clientId} playerId={prefix} similar={page.similar} canOpen />}
      {(!isUnknown || page.players.length > 0) && (
        <>
          <Title order={2}>Matching players</Title>
          <ListTable
            label="Players"
            query={query}
            rowsOf={(page) => page.players}
            keyOf={({ player_id }) => player_id}
            columns={foundColumns(clientId)}
            empty={<Empty title="No matching players" />}
          />
        </>
      )}
    </>
  );
}

function Latest({ clientId }: { clientId: number }) {
  const query = useInfiniteQuery(listQuery('FreeBetList', { client_id: clientId, limit: 15 }));
  return (
    <>
      <Title order={2}>Latest free bets</Title>
      <ListTable
        label="Latest free bets"
        query={query}
        rowsOf={(page) => page.free_bets}
        keyOf={({ issue_id }) => issue_id}
        columns={latestColumns(clientId)}
        empty={
          <Empty title="No free bets issued yet">
            Start a bulk award in a campaign, or find a player and issue a free bet.
          </Empty>
        }
      />
    </>
  );
}
