import { named, type Statement, withCustomPlan } from '../engine/statement.ts';
import { formatInstant, timeText, type WorldInstant } from '../primitives/amounts.ts';
import { type AuditEntry, auditText, type Target } from './entry.ts';

// The audit log: changes by staff and by the command line. A transaction that adds to a chain locks the head of the
// chain until it ends, so that no two rows follow the same one.

/** The chain of changes that belong to no partner. */
export const noPartner = 0;

const moveHead = named(
  'move_audit_head',
  `INSERT INTO audit_heads AS h (client_id, sequence, at) VALUES ($1, 1, world_now())
   ON CONFLICT (client_id) DO UPDATE SET sequence = h.sequence + 1, at = greatest(h.at, excluded.at)`,
);

const insertAtHead = named(
  'insert_audit',
  `INSERT INTO audit (client_id, sequence, at, record, hash)
   SELECT h.client_id, h.sequence, h.at, $2::text, sha256(coalesce(p.hash, ''::bytea) ||
     convert_to(h.sequence || ' ' || (extract(epoch FROM h.at) * 1000)::bigint || ' ' || $2::text, 'UTF8'))
   FROM audit_heads h LEFT JOIN audit p ON p.client_id = h.client_id AND p.sequence = h.sequence - 1
   WHERE h.client_id = $1`,
);

/** Send these in the transaction of the change. */
export const insertAudit = (clientId: number, entry: AuditEntry): Statement[] => [
  moveHead([clientId]),
  insertAtHead([clientId, auditText(entry)]),
];

export interface AuditRow {
  client_id: number;
  sequence: number;
  at: WorldInstant;
  /** The exact text that was hashed. */
  record: string;
  hash: Buffer;
}

/** A filter for records; null fields match everything. */
export interface AuditQuery {
  chains: readonly number[] | null;
  actor: string | null;
  action: string | null;
  /** Without an id, all targets of the kind. */
  target: (Pick<Target, 'kind'> & Partial<Target>) | null;
  /** From inclusive, until exclusive. */
  from: WorldInstant | null;
  until: WorldInstant | null;
}

export interface ChainFound {
  client_id: number;
  /** According to its head; null if the head is missing. */
  length: number | null;
  /** The hash of the record with that number. */
  last_hash: Buffer | null;
}

const isOfKind = (kind: string) => `(${kind}::text IS NULL OR starts_with(target, ${kind} || ' '))`;
const isWanted = (clientId: string) => `($1::int[] IS NULL OR ${clientId} = ANY ($1))`;

// Chains with a head or with records; each should have both. Every table has the condition, because the planner does
// not pass it through the joins.
const selectChains = named<ChainFound>(
  'audit_chains',
  `SELECT f.client_id, f.length, a.hash AS last_hash
   FROM (
     SELECT coalesce(h.client_id, r.client_id) AS client_id, h.sequence AS length
     FROM (SELECT client_id, sequence FROM audit_heads WHERE ${isWanted('client_id')}) h
     FULL JOIN (SELECT DISTINCT client_id FROM audit WHERE ${isWanted('client_id')}) r ON r.client_id = h.client_id) f
   LEFT JOIN audit a ON a.client_id = f.client_id AND a.sequence = f.length AND ${isWanted('a.client_id')}
   ORDER BY f.client_id`,
);

export const findChains = (chains: readonly number[] | null): Statement<ChainFound[]> =>
  withCustomPlan(selectChains([chains]));

const selectOwners = named<{ client_id: number }, number[]>(
  'audit_owners',
  `SELECT client_id FROM (SELECT client_id FROM partners UNION SELECT client_id FROM audit_heads UNION SELECT ${noPartner}) o
   WHERE $1::int[] IS NULL OR client_id = ANY ($1)`,
  (rows) => rows.map(({ client_id }) => client_id),
);

/** The chains that exist or may exist: a partner has one as soon as a change of it is recorded. */
export const findOwners = (chains: readonly number[] | null): Statement<number[]> => selectOwners([chains]);

