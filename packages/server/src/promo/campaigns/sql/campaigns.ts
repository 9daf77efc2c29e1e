import { type Access, inAccess } from '../../../engine/access.ts';
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
} from '../../../engine/statement.ts';
import { formatInstant, type Instant, timeText } from '../../../primitives/amounts.ts';
import { changesFreeBets, type RowKeys } from '../../batch/needs.ts';
import type { CampaignEntry, CampaignPlayer, TotalsChange } from '../../batch/working-set.ts';
import { changingFreeBets, changingFreeBetValues } from '../../free-bets/sql.ts';
import type { Campaign, CampaignState } from '../campaign.ts';

export interface CampaignRow {
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

export const campaignOfRow = (row: CampaignRow): Campaign => ({
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

export const definitionSelected = selectionOf('c', definitionColumns);

export interface StateRow {
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
export const stateSelected = `s.issued, s.cancelled, s.expired, s.finished, s.bets_placed, s.stopped_at, s.paused_at, s.limits_changed_at,
  s.bonus_limit AS changed_limit, s.bonus_limit_per_user AS changed_limit_per_user`;

function changedLimitsOfRow(row: StateRow): CampaignState['changedLimits'] {
  const { limits_changed_at: at, changed_limit: bonusLimit, changed_limit_per_user: bonusLimitPerUser } = row;
  return at === null ? null : { at, bonusLimit, bonusLimitPerUser };
}

export const stateOfRow = (row: StateRow): CampaignState => ({
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

interface CampaignPlayerRow {
  campaign_id: string;
  player_id: string;
  held: number;
}

const playerOfRow = (row: CampaignPlayerRow): CampaignPlayer => ({
  campaignId: row.campaign_id,
  playerId: row.player_id,
  held: row.held,
  isStored: true,
});

const playersOfRows = (rows: CampaignPlayerRow[]): CampaignPlayer[] => rows.map(playerOfRow);

// OFFSET 0 keeps the planner from turning the look-ups by key into a scan of the table when its statistics are old.
const select = (pairs: string) => `SELECT k.campaign_id, k.player_id, p.held FROM ${pairs}
  CROSS JOIN LATERAL (
    SELECT held FROM campaign_players p
    WHERE p.client_id = $1 AND p.campaign_id = k.campaign_id AND p.player_id = k.player_id OFFSET 0) p`;

const selectNamed = inColumns(
  'select_campaign_players',
  ({ isOne, rows }) =>
    isOne
      ? 'SELECT campaign_id, player_id, held FROM campaign_players WHERE client_id = $1 AND campaign_id = $2 AND player_id = $3'
      : select(`${rows(2, ['text', 'text'])} AS k(campaign_id, player_id)`),
  playersOfRows,
);

const selectAll = named(
  'select_all_campaign_players',
  select(`(SELECT * FROM unnest($2::text[], $3::text[]) AS named(campaign_id, player_id)
     UNION ALL SELECT f.campaign_id, f.player_id FROM free_bets f
               WHERE f.client_id = $1 AND f.issue_id = ANY ($4::uuid[])) k`),
  playersOfRows,
);

const selectOfCampaign = named(
  'select_players_of_campaign',
  `SELECT campaign_id, player_id, held FROM campaign_players
   WHERE client_id = $1 AND campaign_id = $2 AND player_id = ANY ($3::text[])`,
);

/** The held counts of the named players and of the players whose free bets the commands may give back. */
export function findCampaignPlayers(clientId: number, keys: RowKeys): Statement<CampaignPlayer[]> {
  const players = keys.campaignPlayers;
  const pairs = [players.map((player) => player.campaignId), players.map((player) => player.playerId)];
  if (keys.givenBackIssueIds.length > 0) return selectAll([clientId, ...pairs, keys.givenBackIssueIds]);
  const asInlineRows = (mostRows: number) => {
    if (players.length > mostRows) return [];
    const byCampaign = Map.groupBy(players, (player) => player.campaignId);
    return [...byCampaign].map(([campaignId, some]) =>
      selectOfCampaign([clientId, campaignId, some.map((player) => player.playerId)]),
    );
  };
  return { ...selectNamed([clientId], pairs), asInlineRows };
}

// Counts along the index by player, because a player has fewer free bets than a campaign. `bet_amount > 0` is true for
// every row; together with ORDER BY it leaves the planner no other index, even with stale statistics. Rows from before
// the campaign's first free bet are skipped. That first row is read in the order of the index by campaign, because any
// other index would need a sort. If the row belongs to a later campaign, this one has issued none and nothing is
// counted.
const count = named(
  'count_campaign_players',
  `SELECT k.campaign_id, k.player_id,
     (SELECT count(*) FROM (
        SELECT FROM free_bets f
        WHERE f.client_id = $1 AND f.player_id = k.player_id AND f.bet_amount > 0 AND f.campaign_id = k.campaign_id
          AND f.cancelled_at IS NULL AND f.issued_at >= k.first_issued_at
        ORDER BY f.issued_at OFFSET 0) held)::int AS held
   FROM (
     SELECT n.campaign_id, n.player_id,
       (SELECT CASE WHEN f.campaign_id = n.campaign_id THEN f.issued_at END FROM free_bets f
        WHERE f.client_id = $1 AND f.quantity > 0 AND (f.campaign_id, f.issued_at) >= (n.campaign_id, '-infinity')
        ORDER BY f.campaign_id, f.issued_at LIMIT 1) AS first_issued_at
     FROM unnest($2::text[], $3::text[]) AS n(campaign_id, player_id) OFFSET 0) k`,
  (rows: CampaignPlayerRow[]) => rows.map((row) => ({ ...playerOfRow(row), isStored: false })),
);

/** Counts held free bets of campaigns that don't store held counts yet. The caller must hold the campaigns' locks. */
export const countCampaignPlayers = (
  clientId: number,
  players: RowKeys['campaignPlayers'],
): Statement<CampaignPlayer[]> =>
  count([clientId, players.map((player) => player.campaignId), players.map((player) => player.playerId)]);

const columns: Columns<CampaignPlayer> = {
  campaign_id: { type: 'text', of: (player) => player.campaignId },
  player_id: { type: 'text', of: (player) => player.playerId },
  held: { type: 'int', of: (player) => player.held },
};

/** Most rows are new, and a plain insert costs half as much as one with ON CONFLICT. */
const insert = insertInto('campaign_players', { client_id: 'int' }, columns);
const replace = insertInto('campaign_players', { client_id: 'int' }, columns, {
  name: 'replace_campaign_players',
  onConflict: 'ON CONFLICT (client_id, campaign_id, player_id) DO UPDATE SET held = EXCLUDED.held',
});

export function saveCampaignPlayers(clientId: number, players: readonly CampaignPlayer[]): Statement[] {
  const stored = players.filter((player) => player.isStored);
  const created = players.filter((player) => !player.isStored);
  return [
    ...(created.length > 0 ? [insert([clientId], created)] : []),
    ...(stored.length > 0 ? [replace([clientId], stored)] : []),
  ];
}
