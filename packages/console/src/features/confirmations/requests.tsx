import type { Confirmation } from '@freebets/contract';
import { Code, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { asking } from '../../api/queries.ts';
import { useMay, usePerson } from '../../api/session.ts';
import { Status } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { SecretShown } from '../callers/secret-shown.tsx';
import { LinkShown } from '../staff/invite.tsx';
import { staffPauseMs } from '../staff/pause.ts';
import { type Outcome, RequestActions } from './request-actions.tsx';
import { fieldsOf, titleOf } from './words.ts';

// Requests of admins that need a second admin: all of them under Approvals, and the ones about a partner, provider or person on its own screen.

interface RequestsProps {
  /** Only requests about this target, or about targets of this kind. */
  target?: { kind: Confirmation['target']['kind']; id?: string };
}

export function AdminRequests({ target }: RequestsProps) {
  const may = useMay();
  const { data } = useQuery({
    ...asking('ConfirmationList', { open: true, limit: 200, ...(target && { target }) }),
    enabled: may('ConfirmationList'),
    refetchInterval: staffPauseMs,
  });
  const [outcome, setOutcome] = useState<Outcome>();
  const requests = data?.confirmations ?? [];
  return (
    <>
      {requests.length > 0 && (
        <Stack component="section" aria-label="Requests of admins" gap="sm">
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
        , <Time at={request.requested_at} />. Lapses <Time at={request.expires_at} is="ahead" />.
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
        {decision_reason && `: “${decision_reason}”`}. {isOwn ? 'Carry it out now.' : 'The requester can carry it out.'}
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
