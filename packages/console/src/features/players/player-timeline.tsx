import type { FreeBetBody, FreeBetStatus } from '@freebets/contract';
import { Anchor, Button, Group, Skeleton, Stack, Text, Timeline, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { count } from '../../ui/figures.tsx';
import { useGames } from '../../ui/games.tsx';
import { Time } from '../../ui/time.tsx';
import { type Stories, storyOf } from '../free-bets/story.ts';

interface PlayerTimelineProps {
  clientId: number;
  freeBets: FreeBetBody[];
  told: Stories;
  /** Where only those of one are shown. */
  status: FreeBetStatus | undefined;
  list: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage(): unknown };
  nameOf(campaignId: string): string;
}

const shownAtFirst = 10;

/** Of which free bets it is told, where it is not of all. */
function partText(shown: number, status: FreeBetStatus | undefined, hasMore: boolean): string {
  const which = status ? ` that ${shown === 1 ? 'is' : 'are'} ${status.replaceAll('_', ' ')}` : '';
  const bets = `${hasMore ? 'latest ' : ''}${count(shown)} ${shown === 1 ? 'free bet' : 'free bets'}${which}`;
  return hasMore ? `Of the ${bets}; what happened to older ones is not here yet.` : `Of the ${bets}.`;
}

/** What happened to the free bets that are shown, the latest first, in plain words. */
export function PlayerTimeline({ clientId, freeBets, told, status, list, nameOf }: PlayerTimelineProps) {
  const { stories } = told;
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
    <Stack gap="xs" component="section" aria-label="What happened">
      <Title order={2}>What happened</Title>
      {(list.hasNextPage || status) && (
        <Text size="sm" c="dimmed">
          {partText(freeBets.length, status, list.hasNextPage)}
        </Text>
      )}
      {told.isPending && <Skeleton height={20} />}
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
                This free bet
              </Anchor>
            </Group>
          </Timeline.Item>
        ))}
      </Timeline>
      {(chapters.length > shown || list.hasNextPage) && (
        <Group justify="center">
          <Button variant="default" size="xs" loading={list.isFetchingNextPage} onClick={showMore}>
            Show what happened before
          </Button>
        </Group>
      )}
    </Stack>
  );
}
