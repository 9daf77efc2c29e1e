import { partnerNow } from '../../../engine/clock.ts';
import { type PageWanted, pageStatement } from '../../../engine/page.ts';
import { named, type Statement, withCustomPlan } from '../../../engine/statement.ts';
import type { Instant } from '../../../primitives/amounts.ts';
import type { CampaignEntry } from '../../batch/working-set.ts';
import {
  type CampaignRow,
  campaignOfRow,
  definitionSelected,
  type StateRow,
  stateOfRow,
  stateSelected,
} from './campaigns.ts';

const selectOne = named(
  'get_campaign',
  `SELECT ${definitionSelected}, ${stateSelected('s')}, ${partnerNow('$1')} AS now
   FROM campaigns c JOIN campaign_states s USING (client_id, campaign_id)
   WHERE client_id = $1 AND campaign_id = $2`,
  ([row]: (FullRow & { now: Instant })[]) => row && { ...campaignEntryOfRow(row), now: row.now },
);

type FullRow = CampaignRow & StateRow;

export const campaignEntryOfRow = (row: FullRow): CampaignEntry => ({
  campaign: campaignOfRow(row),
  state: stateOfRow(row),
});

export const getCampaign = (
  clientId: number,
  campaignId: string,
): Statement<(CampaignEntry & { now: Instant }) | undefined> => selectOne([clientId, campaignId]);

const campaignWithState = 'campaigns c JOIN campaign_states s USING (client_id, campaign_id)';

/** The campaign cap in force for campaign `c` in state `s`; null if there is none. */
export const limitInForce = 'CASE WHEN s.limits_changed_at IS NULL THEN c.bonus_limit ELSE s.bonus_limit END';

/** The status of campaign `c` in state `s` at a time, given as a column. */
export const campaignStatusAt = (now: string): string =>
  `campaign_status(c.valid_from, c.valid_until, s.stopped_at, s.paused_at, s.issued - s.cancelled, ${limitInForce}, ${now})`;

const selectPage = pageStatement<FullRow>('list_campaigns', {
  at: 'c.created_at',
  id: 'c.campaign_id',
  lowestId: '',
  status: campaignStatusAt('clock.now'),
  from: campaignWithState,
  where: 'client_id = $7 AND c.quantity > 0',
  row: `SELECT ${definitionSelected}, ${stateSelected('s')} FROM ${campaignWithState}
    WHERE client_id = $7 AND campaign_id = w.id`,
  size: 'octet_length(r.games::text)',
});

export const listCampaigns = (clientId: number, wanted: PageWanted) => selectPage(wanted, [clientId]);

// Subtracts overdue free bets that the sweeper has not stored yet. ORDER BY expires_at makes the planner use the index
// on that column.
const selectTotals = (name: string, isWanted: string) =>
  named(
    name,
    `SELECT t.campaign_id, t.currency, t.winnings, coalesce(o.expired, 0) AS expired,
     t.open_bets - coalesce(o.left, 0) AS open_bets
   FROM campaign_totals t
   LEFT JOIN (SELECT campaign_id, currency, count(*) AS expired, sum(quantity - bets_placed) AS "left"
              FROM (SELECT campaign_id, currency, quantity, bets_placed FROM free_bets
                    WHERE client_id = $1 AND campaign_id ${isWanted} AND NOT swept
                      AND expires_at <= (SELECT ${partnerNow('$1')}) AND cancelled_at IS NULL AND bets_placed < quantity
                    ORDER BY expires_at OFFSET 0) overdue
              GROUP BY campaign_id, currency) o USING (campaign_id, currency)
   WHERE t.client_id = $1 AND t.campaign_id ${isWanted}`,
    (rows: CampaignTotals[]) => Map.groupBy(rows, (row) => row.campaign_id),
  );
const selectTotalsOfOne = selectTotals('read_totals_of_campaign', '= $2');
const selectTotalsOfMany = selectTotals('read_totals_of_campaigns', '= ANY ($2::text[])');

/** The totals of one campaign in one currency. */
export interface CampaignTotals {
  campaign_id: string;
  currency: string;
  winnings: string;
  open_bets: number;
  /** Overdue free bets that the campaign's state does not count yet. */
  expired: number;
}

/**
 * The totals of each campaign that exists. For a single campaign a generic plan suits all partners, in half the time.
 */
