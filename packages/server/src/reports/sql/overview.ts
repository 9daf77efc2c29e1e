import assert from 'node:assert/strict';
import type { CampaignStatus } from '@freebets/contract';
import type { PartnerSelection, SandboxFilter } from '../../calls/partner-selection.ts';
import { partnerNow, partnerNowOfMany } from '../../engine/clock.ts';
import { named, type Statement, withCustomPlan } from '../../engine/statement.ts';
import type { Cents, CoefficientE4, Instant, WorldInstant } from '../../primitives/amounts.ts';
import { campaignStatusAt, limitInForce } from '../../promo/campaigns/sql/reads.ts';
import type { RefusedCounts } from '../../promo/jobs/job.ts';
import { partnerConditions, selectedPartnerIds } from './reports.ts';

// The overview of one or more partners, from small tables: hourly activity, campaign totals, webhooks, running jobs and
// waiting drafts. Nothing here reads free bets. Lists are limited, and their counts are complete. All parts cover the
// same partners.

/** The most rows in a list. */
const maxShown = 20;

/**
 * The partners $1 with the time of their clocks. Clocks are read first: partners are on every node, each clock is on
 * one.
 */
const clocks = (which: string) => `ahead AS MATERIALIZED (
    SELECT c.client_id, c.ahead FROM sandbox_clocks c WHERE c.client_id = ANY (${which})),
  clocks AS MATERIALIZED (
    SELECT p.client_id, p.name AS partner, p.sandbox, ${partnerNowOfMany} AS now
    FROM partners p LEFT JOIN ahead c ON c.client_id = p.client_id WHERE p.client_id = ANY (${which}))`;

/** One statement per kind of partners. */
const perKind = <T>(make: (among: SandboxFilter) => T): Record<SandboxFilter, T> => ({
  all: make('all'),
  real: make('real'),
  sandboxes: make('sandboxes'),
});

interface PartnerColumns {
  client_id: number;
  partner: string;
  sandbox: boolean;
}

const figureNames = ['issued', 'bets', 'staked', 'won'] as const;
const spans = {
  today: 'a.hour >= a.today',
  whole_hours: 'a.hour >= a.today AND a.hour < a.this_hour',
  last_week: 'a.hour < a.today',
};
type Span = keyof typeof spans;

export type FiguresRow = { currency: string } & Record<`${Span}_${(typeof figureNames)[number]}`, string>;

const sums = Object.entries(spans).flatMap(([span, isIn]) =>
  figureNames.map((name) => `coalesce(sum(a.${name}) FILTER (WHERE ${isIn}), 0)::text AS ${span}_${name}`),
);

const counted = (isIn: string) => `
    SELECT a.currency, a.hour, ${figureNames.map((name) => `a.${name}`).join(', ')}, w.today, w.hour AS this_hour
    FROM windows w JOIN activity a ON a.client_id = w.client_id WHERE ${isIn}`;

/** The start of a day. If clocks go back over midnight there are two midnights, and PostgreSQL returns the second. */
const startOf = (day: string) => `(${day} AT TIME ZONE $2) -
      CASE WHEN ((${day} AT TIME ZONE $2) - interval '1 hour') AT TIME ZONE $2 >= ${day} THEN interval '1 hour' ELSE '0' END`;

// "A week before" follows the calendar, even across a clock change. $2 is the time zone.
const figuresText = (wanted: PartnerSelection) => `
  WITH ${clocks(selectedPartnerIds(wanted))},
  days AS (
    SELECT *, date_trunc('day', now AT TIME ZONE $2) AS day, date_trunc('hour', now, 'UTC') AS hour FROM clocks),
  windows AS MATERIALIZED (
    SELECT client_id, now, hour, ${startOf('day')} AS today,
      ${startOf("(day - interval '7 days')")} AS week_before,
      ((hour AT TIME ZONE $2) - interval '7 days') AT TIME ZONE $2 AS week_before_until
    FROM days),
  counted AS MATERIALIZED (${counted('a.hour >= w.today AND a.hour <= w.now')}
    UNION ALL ${counted('a.hour >= w.week_before AND a.hour < w.week_before_until')})
  SELECT a.currency, ${sums.join(', ')} FROM counted a GROUP BY 1 ORDER BY 1`;

