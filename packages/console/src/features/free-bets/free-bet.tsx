import type { FreeBetBody } from '@freebets/contract';
import { Alert, Anchor, Button, Group, Skeleton, Stack, Text, Timeline, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { callQuery } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { idInPath } from '../../ui/address.ts';
import { ErrorNote } from '../../ui/error-note.tsx';
import { moneyText } from '../../ui/figures.tsx';
import { useGames } from '../../ui/games.tsx';
import { Name, Page } from '../../ui/page.tsx';
import { Status } from '../../ui/status.tsx';
import { exactText, Time } from '../../ui/time.tsx';
import { FoundEvents } from '../events/found-events.tsx';
import { CancelDialog, isCancellable, PlayRound } from './actions.tsx';
import { Bets, Terms } from './details.tsx';
import { statusReason, storyOf, useStories, type WholeFreeBet } from './story.ts';

const route = getRouteApi('/inside/p/$clientId/free-bets/$issueId');

export function FreeBet() {
  const { clientId: clientText, issueId } = route.useParams();
  const clientId = Number(clientText);
  const { data, error, refetch } = useQuery(callQuery('FreeBetGet', { client_id: clientId, issue_id: issueId }));
  if (error && !data) {
    return (
      <Page title="Free bet">
        <ErrorNote error={error} onRetry={() => void refetch()} />
      </Page>
    );
  }
  if (!data) {
    return (
      <Page title="Free bet">
        <Skeleton height={240} />
      </Page>
    );
  }
  return <Known clientId={clientId} freeBet={data} />;
}

function Known({ clientId, freeBet }: { clientId: number; freeBet: WholeFreeBet }) {
  const may = useMay();
  const [isCancelling, cancelling] = useDisclosure(false);
  const { data: partner } = useQuery(callQuery('PartnerGet', { client_id: clientId }));
  const { quantity, bet_amount, currency, player_id, status } = freeBet;
  return (
    <Page
      title={`Free bet: ${quantity} × ${moneyText(bet_amount, currency)}`}
      mark={<Status is={status} />}
      about={
        <>
          Player{' '}
          <Anchor component={Link} size="sm" underline="always" to={`/p/${clientId}/players/${idInPath(player_id)}`}>
            <Name>{player_id}</Name>
          </Anchor>
        </>
      }
      actions={
        may('Cancel') &&
        isCancellable(freeBet) && (
          <Button variant="default" onClick={cancelling.open}>
            Cancel free bet…
          </Button>
        )
      }
    >
      <Alert color="gray" title={statusReason(freeBet)}>
        {partner?.clock && partner.clock.offset_s > 0 && (
          <Text size="sm">This partner is a sandbox with its clock set ahead, to {exactText(partner.clock.now)}.</Text>
        )}
      </Alert>
      <Story clientId={clientId} freeBet={freeBet} />
      <Bets freeBet={freeBet} />
      {partner?.sandbox && may('SandboxRound') && <PlayRound clientId={clientId} freeBet={freeBet} />}
      <Terms freeBet={freeBet} />
      <EventsOf key={freeBet.issue_id} clientId={clientId} freeBet={freeBet} />
      {isCancelling && <CancelDialog {...{ clientId, freeBet, onClose: cancelling.close }} />}
    </Page>
  );
}

function Story({ clientId, freeBet }: { clientId: number; freeBet: WholeFreeBet }) {
  const { titleOf } = useGames(freeBet.bets.map(({ game_id }) => game_id));
  const { campaign_id } = freeBet;
  const { data: campaign } = useQuery({
    ...callQuery('CampaignGet', { client_id: clientId, campaign_id: campaign_id ?? '' }),
    enabled: campaign_id !== null,
  });
  const history = useStories(clientId, [[freeBet]]);
  const cancellation = history.stories.get(freeBet.issue_id)?.cancellation ?? null;
  const chapters = storyOf(
    { ...freeBet, cancellation },
    campaign_id === null ? null : (campaign?.name ?? campaign_id),
    titleOf,
  );
  return (
    <Stack gap="xs" component="section" aria-label="History">
      <Group justify="space-between">
        <Title order={2}>History</Title>
        {campaign_id !== null && (
          <Anchor component={Link} size="sm" to={`/p/${clientId}/campaigns/${idInPath(campaign_id)}`}>
            Go to campaign
          </Anchor>
        )}
      </Group>
      {history.error && <ErrorNote error={history.error} onRetry={history.retry} />}
      <Timeline bulletSize={14} lineWidth={2} active={chapters.filter(({ isAhead }) => !isAhead).length - 1} p="sm">
        {chapters.map(({ at, text, isAhead }, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: chapters are only ever added at the end.
          <Timeline.Item key={i} lineVariant={isAhead ? 'dashed' : 'solid'}>
            <Text size="sm" className="name">
              {text}
            </Text>
            <Text size="xs" c="dimmed" component="div">
              <Time at={at} is={isAhead ? 'ahead' : 'past'} />
            </Text>
          </Timeline.Item>
        ))}
      </Timeline>
    </Stack>
  );
}

/** Loads the events only on request, because it searches all events of the partner. */
function EventsOf({ clientId, freeBet: { issue_id, issued_at } }: { clientId: number; freeBet: FreeBetBody }) {
  const [isRequested, setIsRequested] = useState(false);
  return (
    <Stack gap="xs" component="section" aria-label="Events">
      <Group justify="space-between">
        <Title order={2}>Events</Title>
        {!isRequested && (
          <Button size="xs" variant="default" onClick={() => setIsRequested(true)}>
            Show events
          </Button>
        )}
      </Group>
      {isRequested ? (
        <FoundEvents clientId={clientId} of={{ issue_id, from: issued_at }} />
      ) : (
        <Text size="xs" c="dimmed">
          The events about this free bet that were sent to the partner.
        </Text>
      )}
    </Stack>
  );
}
