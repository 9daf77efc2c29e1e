import type { Member } from '@freebets/contract';
import { SimpleGrid, Skeleton, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { isTransient } from '../../api/call.ts';
import { useChange } from '../../api/change.ts';
import { callQuery, staffPollMs } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { ChangeDialog, Consequences, DialogButton } from '../../ui/change-dialog.tsx';
import { ErrorNote } from '../../ui/error-note.tsx';
import { AnchorLink, Details, Page } from '../../ui/page.tsx';
import { Status } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { AdminRequests } from '../confirmations/requests.tsx';
import { type Link as InvitationLink, InviteAgainDialog, LinkShown } from './invite.tsx';
import { DisableDialog, EnableDialog, ResetDialog, UpdateDialog } from './member-changes.tsx';
import { scopeWords } from './rights.tsx';
import { OnlyAdmins, secondFactorText } from './staff.tsx';

const route = getRouteApi('/inside/staff/$staffId');

export function StaffMember() {
  const may = useMay();
  const { staffId } = route.useParams();
  return may('StaffGet') ? <FoundMember staffId={staffId} /> : <OnlyAdmins />;
}

function FoundMember({ staffId }: { staffId: string }) {
  const { data, error, refetch } = useQuery({
    ...callQuery('StaffGet', { staff_id: staffId }),
    placeholderData: undefined,
    refetchInterval: ({ state: { error } }) => (error && !isTransient(error) ? false : staffPollMs),
  });
  if (data) return <MemberPage member={data} />;
  return (
    <Page title="User">
      {error ? (
        <ErrorNote error={error} {...(isTransient(error) && { onRetry: () => void refetch() })} />
      ) : (
        <Skeleton height={320} />
      )}
    </Page>
  );
}

function MemberPage({ member }: { member: Member }) {
  const { name, email, role, partners, status, created_at, last_seen_at } = member;
  return (
    <Page title={name} mark={<Status is={status} />} about={email} actions={<MemberActions member={member} />}>
      <AdminRequests target={{ kind: 'staff', id: member.staff_id }} />
      <SimpleGrid cols={{ base: 1, lg: 2 }}>
        <Details
          title="Role and partners"
          rows={[
            ['Role', role],
            ['Partners', scopeWords(partners)],
          ]}
          actions={
            <DialogButton
              label="Change role or partners"
              dialog={(close) => <UpdateDialog member={member} onClose={close} />}
            />
          }
        />
        <Details
          title="Account"
          rows={[
            ['Second factor', secondFactorText(member)],
            ['Created', <Time key="since" at={created_at} />],
            ['Last seen', <Time key="seen" at={last_seen_at} />],
          ]}
          actions={
            member.second_factor && (
              <DialogButton
                label="Reset second factor"
                dialog={(close) => <ResetDialog member={member} onClose={close} />}
              />
            )
          }
        >
          <ActivityLink email={email} />
        </Details>
      </SimpleGrid>
      <SessionsDetails member={member} />
    </Page>
  );
}

const ActivityLink = ({ email }: { email: string }) => {
  const may = useMay();
  return (
    may('AuditList') && (
      <AnchorLink to="/audit" search={{ who: email }} size="sm">
        Audit log
      </AnchorLink>
    )
  );
};

function MemberActions({ member }: { member: Member }) {
  const [link, setLink] = useState<InvitationLink>();
  const isDisabled = member.status === 'disabled';
  return (
    <>
      {member.status === 'invited' && (
        <DialogButton
          label="New invitation link"
          size="sm"
          dialog={(close) => <InviteAgainDialog member={member} onInvited={setLink} onClose={close} />}
        />
      )}
      <DialogButton
        key={String(isDisabled)}
        label={isDisabled ? 'Enable' : 'Disable'}
        size="sm"
        dialog={(close) =>
          isDisabled ? (
            <EnableDialog member={member} onClose={close} />
          ) : (
            <DisableDialog member={member} onClose={close} />
          )
        }
      />
      {link && <LinkShown link={link} onDone={() => setLink(undefined)} />}
    </>
  );
}

function SessionsDetails({ member }: { member: Member }) {
  const { data, error, refetch } = useQuery({
    ...callQuery('StaffSessions', { staff_id: member.staff_id }),
    refetchInterval: staffPollMs,
  });
  const sessions = data?.sessions ?? [];
  return (
    <Details
      title="Sessions"
      rows={[]}
      actions={
        sessions.length > 0 && (
          <DialogButton
            label="End all sessions"
            dialog={(close) => <EndDialog member={member} count={sessions.length} onClose={close} />}
          />
        )
      }
    >
      {error && <ErrorNote error={error} onRetry={() => void refetch()} />}
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
                {['Signed in', 'Last seen', 'IP address', 'Browser', 'Actions'].map((title) => (
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
                  <Table.Td>{current ? 'this session' : <Time at={last_seen} />}</Table.Td>
                  <Table.Td>{address ?? '–'}</Table.Td>
                  <Table.Td>{browser ?? '–'}</Table.Td>
                  <Table.Td>
                    <DialogButton
                      label="End session"
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
  /** Absent for all sessions. */
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
      action={count === 1 ? 'End session' : `End ${count} sessions`}
      isDangerous
      onConfirm={(reason) =>
        change('StaffEndSessions', { staff_id, ...(sessionId !== undefined && { session_id: sessionId }), reason })
      }
    >
      <Consequences sentences={[`${name} is signed out there at once and can sign in again.`]} />
    </ChangeDialog>
  );
}
