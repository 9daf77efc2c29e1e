import assert from 'node:assert/strict';
import type pg from 'pg';
import { markActive } from '../../packages/server/src/background/sql/due.ts';
import { ask } from '../../packages/server/src/engine/statement.ts';
import { inTransaction } from '../../packages/server/src/engine/transaction.ts';
import { resendEvents } from '../../packages/server/src/events/webhooks/sql/deliveries.ts';
import { saveWebhook } from '../../packages/server/src/events/webhooks/sql/webhooks.ts';
import { replaceOffers } from '../../packages/server/src/partners/callers/sql/partners.ts';
import { listProviders } from '../../packages/server/src/partners/callers/sql/providers.ts';
import { accepted } from './answers.ts';
import { call, type Partner } from './caller.ts';
import type { TestDatabase } from './database.ts';
import { freshMetrics } from './metrics.ts';
import { startReceiver } from './receiver.ts';
import { directIssue } from './requests.ts';
import { setSecret } from './secrets.ts';
import { until } from './waiting.ts';

// Partners with webhooks, their events, and their delivery results in the database.

/** Adds partners with all games to the demo data, for servers that start later. */
export async function createPartners({ env, sql }: TestDatabase, count: number): Promise<Partner[]> {
  const providerIds = (await listProviders(sql)).map((provider) => provider.provider_id);
  const partners = Array.from({ length: count }, (_, i) => ({ clientId: 11 + i, secret: `secret of ${11 + i}` }));
  for (const { clientId, secret } of partners) {
    await setSecret(sql, env, clientId, secret);
    await replaceOffers(sql, clientId, providerIds);
  }
  return partners;
}

/** Like the command: from the event `from`, or from where the webhook stopped. */
export const setWebhook = (sql: pg.Pool, { clientId }: Partner, url: string, from: number | null = null) =>
  inTransaction(sql, async (connection) => {
    await saveWebhook(connection, clientId, url, from);
    await ask(connection, markActive([clientId]));
  });

/** Creates this many events in one transaction. */
export async function issue(url: string, partner: Partner, count = 1): Promise<void> {
  const items = Array.from({ length: count }, () => directIssue());
  const { results } = accepted('IssueBatch', await call(url, 'IssueBatch', { items }, partner));
  for (const result of results) assert.ok(!('error' in result), JSON.stringify(result));
}

export async function webhookOf(sql: pg.Pool, { clientId }: Partner) {
  const { rows } = await sql.query(
    `SELECT url, off_reason, failing_since, lease_holder, attempted_through::int, off_at IS NULL AS is_on
     FROM webhooks WHERE client_id = $1`,
    [clientId],
  );
  return rows[0];
}

/** The events with their own delivery row. */
export async function deliveriesOf(sql: pg.Pool, { clientId }: Partner) {
  const { rows } = await sql.query(
    `SELECT sequence::int, state, attempts, outcome FROM webhook_deliveries WHERE client_id = $1 ORDER BY sequence`,
    [clientId],
  );
  return rows;
}

/** Waits until all events of all webhooks are recorded as received or as failed for good. */
export async function isAllWrittenDown(sql: pg.Pool): Promise<boolean> {
  const { rows } = await sql.query(
    `SELECT 1 FROM webhooks w JOIN event_heads h USING (client_id) WHERE w.attempted_through < h.last_sequence
     UNION ALL SELECT 1 FROM webhook_deliveries WHERE state = 'waiting'`,
  );
  return rows.length === 0;
}

export async function lastSequenceOf(sql: pg.Pool, { clientId }: Partner): Promise<number> {
  const { rows } = await sql.query('SELECT last_sequence::int FROM event_heads WHERE client_id = $1', [clientId]);
  return rows[0]?.last_sequence ?? 0;
}

/** The value of a metric with these labels; 0 if it is absent. */
export async function metric(url: string, name: string): Promise<number> {
  const text = await freshMetrics(url);
  const line = text.split('\n').find((line) => line.startsWith(`${name} `));
  return Number(line?.slice(name.length + 1) ?? 0);
}

/**
 * A webhook that always works. When its event arrives, a server has polled, so other due work would have been sent
 * too.
 */
export async function startWatchman(sql: pg.Pool, url: string, partner: Partner): Promise<() => Promise<void>> {
  await setWebhook(sql, partner, (await startReceiver()).url);
  await issue(url, partner);
  await until('the watchman works', 10_000, async () => (await webhookOf(sql, partner)).attempted_through === 1);
  const poll = async () => {
    assert.equal(await resendEvents(sql, partner.clientId, [1]), 1);
    await until(
      'a server polls for work',
      10_000,
      async () => (await deliveriesOf(sql, partner))[0].state === 'received',
    );
  };
  // At the second poll, the work found by the first is in progress.
  return async () => {
    await poll();
    await poll();
  };
}
