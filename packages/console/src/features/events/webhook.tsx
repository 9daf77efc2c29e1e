import { Badge, Button, Code, Group, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { CallResponse } from '../../api/call.ts';
import { useChange } from '../../api/change.ts';
import { callQuery } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { ChangeDialog } from '../../ui/change-dialog.tsx';
import { ErrorNote } from '../../ui/error-note.tsx';
import { WholeNumberInput } from '../../ui/fields.tsx';
import { count } from '../../ui/figures.tsx';
import { Status } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';

type Webhook = CallResponse<'WebhookGet'>;
type Change = 'set' | 'off' | 'remove';

/** The webhook is undefined if the partner has none. */
function useWebhook(clientId: number) {
  const { hasWebhook, error: unknown } = useHasWebhook(clientId);
  const { data, error, isPending } = useQuery({
    ...callQuery('WebhookGet', { client_id: clientId }),
    enabled: hasWebhook === true,
    refetchInterval: deliveryPollMs,
  });
  return {
    webhook: hasWebhook ? data : undefined,
    error: hasWebhook ? error : unknown,
    isPending: hasWebhook === undefined ? unknown === null : hasWebhook && isPending,
  };
}

/** The webhook's address and status, and for admins its changes. */
export function WebhookPanel({ clientId }: { clientId: number }) {
  const may = useMay();
  const [change, setChange] = useState<Change | null>(null);
  const { webhook, error, isPending } = useWebhook(clientId);
  if (isPending) return <Skeleton height={64} />;
  if (error) return <ErrorNote error={error} />;
  return (
    <Group p="md" className="panel" justify="space-between" component="section" aria-label="Webhook">
      {webhook ? <WebhookStatus webhook={webhook} /> : <Text size="sm">No webhook: events are not sent anywhere.</Text>}
      {may('WebhookSet') && (
        <Group gap="xs">
          <Button size="xs" variant="default" onClick={() => setChange('set')}>
            {webhook ? 'Change webhook…' : 'Set up webhook…'}
          </Button>
          {webhook && webhook.off_at === null && (
            <Button size="xs" variant="default" onClick={() => setChange('off')}>
              Turn off…
            </Button>
          )}
          {webhook && (
            <Button size="xs" variant="default" onClick={() => setChange('remove')}>
              Remove…
            </Button>
          )}
        </Group>
      )}
      {change === 'set' && <SetDialog clientId={clientId} webhook={webhook} onClose={() => setChange(null)} />}
      {webhook && change !== null && change !== 'set' && (
        <EndDialog {...{ clientId, webhook, how: change, onClose: () => setChange(null) }} />
      )}
    </Group>
  );
}

const stateOf = ({ off_at, failing_since }: Webhook): string =>
  off_at !== null ? 'off' : failing_since !== null ? 'failing' : 'on';

const WebhookStatus = ({ webhook }: { webhook: Webhook }) => (
  <Stack gap={4}>
    <Group gap="xs">
      <Status is={stateOf(webhook)} />
      <Code>{webhook.url}</Code>
    </Group>
    <Text size="sm" c="dimmed" component="div">
      {count(webhook.waiting)} waiting · {count(webhook.failed)} failed · last attempt{' '}
      <Time at={webhook.last_attempt_at} />
      {webhook.failing_since !== null && (
        <>
          {' '}
          · failing since <Time at={webhook.failing_since} />
        </>
      )}
      {webhook.off_at !== null && (
        <>
          {' '}
          · off since <Time at={webhook.off_at} />{' '}
          {webhook.off_reason && <Badge variant="default">{webhook.off_reason}</Badge>}
        </>
      )}
    </Text>
  </Stack>
);

/** Sends the values that were read, so that the server refuses the change if a colleague changed them since. */
function useAsRead(webhook: Webhook | undefined) {
  const { url = null, off_at = null } = webhook ?? {};
  const [as_read] = useState({ url, off_at });
  return { as_read, isOutdated: url !== as_read.url || off_at !== as_read.off_at };
}

function SetDialog(props: { clientId: number; webhook: Webhook | undefined; onClose(): void }) {
  const { clientId, webhook, onClose } = props;
  const { as_read, isOutdated } = useAsRead(webhook);
  const form = useForm<{ url: string; from: string | number }>({
    initialValues: { url: webhook?.url ?? '', from: '' },
  });
  const { url, from } = form.values;
  const change = useChange('webhook');
  const defaultStart = webhook ? `continues with event ${webhook.next_sequence}` : 'starts with the next event';
  return (
    <ChangeDialog
      isOpen
      onClose={onClose}
      title={webhook ? 'Change webhook' : 'Set up webhook'}
      action={webhook ? 'Change webhook' : 'Set up webhook'}
      isBlocked={url.trim() === ''}
      isOutdated={isOutdated}
      onConfirm={(reason) => {
        const begin = from === '' ? {} : { from: Number(from) };
        return change('WebhookSet', { client_id: clientId, url: url.trim(), ...begin, as_read, reason });
      }}
    >
      <TextInput
        label="URL"
        type="url"
        placeholder="https://partner.example/events"
        {...form.getInputProps('url')}
        required
      />
      <WholeNumberInput
        label="Start with event"
        description={`Sequence number. Empty: ${defaultStart}.`}
        {...form.getInputProps('from')}
        min={1}
        hideControls
      />
      <Text size="sm">
        Delivery {from === '' ? defaultStart : `starts with event ${from}`}. The partner can receive earlier events
        again.
      </Text>
    </ChangeDialog>
  );
}

function EndDialog(props: { clientId: number; webhook: Webhook; how: 'off' | 'remove'; onClose(): void }) {
  const { clientId, webhook, how, onClose } = props;
  const { as_read, isOutdated } = useAsRead(webhook);
  const change = useChange('webhook');
  const isOff = how === 'off';
  const waiting = `${count(webhook.waiting)} ${webhook.waiting === 1 ? 'event waits' : 'events wait'}`;
  return (
    <ChangeDialog
      isOpen
      onClose={onClose}
      title={isOff ? 'Turn off webhook' : 'Remove webhook'}
      action={isOff ? 'Turn off webhook' : 'Remove webhook'}
      isDangerous
      isOutdated={isOutdated}
      onConfirm={(reason) => change(isOff ? 'WebhookOff' : 'WebhookRemove', { client_id: clientId, as_read, reason })}
    >
      <Text size="sm">
        {isOff
          ? `No more events are sent to ${webhook.url}. ${waiting} until it is set up again.`
          : `No more events are sent to ${webhook.url}, and its delivery log is deleted permanently: ${waiting}, ${count(webhook.failed)} failed.`}
      </Text>
    </ChangeDialog>
  );
}

export const deliveryPollMs = 3000;

/** `hasWebhook` is undefined while it loads. */
export function useHasWebhook(clientId: number) {
  const { data, error, refetch } = useQuery(callQuery('PartnerGet', { client_id: clientId }));
  const hasWebhook = data?.client_id === clientId ? data.webhook !== null : undefined;
  return { hasWebhook, error: hasWebhook === undefined ? error : null, retry: () => void refetch() };
}
