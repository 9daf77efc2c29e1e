import { type Columns, inColumns, insertInto, named, type Statement } from '../../../engine/statement.ts';
import type { RowKeys } from '../../batch/needs.ts';
import type { CampaignPlayer } from '../../batch/working-set.ts';

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
