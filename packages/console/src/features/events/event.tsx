import type { EventBody } from '@freebets/contract';
import { Anchor, Button, Code, CopyButton, Group, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { CallError, call } from '../../api/call.ts';
import { callQuery } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { idInPath } from '../../ui/address.ts';
import { ErrorNote } from '../../ui/error-note.tsx';
import { Empty, Page } from '../../ui/page.tsx';
import { Status } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { ResendDialog, resultText } from './deliveries.tsx';
import { useHasWebhook } from './webhook.tsx';
import { eventText } from './words.ts';

const route = getRouteApi('/inside/p/$clientId/events/$sequence');

const isLoaded = (found: EventBody | 'ahead' | null | undefined): found is EventBody =>
  found != null && found !== 'ahead';

/** One event with its body and its delivery. */
export function Event() {
  const params = route.useParams();
  const [clientId, sequence] = [Number(params.clientId), Number(params.sequence)];
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['event', clientId, sequence],
    queryFn: async ({ signal }) => (await eventFrom(clientId, sequence, signal)) ?? null,
    // A loaded event never changes; a future one can appear at any time.
    staleTime: ({ state }) => (isLoaded(state.data) ? Number.POSITIVE_INFINITY : 0),
    refetchInterval: ({ state: { data } }) => (data === 'ahead' ? 10_000 : data === null && 1000),
  });
  const event = isLoaded(data) && data.sequence === sequence ? data : null;
  return (
    <Page
      title={event?.type ?? `Event ${params.sequence}`}
      about={
        event && (
          <>
            {eventText(event)} <Time at={event.occurred_at} /> · event {sequence}
          </>
        )
      }
      actions={<Neighbours clientId={clientId} sequence={sequence} />}
    >
      {error && <ErrorNote error={error} onRetry={() => void refetch()} />}
      {isPending && <Skeleton height={240} />}
      {!isPending && !error && event === null && (
        <Empty title="Event not found">It has not happened yet, or it was deleted after the retention period.</Empty>
      )}
      {event && <About clientId={clientId} event={event} />}
      {event && <DeliveryOf key={sequence} clientId={clientId} sequence={sequence} />}
      {event && <Body event={event} />}
    </Page>
  );
}

const Neighbours = ({ clientId, sequence }: { clientId: number; sequence: number }) => (
  <>
    {sequence > 1 && (
      <Button component={Link} variant="default" size="xs" to={`/p/${clientId}/events/${sequence - 1}`}>
        Previous event
      </Button>
    )}
    <Button component={Link} variant="default" size="xs" to={`/p/${clientId}/events/${sequence + 1}`}>
      Next event
    </Button>
  </>
);

function About({ clientId, event: { data } }: { clientId: number; event: EventBody }) {
  const links: [string, string][] =
    'campaign' in data
      ? [[data.campaign.name, `campaigns/${idInPath(data.campaign.campaign_id)}`]]
      : 'job' in data
        ? [[data.job.name, `lists/${data.job.job_id}`]]
        : [
            [`Player ${data.free_bet.player_id}`, `players/${idInPath(data.free_bet.player_id)}`],
            ['Free bet', `free-bets/${data.free_bet.issue_id}`],
          ];
  return (
    <Group gap="md">
      {links.map(([label, path]) => (
        <Anchor key={path} component={Link} size="sm" to={`/p/${clientId}/${path}`}>
          {label}
        </Anchor>
      ))}
    </Group>
  );
}

function DeliveryOf({ clientId, sequence }: { clientId: number; sequence: number }) {
  const may = useMay();
  const [isOpen, dialog] = useDisclosure(false);
  const { hasWebhook, error: unknown, retry } = useHasWebhook(clientId);
  const {
    data,
    error: failure,
    refetch,
  } = useQuery({
    ...callQuery('DeliveryList', { client_id: clientId, from: sequence, to: sequence, limit: 1 }),
    placeholderData: undefined,
    enabled: hasWebhook === true,
  });
  const delivery = data?.deliveries[0];
  const error = unknown ?? failure;
  if (error && !data) return <ErrorNote error={error} onRetry={unknown ? retry : () => void refetch()} />;
  if (hasWebhook === undefined || (hasWebhook && !data)) return <Skeleton height={90} />;
  if (delivery === undefined) return <Text size="sm">This event was not sent to a webhook.</Text>;
  return (
    <Stack gap="xs" component="section" aria-label="Delivery">
      <Group justify="space-between">
        <Title order={2}>Delivery</Title>
        {may('DeliveryResend') && delivery.state !== 'not_sent' && (
          <Button variant="default" size="xs" onClick={dialog.open}>
            Resend…
          </Button>
        )}
      </Group>
      <SimpleGrid cols={{ base: 2, sm: 5 }} p="md" className="panel">
        <Detail name="Status">
          <Status is={delivery.state} />
        </Detail>
        <Detail name="Attempts">{delivery.attempts}</Detail>
        <Detail name="Response">{resultText(delivery)}</Detail>
        <Detail name="Last attempt">
          <Time at={delivery.attempted_at} />
        </Detail>
        <Detail name="Next attempt">
          <Time at={delivery.next_attempt_at} is="ahead" />
        </Detail>
      </SimpleGrid>
      {isOpen && <ResendDialog clientId={clientId} selection={{ sequences: [sequence] }} onClose={dialog.close} />}
    </Stack>
  );
}

const Detail = ({ name, children }: { name: string; children: ReactNode }) => (
  <div>
    <Text size="xs" c="dimmed">
      {name}
    </Text>
    <Text size="sm" component="div">
      {children}
    </Text>
  </div>
);

function Body({ event }: { event: EventBody }) {
  return (
    <Stack gap="xs" component="section" aria-label="Body">
      <Group justify="space-between">
        <Title order={2}>Body</Title>
        <CopyButton value={JSON.stringify(event)}>
          {({ copied, copy }) => (
            <Button variant="default" size="xs" onClick={copy}>
              {copied ? 'Copied' : 'Copy as sent'}
            </Button>
          )}
        </CopyButton>
      </Group>
      {/* Focusable, so that keyboard users can scroll it. */}
      <Code block tabIndex={0} aria-label="Body of the event">
        {JSON.stringify(event, null, 2)}
      </Code>
    </Stack>
  );
}

/**
 * The first event with this sequence or a later one; undefined if it is the next to come; "ahead" if it is further
 * ahead.
 */
async function eventFrom(clientId: number, sequence: number, signal?: AbortSignal) {
  try {
    return (await call('EventsList', { client_id: clientId, after: sequence - 1, limit: 1 }, signal)).events[0];
  } catch (error) {
    if (error instanceof CallError && error.error === 'invalid_request' && error.details[0]?.field === 'after')
      return 'ahead';
    throw error;
  }
}
