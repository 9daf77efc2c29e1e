import type pg from 'pg';
import { until } from './waiting.ts';

// Holds the row of a campaign from outside, as a slow server would: the batch that needs it waits, and whatever comes
// after waits behind that batch.

export interface HeldRow {
  /** Resolves when a batch waits for it. */
  isWaitedFor(): Promise<number>;
  letGo(): Promise<void>;
}

export async function holdCampaign(sql: pg.Pool, campaignId: string): Promise<HeldRow> {
  const client = await sql.connect();
  await client.query('BEGIN');
  const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
  await client.query('SELECT 1 FROM campaign_states WHERE campaign_id = $1 FOR UPDATE', [campaignId]);
  return {
    isWaitedFor: () => somebodyWaits(sql, rows[0].pid),
    async letGo() {
      await client.query('ROLLBACK');
      client.release();
    },
  };
}

/** Resolves when a session waits for somebody's lock, or for one that this session holds. */
export const somebodyWaits = (sql: pg.Pool, holder?: number): Promise<number> =>
  until('somebody who waits for a lock', 20_000, async () => {
    const { rows } = await sql.query(
      `SELECT 1 FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock' AND ($1::int IS NULL OR $1 = ANY(pg_blocking_pids(pid)))`,
      [holder],
    );
    return rows.length > 0;
  });
