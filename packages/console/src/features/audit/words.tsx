import type { AuditRecord } from '@freebets/contract';
import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useMay } from '../../api/session.ts';

// A record in words, and where what it is about can be seen.

/** `PartnerRotateSecret` as "Partner rotate secret". */
export const actionText = (action: string): string => {
  const [first = '', ...rest] = action.split(/(?=[A-Z])/);
  return [first, ...rest.map((word) => word.toLowerCase())].join(' ');
};

interface StaffActor {
  kind: string;
  staff_id?: string;
  email?: string;
  role?: string;
}

export const actorOf = ({ actor }: AuditRecord): StaffActor => actor;

export function actorText(record: AuditRecord): string {
  const { kind, email } = actorOf(record);
  if (kind === 'cli') return 'the terminal';
  if (kind === 'unknown') return email ? `somebody as ${email}` : 'somebody unknown';
  return email ?? kind;
}

const targetText = ({ target: { kind, id } }: AuditRecord): string =>
  `${kind.replaceAll('_', ' ')}${id === '' ? '' : ` ${id}`}`;

/** Where a thing of this kind is shown. */
const screens: Record<string, (id: string, clientId: number | null) => string> = {
  partner: (id) => `/partners/${id}`,
  webhook: (_, clientId) => `/partners/${clientId}`,
  sandbox_clock: (_, clientId) => `/p/${clientId}/clock`,
  provider: (id) => `/providers/${id}`,
  campaign: (id, clientId) => `/p/${clientId}/campaigns/${encodeURIComponent(id)}`,
  free_bet: (id, clientId) => `/p/${clientId}/free-bets/${id}`,
  job: (id, clientId) => `/p/${clientId}/lists/${id}`,
  draft: (id, clientId) => `/p/${clientId}/drafts/${id}`,
  catalogue: () => '/games',
  report: () => '/reports',
};

export function TargetLink({ record }: { record: AuditRecord }) {
  const may = useMay();
  const { kind, id } = record.target;
  const ofStaff = kind === 'staff' && id !== '' && may('StaffList') ? `/staff/${id}` : undefined;
  const to = ofStaff ?? screens[kind]?.(id, record.client_id);
  if (to === undefined) return targetText(record);
  return (
    <Anchor component={Link} to={to} size="sm">
      {targetText(record)}
    </Anchor>
  );
}
