import { type Access, inAccess } from '../../../engine/access.ts';
import { partnerNow } from '../../../engine/clock.ts';
import { type PageWanted, pageStatement } from '../../../engine/page.ts';
import {
  bytesText,
  type Column,
  type Columns,
  inColumns,
  insertInto,
  named,
  type Statement,
  selectionOf,
  textOf,
  updateOf,
  valuesOf,
  withCustomPlan,
} from '../../../engine/statement.ts';
import { formatInstant, type Instant, timeText } from '../../../primitives/amounts.ts';
import { changesFreeBets, type RowKeys } from '../../batch/needs.ts';
import type { CampaignEntry, TotalsChange } from '../../batch/working-set.ts';
import { changingFreeBets, changingFreeBetValues } from '../../free-bets/sql.ts';
import type { Campaign, CampaignState } from '../campaign.ts';

interface CampaignRow {
  campaign_id: string;
  name: string;
  quantity: number;
  games: string[];
  bet_amounts: [currency: string, cents: number][];
  valid_from: Instant;
  valid_until: Instant;
  duration_min: number | null;
  bonus_limit: number | null;
  bonus_limit_per_user: number | null;
  min_coefficient: number | null;
  max_coefficient: number | null;
  stake_returned: boolean;
  content_hash: string;
  created_at: Instant;
}

const campaignOfRow = (row: CampaignRow): Campaign => ({
  campaignId: row.campaign_id,
  terms: {
    name: row.name,
    quantity: row.quantity,
    games: row.games,
    validFrom: row.valid_from,
    validUntil: row.valid_until,
    durationMin: row.duration_min,
    minCoefficient: row.min_coefficient,
    maxCoefficient: row.max_coefficient,
    stakeReturned: row.stake_returned,
  },
  betAmounts: new Map(row.bet_amounts),
  bonusLimit: row.bonus_limit,
  bonusLimitPerUser: row.bonus_limit_per_user,
  contentHash: row.content_hash,
  createdAt: row.created_at,
});

const campaignId = { type: 'text', of: ({ campaign }: CampaignEntry) => campaign.campaignId };

const definitionColumns: Columns<CampaignEntry> = {
  campaign_id: campaignId,
  name: { type: 'text', of: ({ campaign }) => campaign.terms.name },
  quantity: { type: 'int', of: ({ campaign }) => campaign.terms.quantity },
  // Sent as text because unnest would flatten an array of arrays.
  games: { type: 'text', cast: 'text[]', of: ({ campaign }) => textOf(campaign.terms.games) },
  bet_amounts: { type: 'json', of: ({ campaign }) => JSON.stringify([...campaign.betAmounts]) },
  valid_from: { type: 'timestamptz', of: ({ campaign }) => formatInstant(campaign.terms.validFrom) },
  valid_until: { type: 'timestamptz', of: ({ campaign }) => formatInstant(campaign.terms.validUntil) },
  duration_min: { type: 'int', of: ({ campaign }) => campaign.terms.durationMin },
  bonus_limit: { type: 'int', of: ({ campaign }) => campaign.bonusLimit },
  bonus_limit_per_user: { type: 'int', of: ({ campaign }) => campaign.bonusLimitPerUser },
  min_coefficient: { type: 'bigint', of: ({ campaign }) => campaign.terms.minCoefficient },
  max_coefficient: { type: 'bigint', of: ({ campaign }) => campaign.terms.maxCoefficient },
  stake_returned: { type: 'bool', of: ({ campaign }) => campaign.terms.stakeReturned },
  content_hash: { type: 'bytea', of: ({ campaign }) => bytesText(campaign.contentHash) },
  created_at: { type: 'timestamptz', of: ({ campaign }) => formatInstant(campaign.createdAt) },
};

const definitionSelected = selectionOf('c', definitionColumns);

interface StateRow {
  campaign_id: string;
  issued: number;
  cancelled: number;
  expired: number;
  finished: number;
  bets_placed: number;
  stopped_at: Instant | null;
  paused_at: Instant | null;
  limits_changed_at: Instant | null;
  changed_limit: number | null;
  changed_limit_per_user: number | null;
}

const timeOf = (of: (state: CampaignState) => Instant | null): Column<CampaignEntry> => ({
  type: 'timestamptz',
  of: ({ state }) => timeText(of(state)),
});

