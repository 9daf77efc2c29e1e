import assert from 'node:assert/strict';
import { named, type Statement, withCustomPlan } from '../../engine/statement.ts';
import { formatInstant, type Instant } from '../../primitives/amounts.ts';
import { isWaitingForApproval } from '../drafts/sql/drafts.ts';
import { isDisabled, isOpen, isRunnable, openJobLifetime } from '../jobs/sql/work.ts';

// Lists what happens between two times of a partner if it makes no requests. Scans use the indexes on these times and
// stop at the limit of the counts.

/** The most rows that a scan counts. */
export const maxCounted = 10_000;
const maxShown = 10;

export interface ExpiringRow {
  issue_id: string;
  player_id: string;
  campaign_id: string | null;
  expires_at: Instant;
}

export interface CampaignChangeRow {
  campaign_id: string;
  name: string;
  what: 'begins' | 'ends';
  at: Instant;
}

export interface JobChangeRow {
  job_id: string;
  name: string;
  what: 'begins' | 'removed';
  at: Instant;
}

/** A count above `maxCounted` means that there are more. */
export interface ClockPreview {
  expire: number;
  /** Also counts free bets with nothing left to expire. */
  walked: number;
  expiring: ExpiringRow[];
  begin: number;
  end: number;
  campaign_changes: CampaignChangeRow[];
  jobs_begin: number;
  jobs_removed: number;
  job_changes: JobChangeRow[];
}

const campaignChanges = (what: CampaignChangeRow['what'], column: string) => `
  SELECT c.campaign_id, c.name, '${what}' AS what, c.${column} AS at
  FROM campaigns c JOIN campaign_states s USING (client_id, campaign_id)
  WHERE client_id = $1 AND c.quantity > 0 AND c.${column} > $2 AND c.${column} <= $3 AND s.stopped_at IS NULL
  ORDER BY c.${column}, c.campaign_id LIMIT ${maxCounted + 1}`;

const jobsBegin = `
  SELECT j.job_id, j.name, 'begins' AS what, j.begins_at AS at
  FROM jobs j WHERE j.client_id = $1 AND ${isRunnable('j')} AND j.begins_at > $2 AND j.begins_at <= $3 AND NOT ${isDisabled('j.client_id')}
  ORDER BY j.begins_at, j.job_id LIMIT ${maxCounted + 1}`;

const jobsRemoved = `
  SELECT j.job_id, j.name, 'removed' AS what, j.created_at + ${openJobLifetime} AS at
  FROM jobs j WHERE j.client_id = $1 AND ${isOpen('j')} AND NOT ${isWaitingForApproval('j')}
    AND j.created_at > $2::timestamptz - ${openJobLifetime} AND j.created_at <= $3::timestamptz - ${openJobLifetime}
  ORDER BY j.created_at, j.job_id LIMIT ${maxCounted + 1}`;

const firstChanges = (id: string, one: string, other: string) => `(SELECT coalesce(json_agg(t), '[]') FROM (
        SELECT ${id}, name, what, (extract(epoch FROM at) * 1000)::bigint AS at
        FROM (TABLE ${one} UNION ALL TABLE ${other}) b ORDER BY b.at, ${id} LIMIT ${maxShown}) t)`;

const preview = named(
  'preview_clock',
  // Cancelled and used-up free bets stay in the index until their expiry: they are scanned but not counted.
  `WITH walked AS MATERIALIZED (
     SELECT f.issue_id, f.player_id, f.campaign_id, f.expires_at, f.cancelled_at IS NULL AND f.bets_placed < f.quantity AS is_left
     FROM free_bets f WHERE f.client_id = $1 AND NOT f.swept AND f.expires_at > $2 AND f.expires_at <= $3
     ORDER BY f.expires_at LIMIT ${maxCounted + 1}),
   expiring AS MATERIALIZED (SELECT * FROM walked WHERE is_left),
   begins AS MATERIALIZED (${campaignChanges('begins', 'valid_from')}),
   ends AS MATERIALIZED (${campaignChanges('ends', 'valid_until')}),
   jobs_begin AS MATERIALIZED (${jobsBegin}),
   jobs_removed AS MATERIALIZED (${jobsRemoved})
   SELECT (SELECT count(*) FROM expiring) AS expire, (SELECT count(*) FROM walked) AS walked, (SELECT count(*) FROM begins) AS begin, (SELECT count(*) FROM ends) AS end,
     (SELECT coalesce(json_agg(e), '[]') FROM (
        SELECT issue_id, player_id, campaign_id, (extract(epoch FROM expires_at) * 1000)::bigint AS expires_at
        FROM expiring ORDER BY expiring.expires_at, issue_id LIMIT ${maxShown}) e) AS expiring,
     ${firstChanges('campaign_id', 'begins', 'ends')} AS campaign_changes,
     (SELECT count(*) FROM jobs_begin) AS jobs_begin, (SELECT count(*) FROM jobs_removed) AS jobs_removed,
     ${firstChanges('job_id', 'jobs_begin', 'jobs_removed')} AS job_changes`,
  ([row]: ClockPreview[]) => {
    assert(row, 'a SELECT without FROM has one row');
    return row;
  },
);

export const previewClock = (clientId: number, now: Instant, to: Instant): Statement<ClockPreview> =>
  withCustomPlan(preview([clientId, formatInstant(now), formatInstant(to)]));
