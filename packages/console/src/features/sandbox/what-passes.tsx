import { Anchor, Button, Group, Skeleton, Stack, Table, Text, Title } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { AnswerOf } from '../../api/call.ts';
import { asking } from '../../api/queries.ts';
import { idInPath } from '../../ui/address.ts';
import { count } from '../../ui/figures.tsx';
import { exactText } from '../../ui/time.tsx';

// From the place on the slider to minutes ahead: fine near the present, coarse far from it.

const hour = 60;
const day = 24 * hour;

/** Equally far from each other on the slider. */
export const marks: { label: string; minutes: number }[] = [
  { label: 'now', minutes: 0 },
  { label: 'hour', minutes: hour },
  { label: 'day', minutes: day },
  { label: 'week', minutes: 7 * day },
  { label: 'month', minutes: 30 * day },
  { label: 'year', minutes: 365 * day },
];

/** Of the slider between two marks. */
export const stepsOfMark = 60;
export const lastPlace = (marks.length - 1) * stepsOfMark;

export function minutesAt(place: number): number {
  const mark = Math.min(Math.floor(place / stepsOfMark), marks.length - 2);
  const [from, to] = [marks[mark]?.minutes ?? 0, marks[mark + 1]?.minutes ?? 0];
  return Math.round(from + ((to - from) * (place - mark * stepsOfMark)) / stepsOfMark);
}

/** The nearest place at which it is not earlier. */
export function placeOf(minutes: number): number {
  const mark = marks.findLastIndex((each) => each.minutes <= minutes);
  const [from, to] = [marks[mark]?.minutes ?? 0, marks[mark + 1]?.minutes];
  if (to === undefined) return lastPlace;
  return mark * stepsOfMark + Math.ceil(((minutes - from) / (to - from)) * stepsOfMark);
}

// What time will decide about a sandbox on the way to a time: free bets that expire, campaigns that begin or end, lists that begin or are removed.

export type Preview = AnswerOf<'ClockPreview'>;
type Many = Preview['free_bets']['expire'];

/** Where not all were looked at, none of those that were is no promise. */
const some = ({ count: value, is_more }: Many, one: string, many: string): string[] =>
  value === 0 && !is_more ? [] : [`${is_more ? 'at least ' : ''}${count(value)} ${value === 1 ? one : many}`];

/** In one line. */
export function briefly({ free_bets: { expire }, campaigns: { begin, end }, jobs }: Preview): string {
  const parts = [
    ...some(expire, 'free bet expires', 'free bets expire'),
    ...some(begin, 'campaign begins', 'campaigns begin'),
    ...some(end, 'campaign ends', 'campaigns end'),
    ...some(jobs.begin, 'list begins', 'lists begin'),
    ...some(jobs.removed, 'list that was never started is removed', 'lists that were never started are removed'),
  ];
  return parts.length === 0 ? 'nothing expires, begins, ends or is removed' : parts.join(', ');
}

export interface Turn {
  at: string;
  text: string;
  /** Where to see what it happens to, below the partner. */
  path: string;
}

const mostShown = 10;

/** The first of it, in the order of time. */
function turnsOf({ free_bets, campaigns, jobs }: Preview): Turn[] {
  const expiring = free_bets.next.map(({ expires_at, player_id, issue_id }) => ({
    at: expires_at,
    text: `a free bet of ${player_id} expires`,
    path: `free-bets/${issue_id}`,
  }));
  const turning = campaigns.next.map(({ at, name, what, campaign_id }) => ({
    at,
    text: `${name} ${what}`,
    path: `campaigns/${idInPath(campaign_id)}`,
  }));
  const lists = jobs.next.map(({ at, name, what, job_id }) => ({
    at,
    text: `the list ${name} ${what === 'begins' ? 'begins' : 'is removed'}`,
    path: `lists/${job_id}`,
  }));
  return [...expiring, ...turning, ...lists]
    .toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at))
    .slice(0, mostShown);
}

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
