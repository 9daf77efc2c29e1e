import type pg from 'pg';

/**
 * Adds expired free bets of a campaign that the sweeper has not seen, with the counts that the service would have
 * stored.
 */
export async function overdueFreeBets(sql: pg.Pool, clientId: number, campaignId: string, count: number) {
  await sql.query(
    `INSERT INTO free_bets (client_id, issue_id, campaign_id, player_id, currency, bet_amount, quantity, valid_from,
       issued_at, expires_at, content_hash)
     SELECT $1, gen_random_uuid(), $2, 'player-' || i, 'EUR', 100, 3, now() - interval '2 days', now() - interval '2 days',
       now() - interval '1 day' + i * interval '1 ms', decode(md5(i::text), 'hex')
     FROM generate_series(1, $3::int) AS i`,
    [clientId, campaignId, count],
  );
  await sql.query('UPDATE campaign_states SET issued = issued + $3 WHERE client_id = $1 AND campaign_id = $2', [
    clientId,
    campaignId,
    count,
  ]);
  await sql.query(
    `UPDATE campaign_totals SET open_bets = open_bets + 3 * $3::int
     WHERE client_id = $1 AND campaign_id = $2 AND currency = 'EUR'`,
    [clientId, campaignId, count],
  );
}
