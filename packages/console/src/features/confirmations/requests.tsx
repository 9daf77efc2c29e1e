import type { Confirmation, Invitation } from '@freebets/contract';
import { Button, Code, Group, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useChange } from '../../api/change.ts';
import { callQuery, staffPollMs } from '../../api/queries.ts';
import { useMay, usePerson } from '../../api/session.ts';
import { ChangeDialog, Consequences, DialogButton } from '../../ui/change-dialog.tsx';
import { ErrorNote } from '../../ui/error-note.tsx';
import { Status } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { SecretShown } from '../callers/secrets.tsx';
import { LinkShown } from '../staff/invite.tsx';
import { rightsText } from '../staff/rights.tsx';

// Requests that need a second admin. Approvals shows all of them; the screen of a partner, game provider or user shows
// its own.

interface RequestsProps {
  /** Only requests about this target, or about targets of this kind. */
  target?: { kind: Confirmation['target']['kind']; id?: string };
}

export function AdminRequests({ target }: RequestsProps) {
  const may = useMay();
  const { data } = useQuery({
    ...callQuery('ConfirmationList', { open: true, limit: 200, ...(target && { target }) }),
    enabled: may('ConfirmationList'),
    refetchInterval: staffPollMs,
  });
  const [outcome, setOutcome] = useState<Outcome>();
  const requests = data?.confirmations ?? [];
  return (
    <>
      {requests.length > 0 && (
        <Stack component="section" aria-label="Admin requests" gap="sm">
          <Title order={2}>Waiting for a second admin</Title>
          {requests.map((request) => (
            <Request key={request.confirmation_id} request={request} onDone={setOutcome} />
          ))}
        </Stack>
      )}
      {outcome && 'link' in outcome && <LinkShown link={outcome} onDone={() => setOutcome(undefined)} />}
      {outcome && 'secret' in outcome && (
        <SecretShown name={outcome.name} secret={outcome.secret} onDone={() => setOutcome(undefined)} />
      )}
    </>
  );
}

function Request({ request, onDone }: { request: Confirmation; onDone(outcome: Outcome): void }) {
  const fields = fieldsOf(request);
  return (
    <Stack component="article" aria-label={titleOf(request)} className="panel" p="md" gap="xs">
      <Group justify="space-between" gap="xs" align="flex-start">
        <Text fw={600} className="name" flex="1 1 240px">
          {titleOf(request)}
        </Text>
        <Status is={request.state} />
      </Group>
      {fields.length > 0 && (
        <dl className="details">
          {fields.map(([field, value]) => (
            <div key={field}>
              <Text component="dt" size="sm" c="dimmed">
                {field}
              </Text>
              <Text component="dd" size="sm" className="name">
                {value}
              </Text>
            </div>
          ))}
        </dl>
      )}
      <Text size="sm" c="dimmed" component="div">
        <span className="name">
          “{request.reason}” — {request.requested_by.name} ({request.requested_by.email})
        </span>
        , <Time at={request.requested_at} />. Expires <Time at={request.expires_at} is="ahead" />.
      </Text>
      <NextStep request={request} />
      <RequestActions request={request} onDone={onDone} />
    </Stack>
  );
}

function NextStep({ request }: { request: Confirmation }) {
  const { staff_id } = usePerson();
  const { state, requested_by, decided_by, decision_reason, confirmation_id } = request;
  const isOwn = requested_by.staff_id === staff_id;
  if (state === 'confirmed') {
    return (
      <Text size="sm">
        Confirmed by {decided_by?.name ?? 'the command line'}
        {decision_reason && `: “${decision_reason}”`}.{' '}
        {isOwn ? 'You can apply it now.' : 'The requester can apply it now.'}
      </Text>
    );
  }
  if (!isOwn) return null;
  return (
    <Text size="sm" component="div">
      Another admin must confirm this. If you are the only admin, use the command line:{' '}
      <Code className="whole-word">npx freebets staff confirm {confirmation_id}</Code>
    </Text>
  );
}

// The title sums up a request. The fields below it show everything else in the request.

interface PersonFields {
  email?: string;
  name?: string;
  role?: string;
  partners?: number[] | null;
}

/** JSON from the server, with the schema of the operation. */
type Fields = PersonFields & { sandbox?: boolean; client_id?: number; provider_id?: string };

