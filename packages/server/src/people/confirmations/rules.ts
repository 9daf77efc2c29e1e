import { type Member, may, type Role } from '@freebets/contract';

// Which changes by staff need a second admin.

type Scope = readonly number[] | null;

/** A change that needs a second admin. */
export interface Power {
  target: { kind: 'staff' | 'partner' | 'provider'; id: string };
  /** The scope that an admin needs to confirm it; null for all partners. */
  partners: Scope;
  /** The state before the change; null if the change creates the target. */
  before: object | null;
}

type Rights = Pick<Member, 'role' | 'partners' | 'status' | 'second_factor'>;

export const mayApproveDrafts = (role: Role): boolean => may(role, ['manager']);

const isWithin = (scope: Scope, other: Scope): boolean =>
  other === null || (scope?.every((id) => other.includes(id)) ?? false);

/** Whether a person may approve more than before, or can sign in with less. */
export function gainsApproval(before: Rights, after: Rights): boolean {
  if (!mayApproveDrafts(after.role)) return false;
  return (
    !mayApproveDrafts(before.role) ||
    (after.role === 'admin' && before.role !== 'admin') ||
    !isWithin(after.partners, before.partners) ||
    (before.status === 'disabled' && after.status !== 'disabled') ||
    (before.second_factor && !after.second_factor)
  );
}

/** The partners of both scopes. */
export const unionOf = (one: Scope, other: Scope): Scope =>
  one === null || other === null ? null : [...new Set([...one, ...other])].toSorted((a, b) => a - b);
