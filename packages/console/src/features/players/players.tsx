import type { FreeBetBody } from '@freebets/contract';
import { Anchor, Box, Button, Group, Text, TextInput, Title } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { CallError, call } from '../../api/call.ts';
import { listing } from '../../api/queries.ts';
import { Empty } from '../../ui/empty.tsx';
import { type Column, ListTable } from '../../ui/list-table.tsx';
import { Money } from '../../ui/money.tsx';
import { Name } from '../../ui/name.tsx';
import { isUuid } from '../../ui/new-id.ts';
import { Page } from '../../ui/page.tsx';
import { Status } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';

const route = getRouteApi('/inside/p/$clientId/players');

const playerPath = (clientId: number, playerId: string): string =>
  `/p/${clientId}/players/${encodeURIComponent(playerId)}`;

/** A free bet where that is what the id names; else the player of that id. */
async function pathFor(clientId: number, wanted: string): Promise<string> {
  if (!isUuid(wanted)) return playerPath(clientId, wanted);
  try {
    const { issue_id } = await call('FreeBetGet', { client_id: clientId, issue_id: wanted });
    return `/p/${clientId}/free-bets/${issue_id}`;
  } catch (error) {
    if (error instanceof CallError) return playerPath(clientId, wanted);
    throw error;
  }
}

const columns = (clientId: number): Column<FreeBetBody>[] => [
  {
    title: 'Player',
    cell: ({ player_id }) => (
      <Box miw={100}>
        <Anchor inherit component={Link} to={playerPath(clientId, player_id)} fw={600}>
          <Name isShort>{player_id}</Name>
        </Anchor>
      </Box>
    ),
  },
  {
    title: 'Free bet',
    cell: ({ issue_id, quantity, bet_amount, currency, campaign_id }) => (
      <>
        <Anchor inherit component={Link} to={`/p/${clientId}/free-bets/${issue_id}`}>
          {quantity} × <Money amount={bet_amount} currency={currency} />
        </Anchor>
        <Text size="xs" c="dimmed" lineClamp={1} className="name">
          {campaign_id ?? 'given directly'}
        </Text>
      </>
    ),
  },
  { title: 'Status', cell: ({ status }) => <Status is={status} /> },
  { title: 'Issued', isMinor: true, cell: ({ issued_at }) => <Time at={issued_at} /> },
];

/** Finds a player by the id that the partner has for them. */
export function Players() {
  const clientId = Number(route.useParams().clientId);
  const [text, setText] = useState('');
  const navigate = useNavigate();
  const query = useInfiniteQuery(listing('FreeBetList', { client_id: clientId, limit: 15 }));
  const find = async (event: FormEvent) => {
    event.preventDefault();
    const wanted = text.trim();
    if (wanted !== '') await navigate({ to: await pathFor(clientId, wanted) });
  };
  return (
    <Page title="Players">
      <form onSubmit={(event) => void find(event)}>
        <Group align="flex-end" gap="sm">
          <TextInput
            label="Player"
            description="The id that the partner has for them, or the id of a free bet."
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            autoFocus
            autoCapitalize="none"
            autoCorrect="off"
            spellCheck={false}
            enterKeyHint="search"
            maxLength={128}
            w={360}
            maw="100%"
          />
          <Button type="submit">Find</Button>
        </Group>
      </form>
      <Title order={2}>Latest free bets</Title>
      <ListTable
        label="Latest free bets"
        query={query}
        rowsOf={(page) => page.free_bets}
        keyOf={({ issue_id }) => issue_id}
        columns={columns(clientId)}
        empty={
          <Empty title="Nobody has got a free bet yet">
            Start a campaign and give free bets to a list of players, or find a player and give them one.
          </Empty>
        }
      />
    </Page>
  );
}
