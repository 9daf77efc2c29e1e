import { formatInstant, type Instant } from '../domain/amounts.ts';
import type { CampaignEntry, Keys, PlayerPlace } from '../domain/book.ts';
import type { Campaign, CampaignState } from '../domain/campaign.ts';
import { type Connection, named } from './connection.ts';
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

const stateColumns = 's.issued, s.cancelled, s.stopped_at';

interface StateRow {
  campaign_id: string;
  issued: number;
  cancelled: number;
  stopped_at: Instant | null;
}

const stateOfRow = (row: StateRow): CampaignState => ({
  issued: row.issued,
  cancelled: row.cancelled,
  stoppedAt: row.stopped_at,
});

// The campaigns that the commands name, and those of the free bets they name; locked in the order of their ids.
const lockStates = named(
  'lock_campaign_states',
  `SELECT s.campaign_id, ${stateColumns} FROM campaign_states s
   WHERE s.client_id = $1 AND s.campaign_id = ANY ($2::text[] || ARRAY(
     SELECT f.campaign_id FROM free_bets f
     WHERE f.client_id = $1 AND f.issue_id = ANY ($3::uuid[])))
   ORDER BY s.campaign_id FOR UPDATE`,
);

export async function lockCampaignStates(
  connection: Connection,
  clientId: number,
  { campaignIds, issueIds }: Keys,
): Promise<Map<string, CampaignState>> {
  const { rows } = await connection.query<StateRow>(lockStates([clientId, campaignIds, issueIds]));
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

// The places of the pairs that issues name, and of the players whose free bets the commands name. OFFSET 0 keeps the
// planner from turning the look-ups by key into a scan of the table when its statistics are old.
const selectPlaces = named(
  'select_places',
  `SELECT k.campaign_id, k.player_id, p.held
   FROM (SELECT * FROM unnest($2::text[], $3::text[]) AS named(campaign_id, player_id)
         UNION SELECT f.campaign_id, f.player_id FROM free_bets f
               WHERE f.client_id = $1 AND f.issue_id = ANY ($4::uuid[])) k
   CROSS JOIN LATERAL (
     SELECT held FROM campaign_players p
     WHERE p.client_id = $1 AND p.campaign_id = k.campaign_id AND p.player_id = k.player_id OFFSET 0) p`,
);

export async function findPlaces(connection: Connection, clientId: number, keys: Keys): Promise<PlayerPlace[]> {
  const { rows } = await connection.query<{ campaign_id: string; player_id: string; held: number }>(
    selectPlaces([clientId, keys.places.map((p) => p.campaignId), keys.places.map((p) => p.playerId), keys.issueIds]),
  );
  return rows.map((row) => ({ campaignId: row.campaign_id, playerId: row.player_id, held: row.held }));
}

const insertCampaign = named(
  'insert_campaign',
  `WITH campaign AS (
     INSERT INTO campaigns VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, decode($14, 'hex'), $15))
   INSERT INTO campaign_states VALUES ($1, $2, $16, $17, $18)`,
);

/** Campaigns are few beside free bets: one statement each, all in the same round trip. */
export async function insertCampaigns(connection: Connection, clientId: number, entries: CampaignEntry[]) {
  await Promise.all(entries.map((entry) => connection.query(insertCampaign(campaignValues(clientId, entry)))));
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
    state.stoppedAt === null ? null : formatInstant(state.stoppedAt),
  ];
}

const updateStates = named(
  'update_campaign_states',
  `UPDATE campaign_states s SET issued = n.issued, cancelled = n.cancelled, stopped_at = n.stopped_at
   FROM unnest($2::text[], $3::bigint[], $4::bigint[], $5::timestamptz[]) AS n(campaign_id, issued, cancelled, stopped_at)
   WHERE s.client_id = $1 AND s.campaign_id = n.campaign_id`,
);

export async function updateCampaignStates(connection: Connection, clientId: number, entries: CampaignEntry[]) {
  await connection.query(
    updateStates([
      clientId,
      entries.map((e) => e.campaign.campaignId),
      entries.map((e) => e.state.issued),
      entries.map((e) => e.state.cancelled),
      entries.map((e) => (e.state.stoppedAt === null ? null : formatInstant(e.state.stoppedAt))),
    ]),
  );
}

const upsertPlaces = named(
  'upsert_places',
  `INSERT INTO campaign_players (client_id, campaign_id, player_id, held)
   SELECT $1, * FROM unnest($2::text[], $3::text[], $4::int[])
   ON CONFLICT (client_id, campaign_id, player_id) DO UPDATE SET held = EXCLUDED.held`,
);

export async function savePlaces(connection: Connection, clientId: number, places: PlayerPlace[]) {
  await connection.query(
    upsertPlaces([clientId, places.map((p) => p.campaignId), places.map((p) => p.playerId), places.map((p) => p.held)]),
  );
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

const aggregate = named(
  'aggregate_campaign',
  `SELECT currency, count(*) FILTER (WHERE status = 'expired') AS expired,
     sum(quantity) FILTER (WHERE status IN ('issued', 'active')) AS open_bets
   FROM (SELECT currency, quantity, free_bet_status(valid_from, expires_at, cancelled_at, service_now()) AS status
         FROM free_bets WHERE client_id = $1 AND campaign_id = $2 AND quantity > 0) f
   GROUP BY currency`,
);

export interface CurrencyTotals {
  currency: string;
  expired: number;
  open_bets: number | null;
}

/** What has become of a campaign's free bets, per currency. */
export async function sumCampaign(connection: Connection, clientId: number, campaignId: string) {
  const { rows } = await connection.query<CurrencyTotals>(aggregate([clientId, campaignId]));
  return rows;
}
