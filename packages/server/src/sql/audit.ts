import { named, type Statement } from '../db/statement.ts';
import { type AuditEntry, auditText } from '../domain/audit.ts';

// The record of what staff and the command line have changed. Whoever adds to a chain holds its head until the transaction ends,
// so that no two rows have the same one before them.

/** The chain of what belongs to no partner. */
export const noPartner = 0;

const moveHead = named(
  'move_audit_head',
  `INSERT INTO audit_heads AS h (client_id, sequence, at) VALUES ($1, 1, service_now())
   ON CONFLICT (client_id) DO UPDATE SET sequence = h.sequence + 1, at = service_now()`,
);

const insertAtHead = named(
  'insert_audit',
  `INSERT INTO audit (client_id, sequence, at, record, hash)
   SELECT h.client_id, h.sequence, h.at, $2, sha256(coalesce(p.hash, ''::bytea) ||
     convert_to(h.sequence || ' ' || (extract(epoch FROM h.at) * 1000)::bigint || ' ' || $2::text, 'UTF8'))
   FROM audit_heads h LEFT JOIN audit p ON p.client_id = h.client_id AND p.sequence = h.sequence - 1
   WHERE h.client_id = $1`,
);

/** To be sent with the change itself, in its transaction. */
export const insertAudit = (clientId: number, entry: AuditEntry): Statement[] => [
  moveHead([clientId]),
  insertAtHead([clientId, auditText(entry)]),
];