export const readFigures = (wanted: PartnerSelection, timeZone: string): Statement<FiguresRow[]> =>
  named<FiguresRow>('', figuresText(wanted))([wanted.partners, timeZone]);

/** The open bets of campaigns with the same amounts and terms. */
export interface OpenBetsRow {
  currency: string;
  bet_amounts: [currency: string, cents: Cents][];
  max_coefficient: CoefficientE4 | null;
  stake_returned: boolean;
  open_bets: string;
}

// Groups amounts as text and leaves parsing to the caller: parsing each of 40,000 totals took twice as long. The
// planner can estimate the condition on partners. It scans their totals and looks up a campaign only for open bets;
// OFFSET 0 keeps it from looking up the totals of every campaign ever created.
export const readOpenBets = ({ partners, among }: PartnerSelection): Statement<OpenBetsRow[]> =>
  named<OpenBetsRow>(
    '',
    `SELECT currency, bet_amounts::json, max_coefficient, stake_returned, open_bets FROM (
       SELECT t.currency, c.bet_amounts, c.max_coefficient, c.stake_returned, sum(t.open_bets)::text AS open_bets
       FROM partners p JOIN campaign_totals t ON t.client_id = p.client_id CROSS JOIN LATERAL (
         SELECT c.bet_amounts::text AS bet_amounts, c.max_coefficient, c.stake_returned FROM campaigns c
         WHERE c.client_id = t.client_id AND c.campaign_id = t.campaign_id OFFSET 0) c
       WHERE ($1::int[] IS NULL OR p.client_id = ANY ($1)) AND ${partnerConditions[among]} AND t.open_bets > 0
       GROUP BY 1, 2, 3, 4) alike
     ORDER BY currency`,
  )([partners]);

export interface LiveCampaignRow extends PartnerColumns {
  campaign_id: string;
  name: string;
  status: CampaignStatus;
  valid_until: Instant;
  bonus_limit: number | null;
  held: number;
  bets: number;
  games: string[];
  /** In cents, by currency. */
  winnings: Record<string, string>;
  /** The number of all live campaigns. */
  live: number;
}

const byUsage = 'l.held::float8 / l.bonus_limit DESC NULLS LAST, l.held DESC, l.client_id, l.campaign_id';

// Scans each partner's campaigns along the index on their end, so that ended campaigns cost nothing, and reads each
// state by key. ORDER BY prevents other plans. OFFSET 0 would too, but Citus rejects it after a CTE of clocks. The
// start is checked on the result, because the index on the start would also read all ended campaigns.
const selectLive = perKind((among) =>
  named<LiveCampaignRow>(
    `live_campaigns_${among}`,
    `WITH ${clocks(selectedPartnerIds({ among }))},
   shown AS MATERIALIZED (
   SELECT l.*, count(*) OVER () AS live FROM (
     SELECT k.client_id, k.partner, k.sandbox, c.campaign_id, c.name, ${campaignStatusAt('k.now')} AS status, c.valid_until,
       ${limitInForce} AS bonus_limit, s.issued - s.cancelled AS held, s.bets_placed AS bets
     FROM clocks k CROSS JOIN LATERAL (
       SELECT c.* FROM campaigns c
       WHERE c.client_id = k.client_id AND c.quantity > 0 AND c.valid_until > k.now ORDER BY c.valid_until) c
     CROSS JOIN LATERAL (
       SELECT s.* FROM campaign_states s
       WHERE s.client_id = c.client_id AND s.campaign_id = c.campaign_id AND s.stopped_at IS NULL ORDER BY s.campaign_id) s
     WHERE c.valid_from <= k.now) l
   ORDER BY ${byUsage} LIMIT ${maxShown}),
   won AS MATERIALIZED (
     SELECT t.client_id, t.campaign_id, jsonb_object_agg(t.currency, t.winnings::text) AS winnings
     FROM shown l JOIN campaign_totals t ON t.client_id = l.client_id AND t.campaign_id = l.campaign_id
     WHERE t.winnings > 0 GROUP BY 1, 2)
   SELECT l.*, c.games[1:2] AS games, coalesce(t.winnings, '{}') AS winnings
   FROM shown l JOIN campaigns c ON c.client_id = l.client_id AND c.campaign_id = l.campaign_id
   LEFT JOIN won t ON t.client_id = l.client_id AND t.campaign_id = l.campaign_id
   ORDER BY ${byUsage}`,
  ),
);

