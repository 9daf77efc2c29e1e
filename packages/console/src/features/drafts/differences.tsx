import type { DraftDifference } from '@freebets/contract';
import { Table } from '@mantine/core';
import { useGames } from '../../ui/games.ts';
import { count, moneyText } from '../../ui/money.tsx';
import { dayText, durationText } from '../campaigns/terms.ts';
import { labelOf } from './problems.ts';

type Amounts = { currency: string; amount: string }[];

/** Before and after, in the words of the form. */
export function Differences({ differences }: { differences: DraftDifference[] }) {
  const { titleOf } = useGames(gamesIn(differences));
  return (
    <Table.ScrollContainer minWidth={320} className="panel">
      <Table aria-label="Differences">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>What</Table.Th>
            <Table.Th>As it is</Table.Th>
            <Table.Th>As drafted</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {differences.map(({ field, from, to }) => (
            <Table.Tr key={field}>
              <Table.Td>{labelOf(field)}</Table.Td>
              <Table.Td c="dimmed">{valueText(field, from, to, titleOf)}</Table.Td>
              <Table.Td fw={600}>{valueText(field, to, from, titleOf)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

const gamesIn = (differences: DraftDifference[]): string[] =>
  differences.flatMap(({ field, from, to }) =>
    field === 'games' ? [...((from ?? []) as string[]), ...((to ?? []) as string[])] : [],
  );

/** Of games only those are named that the other side lacks. */
function valueText(field: string, value: unknown, other: unknown, titleOf: (id: string) => string): string {
  if (value === null) return field.includes('limit') ? 'no limit' : 'not set';
  if (field === 'games') return gamesText(value as string[], (other ?? []) as string[], titleOf);
  if (field === 'bet_amounts')
    return (value as Amounts).map((each) => moneyText(each.amount, each.currency)).join(', ');
  if (field === 'valid_from' || field === 'valid_until') return dayText(String(value));
  if (field === 'duration_min') return durationText(Number(value));
  return typeof value === 'number' ? count(value) : String(value);
}

function gamesText(games: string[], others: string[], titleOf: (id: string) => string): string {
  const own = games.filter((id) => !others.includes(id));
  const shared = games.length - own.length;
  const named = own.slice(0, 8).map(titleOf).join(', ') + (own.length > 8 ? ` and ${count(own.length - 8)} more` : '');
  if (shared === 0) return named;
  return own.length === 0 ? `${count(shared)} shared` : `${named}, and ${count(shared)} shared`;
}
