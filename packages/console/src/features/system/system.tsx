import { Badge, SimpleGrid, Skeleton, Stack, Table, Text, Title } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { type AnswerOf, call } from '../../api/call.ts';
import { Page } from '../../ui/page.tsx';
import { RefusalNote } from '../../ui/refusal.tsx';
import { type Gauge, parts, uptimeText } from './gauges.ts';

type Reading = AnswerOf<'SystemGet'>;

const everyMs = 2_000;
/** Five minutes. */
const kept = 150;
const shortestMs = 30_000;

interface Read {
  at: number;
  reading: Reading;
}

const queryKey = ['SystemGet', 'readings'];

/** What was read before is kept with what is read, also while another screen is open. */
const readings = queryOptions({
  queryKey,
  queryFn: async ({ signal, client }): Promise<Read[]> => {
    const reading = await call('SystemGet', {}, signal);
    return [...(client.getQueryData<Read[]>(queryKey) ?? []), { at: Date.now(), reading }].slice(-kept);
  },
  refetchInterval: everyMs,
  gcTime: kept * everyMs,
});

/** How the service is doing. */
export function System() {
  const { data = [], error } = useQuery(readings);
  const newest = data.at(-1);
  return (
    <Page
      title="System"
      mark={newest && <Health reading={newest.reading} isStale={error !== null} />}
      about={newest && aboutOf(newest.reading)}
    >
      {error && <RefusalNote error={error} />}
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
        Of the server that answers, every two seconds. The charts show up to five minutes of what was read in this
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
          gapMs={5 * everyMs}
        />
      )}
    </Stack>
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

// A small chart along time, in a scale of its own. It says nothing that the figure beside it does not, so it is not read out.

interface SparkProps {
  /** In the order of time; null where there was nothing to measure. */
  points: { at: number; value: number | null }[];
  /** From when to when it is drawn, in milliseconds. */
  span: { from: number; to: number };
  /** Readings further from each other than this are not joined. */
  gapMs: number;
}

const [width, height, margin] = [300, 36, 2];

/** Pieces of a line: it is broken where nothing is known. */
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
