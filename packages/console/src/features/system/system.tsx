import { Badge, SimpleGrid, Skeleton, Stack, Table, Text, Title } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { type CallResponse, call } from '../../api/call.ts';
import { ErrorNote } from '../../ui/error-note.tsx';
import { Page } from '../../ui/page.tsx';
import { type Gauge, parts, uptimeText } from './gauges.ts';

type Reading = CallResponse<'SystemGet'>;

const pollMs = 2_000;
/** Five minutes of readings. */
const maxReadings = 150;
const shortestMs = 30_000;

interface Read {
  at: number;
  reading: Reading;
}

const queryKey = ['SystemGet', 'readings'];

/** Earlier readings stay in the cache, also while another screen is open. */
const readings = queryOptions({
  queryKey,
  queryFn: async ({ signal, client }): Promise<Read[]> => {
    const reading = await call('SystemGet', {}, signal);
    return [...(client.getQueryData<Read[]>(queryKey) ?? []), { at: Date.now(), reading }].slice(-maxReadings);
  },
  refetchInterval: pollMs,
  gcTime: maxReadings * pollMs,
});

export function System() {
  const { data = [], error } = useQuery(readings);
  const newest = data.at(-1);
  return (
    <Page
      title="System"
      mark={newest && <Health reading={newest.reading} isStale={error !== null} />}
      about={newest && aboutOf(newest.reading)}
    >
      {error && <ErrorNote error={error} />}
      {parts.map(({ title, gauges }) => (
        <section key={title} aria-label={title}>
          <Title order={2} mb="xs">
            {title}
          </Title>
          <SimpleGrid cols={{ base: 2, sm: 3, lg: 4 }}>
            {gauges.map((gauge) => (
              <GaugePanel key={gauge.title} gauge={gauge} read={data} />
            ))}
          </SimpleGrid>
        </section>
      ))}
      {newest && <Connections reading={newest.reading} />}
      <Text size="xs" c="dimmed">
        Readings of the server that responds, every 2 seconds. The charts show up to 5 minutes of readings in this
        window.
      </Text>
    </Page>
  );
}

const aboutOf = ({ version, uptime_s, database }: Reading): string =>
  `Version ${version} · up for ${uptimeText(uptime_s)} · database ${database.version ?? 'unknown'}`;

function GaugePanel({ gauge: { title, about, read, text }, read: all }: { gauge: Gauge; read: Read[] }) {
  const points = all.map(({ at, reading }) => ({ at, value: read(reading) }));
  const [first, last] = [points[0], points.at(-1)];
  return (
    <Stack p="md" gap={2} className="panel" component="section" aria-label={title} justify="space-between">
      <div>
        <Text size="xs" c="dimmed">
          {title}
        </Text>
        {last ? (
          <Text fz={22} fw={600} className="figure" lh={1.4}>
            {text(last.value)}
          </Text>
        ) : (
          <Skeleton height={24} my={6} width="60%" />
        )}
        <Text size="xs" c="dimmed">
          {about}
        </Text>
      </div>
      {first && last && (
        <Spark
          points={points}
          span={{ from: Math.min(first.at, last.at - shortestMs), to: last.at }}
          gapMs={5 * pollMs}
        />
      )}
    </Stack>
  );
}

function Health({ reading, isStale }: { reading: Reading; isStale: boolean }) {
  const [colour, words] = isStale
    ? ['red', 'unreachable']
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
  <section aria-label="Database connections">
    <Title order={2} mb="xs">
      Database connections
    </Title>
    <Table.ScrollContainer minWidth={360} type="native" className="panel">
      <Table aria-label="Database connections" verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Pool</Table.Th>
            {['Open', 'Idle', 'Maximum', 'Waiting'].map((title) => (
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
                // biome-ignore lint/suspicious/noArrayIndexKey: the columns are fixed.
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

// A small chart over time with its own scale. Screen readers skip it, because they announce the figure next to it.

interface SparkProps {
  /** In the order of time; null where there was nothing to measure. */
  points: { at: number; value: number | null }[];
  /** The time range in milliseconds. */
  span: { from: number; to: number };
  /** Readings further apart than this are not connected. */
  gapMs: number;
}

const [width, height, margin] = [300, 36, 2];

/** The line in pieces, with gaps for missing readings. */
function linesOf({ points, span: { from, to }, gapMs }: SparkProps): [number, number][][] {
  const highest = Math.max(...points.map(({ value }) => value ?? 0), Number.MIN_VALUE);
  const lines: [number, number][][] = [];
  let before: number | undefined;
  for (const { at, value } of points) {
    if (value === null) {
      before = undefined;
      continue;
    }
    if (before === undefined || at - before > gapMs) lines.push([]);
    const x = ((at - from) / (to - from)) * width;
    lines.at(-1)?.push([x, height - margin - (value / highest) * (height - 2 * margin)]);
    before = at;
  }
  return lines;
}

const pathOf = (line: [number, number][]): string => line.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(' L');

const Spark = (props: SparkProps) => (
  <svg className="spark" viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
    <path className="spark-ground" d={`M0,${height - margin} H${width}`} />
    {linesOf(props).map((line) => {
      const [[begin] = [0], [end] = [0]] = [line[0], line.at(-1)];
      return (
        <g key={begin}>
          <path className="spark-area" d={`M${begin},${height} L${pathOf(line)} L${end},${height} Z`} />
          <path className="spark-line" d={`M${pathOf(line)}`} />
        </g>
      );
    })}
  </svg>
);
