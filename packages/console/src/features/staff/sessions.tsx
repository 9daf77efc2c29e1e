import type { Member } from '@freebets/contract';
import { Skeleton, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useChange } from '../../api/change.ts';
import { asking } from '../../api/queries.ts';
import { ChangeDialog } from '../../ui/change-dialog.tsx';
import { Details } from '../../ui/details.tsx';
import { DialogButton } from '../../ui/dialog-button.tsx';
import { RefusalNote } from '../../ui/refusal.tsx';
import { Time } from '../../ui/time.tsx';
import { WhatHappens } from '../../ui/what-happens.tsx';
import { staffPauseMs } from './pause.ts';

/** Where somebody is signed in. */
export function SessionsDetails({ member }: { member: Member }) {
  const { data, error, refetch } = useQuery({
    ...asking('StaffSessions', { staff_id: member.staff_id }),
    refetchInterval: staffPauseMs,
  });
  const sessions = data?.sessions ?? [];
  return (
    <Details
      title="Sessions"
      rows={[]}
      actions={
        sessions.length > 0 && (
          <DialogButton
            label="End all"
            dialog={(close) => <EndDialog member={member} count={sessions.length} onClose={close} />}
          />
        )
      }
    >
      {error && <RefusalNote error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton height={60} />}
      {data && sessions.length === 0 && (
        <Text size="sm" c="dimmed">
          Not signed in anywhere.
        </Text>
      )}
      {sessions.length > 0 && (
        <Table.ScrollContainer minWidth={480} type="native">
          <Table aria-label={`Sessions of ${member.name}`}>
            <Table.Thead>
              <Table.Tr>
                {['Since', 'Last seen', 'Address', 'Browser', 'End'].map((title) => (
                  <Table.Th key={title}>{title}</Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {sessions.map(({ session_id, since, last_seen, address, browser, current }) => (
                <Table.Tr key={session_id}>
                  <Table.Td>
                    <Time at={since} />
                  </Table.Td>
                  <Table.Td>{current ? 'this one' : <Time at={last_seen} />}</Table.Td>
                  <Table.Td>{address ?? '–'}</Table.Td>
                  <Table.Td>{browser ?? '–'}</Table.Td>
                  <Table.Td>
                    <DialogButton
                      label="End"
                      dialog={(close) => <EndDialog member={member} count={1} sessionId={session_id} onClose={close} />}
                    />
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </Details>
  );
}

interface EndDialogProps {
  member: Member;
  count: number;
  /** All of them when absent. */
  sessionId?: string;
  onClose(): void;
}

function EndDialog({ member: { staff_id, name }, count, sessionId, onClose }: EndDialogProps) {
  const change = useChange('staff');
  return (
    <ChangeDialog
      isOpen
      onClose={onClose}
      title={sessionId === undefined ? `End all sessions of ${name}` : `End a session of ${name}`}
      action={count === 1 ? 'End the session' : `End ${count} sessions`}
      isDangerous
      carryOut={(reason) =>
        change('StaffEndSessions', { staff_id, ...(sessionId !== undefined && { session_id: sessionId }), reason })
      }
    >
      <WhatHappens sentences={[`${name} is signed out there at once, and can sign in again.`]} />
    </ChangeDialog>
  );
}
