import type { AuditFilter } from '@freebets/contract';
import { numberIn } from '../../ui/address-id.ts';
import { dayOf, midnight, timestamp } from '../../ui/zone.ts';

// What the address asks for, and what the server is asked for it. Days are those of the viewer.

export interface AuditSearch {
  /** The id of a partner, or `none` for what belongs to no partner. */
  partner?: string;
  who?: string;
  action?: string;
  kind?: string;
  id?: string;
  from?: string;
  until?: string;
}

/** Of these there is one for each partner, or one for all: they have no id. */
const withoutId = ['webhook', 'sandbox_clock', 'catalogue', 'audit'];
export const hasNoId = (kind: string | undefined): boolean => kind !== undefined && withoutId.includes(kind);

export const targetKinds = [
  'partner',
  'provider',
  'campaign',
  'free_bet',
  'job',
  'draft',
  'confirmation',
  'staff',
  'webhook',
  'sandbox_clock',
  'catalogue',
  'report',
  'account',
  'session',
  'audit',
];

/** Undefined where no partner is meant, or what cannot be one. */
export const chainOf = (partner: string | undefined): number | null | undefined =>
  partner === 'none' ? null : numberIn(partner);

export function filterOf({ partner, who, action, kind, id, from, until }: AuditSearch): AuditFilter {
  const [begin, last] = [dayOf(from), dayOf(until)];
  const chain = chainOf(partner);
  return {
    ...(chain !== undefined && { client_id: chain }),
    ...(who !== undefined && { actor: who }),
    ...(action !== undefined && { action }),
    ...(kind !== undefined && { target: { kind, ...(hasNoId(kind) ? { id: '' } : id && { id }) } }),
    ...(begin && { from: timestamp(begin) }),
    ...(last && { until: timestamp(midnight(last, 1)) }),
  };
}
