import { named, type Statement } from '../db/statement.ts';

/** How far a partner's feed and its chain of records have come; the partner 0 is for what belongs to none. */
export interface Heads {
  client_id: number;
  event: number;
  audit: number;
}

const select = named<Heads>(
  'read_heads',
  `SELECT client_id, coalesce(e.last_sequence, 0) AS event, coalesce(a.sequence, 0) AS audit
   FROM event_heads e FULL JOIN audit_heads a USING (client_id)`,
);

export const readHeads = (): Statement<Heads[]> => select();
