import type { Confirmation, Invitation } from '@freebets/contract';
import { Button, Group, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useChange } from '../../api/change.ts';
import { usePerson } from '../../api/session.ts';
import { ChangeDialog } from '../../ui/change-dialog.tsx';
import { DialogButton } from '../../ui/dialog-button.tsx';
import { RefusalNote } from '../../ui/refusal.tsx';
import { WhatHappens } from '../../ui/what-happens.tsx';
import { titleOf } from './words.ts';

/** Shown once, after a request is carried out. */
export type Outcome = Invitation | { name: string; secret: string };

interface ActionsProps {
  request: Confirmation;
  onDone(outcome: Outcome): void;
}

/** Another admin decides; the requester withdraws, or carries out what is confirmed. */
export function RequestActions({ request, onDone }: ActionsProps) {
  const { staff_id } = usePerson();
  const isOwn = request.requested_by.staff_id === staff_id;
  const isPending = request.state === 'pending';
  if (!isOwn && !isPending) return null;
  return (
    <Group gap="xs">
      {isOwn && <WithdrawButton request={request} />}
      {isOwn && !isPending && (
        <DialogButton
          label="Carry out…"
          variant="filled"
          dialog={(close) => <CarryOutDialog request={request} onDone={onDone} onClose={close} />}
        />
      )}
      {!isOwn && (
        <>
          <DialogButton label="Refuse…" dialog={(close) => <RefuseDialog request={request} onClose={close} />} />
          <DialogButton
            label="Confirm…"
            variant="filled"
            dialog={(close) => <ConfirmDialog request={request} onClose={close} />}
          />
        </>
      )}
    </Group>
  );
}

function WithdrawButton({ request: { confirmation_id } }: { request: Confirmation }) {
  const change = useChange('confirmation');
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => change('ConfirmationWithdraw', { confirmation_id }),
  });
  return (
    <>
      <Button variant="default" size="xs" loading={isPending} onClick={() => mutate()}>
        Withdraw
      </Button>
      {error && <RefusalNote error={error} />}
    </>
  );
}

interface DialogProps {
  request: Confirmation;
  onClose(): void;
}

function ConfirmDialog({ request, onClose }: DialogProps) {
  const change = useChange('confirmation');
  const { confirmation_id, requested_by, operation } = request;
  const isPerson = operation.startsWith('Staff');
  return (
    <ChangeDialog
      isOpen
      onClose={onClose}
      title="Confirm"
      action="Confirm the request"
      carryOut={(reason) => change('ConfirmationConfirm', { confirmation_id, reason })}
    >
      <Text size="sm" className="name" fw={600}>
        {titleOf(request)}
      </Text>
      <WhatHappens
        sentences={[
          `${requested_by.name} can then carry out exactly this, once.`,
          (operation.endsWith('RotateSecret') || operation.endsWith('Create')) &&
            `The secret is shown to ${requested_by.name}, and not to you.`,
          operation === 'StaffInvite' &&
            `The link is shown to ${requested_by.name}, who passes it on. The first person to open it gets the account.`,
          isPerson && 'Talk to the person first: confirm only if you know that they want this.',
        ]}
      />
    </ChangeDialog>
  );
}

function RefuseDialog({ request, onClose }: DialogProps) {
  const change = useChange('confirmation');
  const { confirmation_id, requested_by } = request;
  return (
    <ChangeDialog
      isOpen
      onClose={onClose}
      title="Refuse"
      action="Refuse the request"
      isDangerous
      carryOut={(reason) => change('ConfirmationRefuse', { confirmation_id, reason })}
    >
      <Text size="sm" className="name" fw={600}>
        {titleOf(request)}
      </Text>
      <WhatHappens sentences={[`Nothing changes. ${requested_by.name} can send another request.`]} />
    </ChangeDialog>
  );
}

function CarryOutDialog({ request, onDone, onClose }: DialogProps & ActionsProps) {
  const change = useChange(request.target.kind);
  const carryOut = async (reason: string) => {
    // The confirmed body, unchanged; it has the schema of its operation.
    const answer: object = await change(request.operation, { ...request.request, reason } as never);
    if ('link' in answer || 'secret' in answer) onDone(answer as Outcome);
  };
  return (
    <ChangeDialog isOpen onClose={onClose} title="Carry out" action="Carry it out" carryOut={carryOut}>
      <Text size="sm" className="name" fw={600}>
        {titleOf(request)}
      </Text>
      <WhatHappens
        sentences={[
          request.operation === 'StaffInvite' && 'You see the link once. It is valid for 72 hours.',
          (request.operation.endsWith('RotateSecret') || request.operation.endsWith('Create')) &&
            'You see the secret once. The audit log records that you saw it.',
          'This uses up the confirmation.',
        ]}
      />
    </ChangeDialog>
  );
}