/** The most bytes of records per read; a single record may be longer. */
const readBytes = 4 * 1024 * 1024;
/**
 * Sequence numbers per read; some may have no record. The planner finds a bounded range by the key, with any
 * statistics.
 */
export const linksAtATime = 1000;

export interface LinkRow extends AuditRow {
  /** The hash of the previous record; null if there is none. */
  previous: Buffer | null;
}

// A subquery looks the previous record up for each row. For a chain that has just grown, the planner could turn a join
// into a comparison of all pairs. LIMIT 1 is for a table whose primary key was dropped.
const selectLinks = named<LinkRow>(
  'audit_links',
  `SELECT l.client_id, l.sequence, l.at, l.record, l.hash,
     (SELECT p.hash FROM audit p WHERE p.client_id = $1 AND p.sequence = l.sequence - 1 LIMIT 1) AS previous
   FROM (
     SELECT a.*, sum(octet_length(record)) OVER (ORDER BY sequence) - octet_length(record) AS bytes_before
     FROM audit a
     WHERE client_id = $1 AND sequence > $2 AND sequence <= $3
       AND ($4::text IS NULL OR actor = $4) AND ($5::text IS NULL OR action = $5)
       AND ($6::text IS NULL OR target = left($6, 200))
       AND ($7::timestamptz IS NULL OR at >= $7) AND ($8::timestamptz IS NULL OR at < $8)
       AND ${isOfKind('$9')}) l
   WHERE l.bytes_before < ${readBytes} ORDER BY l.sequence`,
);

/** Reads the next records of a chain in order: as many as fit into one read, and at least one. */
export function readLinks(
  clientId: number,
  after: number,
  through: number | null,
  wanted: AuditQuery | null,
): Statement<LinkRow[]> {
  const end = Math.min(after + linksAtATime, through ?? Number.MAX_SAFE_INTEGER);
  return withCustomPlan(selectLinks([clientId, after, end, ...(wanted === null ? nothingWanted : valuesOf(wanted))]));
}

const selectNext = named<{ next: number | null }, number | null>(
  'next_audit_link',
  `SELECT min(sequence) AS next FROM audit WHERE client_id = $1 AND sequence > coalesce($2, -9223372036854775808)`,
  ([row]) => row?.next ?? null,
);

/** The number of the first link after `after`, or of the first link of the chain; null if there is none. */
export const findNextLink = (clientId: number, after: number | null): Statement<number | null> =>
  selectNext([clientId, after]);

const valuesOf = ({ actor, action, target, from, until }: AuditQuery): (string | null)[] => [
  actor,
  action,
  target?.id === undefined ? null : `${target.kind} ${target.id}`,
  timeText(from),
  timeText(until),
  kindAlone(target),
];
const nothingWanted = [null, null, null, null, null, null];

const kindAlone = (target: AuditQuery['target']): string | null =>
  target?.id === undefined ? (target?.kind ?? null) : null;

export interface AuditKey {
  at: WorldInstant;
  clientId: number;
  sequence: number;
}

export interface AuditPage {
  rows: AuditRow[];
  next: AuditKey | null;
}

interface PageRow extends AuditRow {
  /** How many records were found; some may not fit. Every row has this, and there is at least one row. */
  found: number;
  scanned: number;
  last_at: WorldInstant;
  last_client_id: number;
  last_sequence: number;
}

/**
 * The most records that a page scans for an action or for a kind without an id, which have no index. The cursor then
 * continues there.
 */
const scanBound = 10_000;

const newestFirst = 'at DESC, client_id DESC, sequence DESC';

