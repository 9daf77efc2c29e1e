import { type Dialect, named } from '../../engine/statement.ts';

// Each statement names one partner, so that the cluster sends it to one node. Inserts have plain values, because Citus
// keeps the plan of such a statement and plans other inserts each time.

const writeNothing = named(
  'pin_partner',
  'UPDATE event_heads SET last_sequence = last_sequence WHERE client_id = $1 AND last_sequence < 0',
);

/**
 * Sends an UPDATE of no rows before the locks of a partner. The cluster moves rows even if a SELECT has locked them; a
 * second transaction could lock the copies, and one of the two would overwrite the other. It does not move rows that a
 * transaction has written to, and an UPDATE of no rows counts as a write.
 */
export const citus: Dialect = ({ locks = [], perPartner, ...statement }) => [
  ...locks.map((clientId) => writeNothing([clientId])),
  ...(perPartner?.() ?? [statement]),
];
