import type { FreeBetBody } from '@freebets/contract';
import { Anchor, Button, Group, Stack, Text, Timeline, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useGames } from '../../ui/games.ts';
import { Time } from '../../ui/time.tsx';
import { storyOf } from '../free-bets/story.ts';
import type { Story } from './stories.ts';

interface PlayerTimelineProps {
  clientId: number;
  freeBets: FreeBetBody[];
  stories: Map<string, Story>;
  nameOf(campaignId: string): string;
}

const shownAtFirst = 10;

/** What happened to the free bets that are shown, the latest first, in plain words. */
export function PlayerTimeline({ clientId, freeBets, stories, nameOf }: PlayerTimelineProps) {
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
  return (
    <Stack gap="xs" component="section" aria-label="What happened">
      <Title order={2}>What happened</Title>
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
      {chapters.length > shown && (
        <Group justify="center">
          <Button variant="default" size="xs" onClick={() => setShown(shown + 2 * shownAtFirst)}>
            Show what happened before
          </Button>
        </Group>
      )}
    </Stack>
  );
}
