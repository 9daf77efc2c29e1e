import type { FreeBetBody } from '@freebets/contract';
import { Avatar, Code, Group, SimpleGrid, Stack, Table, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Money } from '../../ui/figures.tsx';
import { GamePictures, useGames } from '../../ui/games.tsx';
import { Status } from '../../ui/status.tsx';
import { exactText, Time } from '../../ui/time.tsx';
import { expiryOf, leftText } from './left.ts';
import { type WholeFreeBet, wonIn } from './story.ts';

/** The placed bets with game, odds and winnings. */
export function Bets({ freeBet }: { freeBet: WholeFreeBet }) {
  const { bets, currency } = freeBet;
  if (bets.length === 0) return null;
  return (
    <Stack gap="xs" component="section" aria-label="Bets">
      <Group justify="space-between">
        <Title order={2}>Bets</Title>
        <Text size="sm">
          Total won: <Money amount={wonIn(bets)} currency={currency} />
        </Text>
      </Group>
      <Table.ScrollContainer minWidth={320} type="native" className="panel">
        <Table aria-label="Bets" verticalSpacing="xs">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Game</Table.Th>
              <Table.Th>Result</Table.Th>
              <Table.Th ta="right">Odds</Table.Th>
              <Table.Th ta="right">Won</Table.Th>
              <Table.Th visibleFrom="sm">Placed</Table.Th>
              <Table.Th visibleFrom="sm">Settled</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {bets.map((bet) => (
              <Table.Tr key={bet.bet_id} title={`Bet ${bet.bet_id}`}>
                <Table.Td>
                  <NamedGame id={bet.game_id} />
                </Table.Td>
                <Table.Td>
                  <Status is={bet.status} />
                </Table.Td>
                <Table.Td ta="right" className="figure">
                  {bet.coefficient ?? '–'}
                </Table.Td>
                <Table.Td ta="right">
                  {bet.win_amount === null ? '–' : <Money amount={bet.win_amount} currency={currency} />}
                </Table.Td>
                <Table.Td visibleFrom="sm">
                  <Time at={bet.placed_at} />
                </Table.Td>
                <Table.Td visibleFrom="sm">
                  <Time at={bet.settled_at} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Stack>
  );
}

const Term = ({ name, children }: { name: string; children: ReactNode }) => (
  <div>
    <Text size="xs" c="dimmed">
      {name}
    </Text>
    <Text size="sm" component="div" className="name">
      {children}
    </Text>
  </div>
);

function coefficients({ config: { min_coefficient: least, max_coefficient: most } }: FreeBetBody): string {
  if (least === null && most === null) return 'any';
  if (least === null) return `up to ${most}`;
  return most === null ? `${least} or more` : `${least} to ${most}`;
}

export function Terms({ freeBet }: { freeBet: FreeBetBody }) {
  const { games } = freeBet;
  const expiry = expiryOf(freeBet);
  return (
    <Stack gap="xs" component="section" aria-label="Terms">
      <Title order={2}>Terms</Title>
      <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} p="md" className="panel">
        <Term name="Stake per bet">
          <Money amount={freeBet.bet_amount} currency={freeBet.currency} />
        </Term>
        <Term name="Bets left">{leftText(freeBet)}</Term>
        <Term name="Odds">{coefficients(freeBet)}</Term>
        <Term name="Valid from">{exactText(freeBet.valid_from)}</Term>
        <Term name="Valid until">{exactText(freeBet.valid_until)}</Term>
        <Term name={expiry.is === 'past' ? 'Expired' : 'Expires'}>
          {expiry.at === null ? '–' : exactText(expiry.at)}
        </Term>
        <Term name="Issued">{exactText(freeBet.issued_at)}</Term>
        <Term name="Campaign">{freeBet.campaign_id ?? 'none'}</Term>
        <Term name="ID">
          <Code>{freeBet.issue_id}</Code>
        </Term>
        <Term name={games.length === 1 ? 'Game' : `${games.length} games`}>
          {games.length > 3 ? <GamePictures ids={games} most={8} /> : games.map((id) => <NamedGame key={id} id={id} />)}
        </Term>
      </SimpleGrid>
    </Stack>
  );
}

/** A game's picture and title. Screen readers announce only the title. */
function NamedGame({ id }: { id: string }) {
  const { pictureOf, titleOf } = useGames([id]);
  return (
    <Group gap="xs" wrap="nowrap">
      <Avatar src={pictureOf(id)} alt="" radius="sm" size={32} />
      <Text size="sm">{titleOf(id)}</Text>
    </Group>
  );
}
