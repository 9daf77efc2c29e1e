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

// Partners with webhooks, events for them, and what the database knows of their delivery.

/** Partners beside those of the demo, who may use every game; for servers that start afterwards. */
export async function createPartners({ env, sql }: TestDatabase, count: number): Promise<Partner[]> {
  const providerIds = (await listProviders(sql)).map((provider) => provider.provider_id);
  const partners = Array.from({ length: count }, (_, i) => ({ clientId: 11 + i, secret: `secret of ${11 + i}` }));
  for (const { clientId, secret } of partners) {
    await setSecret(sql, env, clientId, secret);
    await replaceOffers(sql, clientId, providerIds);
  }
  return partners;
}

/** As by the command: from the event `from` on, or from where it had stopped. */
export const setWebhook = (sql: pg.Pool, { clientId }: Partner, url: string, from: number | null = null) =>
  inTransaction(sql, async (connection) => {
    await saveWebhook(connection, clientId, url, from);
    await ask(connection, markActive([clientId]));
  });

/** Makes so many events, in one transaction. */
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

/** Of the events with a row of their own. */
export async function deliveriesOf(sql: pg.Pool, { clientId }: Partner) {
  const { rows } = await sql.query(
    `SELECT sequence::int, state, attempts, outcome FROM webhook_deliveries WHERE client_id = $1 ORDER BY sequence`,
    [clientId],
  );
  return rows;
}

/** All events of all webhooks are written down as received, or as failed for good. */
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

/** The value of a metric, with its labels as they are written; 0 before the first. */
export async function metric(url: string, name: string): Promise<number> {
  const text = await freshMetrics(url);
  const line = text.split('\n').find((line) => line.startsWith(`${name} `));
  return Number(line?.slice(name.length + 1) ?? 0);
}

/**
 * A webhook that always works, to know when a server has polled for work: what else was due when it was asked would have
 * been sent by the time it resolves.
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
  // What the first poll finds is on its way by the second.
  return async () => {
    await poll();
    await poll();
  };
}
