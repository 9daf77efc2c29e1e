import { Anchor, NumberInput, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { AnswerOf } from '../../api/call.ts';
import { useChange } from '../../api/change.ts';
import { asking } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { ChangeDialog } from '../../ui/change-dialog.tsx';
import { Details } from '../../ui/details.tsx';
import { DialogButton } from '../../ui/dialog-button.tsx';
import { count } from '../../ui/money.tsx';
import { Status } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { WhatHappens } from '../../ui/what-happens.tsx';
import type { PartnerShown } from './settings.tsx';

// Where the events of a partner go; what became of each is on the screen of its events.

type Webhook = AnswerOf<'WebhookGet'>;

export function WebhookDetails({ partner }: { partner: PartnerShown }) {
  const { client_id, webhook: state } = partner;
  const may = useMay();
  const { data } = useQuery({ ...asking('WebhookGet', { client_id }), enabled: state !== null });
  const webhook = state === null ? undefined : data;
  const isOn = webhook?.off_at === null;
  return (
    <Details
      title="Webhook"
      rows={state === null ? [['Events go to', 'nowhere: they are kept to be read']] : rowsOf(state, webhook)}
      actions={
        <>
          {may('WebhookSet') && (
            <DialogButton
              label={state === null ? 'Set webhook' : isOn ? 'Change webhook' : 'Turn on'}
              dialog={(close) => <SetDialog partner={partner} webhook={webhook} onClose={close} />}
            />
          )}
          {may('WebhookOff') && webhook && isOn && (
            <DialogButton
              label="Turn off"
              dialog={(close) => <OffDialog partner={partner} webhook={webhook} onClose={close} />}
            />
          )}
          {may('WebhookRemove') && webhook && (
            <DialogButton
              label="Remove"
              dialog={(close) => <RemoveDialog partner={partner} webhook={webhook} onClose={close} />}
            />
          )}
        </>
      }
    >
      <Anchor component={Link} to={`/p/${client_id}/events`} size="sm">
        Events and deliveries
      </Anchor>
    </Details>
  );
}

function rowsOf(state: string, webhook: Webhook | undefined): [string, ReactNode][] {
  if (webhook === undefined) return [['State', <Status key="state" is={state} />]];
  const { url, off_at, off_reason, failing_since, last_attempt_at, waiting, failed } = webhook;
  return [
    ['Events go to', url],
    ['State', <Status key="state" is={state} />],
    ...(off_at === null ? [] : ([['Off', <OffText key="off" {...{ off_at, off_reason }} />]] as [string, ReactNode][])),
    ...(failing_since === null ? [] : ([['Failing', <Time key="at" at={failing_since} />]] as [string, ReactNode][])),
    ['Waiting', `${count(waiting)} events`],
    ['Given up', `${count(failed)} events`],
    ['Last attempt', <Time key="last" at={last_attempt_at} />],
  ];
}

const OffText = ({ off_at, off_reason }: Pick<Webhook, 'off_at' | 'off_reason'>) => (
  <>
    <Time at={off_at} /> {off_reason}
  </>
);

interface DialogProps {
  partner: PartnerShown;
  webhook: Webhook;
  onClose(): void;
}

function SetDialog({
  partner,
  webhook,
  onClose,
}: {
  partner: PartnerShown;
  webhook?: Webhook | undefined;
  onClose(): void;
}) {
  const { client_id, name } = partner;
  const [url, setUrl] = useState(webhook?.url ?? '');
  const [from, setFrom] = useState<number | string>('');
  const change = useChange('webhook');
  const address = url.trim();
  const usual = webhook ? `event ${webhook.next_sequence}, where it had stopped` : 'the next event that happens';
  return (
    <ChangeDialog
      isOpen
      onClose={onClose}
      title={`Where the events of ${name} go`}
      action="Set webhook"
      isBlocked={address === ''}
      carryOut={(reason) =>
        change('WebhookSet', { client_id, url: address, ...(from !== '' && { from: Number(from) }), reason })
      }
    >
      <TextInput
        label="Address"
        placeholder="https://"
        value={url}
        onChange={({ currentTarget }) => setUrl(currentTarget.value)}
        maxLength={4096}
        required
        data-autofocus
      />
      <NumberInput
        label="Begin with event"
        description={`Left empty: ${usual}.`}
        value={from}
        onChange={setFrom}
        min={1}
        allowDecimal={false}
        allowNegative={false}
      />
      <WhatHappens
        sentences={[
          address !== '' && `Events are sent to ${address}, signed with the secret of ${name}, within five seconds.`,
          address !== '' && `The first is ${from === '' ? usual : `event ${from}`}.`,
        ]}
      />
    </ChangeDialog>
  );
}

function OffDialog({ partner: { client_id, name }, webhook, onClose }: DialogProps) {
  const change = useChange('webhook');
  return (
    <ChangeDialog
      isOpen
      onClose={onClose}
      title={`Stop sending events to ${name}`}
      action="Turn off"
      isDangerous
      carryOut={(reason) => change('WebhookOff', { client_id, reason })}
    >
      <WhatHappens
        sentences={[
          `Nothing is sent to ${webhook.url}.`,
          `The events wait, ${count(webhook.waiting)} at this moment, until it is turned on.`,
        ]}
      />
    </ChangeDialog>
  );
}

function RemoveDialog({ partner: { client_id, name }, webhook, onClose }: DialogProps) {
  const change = useChange('webhook');
  const { url, waiting, failed } = webhook;
  return (
    <ChangeDialog
      isOpen
      onClose={onClose}
      title={`Remove the webhook of ${name}`}
      action="Remove webhook"
      isDangerous
      carryOut={(reason) => change('WebhookRemove', { client_id, reason })}
    >
      <WhatHappens
        sentences={[
          `Nothing is sent to ${url}, and all that is known of its deliveries is removed: what was received, ${count(waiting)} that wait, ${count(failed)} given up.`,
          'The events themselves stay, and can be read.',
        ]}
      />
    </ChangeDialog>
  );
}