function titleOf({ operation, request, before: was }: Confirmation): string {
  const asked = request as Fields;
  const before = (was ?? {}) as PersonFields;
  const after = { ...before, ...asked };
  switch (operation) {
    case 'StaffInvite':
      return was === null
        ? `Invite ${after.name} (${after.email}) as ${rightsText(after)}`
        : `New invitation link for ${after.name} (${after.email}), ${rightsText(after)}`;
    case 'StaffUpdate':
      return `Change ${before.name} (${before.email}) from ${rightsText(before)} to ${rightsText(after)}`;
    case 'StaffEnable':
      return `Enable ${before.name} (${before.email}), ${rightsText(before)}`;
    case 'StaffResetSecondFactor':
      return `Reset the second factor of ${before.name} (${before.email}), ${rightsText(before)}`;
    case 'PartnerCreate':
      return `Create the ${asked.sandbox ? 'sandbox ' : ''}partner ${asked.name} and see its secret`;
    case 'ProviderCreate':
      return `Create the game provider ${asked.name} and see its secret`;
    case 'PartnerRotateSecret':
      return `New secret for partner ${asked.client_id} (${before.name})`;
    case 'ProviderRotateSecret':
      return `New secret for game provider ${asked.provider_id} (${before.name})`;
    case 'PartnerUpdate':
      return `Partner ${asked.client_id} (${before.name}): return the stake with winnings`;
  }
}

/** Fields that the title already shows, and fields for conflict checks. */
const hiddenFields = ['as_read', 'secrets_version', 'staff_id', 'client_id', 'provider_id'];

const valueText = (field: string, value: unknown): string => {
  if (value === null) return field === 'partners' ? 'all' : 'any';
  if (Array.isArray(value)) return value.join(', ') || 'none';
  return typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value);
};

const fieldsOf = ({ request }: Confirmation): [string, string][] =>
  Object.entries(request)
    .filter(([field]) => !hiddenFields.includes(field))
    .map(([field, value]) => [field.replaceAll('_', ' '), valueText(field, value)]);

/** Shown once, after a request is carried out. */
export type Outcome = Invitation | { name: string; secret: string };

interface ActionsProps {
  request: Confirmation;
  onDone(outcome: Outcome): void;
}

/** Another admin decides; the requester can withdraw, or apply a confirmed request. */
function RequestActions({ request, onDone }: ActionsProps) {
  const { staff_id } = usePerson();
  const isOwn = request.requested_by.staff_id === staff_id;
  const isPending = request.state === 'pending';
  if (!isOwn && !isPending) return null;
  return (
    <Group gap="xs">
      {isOwn && <WithdrawButton request={request} />}
      {isOwn && !isPending && (
        <DialogButton
          label="Apply…"
          variant="filled"
          dialog={(close) => <CarryOutDialog request={request} onDone={onDone} onClose={close} />}
        />
      )}
      {!isOwn && (
        <>
          <DialogButton label="Reject…" dialog={(close) => <RefuseDialog request={request} onClose={close} />} />
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
      {error && <ErrorNote error={error} />}
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
      title="Confirm request"
      action="Confirm request"
      onConfirm={(reason) => change('ConfirmationConfirm', { confirmation_id, reason })}
    >
      <Text size="sm" className="name" fw={600}>
        {titleOf(request)}
      </Text>
      <Consequences
        sentences={[
          `${requested_by.name} can then apply exactly this request, once.`,
          (operation.endsWith('RotateSecret') || operation.endsWith('Create')) &&
            `The secret is shown to ${requested_by.name}, not to you.`,
          operation === 'StaffInvite' &&
            `The link is shown to ${requested_by.name}, who passes it on. The first person to open it gets the account.`,
          isPerson && 'Talk to the person first. Confirm only if you are sure that they want this.',
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
      title="Reject request"
      action="Reject request"
      isDangerous
      onConfirm={(reason) => change('ConfirmationRefuse', { confirmation_id, reason })}
    >
      <Text size="sm" className="name" fw={600}>
        {titleOf(request)}
      </Text>
      <Consequences sentences={[`Nothing changes. ${requested_by.name} can send another request.`]} />
    </ChangeDialog>
  );
}

function CarryOutDialog({ request, onDone, onClose }: DialogProps & ActionsProps) {
  const change = useChange(request.target.kind);
  const onConfirm = async (reason: string) => {
    // The confirmed request, unchanged; it has the schema of its operation.
    const answer: object = await change(request.operation, { ...request.request, reason } as never);
    if ('link' in answer || 'secret' in answer) onDone(answer as Outcome);
  };
  return (
    <ChangeDialog isOpen onClose={onClose} title="Apply request" action="Apply request" onConfirm={onConfirm}>
      <Text size="sm" className="name" fw={600}>
        {titleOf(request)}
      </Text>
      <Consequences
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
