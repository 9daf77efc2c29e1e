import {
  type ByPartner,
  bytesText,
  type Column,
  type Columns,
  type Form,
  insertInto,
  joinRows,
  lookUp,
  rowOperation,
  selectionOf,
  updateOf,
} from '../../../engine/rows.ts';
import { type Statement, textOf } from '../../../engine/statement.ts';
import { formatInstant, type Instant, timeText } from '../../../primitives/amounts.ts';
import type { CampaignEntry, CampaignPlayer, TotalsChange } from '../../batch/working-set.ts';
import { betKeyColumns } from '../../rounds/sql.ts';
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
export const stateSelected = (alias: string): string =>
  [
    ...['issued', 'cancelled', 'expired', 'finished', 'bets_placed', 'stopped_at', 'paused_at', 'limits_changed_at'],
    ...['bonus_limit AS changed_limit', 'bonus_limit_per_user AS changed_limit_per_user'],
  ]
    .map((column) => `${alias}.${column}`)
    .join(', ');

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

export type FoundState = StateRow & { client_id: number };

const idKey: Columns<string> = { campaign_id: { type: 'text', of: (id) => id } };
const foundState = `t.campaign_id, ${stateSelected('t')}`;

/** Finds the states of campaigns by id. */
export const findCampaignStates = lookUp<string, FoundState>(
  'campaign_states_by_id',
  'campaign_states',
  idKey,
  foundState,
);

/** The states of the campaigns of some free bets, each once. `joins` finds the free bets, as `f`. */
const statesOfFreeBets = <Key>(name: string, key: Columns<Key>, joins: (form: Form) => string) =>
  rowOperation<Key, FoundState, FoundState[]>(
    name,
    key,
    (form) => `SELECT t.client_id, ${foundState}
      FROM (SELECT DISTINCT f.client_id, f.campaign_id FROM ${form.rows} ${joins(form)}) k
      ${joinRows(form, 'campaign_states', ['campaign_id'], 't')}`,
    (rows) => rows,
  );

export const findStatesOfFreeBets = statesOfFreeBets(
  'campaign_states_of_free_bets',
  { issue_id: { type: 'uuid', of: (issueId: string) => issueId } },
  (form) => joinRows(form, 'free_bets', ['issue_id'], 'f'),
);

export const findStatesOfBets = statesOfFreeBets('campaign_states_of_bets', betKeyColumns, (form) =>
  [joinRows(form, 'bets', Object.keys(betKeyColumns), 'b'), joinRows(form, 'free_bets', ['issue_id'], 'f', 'b')].join(
    ' ',
  ),
);

/** Finds the definitions of campaigns by id. */
export const findCampaigns = lookUp<string, CampaignRow & { client_id: number }>(
  'campaigns_by_id',
  'campaigns',
  idKey,
  selectionOf('t', definitionColumns),
);

const insertDefinitions = insertInto('campaigns', definitionColumns);
const insertStates = insertInto('campaign_states', { campaign_id: campaignId, ...stateColumns });

const totalsKey: Columns<TotalsChange> = {
  campaign_id: { type: 'text', of: (change) => change.campaignId },
  currency: { type: 'text', of: (change) => change.currency },
};
const totalsColumns: Columns<TotalsChange> = {
  open_bets: { type: 'bigint', of: (change) => change.openBets },
  winnings: { type: 'numeric', of: (change) => change.winnings.toString() },
};
const insertTotals = insertInto('campaign_totals', { ...totalsKey, ...totalsColumns });

/** Inserts in an order that foreign keys allow. Totals start at zero. */
export const insertCampaigns = (entries: ByPartner<CampaignEntry>): Statement[] => [
  insertDefinitions(entries),
  insertStates(entries),
  insertTotals(
    new Map(
      [...entries].map(([clientId, some]) => [
        clientId,
        some.flatMap(({ campaign: { campaignId, betAmounts } }) =>
          [...betAmounts.keys()].map((currency) => ({ campaignId, currency, openBets: 0, winnings: 0n })),
        ),
      ]),
    ),
  ),
];

export const updateCampaignStates = updateOf('campaign_states', { campaign_id: campaignId }, stateColumns);

export const addToTotals = updateOf('campaign_totals', totalsKey, totalsColumns, {
  set: (column, value) => `t.${column} + ${value}`,
});

export type PlayerKey = Pick<CampaignPlayer, 'campaignId' | 'playerId'>;

export interface FoundPlayer {
  client_id: number;
  campaign_id: string;
  player_id: string;
  held: number;
}

export const playerOfRow = (row: FoundPlayer): CampaignPlayer => ({
  campaignId: row.campaign_id,
  playerId: row.player_id,
  held: row.held,
  isStored: true,
});

const playerKey = {
  campaign_id: { type: 'text', of: (player) => player.campaignId },
  player_id: { type: 'text', of: (player) => player.playerId },
} satisfies Columns<PlayerKey>;

const playerSelected = 't.campaign_id, t.player_id, t.held';

/** How many free bets these players hold, for the players whose count is stored. */
export const findCampaignPlayers = lookUp<PlayerKey, FoundPlayer>(
  'campaign_players_by_id',
  'campaign_players',
  playerKey,
  playerSelected,
);

// Counts held free bets of campaigns that don't store held counts yet.
//
// Counts along the index by player, because a player has fewer free bets than a campaign. `bet_amount > 0` is true for
// every row; together with ORDER BY it leaves the planner no other index, even with stale statistics. Rows from before
// the campaign's first free bet are skipped. That first row is read in the order of the index by campaign, because any
// other index would need a sort. If the row belongs to a later campaign, this one has issued none and nothing is
// counted.
export const countCampaignPlayers = rowOperation<PlayerKey, FoundPlayer, FoundPlayer[]>(
  'count_campaign_players',
  playerKey,
  (form) => `SELECT ${form.clientId} AS client_id, k.campaign_id, k.player_id,
     (SELECT count(*) FROM (
        SELECT FROM free_bets f
        WHERE f.client_id = ${form.clientId} AND f.player_id = k.player_id AND f.bet_amount > 0 AND f.campaign_id = k.campaign_id
          AND f.cancelled_at IS NULL AND f.issued_at >= k.first_issued_at
        ORDER BY f.issued_at OFFSET 0) held)::int AS held
   FROM (
     SELECT k.*,
       (SELECT CASE WHEN f.campaign_id = k.campaign_id THEN f.issued_at END FROM free_bets f
        WHERE f.client_id = ${form.clientId} AND f.quantity > 0 AND (f.campaign_id, f.issued_at) >= (k.campaign_id, '-infinity')
        ORDER BY f.campaign_id, f.issued_at LIMIT 1) AS first_issued_at
     FROM ${form.rows} OFFSET 0) k`,
  (rows) => rows,
);

const playerColumns: Columns<CampaignPlayer> = { ...playerKey, held: { type: 'int', of: (player) => player.held } };

/** Most rows are new, and a plain insert costs half as much as one with ON CONFLICT. */
export const insertCampaignPlayers = insertInto('campaign_players', playerColumns);
export const replaceCampaignPlayers = insertInto('campaign_players', playerColumns, {
  name: 'replace_campaign_players',
  onConflict: 'ON CONFLICT (client_id, campaign_id, player_id) DO UPDATE SET held = EXCLUDED.held',
});
