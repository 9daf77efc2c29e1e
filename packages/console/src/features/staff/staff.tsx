import type { Member } from '@freebets/contract';
import { Anchor, Badge, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { listQuery, staffPollMs } from '../../api/queries.ts';
import { useMay, usePerson } from '../../api/session.ts';
import { DialogButton } from '../../ui/change-dialog.tsx';
import { DownloadButton } from '../../ui/download.tsx';
import { SearchField } from '../../ui/fields.tsx';
import { type Column, ListTable } from '../../ui/list-table.tsx';
import { Empty, Page } from '../../ui/page.tsx';
import { Status } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { AdminRequests } from '../confirmations/requests.tsx';
import { type Link as InvitationLink, InviteDialog, LinkShown } from './invite.tsx';
import { ScopeText } from './rights.tsx';

const route = getRouteApi('/inside/staff');

const columns = (ownId: string): Column<Member>[] => [
  {
    title: 'User',
    cell: ({ staff_id, name, email }) => (
      <>
        <Anchor component={Link} to={`/staff/${staff_id}`} fw={600}>
          {name}
        </Anchor>{' '}
        {staff_id === ownId && (
          <Badge variant="outline" color="gray" tt="none" radius="sm">
            you
          </Badge>
        )}
        <Text size="xs" c="dimmed">
          {email}
        </Text>
      </>
    ),
  },
  { title: 'Role', cell: ({ role }) => role },
  { title: 'Partners', isMinor: true, cell: ({ partners }) => <ScopeText partners={partners} /> },
  { title: 'Status', cell: ({ status }) => <Status is={status} /> },
  { title: 'Second factor', isMinor: true, cell: secondFactorText },
  { title: 'Last seen', isMinor: true, cell: ({ last_seen_at }) => <Time at={last_seen_at} /> },
];

export function secondFactorText({ second_factor, sso }: Member): string {
  if (sso) return 'single sign-on';
  return second_factor ? 'set up' : 'none';
}

export function Staff() {
  const may = useMay();
  return may('StaffList') ? <StaffList /> : <OnlyAdmins />;
}

function StaffList() {
  const may = useMay();
  const { staff_id } = usePerson();
  const { search } = route.useSearch();
  const navigate = route.useNavigate();
  const query = useInfiniteQuery({
    ...listQuery('StaffList', { limit: 50, ...(search && { search }) }),
    refetchInterval: staffPollMs,
  });
  const [link, setLink] = useState<InvitationLink>();
  return (
    <Page
      title="Staff"
      actions={
        <>
          {may('StaffReview') && <DownloadButton label="Access review (CSV)" name="StaffReview" body={{}} />}
          {may('StaffInvite') && (
            <DialogButton
              label="Invite user"
              variant="filled"
              size="sm"
              dialog={(close) => <InviteDialog onInvited={setLink} onClose={close} />}
            />
          )}
        </>
      }
    >
      <AdminRequests target={{ kind: 'staff' }} />
      <SearchField
        label="Find"
        placeholder="Part of the name or the e-mail address"
        value={search}
        onSearch={(words) => void navigate({ search: words === undefined ? {} : { search: words }, replace: true })}
        maxLength={128}
        maw={320}
      />
      <ListTable
        label="Staff"
        query={query}
        rowsOf={(page) => page.staff}
        keyOf={(member) => member.staff_id}
        columns={columns(staff_id)}
        empty={
          search ? (
            <Empty title="No matching users">Search for a part of the name or of the e-mail address.</Empty>
          ) : (
            <Empty title="No users yet">Invite the first user.</Empty>
          )
        }
      />
      {link && <LinkShown link={link} onDone={() => setLink(undefined)} />}
    </Page>
  );
}

/** For users of other roles who open the address directly. */
export const OnlyAdmins = () => (
  <Page title="Staff">
    <Empty title="Your role does not allow this">Admins manage users, their roles and their partners.</Empty>
  </Page>
);