const stateColumns: Columns<CampaignEntry> = {
  issued: { type: 'bigint', of: ({ state }) => state.issued },
  cancelled: { type: 'bigint', of: ({ state }) => state.cancelled },
  expired: { type: 'bigint', of: ({ state }) => state.expired },
  finished: { type: 'bigint', of: ({ state }) => state.finished },
  bets_placed: { type: 'bigint', of: ({ state }) => state.betsPlaced },
  stopped_at: timeOf((state) => state.stoppedAt),
  paused_at: timeOf((state) => state.pausedAt),
  limits_changed_at: timeOf((state) => state.changedLimits?.at ?? null),
  bonus_limit: { type: 'int', of: ({ state }) => state.changedLimits?.bonusLimit },
  bonus_limit_per_user: { type: 'int', of: ({ state }) => state.changedLimits?.bonusLimitPerUser },
};

// Aliased because the definition has columns with the same names.
const stateSelected = `s.issued, s.cancelled, s.expired, s.finished, s.bets_placed, s.stopped_at, s.paused_at, s.limits_changed_at,
  s.bonus_limit AS changed_limit, s.bonus_limit_per_user AS changed_limit_per_user`;

function changedLimitsOfRow(row: StateRow): CampaignState['changedLimits'] {
  const { limits_changed_at: at, changed_limit: bonusLimit, changed_limit_per_user: bonusLimitPerUser } = row;
  return at === null ? null : { at, bonusLimit, bonusLimitPerUser };
}

const stateOfRow = (row: StateRow): CampaignState => ({
  issued: row.issued,
  cancelled: row.cancelled,
  expired: row.expired,
  finished: row.finished,
  betsPlaced: row.bets_placed,
  stoppedAt: row.stopped_at,
  pausedAt: row.paused_at,
  changedLimits: changedLimitsOfRow(row),
});

const selectStates = (which: string, locking: string) => `SELECT s.campaign_id, ${stateSelected} FROM campaign_states s
  WHERE s.client_id = $1 AND ${which} ORDER BY s.campaign_id ${locking}`;

const statesOfRows = (rows: StateRow[]) => new Map(rows.map((row) => [row.campaign_id, stateOfRow(row)]));

const selectNamedStates = inAccess((access, locking) =>
  inColumns(
    `${access}_campaign_states`,
    ({ isAmong }) => selectStates(isAmong('s.campaign_id', 2, 'text'), locking),
    statesOfRows,
  ),
);

// Includes the campaigns of the free bets that the commands change.
const selectChangingStates = inAccess((access, locking) =>
  named(
    `${access}_changing_campaign_states`,
    selectStates(
      `s.campaign_id = ANY ($5::text[] || ARRAY(
       SELECT f.campaign_id FROM free_bets f WHERE f.client_id = $1 AND f.issue_id = ANY (${changingFreeBets})))`,
      locking,
    ),
    statesOfRows,
  ),
);

/** The states of the campaigns that the commands name or whose free bets they change, ordered by id. */
export const findCampaignStates = (
  access: Access,
  clientId: number,
  keys: RowKeys,
): Statement<Map<string, CampaignState>> =>
  changesFreeBets(keys)
    ? selectChangingStates[access]([clientId, ...changingFreeBetValues(keys), keys.campaignIds])
    : selectNamedStates[access]([clientId], [keys.campaignIds]);

const selectCampaigns = named(
  'select_campaigns',
  `SELECT ${definitionSelected} FROM campaigns c WHERE c.client_id = $1 AND c.campaign_id = ANY ($2::text[])`,
  (rows: CampaignRow[]) => rows.map(campaignOfRow),
);

export const findCampaigns = (clientId: number, ids: string[]): Statement<Campaign[]> =>
  selectCampaigns([clientId, ids]);

const insertDefinitions = insertInto('campaigns', { client_id: 'int' }, definitionColumns);
const insertStates = insertInto('campaign_states', { client_id: 'int' }, { campaign_id: campaignId, ...stateColumns });
const totalsColumns: Columns<TotalsChange> = {
  open_bets: { type: 'bigint', of: (change) => change.openBets },
  winnings: { type: 'numeric', of: (change) => change.winnings.toString() },
};
const insertTotals = insertInto<TotalsChange>(
  'campaign_totals',
  { client_id: 'int' },
  {
    campaign_id: { type: 'text', of: (change) => change.campaignId },
    currency: { type: 'text', of: (change) => change.currency },
    ...totalsColumns,
  },
);

