import type { Connection } from '../../engine/connection.ts';

// The parts that Citus keeps tables of partners in: each has the rows of those whose hash lies in its range.

export interface Part {
  /** The lowest hash that is in it; the next one begins behind it. */
  low: number;
  machine: number;
  /** Where the machine can be reached, as the others know it. */
  host: string;
  port: number;
  /** A number that is in it, and so can stand for it; null where none is known, and no partner is in it. */
  slot: number | null;
}

const select = `
  SELECT s.shardminvalue::int AS low, p.groupid AS machine, n.nodename AS host, n.nodeport AS port
  FROM pg_dist_shard s JOIN pg_dist_placement p USING (shardid) JOIN pg_dist_node n ON n.groupid = p.groupid AND n.noderole = 'primary'
  WHERE s.logicalrelid = to_regclass('public.event_heads') AND p.shardstate = 1 ORDER BY 1`;

/** In the order of their hashes. */
export async function readParts(connection: Connection): Promise<Part[]> {
  const { rows } = await connection.query<Omit<Part, 'slot'>>({ text: select });
  if (rows.length === 0) return [];
  const slots = slotsAmong(rows, small);
  // One that was made for a partner alone may have no small number in it.
  if (slots.size < rows.length) {
    const partners = await connection.query<{ client_id: number }>({
      text: 'SELECT client_id FROM partners ORDER BY 1',
    });
    const clientIds = partners.rows.map((row) => row.client_id);
    for (const [low, slot] of slotsAmong(rows, clientIds)) if (!slots.has(low)) slots.set(low, slot);
  }
  return rows.map((row) => ({ ...row, slot: slots.get(row.low) ?? null }));
}

const small = Array.from({ length: 10_000 }, (_, i) => i);

/** By the lowest hash of a part, the first of these numbers that is in it. */
function slotsAmong(parts: readonly { low: number }[], numbers: readonly number[]): Map<number, number> {
  const slots = new Map<number, number>();
  for (const number of numbers) {
    if (slots.size === parts.length) break;
    const { low } = partOf(parts, number);
    if (!slots.has(low)) slots.set(low, number);
  }
  return slots;
}

/** The one that has the rows of a partner. */
export function partOf<P extends { low: number }>(parts: readonly P[], clientId: number): P {
  const hash = hashOf(clientId);
  return parts.findLast(({ low }) => low <= hash) as P;
}

const rotated = (value: number, by: number): number => (value << by) | (value >>> (32 - by));

/** PostgreSQL's hashint4(): the last part of Bob Jenkins' lookup3. */
export function hashOf(key: number): number {
  const start = (0x9e3779b9 + 4 + 3923095) | 0;
  let [a, b, c] = [(start + key) | 0, start, start];
  c = ((c ^ b) - rotated(b, 14)) | 0;
  a = ((a ^ c) - rotated(c, 11)) | 0;
  b = ((b ^ a) - rotated(a, 25)) | 0;
  c = ((c ^ b) - rotated(b, 16)) | 0;
  a = ((a ^ c) - rotated(c, 4)) | 0;
  b = ((b ^ a) - rotated(a, 14)) | 0;
  return ((c ^ b) - rotated(b, 24)) | 0;
}
