import '@mantine/charts/styles.layer.css';
import { Sparkline } from '@mantine/charts';
import { Badge, Paper, SimpleGrid, Skeleton, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { AnswerOf } from '../../api/call.ts';
import { asking } from '../../api/queries.ts';
import { Page } from '../../ui/page.tsx';
import { RefusalNote } from '../../ui/refusal.tsx';
import { gauges, uptimeText } from './gauges.ts';

type Reading = AnswerOf<'SystemGet'>;

const everyMs = 2_000;
/** Five minutes. */
const kept = 150;

/** How the service is doing. What was read is kept while the page is open, for the small charts. */
export function System() {
  const { data, error, dataUpdatedAt } = useQuery({ ...asking('SystemGet', {}), refetchInterval: everyMs });
  const [readings, setReadings] = useState<{ at: number; reading: Reading }[]>([]);
  useEffect(() => {
    if (!data) return;
    setReadings((before) =>
      before.at(-1)?.at === dataUpdatedAt ? before : [...before, { at: dataUpdatedAt, reading: data }].slice(-kept),
    );
  }, [data, dataUpdatedAt]);
  return (
    <Page
      title="System"
      mark={data && <Health reading={data} isStale={error !== null} />}
      about={
        data &&
        `Version ${data.version} · up for ${uptimeText(data.uptime_s)} · database ${data.database.version ?? 'unknown'}`
      }
    >
      {error && <RefusalNote error={error} />}
      <SimpleGrid cols={{ base: 2, sm: 3, lg: 4 }}>
        {gauges.map(({ title, about, read, text }) => (
          <Paper key={title} p="md" className="panel" component="section" aria-label={title}>
            <Text size="xs" c="dimmed">
              {title}
            </Text>
            {data ? (
              <Text fz={22} fw={600} className="figure" lh={1.4}>
                {text(read(data))}
              </Text>
            ) : (
              <Skeleton height={24} my={6} width="60%" />
            )}
            <Sparkline
              h={36}
              data={readings.map(({ reading }) => read(reading) ?? 0)}
              curveType="monotone"
              strokeWidth={1.5}
              fillOpacity={0.25}
              areaProps={{ isAnimationActive: false }}
              aria-hidden
            />
            <Text size="xs" c="dimmed">
              {about}
            </Text>
          </Paper>
        ))}
      </SimpleGrid>
      {data && <Connections reading={data} />}
      <Text size="xs" c="dimmed">
        Of the server that answers, every two seconds; the charts show what happened while this page is open, up to five
        minutes.
      </Text>
    </Page>
  );
}

function Health({ reading, isStale }: { reading: Reading; isStale: boolean }) {
  const [colour, words] = isStale
    ? ['red', 'not reached']
    : reading.database.is_up
      ? ['green', 'up']
      : ['red', 'database down'];
  return (
    <Badge color={colour} variant="light" tt="none" radius="sm">
      {words}
    </Badge>
  );
}

const Connections = ({ reading: { database } }: { reading: Reading }) => (
  <section aria-label="Connections to the database">
    <Title order={2} mb="xs">
      Connections to the database
    </Title>
    <Table.ScrollContainer minWidth={360} type="native" className="panel">
      <Table aria-label="Connections to the database" verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>For</Table.Th>
            {['Open', 'Idle', 'Most', 'Work waiting'].map((title) => (
              <Table.Th key={title} ta="right">
                {title}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {Object.entries(database.connections).map(([name, { open, idle, most, waiting }]) => (
            <Table.Tr key={name}>
              <Table.Th scope="row">{name}</Table.Th>
              {[open, idle, most, waiting].map((value, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the columns stay where they are.
                <Table.Td key={index} ta="right" className="figure">
                  {value}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  </section>
);
