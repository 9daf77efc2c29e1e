import type pg from 'pg';
import { until } from './waiting.ts';

// Holds the row of a campaign from outside, as a slow server would: the batch that needs it waits, and whatever comes
// after waits behind that batch.

export interface HeldRow {
  /** Resolves when a batch waits for it. */
  isWaitedFor(): Promise<void>;
  letGo(): Promise<void>;
}

export async function holdCampaign(sql: pg.Pool, campaignId: string): Promise<HeldRow> {
  const client = await sql.connect();
  await client.query('BEGIN');
  await client.query('SELECT 1 FROM campaign_states WHERE campaign_id = $1 FOR UPDATE', [campaignId]);
  return {
    isWaitedFor: () => somebodyWaits(sql),
    async letGo() {
      await client.query('ROLLBACK');
      client.release();
    },
  };
}

/** Resolves when a session waits for somebody's lock. */
export async function somebodyWaits(sql: pg.Pool): Promise<void> {
  await until('somebody who waits for a lock', 20_000, async () => {
    const { rows } = await sql.query(
      `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    return rows.length > 0;
  });
}
