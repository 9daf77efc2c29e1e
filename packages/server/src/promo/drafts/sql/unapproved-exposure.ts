import { named, type Statement } from '../../../engine/statement.ts';

// What an author had without approval. Read and changed under the lock on the author's row in staff.

/** What it was had by. */
export interface ExposureSource {
  staffId: string;
  clientId: number;
  kind: 'draft' | 'free_bet';
  /** Of the draft, or of the free bet. */
  id: string;
}

const valuesOf = ({ staffId, clientId, kind, id }: ExposureSource) => [staffId, clientId, kind, id];

const sumUsed = named(
  'unapproved_exposure_of',
  `SELECT currency, sum(cents)::text AS cents FROM unapproved_exposure
   WHERE staff_id = $1 AND at > world_now() - interval '24 hours'
     AND (client_id, kind, source_id) IS DISTINCT FROM ($2::int, $3::text, $4::uuid)
   GROUP BY currency`,
  (rows: { currency: string; cents: string }[]) => new Map(rows.map((row) => [row.currency, BigInt(row.cents)])),
);

/** In cents, by currency: what an author had without approval in the last 24 hours. */
export const readUnapprovedExposure = (staffId: string): Statement<Map<string, bigint>> =>
  sumUsed([staffId, null, null, null]);

/** The same, by anything but this. */
export const readOtherExposure = (source: ExposureSource): Statement<Map<string, bigint>> => sumUsed(valuesOf(source));

const hold = named(
  'hold_unapproved_exposure',
  `INSERT INTO unapproved_exposure AS u (staff_id, client_id, kind, source_id, currency, cents, held, at)
   SELECT $1, $2, $3, $4, currency, cents, 1, world_now() FROM unnest($5::text[], $6::numeric[]) AS e(currency, cents)
   ON CONFLICT (staff_id, client_id, kind, source_id, currency)
     DO UPDATE SET cents = greatest(u.cents, excluded.cents), held = u.held + 1, at = excluded.at`,
);

export const holdUnapprovedExposure = (source: ExposureSource, cents: ReadonlyMap<string, bigint>): Statement =>
  hold([...valuesOf(source), [...cents.keys()], [...cents.values()].map(String)]);

const matching = 'staff_id = $1 AND client_id = $2 AND kind = $3 AND source_id = $4 AND currency = ANY ($5::text[])';

const removeLast = named(
  'remove_unapproved_exposure',
  `DELETE FROM unapproved_exposure WHERE ${matching} AND held = 1`,
);
const releaseOne = named(
  'release_unapproved_exposure',
  `UPDATE unapproved_exposure SET held = held - 1 WHERE ${matching} AND held > 1`,
);

/** With a day to spare: what counts is of the last 24 hours. */
const removeOld = named<{ staff_id: string }, number>(
  'remove_old_unapproved_exposure',
  `DELETE FROM unapproved_exposure WHERE (staff_id, client_id, kind, source_id, currency) IN (
     SELECT staff_id, client_id, kind, source_id, currency FROM unapproved_exposure
     WHERE at < world_now() - interval '2 days'
     LIMIT $1 FOR UPDATE SKIP LOCKED)
   RETURNING staff_id`,
  (rows) => rows.length,
);

/** So many at most; how many they were. What is had again meanwhile is locked, or not old any more. */
export const removeOldExposure = (limit: number): Statement<number> => removeOld([limit]);

/** Of one request that was not carried out; where others may have been, it stays. Removed first: what is released is not removed too. */
export const releaseUnapprovedExposure = (source: ExposureSource, currencies: readonly string[]): Statement[] =>
  [removeLast, releaseOne].map((statement) => statement([...valuesOf(source), currencies]));
