import { Badge, NavLink, Stack, Text } from '@mantine/core';
import {
  AppsIcon,
  ChecklistIcon,
  ClockIcon,
  GiftIcon,
  GraphIcon,
  HistoryIcon,
  HomeIcon,
  LogIcon,
  OrganizationIcon,
  PeopleIcon,
  PersonIcon,
  PlugIcon,
  PulseIcon,
  TasklistIcon,
} from '@primer/octicons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useLocation } from '@tanstack/react-router';
import type { CallName } from '../../api/call.ts';
import { callQuery } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import { useRequestsForMe } from '../confirmations/waiting.ts';
import { useChosenPartner } from './chosen-partner.tsx';

// The menu. It hides screens that the user's role can't open, by the table of operations.

interface Place {
  label: string;
  icon: typeof PersonIcon;
  to: string;
  /** The operation that the screen requires. */
  needs: CallName;
}

const ofPartner = (clientId: number, isSandbox: boolean): Place[] => [
  { label: 'Campaigns', icon: GiftIcon, to: `/p/${clientId}/campaigns`, needs: 'CampaignList' },
  { label: 'Players', icon: PersonIcon, to: `/p/${clientId}/players`, needs: 'FreeBetList' },
  { label: 'Bulk awards', icon: TasklistIcon, to: `/p/${clientId}/lists`, needs: 'JobList' },
  { label: 'Events', icon: LogIcon, to: `/p/${clientId}/events`, needs: 'EventsList' },
  ...(isSandbox
    ? [{ label: 'Sandbox clock', icon: ClockIcon, to: `/p/${clientId}/clock`, needs: 'SandboxClockGet' } as const]
    : []),
];

const approvals = '/approvals';

const ofAll: Place[] = [
  { label: 'Approvals', icon: ChecklistIcon, to: approvals, needs: 'DraftList' },
  { label: 'Reports', icon: GraphIcon, to: '/reports', needs: 'ReportGet' },
  { label: 'Games', icon: AppsIcon, to: '/games', needs: 'CatalogueGames' },
];

const ofService: Place[] = [
  { label: 'Partners', icon: OrganizationIcon, to: '/partners', needs: 'PartnerList' },
  { label: 'Game providers', icon: PlugIcon, to: '/providers', needs: 'ProviderList' },
  { label: 'Staff', icon: PeopleIcon, to: '/staff', needs: 'StaffList' },
  { label: 'Audit log', icon: HistoryIcon, to: '/audit', needs: 'AuditList' },
  { label: 'System', icon: PulseIcon, to: '/system', needs: 'SystemGet' },
];

export function Navigation({ onGo }: { onGo(): void }) {
  const { partner } = useChosenPartner();
  const groups: [string, Place[]][] = [
    [partner?.name ?? 'Partner', partner ? ofPartner(partner.client_id, partner.sandbox) : []],
    ['All partners', ofAll],
    ['Administration', ofService],
  ];
  return (
    <Stack gap="md" component="nav" aria-label="Main">
      <Entry place={{ label: 'Overview', icon: HomeIcon, to: '/', needs: 'SessionGet' }} onGo={onGo} />
      {groups.map(([title, places]) => (
        <Group key={title} title={title} places={places} onGo={onGo} />
      ))}
    </Stack>
  );
}

function Group({ title, places, onGo }: { title: string; places: Place[]; onGo(): void }) {
  const may = useMay();
  const open = places.filter(({ needs }) => may(needs));
  if (open.length === 0) return null;
  return (
    <div>
      <Text size="xs" c="dimmed" fw={600} px="sm" pb={4} truncate>
        {title}
      </Text>
      {open.map((place) => (
        <Entry key={place.to} place={place} onGo={onGo} />
      ))}
    </div>
  );
}

function Entry({ place: { label, icon: Icon, to }, onGo }: { place: Place; onGo(): void }) {
  const { pathname } = useLocation();
  const isHere = to === '/' ? pathname === '/' : pathname.startsWith(to);
  return (
    <NavLink
      component={Link}
      to={to}
      label={label}
      leftSection={<Icon size={18} aria-hidden />}
      active={isHere}
      aria-current={isHere ? 'page' : undefined}
      onClick={onGo}
      rightSection={to === approvals && <WaitingForMe />}
      py={6}
    />
  );
}

/** The number of drafts and requests that wait for the user's decision. */
function WaitingForMe() {
  const may = useMay();
  const { data } = useQuery({ ...callQuery('DraftsWaiting', {}), enabled: may('DraftApprove') });
  const waiting = (data?.for_me ?? 0) + useRequestsForMe();
  if (waiting === 0) return null;
  return (
    <Badge size="sm" variant="light" circle={waiting < 10} aria-label={`${waiting} waiting for you`}>
      {waiting}
    </Badge>
  );
}
