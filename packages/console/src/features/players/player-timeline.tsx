import type { FreeBetBody, FreeBetStatus } from '@freebets/contract';
import { Anchor, Button, Group, Skeleton, Stack, Text, Timeline, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { count } from '../../ui/figures.tsx';
import { useGames } from '../../ui/games.tsx';
import { statusText } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { type Stories, storyOf } from '../free-bets/story.ts';

interface PlayerTimelineProps {
  clientId: number;
  freeBets: FreeBetBody[];
  history: Stories;
  /** The status filter, if set. */
  status: FreeBetStatus | undefined;
  list: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage(): unknown };
  nameOf(campaignId: string): string;
}

const shownAtFirst = 10;

/** Which free bets the history covers, if not all. */
function coverageText(shown: number, status: FreeBetStatus | undefined, hasMore: boolean): string {
  const which = status ? `${statusText(status)} ` : '';
  const freeBets = `${count(shown)} ${which}free ${shown === 1 ? 'bet' : 'bets'}`;
  return hasMore ? `Of the latest ${freeBets}. Older ones are not loaded yet.` : `Of ${freeBets}.`;
}

/** The history of the shown free bets in plain words, newest first. */
export function PlayerTimeline({ clientId, freeBets, history, status, list, nameOf }: PlayerTimelineProps) {
  const { stories } = history;
  const { titleOf } = useGames([...stories.values()].flatMap(({ bets }) => bets.map(({ game_id }) => game_id)));
  const [shown, setShown] = useState(shownAtFirst);
  const chapters = freeBets
    .flatMap((freeBet) => {
      const { issue_id: issueId, campaign_id } = freeBet;
      const name = campaign_id && nameOf(campaign_id);
      const { bets = [], cancellation = null } = stories.get(issueId) ?? {};
      return storyOf({ ...freeBet, bets, cancellation }, name, titleOf)
        .flatMap(({ at, text, isAhead }) => (at === null || isAhead ? [] : [{ at, text, issueId }]))
        .toReversed();
    })
    .toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at));
  if (chapters.length === 0) return null;
  const showMore = () => {
    setShown(shown + 2 * shownAtFirst);
    if (list.hasNextPage) void list.fetchNextPage();
  };
  return (
    <Stack gap="xs" component="section" aria-label="History">
      <Title order={2}>History</Title>
      {(list.hasNextPage || status) && (
        <Text size="sm" c="dimmed">
          {coverageText(freeBets.length, status, list.hasNextPage)}
        </Text>
      )}
      {history.isPending && <Skeleton height={20} />}
      <Timeline bulletSize={14} lineWidth={2} active={chapters.length} p="md" className="panel">
        {chapters.slice(0, shown).map(({ at, text, issueId }) => (
          <Timeline.Item key={`${issueId} ${at} ${text}`}>
            <Text size="sm" className="name">
              {text}
            </Text>
            <Group gap="xs">
              <Text size="xs" c="dimmed" component="div">
                <Time at={at} />
              </Text>
              <Anchor size="xs" component={Link} to={`/p/${clientId}/free-bets/${issueId}`}>
                Free bet
              </Anchor>
            </Group>
          </Timeline.Item>
        ))}
      </Timeline>
      {(chapters.length > shown || list.hasNextPage) && (
        <Group justify="center">
          <Button variant="default" size="xs" loading={list.isFetchingNextPage} onClick={showMore}>
            Show older
          </Button>
        </Group>
      )}
    </Stack>
  );
}
