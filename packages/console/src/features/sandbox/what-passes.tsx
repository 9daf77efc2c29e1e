import { Anchor, Button, Group, Skeleton, Stack, Table, Text, Title } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { asking } from '../../api/queries.ts';
import { exactText } from '../../ui/time.tsx';
import { marks } from './clock-scale.ts';
import { briefly, type Preview, turnsOf } from './preview.ts';

export const minuteMs = 60_000;

/** To the minute, so that the question stays the same while one looks. */
const timeAt = (nowMs: number, minutes: number): string =>
  new Date(Math.ceil(nowMs / minuteMs) * minuteMs + minutes * minuteMs).toISOString();

export const WhatPasses = ({ clientId, preview }: { clientId: number; preview: Preview }) => (
  <Stack gap={4} component="section" aria-label="On the way">
    <Title order={2}>On the way</Title>
    <Text size="sm">{briefly(preview)}</Text>
    <Table verticalSpacing={2} withRowBorders={false} aria-label="What comes first">
      <Table.Tbody>
        {turnsOf(preview).map(({ at, text, path }) => (
          <Table.Tr key={`${at} ${path} ${text}`}>
            <Table.Td className="figure" c="dimmed" visibleFrom="sm" w={190} pl={0}>
              {exactText(at).split(' · ')[0]}
            </Table.Td>
            <Table.Td>
              <Anchor size="sm" component={Link} to={`/p/${clientId}/${path}`} className="name">
                {text}
              </Anchor>
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  </Stack>
);

interface WhatComesProps {
  clientId: number;
  nowMs: number;
  onChoose(targetMs: number): void;
}

/** Before one has chosen: what there is to choose. */
export function WhatComes({ clientId, nowMs, onChoose }: WhatComesProps) {
  const coming = marks.slice(1);
  const previews = useQueries({
    queries: coming.map(({ minutes }) => asking('ClockPreview', { client_id: clientId, now: timeAt(nowMs, minutes) })),
  });
  const [nextMs] = previews
    .flatMap(({ data }) => (data ? turnsOf(data).slice(0, 1) : []))
    .map(({ at }) => Date.parse(at))
    .toSorted((a, b) => a - b);
  return (
    <Stack gap={6} component="section" aria-label="What comes">
      <Group justify="space-between">
        <Title order={2}>What comes</Title>
        {nextMs !== undefined && (
          <Button size="xs" variant="default" onClick={() => onChoose(nextMs)}>
            To the next change
          </Button>
        )}
      </Group>
      {coming.map(({ label, minutes }, i) => (
        <Group key={label} gap="sm" wrap="nowrap">
          <Button
            size="compact-sm"
            variant="default"
            w={130}
            miw={130}
            onClick={() => onChoose(nowMs + minutes * minuteMs)}
          >
            In one {label}
          </Button>
          {previews[i]?.data ? <Text size="sm">{briefly(previews[i].data)}</Text> : <Skeleton height={14} w={160} />}
        </Group>
      ))}
    </Stack>
  );
}
