import { rowOperation } from '../../../engine/rows.ts';
import type { JobQuota } from '../job.ts';

export type FoundQuota = JobQuota & { client_id: number };

/**
 * The number and bytes of each partner's unfinished jobs. Summed each time from few rows, so that no stored count can
 * drift. The caller holds the partner's event head, so no other batch adds jobs or bytes.
 */
export const findJobQuotas = rowOperation<number, FoundQuota, FoundQuota[]>(
  'sum_of_jobs',
  {},
  (form) => {
    const sum = (
      client: string,
    ) => `SELECT count(*) FILTER (WHERE j.stopped_at IS NULL) AS jobs, coalesce(sum(j.bytes), 0)::bigint AS bytes
     FROM jobs j WHERE j.client_id = ${client} AND (j.finished_at IS NULL OR j.failure IS NOT NULL) AND NOT j.cleared`;
    return form.isSingleRow
      ? `SELECT $1::int AS client_id, q.* FROM (${sum('$1::int')}) q`
      : `SELECT k.client_id, q.* FROM ${form.rows} CROSS JOIN LATERAL (${sum('k.client_id')} OFFSET 0) q`;
  },
  (rows) => rows,
);
