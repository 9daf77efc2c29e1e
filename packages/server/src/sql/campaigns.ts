import { type Connection, named } from '../db/connection.ts';
import { formatInstant, type Instant } from '../domain/amounts.ts';
import type { Campaign, CampaignState } from '../domain/campaign.ts';
import type { CampaignEntry, CampaignPlayer, Keys, TotalsChange } from '../domain/working-set.ts';
import { type Columns, inColumns } from './columns.ts';
import { changesFreeBets, changingFreeBets, changingFreeBetValues } from './free-bets.ts';
import { type PageRow, type PageWanted, pageOfRows, pageStatement, pageValues } from './page.ts';

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
  content_hash: string;
  created_at: Instant;
}

const campaignColumns = `c.campaign_id, c.name, c.quantity, c.games, c.bet_amounts, c.valid_from, c.valid_until,
  c.duration_min, c.bonus_limit, c.bonus_limit_per_user, c.min_coefficient, c.max_coefficient,
  encode(c.content_hash, 'hex') AS content_hash, c.created_at`;

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
  },
  betAmounts: new Map(row.bet_amounts),
  bonusLimit: row.bonus_limit,
  bonusLimitPerUser: row.bonus_limit_per_user,
  contentHash: row.content_hash,
  createdAt: row.created_at,
});

const stateColumns = 's.issued, s.cancelled, s.expired, s.finished, s.bets_placed, s.stopped_at';

interface StateRow {
  campaign_id: string;
  issued: number;
  cancelled: number;
  expired: number;
  finished: number;
  bets_placed: number;
  stopped_at: Instant | null;
}

const stateOfRow = (row: StateRow): CampaignState => ({
  issued: row.issued,
  cancelled: row.cancelled,
  expired: row.expired,
  finished: row.finished,
  betsPlaced: row.bets_placed,
  stoppedAt: row.stopped_at,
});

const lockStates = (which: string) => `SELECT s.campaign_id, ${stateColumns} FROM campaign_states s
  WHERE s.client_id = $1 AND ${which} ORDER BY s.campaign_id FOR UPDATE`;

const lockStatesOf = inColumns('lock_campaign_states', ({ isAmong }) =>
  lockStates(isAmong('s.campaign_id', 2, 'text')),
);

// With those of the free bets that the commands change.
const lockStatesOfAllChanged = named(
  'lock_changing_campaign_states',
  lockStates(`s.campaign_id = ANY ($5::text[] || ARRAY(
     SELECT f.campaign_id FROM free_bets f WHERE f.client_id = $1 AND f.issue_id = ANY (${changingFreeBets})))`),
);

/** The campaigns that the commands name, and those of the free bets they change; in the order of their ids. */
export async function lockCampaignStates(
  connection: Connection,
  clientId: number,
  keys: Keys,
): Promise<Map<string, CampaignState>> {
  const { rows } = await connection.query<StateRow>(
    changesFreeBets(keys)
      ? lockStatesOfAllChanged([clientId, ...changingFreeBetValues(keys), keys.campaignIds])
      : lockStatesOf([clientId], [keys.campaignIds]),
  );
  return new Map(rows.map((row) => [row.campaign_id, stateOfRow(row)]));
}

const selectCampaigns = named(
  'select_campaigns',
  `SELECT ${campaignColumns} FROM campaigns c WHERE c.client_id = $1 AND c.campaign_id = ANY ($2::text[])`,
);

export async function findCampaigns(connection: Connection, clientId: number, ids: string[]): Promise<Campaign[]> {
  const { rows } = await connection.query<CampaignRow>(selectCampaigns([clientId, ids]));
  return rows.map(campaignOfRow);
}

// OFFSET 0 keeps the planner from turning the look-ups by key into a scan of the table when its statistics are old.
const selectCampaignPlayers = (pairs: string) => `SELECT k.campaign_id, k.player_id, p.held FROM ${pairs}
  CROSS JOIN LATERAL (
    SELECT held FROM campaign_players p
    WHERE p.client_id = $1 AND p.campaign_id = k.campaign_id AND p.player_id = k.player_id OFFSET 0) p`;

const selectCampaignPlayersOf = inColumns('select_campaign_players', ({ rows }) =>
  selectCampaignPlayers(`${rows(2, ['text', 'text'])} AS k(campaign_id, player_id)`),
);

const selectCampaignPlayersOfAllCancelled = named(
  'select_cancelling_campaign_players',
  selectCampaignPlayers(`(SELECT * FROM unnest($2::text[], $3::text[]) AS named(campaign_id, player_id)
     UNION ALL SELECT f.campaign_id, f.player_id FROM free_bets f
               WHERE f.client_id = $1 AND f.issue_id = ANY ($4::uuid[])) k`),
);