export function readCampaignTotals(
  clientId: number,
  campaignIds: readonly string[],
): Statement<Map<string, CampaignTotals[]>> {
  return campaignIds.length === 1
    ? selectTotalsOfOne([clientId, campaignIds[0]])
    : withCustomPlan(selectTotalsOfMany([clientId, campaignIds]));
}

// Campaign search for the console. A page scans at most `maxScanned` campaigns along the index of the sort order and
// then returns a cursor, even if the page is empty. The campaign id is enough as a cursor because the sort keys never
// change.

/** The most campaigns that one page scans. */
const maxScanned = 10_000;

type CampaignSort = 'newest' | 'ends_soonest' | 'name';

interface CampaignQuery {
  search: string | null;
  status: string | null;
  after: string | null;
  limit: number;
}

interface CampaignPage {
  ids: string[];
  /** The next page starts after this campaign; null on the last page. */
  next: string | null;
}

interface Order {
  key: string;
  direction: 'ASC' | 'DESC';
  where: string;
}

const orders: Record<CampaignSort, Order> = {
  newest: { key: 'c.created_at', direction: 'DESC', where: 'true' },
  ends_soonest: {
    key: 'c.valid_until',
    direction: 'ASC',
    where: `c.valid_until > CASE WHEN $3 IN ('ended', 'stopped') THEN '-infinity' ELSE (SELECT now FROM clock) END`,
  },
  name: { key: '(lower(c.name) COLLATE "C")', direction: 'ASC', where: 'true' },
};

/** $1 partner, $2 search text, $3 status, $4 campaign to start after, $5 page limit, $6 scan limit. */
function searchSql({ key, direction, where }: Order): string {
  const behind = direction === 'ASC' ? '>' : '<';
  return `
  WITH clock AS MATERIALIZED (SELECT ${partnerNow('$1')} AS now),
  walked AS MATERIALIZED (
    SELECT c.campaign_id, row_number() OVER (ORDER BY ${key} ${direction}, c.campaign_id ${direction}) AS place,
      ($2::text IS NULL OR strpos(lower(c.name), lower($2)) > 0 OR strpos(lower(c.campaign_id), lower($2)) > 0)
        AND ($3::text IS NULL OR ${campaignStatusAt('clock.now')} = ANY (
          CASE $3 WHEN 'live' THEN ARRAY['active', 'exhausted', 'paused'] ELSE ARRAY[$3] END)
          AND ($3 <> 'live' OR c.valid_from <= clock.now)) AS is_wanted
    FROM campaigns c JOIN campaign_states s USING (client_id, campaign_id) CROSS JOIN clock
    WHERE c.client_id = $1 AND c.quantity > 0 AND ${where}
      AND ($4::text IS NULL OR (${key}, c.campaign_id) ${behind} (
        SELECT ${key}, c.campaign_id FROM campaigns c WHERE c.client_id = $1 AND c.campaign_id = $4))
    ORDER BY ${key} ${direction}, c.campaign_id ${direction} LIMIT $6)
  (SELECT campaign_id, place, true AS is_wanted FROM walked WHERE is_wanted ORDER BY place LIMIT $5)
  UNION ALL
  (SELECT campaign_id, place, false FROM walked WHERE place = $6)`;
}

interface ScannedRow {
  campaign_id: string;
  place: number;
  /** False for the row that marks where the scan stopped at its limit. */
  is_wanted: boolean;
}

function pageOf(rows: ScannedRow[], limit: number): CampaignPage {
  const found = rows.filter((row) => row.is_wanted).toSorted((a, b) => a.place - b.place);
  const ids = found.slice(0, limit).map((row) => row.campaign_id);
  const end = rows.find((row) => !row.is_wanted)?.campaign_id ?? null;
  return { ids, next: found.length > limit ? (ids.at(-1) ?? null) : end };
}

const statements = Object.fromEntries(
  Object.entries(orders).map(([sort, order]) => [
    sort,
    named<ScannedRow>(`search_campaigns_${sort}`, searchSql(order)),
  ]),
) as Record<CampaignSort, (values: unknown[]) => Statement<ScannedRow[]>>;

export function searchCampaigns(
  clientId: number,
  sort: CampaignSort,
  { search, status, after, limit }: CampaignQuery,
): Statement<CampaignPage> {
  // One extra row shows whether there is a next page.
  const walk = search === null && status === null ? limit + 1 : maxScanned;
  return {
    ...withCustomPlan(statements[sort]([clientId, search, status, after, limit + 1, walk])),
    read: ({ rows }) => pageOf(rows as ScannedRow[], limit),
  };
}
