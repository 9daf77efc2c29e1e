import { Anchor, Button, Group, Loader, Text } from '@mantine/core';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { CallRequest, CallResponse } from '../../api/call.ts';
import { useChange } from '../../api/change.ts';
import { listQuery, useDryRun } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { numberIn, oneOf } from '../../ui/address.ts';
import { ChangeDialog } from '../../ui/change-dialog.tsx';
import { ErrorNote } from '../../ui/error-note.tsx';
import { count } from '../../ui/figures.tsx';
import { type Column, ListTable } from '../../ui/list-table.tsx';
import { Empty } from '../../ui/page.tsx';
import { Status } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { deliveryPollMs, useHasWebhook } from './webhook.tsx';
import { eventTypes } from './words.ts';

const route = getRouteApi('/inside/p/$clientId/events');

export const deliveryStates = ['waiting', 'received', 'failed'] as const;

export type Delivery = CallResponse<'DeliveryList'>['deliveries'][number];
type Selection = Omit<CallRequest<'DeliveryResend'>, 'client_id'>;

/** The result of the latest attempt: the service's note, or else the HTTP status. */
export const resultText = ({ outcome, answer_status, attempts }: Delivery): string =>
  outcome ?? (answer_status !== null ? `HTTP ${answer_status}` : attempts === 0 ? 'not sent yet' : '–');

const columns = (clientId: number, resend: ((sequence: number) => void) | undefined): Column<Delivery>[] => [
  {
    title: 'Event',
    cell: ({ sequence, type }) => (
      <>
        <Anchor component={Link} to={`/p/${clientId}/events/${sequence}`} fw={600}>
          {type ?? 'deleted event'}
        </Anchor>
        <Text size="xs" c="dimmed">
          {sequence}
        </Text>
      </>
    ),
  },
  { title: 'Status', cell: ({ state }) => <Status is={state} /> },
  { title: 'Response', cell: (delivery) => <Text size="sm">{resultText(delivery)}</Text> },
  { title: 'Attempts', isFigure: true, isMinor: true, cell: ({ attempts }) => attempts },
  { title: 'Last attempt', isMinor: true, cell: ({ attempted_at }) => <Time at={attempted_at} /> },
  { title: 'Next attempt', isMinor: true, cell: ({ next_attempt_at }) => <Time at={next_attempt_at} is="ahead" /> },
  ...(resend
    ? [
        {
          title: 'Actions',
          isMinor: true,
          cell: ({ sequence, state }: Delivery) =>
            state !== 'not_sent' && (
              <Button size="compact-xs" variant="default" onClick={() => resend(sequence)}>
                Resend…
              </Button>
            ),
        },
      ]
    : []),
];

/** Refreshes the panel above the list after each refresh of the list, so that the two agree. */
function useWebhookReadAgain(listReadAt: number): void {
  const queries = useQueryClient();
  useEffect(() => {
    if (listReadAt > 0) void queries.invalidateQueries({ queryKey: ['WebhookGet'] });
  }, [queries, listReadAt]);
}

/** The filters in the address. */
function useFilter() {
  const search = route.useSearch();
  const [state, type] = [oneOf(deliveryStates, search.state), oneOf(eventTypes, search.type)];
  const [from, to] = [numberIn(search.from), numberIn(search.to)];
  return { ...(state && { state }), ...(type && { type }), ...(from && { from }), ...(to && { to }) };
}

export function Deliveries({ clientId }: { clientId: number }) {
  const filter = useFilter();
  const may = useMay();
  const [selection, setSelection] = useState<Selection | null>(null);
  const { hasWebhook, error, retry } = useHasWebhook(clientId);
  const query = useInfiniteQuery({
    ...listQuery('DeliveryList', { client_id: clientId, limit: 25, ...filter }),
    enabled: hasWebhook === true,
    // The live stream has no attempts, so this polls; not with several loaded pages, and not with a type filter, which
    // is slow.
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 1 || filter.type ? false : deliveryPollMs),
  });
  useWebhookReadAgain(query.dataUpdatedAt);
  if (error) return <ErrorNote error={error} onRetry={retry} />;
  if (hasWebhook === false)
    return <Empty title="No webhook">Events are not sent anywhere. The partner can poll the event feed.</Empty>;
  const resend = may('DeliveryResend') ? (sequence: number) => setSelection({ sequences: [sequence] }) : undefined;
  return (
    <>
      {resend && (
        <Group justify="flex-end" mb="sm">
          <Button
            variant="default"
            size="xs"
            onClick={() => setSelection(Object.keys(filter).length > 0 ? filter : { from: 1 })}
          >
            Resend all matching…
          </Button>
        </Group>
      )}
      <ListTable
        label="Deliveries"
        query={query}
        rowsOf={(page) => page.deliveries}
        keyOf={({ sequence }) => String(sequence)}
        columns={columns(clientId, resend)}
        empty={<Empty title="No matching deliveries">Choose other filters.</Empty>}
      />
      {selection && <ResendDialog clientId={clientId} selection={selection} onClose={() => setSelection(null)} />}
    </>
  );
}

interface ResendProps {
  clientId: number;
  selection: Omit<CallRequest<'DeliveryResend'>, 'client_id'>;
  onClose(): void;
}

/** Counts the events first. */
export function ResendDialog({ clientId, selection, onClose }: ResendProps) {
  const request = { client_id: clientId, ...selection };
  const tried = useDryRun('DeliveryResend', request);
  const change = useChange('webhook');
  const matched = tried.data?.matched ?? 0;
  const events = `${count(matched)} ${matched === 1 ? 'event' : 'events'}`;
  return (
    <ChangeDialog
      isOpen
      onClose={onClose}
      title="Resend events"
      action={tried.data ? `Resend ${events}` : 'Resend events'}
      isBlocked={tried.isFetching || matched === 0}
      onConfirm={(reason) => change('DeliveryResend', { ...request, reason })}
    >
      {tried.isFetching && <Loader size="sm" aria-label="Counting" />}
      {tried.error && <ErrorNote error={tried.error} />}
      {tried.data && (
        <Text size="sm">
          {matched === 0
            ? 'No matching event was sent before and is still stored.'
            : `${events} will be sent again: all that match, not only those on this page. The partner receives them again with the same IDs.`}
          {!tried.data.is_on && ' The webhook is off: they wait until it is set up again.'}
        </Text>
      )}
    </ChangeDialog>
  );
}
