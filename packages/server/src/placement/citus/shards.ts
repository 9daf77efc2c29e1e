import type { Connection } from '../../engine/connection.ts';

// The shards of the distributed tables. Each has the rows of the partners whose hash is in its range.

export interface Shard {
  /** The lowest hash of the shard. It ends before the lowest hash of the next one. */
  low: number;
  node: number;
  /** The address of the node, as the other nodes know it. */
  host: string;
  port: number;
  /** A number that hashes to the shard and identifies it; null if none is known, and then the shard has no partner. */
  slot: number | null;
}

const select = `
  SELECT s.shardminvalue::int AS low, p.groupid AS node, n.nodename AS host, n.nodeport AS port
  FROM pg_dist_shard s JOIN pg_dist_placement p USING (shardid) JOIN pg_dist_node n ON n.groupid = p.groupid AND n.noderole = 'primary'
  WHERE s.logicalrelid = to_regclass('public.event_heads') AND p.shardstate = 1 ORDER BY 1`;

/** The shards in the order of their hashes. */
export async function readShards(connection: Connection): Promise<Shard[]> {
  const { rows } = await connection.query<Omit<Shard, 'slot'>>({ text: select });
  if (rows.length === 0) return [];
  const slots = slotsOf(rows, small);
  // No small number may hash to a shard that was isolated for one partner.
  if (slots.size < rows.length) {
    const partners = await connection.query<{ client_id: number }>({
      text: 'SELECT client_id FROM partners ORDER BY 1',
    });
    const clientIds = partners.rows.map((row) => row.client_id);
    for (const [low, slot] of slotsOf(rows, clientIds)) if (!slots.has(low)) slots.set(low, slot);
  }
  return rows.map((row) => ({ ...row, slot: slots.get(row.low) ?? null }));
}

const small = Array.from({ length: 10_000 }, (_, i) => i);

/** For the lowest hash of each shard, the first of these numbers that hashes to it. */
function slotsOf(shards: readonly { low: number }[], numbers: readonly number[]): Map<number, number> {
  const slots = new Map<number, number>();
  for (const number of numbers) {
    if (slots.size === shards.length) break;
    const { low } = shardOf(shards, number);
    if (!slots.has(low)) slots.set(low, number);
  }
  return slots;
}

/** The shard that has the rows of a partner. */
export function shardOf<P extends { low: number }>(shards: readonly P[], clientId: number): P {
  const hash = hashOf(clientId);
  return shards.findLast(({ low }) => low <= hash) as P;
}

const rotated = (value: number, by: number): number => (value << by) | (value >>> (32 - by));

/** PostgreSQL's hashint4(): the final mix of Bob Jenkins' lookup3. */
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
