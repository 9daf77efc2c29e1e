import { Group, Paper, Table, Text, Title } from '@mantine/core';
import { centsOf } from '../../ui/cents.ts';
import { count, Money } from '../../ui/money.tsx';
import { viewerZone } from '../../ui/zone.ts';
import type { Standing } from './overview.tsx';

type Figures = Standing['figures'][number];
const measures = ['issued', 'bets', 'staked', 'won'] as const;
type Measure = (typeof measures)[number];

const titles: Record<Measure, string> = { issued: 'Issued', bets: 'Bets', staked: 'Staked', won: 'Won' };
const isMinor = (measure: Measure): boolean => measure === 'staked';

/** Today; and how its whole hours compare with the same ones a week before. */
export function Today({ standing: { figures, now } }: { standing: Standing }) {
  const weekday = new Intl.DateTimeFormat('en', { weekday: 'long' }).format(new Date(now));
  return (
    <Paper p="md" className="panel" component="section" aria-label="Today">
      <Group justify="space-between" mb="xs" gap="xs">
        <Title order={2}>Today</Title>
        <Text size="xs" c="dimmed">
          against the same hours of last {weekday} · {viewerZone}
        </Text>
      </Group>
      {figures.length === 0 ? (
        <Text c="dimmed" size="sm" py="lg" ta="center">
          Nothing has happened today, nor last {weekday}.
        </Text>
      ) : (
        <TodayTable figures={figures} />
      )}
    </Paper>
  );
}

const TodayTable = ({ figures }: { figures: Figures[] }) => (
  <Table.ScrollContainer minWidth={300} type="native" mah={320}>
    <Table aria-label="Today by currency" verticalSpacing="xs" horizontalSpacing={6}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Currency</Table.Th>
          {measures.map((measure) => (
            <Table.Th key={measure} ta="right" visibleFrom={isMinor(measure) ? 'sm' : undefined}>
              {titles[measure]}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {figures.map(({ currency, today, whole_hours, last_week }) => (
          <Table.Tr key={currency}>
            <Table.Th scope="row">{currency}</Table.Th>
            {measures.map((measure) => (
              <Table.Td key={measure} ta="right" className="figure" visibleFrom={isMinor(measure) ? 'sm' : undefined}>
                {typeof today[measure] === 'number' ? (
                  count(today[measure])
                ) : (
                  <Money amount={today[measure]} currency={currency} />
                )}
                <Change from={last_week[measure]} to={whole_hours[measure]} />
              </Table.Td>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  </Table.ScrollContainer>
);

/** In percent, without judging: more bets may be good or bad. */
function Change({ from, to }: { from: string | number; to: string | number }) {
  const [before, after] = [centsOf(String(from)), centsOf(String(to))];
  if (before === 0n && after === 0n) return null;
  return (
    <Text size="xs" c="dimmed" component="div">
      {before === 0n ? 'none then' : percent(Number(((after - before) * 1000n) / before) / 10)}
    </Text>
  );
}

const percent = (share: number): string => {
  const whole = Math.round(share);
  return whole === 0 ? '=' : `${whole > 0 ? '+' : '−'}${count(Math.abs(whole))} %`;
};
