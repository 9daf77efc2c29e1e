import type { Member } from '@freebets/contract';
import { SimpleGrid, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { mayPass } from '../../api/call.ts';
import { asking } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { AnchorLink } from '../../ui/anchor-link.tsx';
import { Details } from '../../ui/details.tsx';
import { DialogButton } from '../../ui/dialog-button.tsx';
import { Page } from '../../ui/page.tsx';
import { RefusalNote } from '../../ui/refusal.tsx';
import { Status } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { AdminRequests } from '../confirmations/requests.tsx';
import { type Link as InvitationLink, InviteAgainDialog, LinkShown } from './invite.tsx';
import { DisableDialog, EnableDialog, ResetDialog, UpdateDialog } from './member-changes.tsx';
import { OnlyAdmins } from './only-admins.tsx';
import { staffPauseMs } from './pause.ts';
import { scopeWords } from './scope.tsx';
import { SessionsDetails } from './sessions.tsx';
import { secondFactorText } from './staff.tsx';

const route = getRouteApi('/inside/staff/$staffId');

export function StaffMember() {
  const may = useMay();
  const { staffId } = route.useParams();
  return may('StaffGet') ? <FoundMember staffId={staffId} /> : <OnlyAdmins />;
}

function FoundMember({ staffId }: { staffId: string }) {
  const { data, error, refetch } = useQuery({
    ...asking('StaffGet', { staff_id: staffId }),
    placeholderData: undefined,
    refetchInterval: ({ state: { error } }) => (error && !mayPass(error) ? false : staffPauseMs),
  });
  if (data) return <MemberPage member={data} />;
  return (
    <Page title="Member of staff">
      {error ? (
        <RefusalNote error={error} {...(mayPass(error) && { onRetry: () => void refetch() })} />
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
          title="May do"
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
            ['Here since', <Time key="since" at={created_at} />],
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
        What they did
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
          label="New link"
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
