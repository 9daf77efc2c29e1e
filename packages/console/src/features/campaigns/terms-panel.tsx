import { Group, Stack, Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { GamePictures } from '../../ui/game-picture.tsx';
import { useGames } from '../../ui/games.ts';
import { count, MoneyList } from '../../ui/money.tsx';
import { exactText } from '../../ui/time.tsx';
import { coefficientsText, durationText, payoutText, sentencesOf, type Terms } from './terms.ts';

const mostNamed = 12;

const orNone = (value: number | null): string => (value === null ? 'no limit' : count(value));
const timeText = (time: string | null): string => (time === null ? 'not set' : exactText(time));

export function TermsPanel({ terms }: { terms: Terms }) {
  const { titleOf } = useGames(terms.games.slice(0, mostNamed));
  return (
    <Stack className="panel" p="md" gap="md">
      <Text>{sentencesOf(terms, titleOf)}</Text>
      <TermsList terms={terms} />
    </Stack>
  );
}

function TermsList({ terms }: { terms: Terms }) {
  const { titleOf } = useGames(terms.games.slice(0, mostNamed));
  const named = terms.games.slice(0, mostNamed).map(titleOf).join(', ');
  const more = terms.games.length > mostNamed ? ` and ${count(terms.games.length - mostNamed)} more` : '';
  const rows: [string, ReactNode][] = [
    [
      'Games',
      <Group key="games" gap="sm">
        <GamePictures ids={terms.games} most={5} isTitled />
        <span>{terms.games.length === 0 ? 'none chosen' : named + more}</span>
      </Group>,
    ],
    ['Bets of a free bet', terms.quantity ?? 'not set'],
    ['Amount of a bet', <MoneyList key="amounts" amounts={terms.amounts} />],
    ['Starts', timeText(terms.validFrom)],
    ['Ends', timeText(terms.validUntil)],
    ['A free bet lasts', terms.durationMin === null ? 'until the campaign ends' : durationText(terms.durationMin)],
    ['Free bets in all', orNone(terms.limit)],
    ['Free bets for one player', orNone(terms.limitPerPlayer)],
    ['Coefficients', coefficientsText(terms)],
    ['Payout', payoutText(terms.stakeReturned)],
  ];
  return (
    <Table variant="vertical" layout="auto" withRowBorders={false} verticalSpacing={4}>
      <Table.Tbody>
        {rows.map(([name, value]) => (
          <Table.Tr key={name}>
            <Table.Th w={{ base: 110, sm: 190 }} fw={500}>
              {name}
            </Table.Th>
            <Table.Td>{value}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
