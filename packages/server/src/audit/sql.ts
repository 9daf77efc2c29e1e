import { named, plannedAnew, type Statement } from '../engine/statement.ts';
import { formatInstant, timeText, type WorldInstant } from '../primitives/amounts.ts';
import { type AuditEntry, auditText, type Target } from './entry.ts';

// The record of what staff and the command line have changed. Whoever adds to a chain holds its head until the transaction ends,
// so that no two rows have the same one before them.

/** The chain of what belongs to no partner. */
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

/** To be sent with the change itself, in its transaction. */
export const insertAudit = (clientId: number, entry: AuditEntry): Statement[] => [
  moveHead([clientId]),
  insertAtHead([clientId, auditText(entry)]),
];

export interface AuditRow {
  client_id: number;
  sequence: number;
  at: WorldInstant;
  /** Byte for byte what was hashed. */
  record: string;
  hash: Buffer;
}

/** Which records are wanted; null where it does not matter. */
export interface AuditWanted {
  /** Null for all of them. */
  chains: readonly number[] | null;
  actor: string | null;
  action: string | null;
  /** Without an id all of the kind. */
  target: (Pick<Target, 'kind'> & Partial<Target>) | null;
  /** The oldest wanted, and the first that is too new. */
  from: WorldInstant | null;
  until: WorldInstant | null;
}

export interface ChainFound {
  client_id: number;
  /** By its head; null where the head is missing. */
  length: number | null;
  /** Of the record with that number. */
  last_hash: Buffer | null;
}

const isOfKind = (kind: string) => `(${kind}::text IS NULL OR starts_with(target, ${kind} || ' '))`;
const isWanted = (clientId: string) => `($1::int[] IS NULL OR ${clientId} = ANY ($1))`;

// Those with a head and those with records: each should have both. The condition stands at each table, since it does not reach through the joins.
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
  plannedAnew(selectChains([chains]));

const selectOwners = named<{ client_id: number }, number[]>(
  'audit_owners',
  `SELECT client_id FROM (SELECT client_id FROM partners UNION SELECT client_id FROM audit_heads UNION SELECT ${noPartner}) o
   WHERE $1::int[] IS NULL OR client_id = ANY ($1)`,
  (rows) => rows.map(({ client_id }) => client_id),
);

/** The chains that there are or may be: each partner has one, as soon as something is recorded of it. */
export const findOwners = (chains: readonly number[] | null): Statement<number[]> => selectOwners([chains]);

/** Bytes of records that are read at a time; one may be longer. */
const readBytes = 4 * 1024 * 1024;
/** Numbers, of which some may have no record. A range of them is found by the key alone, whatever the planner believes. */
export const linksAtATime = 1000;

export interface LinkRow extends AuditRow {
  /** Of the record before; null where there is none. */
  previous: Buffer | null;
}

// The one before is looked up for each, and not joined: by what the planner believes of a chain that has just grown, it would compare each with all.
// Where the key was taken away, there may be several.
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

/** Of the next numbers of a chain, in order: as many as are not too long to be read at a time, and one at least. */
export function readLinks(
  clientId: number,
  after: number,
  through: number | null,
  wanted: AuditWanted | null,
): Statement<LinkRow[]> {
  const end = Math.min(after + linksAtATime, through ?? Number.MAX_SAFE_INTEGER);
  return plannedAnew(selectLinks([clientId, after, end, ...(wanted === null ? nothingWanted : valuesOf(wanted))]));
}

const selectNext = named<{ next: number | null }, number | null>(
  'next_audit_link',
  `SELECT min(sequence) AS next FROM audit WHERE client_id = $1 AND sequence > coalesce($2, -9223372036854775808)`,
  ([row]) => row?.next ?? null,
);

/** The number of the first link behind, or of the first of all; null where there is none. */
export const findNextLink = (clientId: number, after: number | null): Statement<number | null> =>
  selectNext([clientId, after]);

const valuesOf = ({ actor, action, target, from, until }: AuditWanted): (string | null)[] => [
  actor,
  action,
  target?.id === undefined ? null : `${target.kind} ${target.id}`,
  timeText(from),
  timeText(until),
  kindAlone(target),
];
const nothingWanted = [null, null, null, null, null, null];

const kindAlone = (target: AuditWanted['target']): string | null =>
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
  /** How many were found, of which some may not fit; on every row, of which there is one in any case. */
  found: number;
  scanned: number;
  last_at: WorldInstant;
  last_client_id: number;
  last_sequence: number;
}

/** For an action, and for a kind without an id, there is no index: so many records are walked to find them, and the page then says where to go on. */
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

/** The newest first; planned for what is asked for, which decides by which index. */
export function listAudit(wanted: AuditWanted, limit: number, after: AuditKey | null): Statement<AuditPage> {
  const bound = wanted.action === null && kindAlone(wanted.target) === null ? limit + 1 : scanBound;
  // One more than wanted tells whether there is a next page.
  const values = [bound, limit + 1, wanted.chains, ...valuesOf(wanted)];
  const key = after === null ? [null, null, null] : [formatInstant(after.at), after.clientId, after.sequence];
  const read = ({ rows }: { rows: unknown[] }) => pageOf(rows as PageRow[], limit);
  return { ...plannedAnew(selectPage([...values, ...key])), read };
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

/** Of a record, what those may know who may not read it. */
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

/** Of the numbers behind one, up to another: the range bounds how many are read. */
export const readAuditBriefs = (clientId: number, after: number, through: number): Statement<AuditBrief[]> =>
  selectBriefs([clientId, after, through]);

const selectThere = named<{ session_id: string }, Set<string>>(
  'find_sessions_there',
  `SELECT s.session_id FROM sessions s JOIN staff p USING (staff_id)
   WHERE s.session_id = ANY ($1::uuid[]) AND p.disabled_at IS NULL`,
  (rows) => new Set(rows.map(({ session_id }) => session_id)),
);

/** Which of these have not ended. Whoever is shut out, or gets another role or scope, has none any more. */
export const findSessionsThere = (sessionIds: readonly string[]): Statement<Set<string>> => selectThere([sessionIds]);