export const findLiveCampaigns = ({ partners, among }: PartnerSelection): Statement<LiveCampaignRow[]> =>
  withCustomPlan(selectLive[among]([partners]));

export interface TroubledWebhookRow extends PartnerColumns {
  state: 'failing' | 'off';
  since: WorldInstant;
  reason: string | null;
  failing: number;
  off: number;
}

const selectTroubled = perKind((among) =>
  named<TroubledWebhookRow>(
    `troubled_webhooks_${among}`,
    `SELECT p.client_id, p.name AS partner, p.sandbox, CASE WHEN w.off_at IS NULL THEN 'failing' ELSE 'off' END AS state,
     coalesce(w.off_at, w.failing_since) AS since, w.off_reason AS reason,
     count(*) FILTER (WHERE w.off_at IS NULL) OVER () AS failing, count(*) FILTER (WHERE w.off_at IS NOT NULL) OVER () AS off
   FROM webhooks w JOIN partners p USING (client_id)
   WHERE w.client_id = ANY (${selectedPartnerIds({ among })}) AND (w.off_at IS NOT NULL OR w.failing_since IS NOT NULL)
   ORDER BY since, p.client_id LIMIT ${maxShown}`,
  ),
);

export const findTroubledWebhooks = ({ partners, among }: PartnerSelection): Statement<TroubledWebhookRow[]> =>
  withCustomPlan(selectTroubled[among]([partners]));

export interface RunningJobRow extends PartnerColumns {
  job_id: string;
  name: string;
  campaign_id: string | null;
  items: number;
  issued: number;
  refused: RefusedCounts;
  per_second: number | null;
  started_at: Instant;
  running: number;
}

const selectRunning = perKind((among) =>
  named<RunningJobRow>(
    `running_jobs_${among}`,
    `WITH ${clocks(selectedPartnerIds({ among }))}
   SELECT r.*, count(*) OVER () AS running FROM (
     SELECT k.client_id, k.partner, k.sandbox, j.job_id, j.name, j.campaign_id, j.items, j.issued, j.refused, j.started_at,
       CASE WHEN j.leased_until > statement_timestamp() THEN j.per_second END AS per_second
     FROM clocks k JOIN jobs j ON j.client_id = k.client_id
     WHERE j.begins_at IS NOT NULL AND j.finished_at IS NULL AND j.stopped_at IS NULL AND j.begins_at <= k.now) r
   ORDER BY r.started_at DESC, r.client_id, r.job_id LIMIT ${maxShown}`,
  ),
);

export const findRunningJobs = ({ partners, among }: PartnerSelection): Statement<RunningJobRow[]> =>
  withCustomPlan(selectRunning[among]([partners]));

const selectNow = named('now_of_partner', `SELECT ${partnerNow('$1::int')} AS now`, ([row]: { now: Instant }[]) => {
  assert(row, 'a SELECT without FROM has one row');
  return row.now;
});

/** The time of the partner's clock; world time if no partner is given. */
export const readNowOf = (clientId: number | null): Statement<Instant> => selectNow([clientId]);
