import { named, type Statement } from '../../../engine/statement.ts';

// The exposure that authors caused without approval. Read and changed under the lock on the author's row in `staff`.

/** What caused the exposure. */
export interface ExposureSource {
  staffId: string;
  clientId: number;
  kind: 'draft' | 'free_bet';
  /** The id of the draft or of the free bet. */
  id: string;
}

const valuesOf = ({ staffId, clientId, kind, id }: ExposureSource) => [staffId, clientId, kind, id];

const sumUnapproved = named(
  'unapproved_exposure_of',
  `SELECT currency, sum(cents)::text AS cents FROM unapproved_exposure
   WHERE staff_id = $1 AND at > world_now() - interval '24 hours'
     AND (client_id, kind, source_id) IS DISTINCT FROM ($2::int, $3::text, $4::uuid)
   GROUP BY currency`,
  (rows: { currency: string; cents: string }[]) => new Map(rows.map((row) => [row.currency, BigInt(row.cents)])),
);

/** The author's unapproved exposure of the last 24 hours, in cents by currency. */
export const readUnapprovedExposure = (staffId: string): Statement<Map<string, bigint>> =>
  sumUnapproved([staffId, null, null, null]);

/** The same, without this source. */
export const readOtherExposure = (source: ExposureSource): Statement<Map<string, bigint>> =>
  sumUnapproved(valuesOf(source));

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

/** Rows count for 24 hours; removing them after two days leaves a margin. */
const removeOld = named<{ staff_id: string }, number>(
  'remove_old_unapproved_exposure',
  `DELETE FROM unapproved_exposure WHERE (staff_id, client_id, kind, source_id, currency) IN (
     SELECT staff_id, client_id, kind, source_id, currency FROM unapproved_exposure
     WHERE at < world_now() - interval '2 days'
     LIMIT $1 FOR UPDATE SKIP LOCKED)
   RETURNING staff_id`,
  (rows) => rows.length,
);

/** Removes at most `limit` rows and returns the count. Skips rows that a new hold has locked or refreshed. */
export const removeOldExposure = (limit: number): Statement<number> => removeOld([limit]);

/**
 * Releases the hold of one refused request. If other requests with this source hold it too, the amount stays. The
 * DELETE comes first, so that it can't remove a row that the UPDATE has just lowered to one hold.
 */
export const releaseUnapprovedExposure = (source: ExposureSource, currencies: readonly string[]): Statement[] =>
  [removeLast, releaseOne].map((statement) => statement([...valuesOf(source), currencies]));
