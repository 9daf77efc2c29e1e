import { Group, Paper, Table, Text, Title } from '@mantine/core';
import { viewerZone } from '../../ui/dates.ts';
import { amountText, count, Money } from '../../ui/figures.tsx';
import { centsOf } from '../../ui/numbers.ts';
import { comparedSpan, type OverviewData } from './overview-data.ts';

type Figures = OverviewData['figures'][number];
const measures = ['issued', 'bets', 'staked', 'won'] as const;
type Measure = (typeof measures)[number];

const titles: Record<Measure, string> = { issued: 'Issued', bets: 'Bets', staked: 'Staked', won: 'Won' };
const isMinor = (measure: Measure): boolean => measure === 'staked';

interface TodayProps {
  overview: OverviewData;
  /** Whether all shown partners share the time `now`. */
  haveOneClock: boolean;
}

/** The day so far, and its whole hours compared with the same hours a week ago. */
export function Today({ overview: { figures, now }, haveOneClock }: TodayProps) {
  const weekday = new Intl.DateTimeFormat('en', { weekday: 'long' }).format(new Date(now));
  const span = comparedSpan(now, haveOneClock);
  return (
    <Paper p="md" className="panel" component="section" aria-label="Today">
      <Group justify="space-between" mb="xs" gap="xs">
        <Title order={2}>Today</Title>
        <Text size="xs" c="dimmed">
          Compared {span} with last {weekday} · {viewerZone}
        </Text>
      </Group>
      {figures.length === 0 ? (
        <Text c="dimmed" size="sm" py="lg" ta="center">
          No activity today or last {weekday}.
        </Text>
      ) : (
        <TodayTable figures={figures} span={span} />
      )}
    </Paper>
  );
}

const TodayTable = ({ figures, span }: { figures: Figures[]; span: string }) => (
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
        {figures.map((row) => (
          <Row key={row.currency} row={row} span={span} />
        ))}
      </Table.Tbody>
    </Table>
  </Table.ScrollContainer>
);

function Row({ row: { currency, today, whole_hours, last_week }, span }: { row: Figures; span: string }) {
  const areCompared = measures.some((measure) => !isNone(whole_hours[measure]) || !isNone(last_week[measure]));
  const shownOf = (value: string | number) =>
    typeof value === 'number' ? count(value) : <Money amount={value} currency={currency} />;
  return (
    <Table.Tr style={{ verticalAlign: 'top' }}>
      <Table.Th scope="row">
        {currency}
        {areCompared && (
          <Text size="xs" c="dimmed" component="div" fw={400}>
            {span}
          </Text>
        )}
      </Table.Th>
      {measures.map((measure) => (
        <Table.Td key={measure} ta="right" className="figure" visibleFrom={isMinor(measure) ? 'sm' : undefined}>
          {shownOf(today[measure])}
          {areCompared && (
            <Text size="xs" c="dimmed" component="div">
              {amountText(whole_hours[measure])}
              <div>{changeText(last_week[measure], whole_hours[measure])}</div>
            </Text>
          )}
        </Table.Td>
      ))}
    </Table.Tr>
  );
}

const isNone = (value: string | number): boolean => centsOf(String(value)) === 0n;

/** In percent and without colour: more bets can be good or bad. */
function changeText(from: string | number, to: string | number): string {
  const [before, after] = [centsOf(String(from)), centsOf(String(to))];
  if (before === 0n) return after === 0n ? '' : 'new';
  const whole = Math.round(Number(((after - before) * 1000n) / before) / 10);
  return whole === 0 ? '=' : `${whole > 0 ? '+' : '−'}${count(Math.abs(whole))}%`;
}
