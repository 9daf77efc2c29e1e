import { Group, Stack, Table, Text, Title } from '@mantine/core';
import { Money } from '../../ui/money.tsx';
import { Status } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { wonIn } from '../players/stories.ts';
import { NamedGame } from './named-game.tsx';
import type { WholeFreeBet } from './story.ts';

/** Each bet with its game, coefficient and win. */
export function Bets({ freeBet }: { freeBet: WholeFreeBet }) {
  const { bets, currency } = freeBet;
  if (bets.length === 0) return null;
  return (
    <Stack gap="xs" component="section" aria-label="Bets">
      <Group justify="space-between">
        <Title order={2}>Bets</Title>
        <Text size="sm">
          Won <Money amount={wonIn(bets)} currency={currency} /> in all
        </Text>
      </Group>
      <Table.ScrollContainer minWidth={320} type="native" className="panel">
        <Table aria-label="Bets" verticalSpacing="xs">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Game</Table.Th>
              <Table.Th>Result</Table.Th>
              <Table.Th ta="right">Coefficient</Table.Th>
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