/** Inserts in id order, the order of all locks. Totals start at zero. */
export function insertCampaigns(clientId: number, entries: readonly CampaignEntry[]): Statement[] {
  const sorted = entries.toSorted((a, b) => (a.campaign.campaignId < b.campaign.campaignId ? -1 : 1));
  const totals = sorted.flatMap(({ campaign }) =>
    [...campaign.betAmounts.keys()].map((currency) => ({
      campaignId: campaign.campaignId,
      currency,
      openBets: 0,
      winnings: 0n,
    })),
  );
  return [insertDefinitions([clientId], sorted), insertStates([clientId], sorted), insertTotals([clientId], totals)];
}

/** One key for campaign and currency, so that a change is matched by a single column. */
const totalsKey = "(t.campaign_id || ' ' || t.currency)";
const totalsKeyOf = (change: TotalsChange) => `${change.campaignId} ${change.currency}`;

const updateTotals = inColumns(
  'update_campaign_totals',
  (form) => `UPDATE campaign_totals t SET open_bets = t.open_bets + ${form.at(4, 'bigint', totalsKey, 3)},
     winnings = t.winnings + ${form.at(5, 'numeric', totalsKey, 3)}
   WHERE t.client_id = $1 AND ${form.isAmong('t.campaign_id', 2, 'text')} AND ${form.isAmong(totalsKey, 3, 'text')}`,
  () => {},
);

const updateStates = updateOf('campaign_states', { client_id: 'int' }, ['campaign_id', campaignId], stateColumns);
const totalsOf = valuesOf(totalsColumns);

export const updateCampaigns = (
  clientId: number,
  entries: readonly CampaignEntry[],
  totals: readonly TotalsChange[],
): Statement[] => [
  ...(totals.length > 0
    ? [
        updateTotals(
          [clientId],
          [[...new Set(totals.map((change) => change.campaignId))], totals.map(totalsKeyOf), ...totalsOf(totals)],
        ),
      ]
    : []),
  ...(entries.length > 0 ? [updateStates([clientId], entries)] : []),
];

const selectOne = named(
  'get_campaign',
  `SELECT ${definitionSelected}, ${stateSelected}, ${partnerNow('$1')} AS now
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
  row: `SELECT ${definitionSelected}, ${stateSelected} FROM ${campaignWithState}
    WHERE client_id = $7 AND campaign_id = w.id`,
  size: 'octet_length(r.games::text)',
});

export const listCampaigns = (clientId: number, wanted: PageWanted) => selectPage(wanted, [clientId]);

// Subtracts overdue free bets that the sweeper has not stored yet. ORDER BY expires_at makes the planner use the index
// on that column.
const selectTotals = inColumns(
  'read_campaign_totals',
  ({ isAmong }) => `SELECT t.campaign_id, t.currency, t.winnings, coalesce(o.expired, 0) AS expired,
     t.open_bets - coalesce(o.left, 0) AS open_bets
   FROM campaign_totals t
   LEFT JOIN (SELECT campaign_id, currency, count(*) AS expired, sum(quantity - bets_placed) AS "left"
              FROM (SELECT campaign_id, currency, quantity, bets_placed FROM free_bets
                    WHERE client_id = $1 AND ${isAmong('campaign_id', 2, 'text')} AND NOT swept
                      AND expires_at <= (SELECT ${partnerNow('$1')}) AND cancelled_at IS NULL AND bets_placed < quantity
                    ORDER BY expires_at OFFSET 0) overdue
              GROUP BY campaign_id, currency) o USING (campaign_id, currency)
   WHERE t.client_id = $1 AND ${isAmong('t.campaign_id', 2, 'text')}`,
  (rows: CampaignTotals[]) => Map.groupBy(rows, (row) => row.campaign_id),
);

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
  const statement = selectTotals([clientId], [[...campaignIds]]);
  return campaignIds.length === 1 ? statement : withCustomPlan(statement);
}
