import { Anchor, Button, Group, Skeleton, Stack, Table, Text, Title } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { CallResponse } from '../../api/call.ts';
import { callQuery } from '../../api/queries.ts';
import { idInPath } from '../../ui/address.ts';
import { count } from '../../ui/figures.tsx';
import { exactText } from '../../ui/time.tsx';

// The scale of the slider: fine near the present, coarse further ahead.

const hour = 60;
const day = 24 * hour;

/** The marks are at equal distances on the slider. */
export const marks: { label: string; minutes: number }[] = [
  { label: 'now', minutes: 0 },
  { label: 'hour', minutes: hour },
  { label: 'day', minutes: day },
  { label: 'week', minutes: 7 * day },
  { label: 'month', minutes: 30 * day },
  { label: 'year', minutes: 365 * day },
];

/** Slider steps between two marks. */
export const stepsOfMark = 60;
export const lastPlace = (marks.length - 1) * stepsOfMark;

export function minutesAt(place: number): number {
  const mark = Math.min(Math.floor(place / stepsOfMark), marks.length - 2);
  const [from, to] = [marks[mark]?.minutes ?? 0, marks[mark + 1]?.minutes ?? 0];
  return Math.round(from + ((to - from) * (place - mark * stepsOfMark)) / stepsOfMark);
}

/** The nearest position that is not earlier. */
export function placeOf(minutes: number): number {
  const mark = marks.findLastIndex((each) => each.minutes <= minutes);
  const [from, to] = [marks[mark]?.minutes ?? 0, marks[mark + 1]?.minutes];
  if (to === undefined) return lastPlace;
  return mark * stepsOfMark + Math.ceil(((minutes - from) / (to - from)) * stepsOfMark);
}

// What will happen in a sandbox until the target time: free bets expire, campaigns start or end, bulk awards start or
// are deleted.

export type Preview = CallResponse<'ClockPreview'>;
type Many = Preview['free_bets']['expire'];

/** With `is_more` not everything was counted, so even 0 is only a lower bound. */
const some = ({ count: value, is_more }: Many, one: string, many: string): string[] =>
  value === 0 && !is_more ? [] : [`${is_more ? 'at least ' : ''}${count(value)} ${value === 1 ? one : many}`];

/** In one line. */
export function briefly({ free_bets: { expire }, campaigns: { begin, end }, jobs }: Preview): string {
  const parts = [
    ...some(expire, 'free bet expires', 'free bets expire'),
    ...some(begin, 'campaign starts', 'campaigns start'),
    ...some(end, 'campaign ends', 'campaigns end'),
    ...some(jobs.begin, 'bulk award starts', 'bulk awards start'),
    ...some(jobs.removed, 'incomplete bulk award is deleted', 'incomplete bulk awards are deleted'),
  ];
  return parts.length === 0 ? 'no changes' : parts.join(', ');
}

export interface Change {
  at: string;
  text: string;
  /** The path of the screen below the partner's path. */
  path: string;
}

const maxShown = 10;

/** The first changes in order of time. */
function changesOf({ free_bets, campaigns, jobs }: Preview): Change[] {
  const expiring = free_bets.next.map(({ expires_at, player_id, issue_id }) => ({
    at: expires_at,
    text: `a free bet of ${player_id} expires`,
    path: `free-bets/${issue_id}`,
  }));
  const turning = campaigns.next.map(({ at, name, what, campaign_id }) => ({
    at,
    text: `campaign ${name} ${what === 'begins' ? 'starts' : what}`,
    path: `campaigns/${idInPath(campaign_id)}`,
  }));
  const lists = jobs.next.map(({ at, name, what, job_id }) => ({
    at,
    text: `bulk award ${name} ${what === 'begins' ? 'starts' : 'is deleted'}`,
    path: `lists/${job_id}`,
  }));
  return [...expiring, ...turning, ...lists].toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at)).slice(0, maxShown);
}

export const minuteMs = 60_000;

/** Rounded to the minute, so that the query key stays the same for a while. */
const timeAt = (nowMs: number, minutes: number): string =>
  new Date(Math.ceil(nowMs / minuteMs) * minuteMs + minutes * minuteMs).toISOString();

export const ClockPreviewPanel = ({ clientId, preview }: { clientId: number; preview: Preview }) => (
  <Stack gap={4} component="section" aria-label="What will happen">
    <Title order={2}>What will happen</Title>
    <Text size="sm">{briefly(preview)}</Text>
    <Table verticalSpacing={2} withRowBorders={false} aria-label="First changes">
      <Table.Tbody>
        {changesOf(preview).map(({ at, text, path }) => (
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

interface UpcomingChangesProps {
  clientId: number;
  nowMs: number;
  onChoose(targetMs: number): void;
}

/** The upcoming changes, shown before the user picks a time. */
export function UpcomingChanges({ clientId, nowMs, onChoose }: UpcomingChangesProps) {
  const coming = marks.slice(1);
  const previews = useQueries({
    queries: coming.map(({ minutes }) =>
      callQuery('ClockPreview', { client_id: clientId, now: timeAt(nowMs, minutes) }),
    ),
  });
  const [nextMs] = previews
    .flatMap(({ data }) => (data ? changesOf(data).slice(0, 1) : []))
    .map(({ at }) => Date.parse(at))
    .toSorted((a, b) => a - b);
  return (
    <Stack gap={6} component="section" aria-label="Upcoming changes">
      <Group justify="space-between">
        <Title order={2}>Upcoming changes</Title>
        {nextMs !== undefined && (
          <Button size="xs" variant="default" onClick={() => onChoose(nextMs)}>
            Select next change
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
            In 1 {label}
          </Button>
          {previews[i]?.data ? <Text size="sm">{briefly(previews[i].data)}</Text> : <Skeleton height={14} w={160} />}
        </Group>
      ))}
    </Stack>
  );
}