/** What is held by the pairs that issues name, and of the players whose free bets are to be cancelled. */
export async function findCampaignPlayers(
  connection: Connection,
  clientId: number,
  keys: Keys,
): Promise<CampaignPlayer[]> {
  const pairs = [
    keys.campaignPlayers.map((player) => player.campaignId),
    keys.campaignPlayers.map((player) => player.playerId),
  ];
  const { rows } = await connection.query<{ campaign_id: string; player_id: string; held: number }>(
    keys.cancellingIssueIds.length > 0
      ? selectCampaignPlayersOfAllCancelled([clientId, ...pairs, keys.cancellingIssueIds])
      : selectCampaignPlayersOf([clientId], pairs),
  );
  return rows.map((row) => ({ campaignId: row.campaign_id, playerId: row.player_id, held: row.held, isStored: true }));
}

const insertCampaign = named(
  'insert_campaign',
  `WITH campaign AS (
     INSERT INTO campaigns (client_id, campaign_id, name, quantity, games, bet_amounts, valid_from, valid_until,
       duration_min, bonus_limit, bonus_limit_per_user, min_coefficient, max_coefficient, content_hash, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, decode($14, 'hex'), $15)),
   totals AS (
     INSERT INTO campaign_totals (client_id, campaign_id, currency, open_bets, winnings)
     SELECT $1, $2, unnest($22::text[]), 0, 0)
   INSERT INTO campaign_states (client_id, campaign_id, issued, cancelled, expired, finished, bets_placed, stopped_at)
   VALUES ($1, $2, $16, $17, $18, $19, $20, $21)`,
);

/** Few beside free bets: one statement each, in one round trip, in the order of their ids, as everything is locked. */
export function insertCampaigns(connection: Connection, clientId: number, entries: CampaignEntry[]): Promise<unknown> {
  const sorted = entries.toSorted((a, b) => (a.campaign.campaignId < b.campaign.campaignId ? -1 : 1));
  return Promise.all(sorted.map((entry) => connection.query(insertCampaign(campaignValues(clientId, entry)))));
}

function campaignValues(clientId: number, { campaign, state }: CampaignEntry): unknown[] {
  const { terms } = campaign;
  return [
    clientId,
    campaign.campaignId,
    terms.name,
    terms.quantity,
    terms.games,
    JSON.stringify([...campaign.betAmounts]),
    formatInstant(terms.validFrom),
    formatInstant(terms.validUntil),
    terms.durationMin,
    campaign.bonusLimit,
    campaign.bonusLimitPerUser,
    terms.minCoefficient,
    terms.maxCoefficient,
    campaign.contentHash,
    formatInstant(campaign.createdAt),
    state.issued,
    state.cancelled,
    state.expired,
    state.finished,
    state.betsPlaced,
    state.stoppedAt === null ? null : formatInstant(state.stoppedAt),
    [...campaign.betAmounts.keys()],
  ];
}

const totalsKey = "(t.campaign_id || ' ' || t.currency)";

// One statement for both, because nearly every batch has both.
const update = inColumns(
  'update_campaigns',
  ({ at, isAmong }) => `WITH totals AS (
     UPDATE campaign_totals t SET open_bets = t.open_bets + ${at(11, 'bigint', totalsKey, 10)},
       winnings = t.winnings + ${at(12, 'numeric', totalsKey, 10)}
     WHERE t.client_id = $1 AND ${isAmong('t.campaign_id', 9, 'text')} AND ${isAmong(totalsKey, 10, 'text')})
   UPDATE campaign_states s SET issued = ${at(3, 'bigint', 's.campaign_id', 2)},
     cancelled = ${at(4, 'bigint', 's.campaign_id', 2)}, expired = ${at(5, 'bigint', 's.campaign_id', 2)},
     finished = ${at(6, 'bigint', 's.campaign_id', 2)}, bets_placed = ${at(7, 'bigint', 's.campaign_id', 2)},
     stopped_at = ${at(8, 'timestamptz', 's.campaign_id', 2)}
   WHERE s.client_id = $1 AND ${isAmong('s.campaign_id', 2, 'text')}`,
);