const selectPage = named<PageRow>(
  'list_audit',
  `WITH scanned AS MATERIALIZED (
     SELECT at, client_id, sequence, action, target FROM audit
     WHERE ($3::int[] IS NULL OR client_id = ANY ($3)) AND ($4::text IS NULL OR actor = $4)
       AND ($6::text IS NULL OR target = left($6, 200))
       AND ($7::timestamptz IS NULL OR at >= $7) AND ($8::timestamptz IS NULL OR at < $8)
       AND ($10::timestamptz IS NULL OR (at, client_id, sequence) < ($10, $11, $12))
     ORDER BY ${newestFirst} LIMIT $1),
   wanted AS MATERIALIZED (
     SELECT at, client_id, sequence FROM scanned WHERE ($5::text IS NULL OR action = $5) AND ${isOfKind('$9')}
     ORDER BY ${newestFirst} LIMIT $2),
   last AS (SELECT * FROM scanned ORDER BY at, client_id, sequence LIMIT 1),
   shown AS (
     SELECT at, client_id, sequence, record, hash,
       sum(octet_length(record)) OVER (ORDER BY ${newestFirst}) - octet_length(record) AS bytes_before
     FROM wanted JOIN (SELECT client_id, sequence, record, hash FROM audit) a USING (client_id, sequence))
   SELECT s.*, c.*, last.at AS last_at, last.client_id AS last_client_id, last.sequence AS last_sequence
   FROM (SELECT (SELECT count(*) FROM wanted) AS found, (SELECT count(*) FROM scanned) AS scanned) c
   LEFT JOIN last ON true LEFT JOIN shown s ON s.bytes_before < ${readBytes}
   ORDER BY ${newestFirst}`,
);

/** Newest first. Planned for each filter, because the filter decides which index is best. */
export function listAudit(wanted: AuditQuery, limit: number, after: AuditKey | null): Statement<AuditPage> {
  const bound = wanted.action === null && kindAlone(wanted.target) === null ? limit + 1 : scanBound;
  // One extra row shows whether there is a next page.
  const values = [bound, limit + 1, wanted.chains, ...valuesOf(wanted)];
  const key = after === null ? [null, null, null] : [formatInstant(after.at), after.clientId, after.sequence];
  const read = ({ rows }: { rows: unknown[] }) => pageOf(rows as PageRow[], limit);
  return { ...withCustomPlan(selectPage([...values, ...key])), read };
}

function pageOf(rows: PageRow[], limit: number): AuditPage {
  const shown = rows.filter(({ sequence }) => sequence !== null).slice(0, limit);
  const [first] = rows as [PageRow];
  const last = shown.at(-1);
  if (last !== undefined && shown.length < first.found) return { rows: shown, next: keyOf(last) };
  const end = { at: first.last_at, clientId: first.last_client_id, sequence: first.last_sequence };
  return { rows: shown, next: first.scanned === scanBound ? end : null };
}

const keyOf = ({ at, client_id, sequence }: AuditRow): AuditKey => ({ at, clientId: client_id, sequence });

/** The part of a record that a person without access to the audit log may see. */
export interface AuditBrief {
  sequence: number;
  at: WorldInstant;
  action: string;
  kind: string;
  id: string;
}

const selectBriefs = named<AuditBrief>(
  'audit_briefs',
  `SELECT sequence, at, action, record::jsonb #>> '{target,kind}' AS kind, record::jsonb #>> '{target,id}' AS id
   FROM audit WHERE client_id = $1 AND sequence > $2 AND sequence <= $3 ORDER BY sequence`,
);

/** The records after one number up to another. The range limits how many are read. */
export const readAuditBriefs = (clientId: number, after: number, through: number): Statement<AuditBrief[]> =>
  selectBriefs([clientId, after, through]);

const selectActive = named<{ session_id: string }, Set<string>>(
  'find_sessions_there',
  `SELECT s.session_id FROM sessions s JOIN staff p USING (staff_id)
   WHERE s.session_id = ANY ($1::uuid[]) AND p.disabled_at IS NULL`,
  (rows) => new Set(rows.map(({ session_id }) => session_id)),
);

/**
 * The sessions among these that have not ended. Disabling a member or changing their role or scope ends their sessions.
 */
export const findActiveSessions = (sessionIds: readonly string[]): Statement<Set<string>> => selectActive([sessionIds]);
