import type pg from 'pg';
import { until } from './waiting.ts';

// Holds a batch or a decision, like a slow server: later ones wait for it.

export interface Held {
  /** Resolves when a session waits. */
  isWaitedFor(): Promise<number>;
  letGo(): Promise<void>;
}

/**
 * Holds the partner of a campaign. A batch of the partner waits for a second, and then runs again with the commands
 * that arrived meanwhile.
 */
export async function holdCampaign(sql: pg.Pool, campaignId: string): Promise<Held> {
  const ofPartner =
    'SELECT 1 FROM event_heads WHERE client_id = (SELECT client_id FROM campaigns WHERE campaign_id = $1) FOR UPDATE';
  const { pid, letGo } = await hold(sql, ofPartner, campaignId);
  return { isWaitedFor: () => somebodyWaits(sql, pid), letGo };
}

/** Sessions that decide about this draft wait. */
export async function holdDraft(sql: pg.Pool, draftId: string): Promise<Held> {
  const { pid, letGo } = await hold(sql, 'SELECT 1 FROM drafts WHERE draft_id = $1 FOR UPDATE', draftId);
  return { isWaitedFor: () => somebodyWaits(sql, pid), letGo };
}

const gate = `
  CREATE OR REPLACE FUNCTION wait_at_gate() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    WHILE NOT pg_try_advisory_xact_lock_shared(NEW.client_id) LOOP PERFORM pg_sleep(0.01); END LOOP;
    RETURN NEW;
  END $$;
  CREATE OR REPLACE TRIGGER gate BEFORE UPDATE ON event_heads FOR EACH ROW EXECUTE FUNCTION wait_at_gate()`;

/** A batch of the partner with events waits at its writes until it is released. */
export async function holdPartner(sql: pg.Pool, clientId: number): Promise<Held> {
  await sql.query(gate);
  const { letGo } = await hold(sql, 'SELECT pg_advisory_xact_lock($1)', clientId);
  return { isWaitedFor: () => untilSome(sql, `wait_event = 'PgSleep'`), letGo };
}

/** The number of batches that wait at their writes. */
export async function batchesAtGate(sql: pg.Pool): Promise<number> {
  const { rows } = await sql.query(
    `SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'`,
  );
  return rows[0].n;
}

/** Sessions that need the rows locked by the statement wait. */
export async function holdRows(sql: pg.Pool, statement: string, ...what: unknown[]): Promise<Held> {
  const { pid, letGo } = await hold(sql, statement, ...what);
  return { isWaitedFor: () => somebodyWaits(sql, pid), letGo };
}

/** Runs a change in a transaction and commits it when `meanwhile` waits for it. */
export async function whileChanged<T>(
  sql: pg.Pool,
  change: (connection: pg.PoolClient) => Promise<unknown>,
  meanwhile: () => Promise<T>,
): Promise<T> {
  const client = await sql.connect();
  await client.query('BEGIN');
  await change(client);
  const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
  const waiting = meanwhile();
  await somebodyWaits(sql, rows[0].pid);
  await client.query('COMMIT');
  client.release();
  return waiting;
}

async function hold(sql: pg.Pool, statement: string, ...what: unknown[]) {
  const client = await sql.connect();
  await client.query('BEGIN');
  await client.query(statement, what);
  const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
  const letGo = async () => {
    await client.query('ROLLBACK');
    client.release();
  };
  return { pid: rows[0].pid as number, letGo };
}

/** Resolves when a session waits for any lock, or for a lock of this session. */
export const somebodyWaits = (sql: pg.Pool, holder?: number): Promise<number> =>
  untilSome(
    sql,
    `wait_event_type = 'Lock' AND ${holder === undefined ? 'true' : `${holder} = ANY(pg_blocking_pids(pid))`}`,
  );

/** Resolves when this many sessions wait for locks. */
export const manyWait = (sql: pg.Pool, count: number): Promise<number> =>
  untilSome(sql, `wait_event_type = 'Lock'`, count);

const untilSome = (sql: pg.Pool, condition: string, count = 1): Promise<number> =>
  until(`${count} of the sessions where ${condition}`, 20_000, async () => {
    const { rows } = await sql.query(
      `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND ${condition}`,
    );
    return rows.length >= count;
  });
