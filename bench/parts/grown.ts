import { alternate, type Bench, find, rate, say, seconds } from '../bench.ts';
import { createCampaign, issueRequests } from '../bodies.ts';
import { fill } from '../fill.ts';
import { query, startOnNew } from '../server.ts';

const stored = 5_000_000;
const connections = 64;

const freeBets = `INSERT INTO free_bets (client_id, issue_id, campaign_id, player_id, currency, bet_amount, quantity,
    valid_from, issued_at, expires_at, content_hash)
  SELECT 1, md5(i::text)::uuid, 'hot', 'player-' || i, 'EUR', 100, 3, now(), now() - i * interval '10 ms',
    now() + interval '30 days' + i * interval '10 ms', decode(md5(i::text), 'hex')
  FROM generate_series(1, ${stored}) AS i ORDER BY 2`;

const players = `INSERT INTO campaign_players
  SELECT 1, 'hot', 'player-' || i, 1 FROM generate_series(1, ${stored}) AS i ORDER BY 3`;

const counts = `UPDATE campaign_states SET issued = issued + ${stored} WHERE client_id = 1 AND campaign_id = 'hot';
  UPDATE campaign_totals SET open_bets = open_bets + ${3 * stored} WHERE client_id = 1 AND campaign_id = 'hot'`;

async function grow(socketDir: string, database: string): Promise<void> {
  await fill(socketDir, database, 'free_bets', freeBets, players);
  await query(socketDir, database, counts);
  await query(socketDir, database, 'VACUUM (ANALYZE) campaign_players');
  await query(socketDir, database, 'CHECKPOINT');
}

/** Issue with five million free bets stored, against none. */
export async function grown(bench: Bench): Promise<void> {
  const empty = await startOnNew(bench.socketDir, 'empty');
  const full = await startOnNew(bench.socketDir, 'grown');
  try {
    await createCampaign(empty);
    await createCampaign(full);
    say(`storing ${stored.toLocaleString('en')} free bets …`);
    await grow(bench.socketDir, 'grown');
    const load = (port: number) =>
      ({ port, operation: 'Issue', requests: issueRequests(seconds), connections, seconds }) as const;
    await rate(bench, 'warming up', load(full.port));
    await rate(bench, 'warming up', load(empty.port));
    const found = await alternate({
      grown: () => rate(bench, '5 million stored', load(full.port)),
      empty: () => rate(bench, 'none stored', load(empty.port)),
    });
    find(bench, {
      part: 'grown',
      what: 'Issue with 5 million free bets stored',
      unit: '/s',
      value: found.grown,
      against: 'none stored',
      base: found.empty,
      least: 0.85,
    });
  } finally {
    await Promise.all([empty.stop(), full.stop()]);
    await query(bench.socketDir, 'postgres', 'DROP DATABASE grown');
  }
}
