import { Group, Paper, Skeleton, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { AnswerOf } from '../../api/call.ts';
import { asking } from '../../api/queries.ts';
import { count, Money } from '../../ui/money.tsx';
import { RefusalNote } from '../../ui/refusal.tsx';
import { addMoney, drawn } from '../../ui/sums.ts';
import { midnight, timestamp, viewerZone } from '../../ui/zone.ts';

type Hour = AnswerOf<'ActivityGet'>['series'][number];
interface Figures {
  issued: number;
  bets: number;
  won: string;
}

const nothing: Figures = { issued: 0, bets: 0, won: '0.00' };

/** By currency, of the hours that begin within it. */
function sumsOf(series: Hour[], from: Date, until: Date): Map<string, Figures> {
  const sums = new Map<string, Figures>();
  for (const { at, currency, issued, bets, won } of series) {
    if (Date.parse(at) < from.getTime() || Date.parse(at) >= until.getTime()) continue;
    const before = sums.get(currency) ?? nothing;
    sums.set(currency, {
      issued: before.issued + issued,
      bets: before.bets + bets,
      won: addMoney(before.won, won),
    });
  }
  return sums;
}

/** Today, held against the same day of last week up to the same hour. */
export function Today({ clientId, now }: { clientId: number | undefined; now: Date }) {
  const today = midnight(now);
  const weekAgo = midnight(now, -7);
  const sameHour = new Date(now.getFullYear(), now.getMonth(), now.getDate() - 7, now.getHours(), now.getMinutes());
  const { data, error } = useQuery({
    ...asking('ActivityGet', {
      by: 'hour',
      from: timestamp(weekAgo),
      until: timestamp(midnight(now, 1)),
      ...(clientId !== undefined && { client_id: clientId }),
    }),
    refetchInterval: 5_000,
  });
  const present = sumsOf(data?.series ?? [], today, midnight(now, 1));
  const before = sumsOf(data?.series ?? [], weekAgo, sameHour);
  const currencies = [...new Set([...present.keys(), ...before.keys()])].toSorted();
  const weekday = new Intl.DateTimeFormat('en', { weekday: 'long' }).format(weekAgo);
  return (
    <Paper p="md" className="panel" component="section" aria-label="Today">
      <Group justify="space-between" mb="xs">
        <Title order={2}>Today</Title>
        <Text size="xs" c="dimmed">
          against last {weekday} by this hour · {viewerZone}
        </Text>
      </Group>
      {error && <RefusalNote error={error} />}
      {data === undefined ? (
        <Skeleton height={140} />
      ) : currencies.length === 0 ? (
        <Text c="dimmed" size="sm" py="xl" ta="center">
          Nothing has happened today, nor last {weekday}.
        </Text>
      ) : (
        <TodayTable {...{ currencies, present, before }} />
      )}
    </Paper>
  );
}

interface TodayTableProps {
  currencies: string[];
  present: Map<string, Figures>;
  before: Map<string, Figures>;
}

const TodayTable = ({ currencies, present, before }: TodayTableProps) => (
  <Table.ScrollContainer minWidth={320} type="native">
    <Table aria-label="Today by currency" verticalSpacing="xs">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Currency</Table.Th>
          <Table.Th ta="right">Issued</Table.Th>
          <Table.Th ta="right">Bets</Table.Th>
          <Table.Th ta="right">Won</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {currencies.map((currency) => {
          const [now, then] = [present.get(currency) ?? nothing, before.get(currency) ?? nothing];
          return (
            <Table.Tr key={currency}>
              <Table.Th scope="row">{currency}</Table.Th>
              <Table.Td ta="right" className="figure">
                {count(now.issued)} <Change from={then.issued} to={now.issued} />
              </Table.Td>
              <Table.Td ta="right" className="figure">
                {count(now.bets)} <Change from={then.bets} to={now.bets} />
              </Table.Td>
              <Table.Td ta="right" className="figure">
                <Money amount={now.won} currency={currency} /> <Change from={drawn(then.won)} to={drawn(now.won)} />
              </Table.Td>
            </Table.Tr>
          );
        })}
      </Table.Tbody>
    </Table>
  </Table.ScrollContainer>
);

/** In percent, without judging: more bets may be good or bad. */
function Change({ from, to }: { from: number; to: number }) {
  const text = from === 0 ? (to === 0 ? '=' : 'new') : percent((to - from) / from);
  return (
    <Text size="xs" c="dimmed" component="div">
      {text}
    </Text>
  );
}

const percent = (share: number): string => {
  const whole = Math.round(share * 100);
  return whole === 0 ? '=' : `${whole > 0 ? '+' : '−'}${count(Math.abs(whole))} %`;
};
