import type { AuditFilter } from '@freebets/contract';
import { parseBound, type WorldInstant } from '../primitives/amounts.ts';
import type { AuditQuery } from './sql.ts';

/** Converts the filter of a request, for these chains; null means all. */
export const auditQueryOf = (
  { actor, action, target, from, until }: AuditFilter,
  chains: readonly number[] | null,
): AuditQuery => ({
  chains,
  actor: actor ?? null,
  action: action ?? null,
  target: target ?? null,
  from: worldBound(from),
  until: worldBound(until),
});

function worldBound(text: string | undefined): WorldInstant | null {
  if (text === undefined) return null;
  const at: number = parseBound(text);
  return at;
}