export function updateCampaigns(
  connection: Connection,
  clientId: number,
  entries: CampaignEntry[],
  totals: TotalsChange[],
): Promise<unknown> {
  const states = entries.map((entry) => entry.state);
  return connection.query(
    update(
      [clientId],
      [
        entries.map((entry) => entry.campaign.campaignId),
        states.map((state) => state.issued),
        states.map((state) => state.cancelled),
        states.map((state) => state.expired),
        states.map((state) => state.finished),
        states.map((state) => state.betsPlaced),
        states.map((state) => (state.stoppedAt === null ? null : formatInstant(state.stoppedAt))),
        [...new Set(totals.map((change) => change.campaignId))],
        totals.map((change) => `${change.campaignId} ${change.currency}`),
        totals.map((change) => change.openBets),
        totals.map((change) => change.winnings.toString()),
      ],
    ),
  );
}

const insertCampaignPlayers = ({
  rows,
}: Columns) => `INSERT INTO campaign_players (client_id, campaign_id, player_id, held)
  SELECT $1::int, r.* FROM ${rows(2, ['text', 'text', 'int'])} AS r`;

/** Most are new, and cost half as much without a look at what may be there. */
const insertNewCampaignPlayers = inColumns('insert_campaign_players', insertCampaignPlayers);
const replaceCampaignPlayers = inColumns(
  'replace_campaign_players',
  (columns) => `${insertCampaignPlayers(columns)}
  ON CONFLICT (client_id, campaign_id, player_id) DO UPDATE SET held = EXCLUDED.held`,
);

export function saveCampaignPlayers(
  connection: Connection,
  clientId: number,
  players: CampaignPlayer[],
): Promise<unknown> {
  const save = (statement: typeof replaceCampaignPlayers, some: CampaignPlayer[]) =>
    some.length > 0 &&
    connection.query(
      statement([clientId], [some.map((p) => p.campaignId), some.map((p) => p.playerId), some.map((p) => p.held)]),
    );
  const [stored = [], created = []] = [true, false].map((isStored) => players.filter((p) => p.isStored === isStored));
  return Promise.all([save(insertNewCampaignPlayers, created), save(replaceCampaignPlayers, stored)]);
}

const selectOne = named(
  'get_campaign',
  `SELECT ${campaignColumns}, ${stateColumns}, service_now() AS now
   FROM campaigns c JOIN campaign_states s USING (client_id, campaign_id)
   WHERE client_id = $1 AND campaign_id = $2`,
);

export interface CampaignAtInstant extends CampaignEntry {
  now: Instant;
}

type FullRow = CampaignRow & StateRow & { now: Instant };

const entryOfRow = (row: FullRow): CampaignAtInstant => ({
  campaign: campaignOfRow(row),
  state: stateOfRow(row),
  now: row.now,
});

export async function getCampaign(connection: Connection, clientId: number, campaignId: string) {
  const { rows } = await connection.query<FullRow>(selectOne([clientId, campaignId]));
  return rows[0] && entryOfRow(rows[0]);
}

const selectPage = named(
  'list_campaigns',
  pageStatement(
    `SELECT ${campaignColumns}, ${stateColumns}, service_now() AS now, c.created_at AS at, c.campaign_id AS id,
       campaign_status(c.valid_from, c.valid_until, s.stopped_at, s.issued - s.cancelled, c.bonus_limit, service_now())
         AS status
     FROM campaigns c JOIN campaign_states s USING (client_id, campaign_id)
     WHERE client_id = $6 AND c.quantity > 0 AND ($3::timestamptz IS NULL OR (c.created_at, c.campaign_id) < ($3, $4))`,
  ),
);

export async function listCampaigns(connection: Connection, clientId: number, wanted: PageWanted) {
  const { rows } = await connection.query<PageRow<FullRow>>(selectPage([...pageValues(wanted), clientId]));
  return pageOfRows(rows, wanted, entryOfRow);
}

// What time has decided and the sweeper has not written down yet is taken off here; that is never much.
const totals = named(
  'campaign_totals',
  `SELECT t.currency, t.winnings, coalesce(o.expired, 0) AS expired, t.open_bets - coalesce(o.left, 0) AS open_bets
   FROM campaign_totals t
   LEFT JOIN (SELECT currency, count(*) AS expired, sum(quantity - bets_placed) AS "left" FROM free_bets
              WHERE client_id = $1 AND campaign_id = $2 AND NOT swept AND expires_at <= (SELECT service_now())
                AND cancelled_at IS NULL AND bets_placed < quantity
              GROUP BY currency) o USING (currency)
   WHERE t.client_id = $1 AND t.campaign_id = $2`,
);

export interface CampaignTotals {
  currency: string;
  winnings: string;
  open_bets: number;
  /** Overdue, and not in the campaign's state yet. */
  expired: number;
}

export async function readCampaignTotals(connection: Connection, clientId: number, campaignId: string) {
  const { rows } = await connection.query<CampaignTotals>(totals([clientId, campaignId]));
  return rows;
}
