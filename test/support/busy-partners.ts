import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type Answer, call, type Partner } from './caller.ts';
import type { ServerEnvironment, TestDatabase } from './database.ts';
import { readFeed } from './feed.ts';
import { assertFoldsToRows } from './fold.ts';
import { batchesAtGate, type Held, holdPartner } from './held-batch.ts';
import { assertCountsHold } from './invariants.ts';
import type { IssueByCampaign } from './load.ts';
import { freshMetrics } from './metrics.ts';
import { campaign } from './requests.ts';
import { laneDepth } from './server.ts';
import { until } from './waiting.ts';
import { createPartners } from './webhooks.ts';

// More partners are busy than a server has connections for its lanes, so that one transaction runs the commands of
// several. Each partner has a campaign with every name that a test uses.

export interface Sent {
  partner: Partner;
  issue: IssueByCampaign;
  /** Undefined until there is one. */
  answer: Answer | undefined;
  answered: Promise<Answer>;
}

export type Draft = [partner: Partner, issue: IssueByCampaign];

/** A third of the connections is for the lanes. There is no background work. */
export const withLanes = (connections: number, env: ServerEnvironment): ServerEnvironment => ({
  ...env,
  WORKER: 'off',
  DATABASE_CONNECTIONS: String(3 * connections),
});

export const idOf = (name: string, { clientId }: Partner): string => `${name}-${clientId}`;

export const issueOf = (name: string, partner: Partner, playerId = 'player-1'): IssueByCampaign => ({
  issue_id: randomUUID(),
  campaign_id: idOf(name, partner),
  player_id: playerId,
  currency: 'EUR',
});

/** The sum of a metric over servers. */
export async function metric(urls: string[], name: string): Promise<number> {
  const texts = await Promise.all(urls.map(freshMetrics));
  return texts.reduce((sum, text) => sum + Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]), 0);
}

function send(url: string, [partner, issue]: Draft): Sent {
  const answered = call(url, 'Issue', issue, partner).then((answer) => {
    sent.answer = answer;
    return answer;
  });
  const sent: Sent = { partner, issue, answer: undefined, answered };
  return sent;
}

export async function busyPartners(database: TestDatabase, count: number) {
  const { sql } = database;
  const partners = await createPartners(database, count);
  const ofName = "campaign_id LIKE $1 || '-%'";

  async function makeCampaigns(url: string, name: string, configOf: (i: number) => object = () => ({})) {
    for (const [i, partner] of partners.entries()) {
      const request = campaign({ campaign_id: idOf(name, partner), config: configOf(i) });
      const created = await call(url, 'CampaignCreate', request, partner);
      assert.equal(created.status, 200, created.text);
    }
  }

  /** The number of transactions that issued from these campaigns, and the most partners in one of them. */
  async function transactionsOf(name: string): Promise<{ count: number; mostPartners: number }> {
    const { rows } = await sql.query(
      `SELECT count(*)::int AS count, coalesce(max(partners), 0)::int AS "mostPartners" FROM (
         SELECT count(DISTINCT client_id) AS partners FROM free_bets WHERE ${ofName} GROUP BY xmin::text) t`,
      [name],
    );
    return rows[0];
  }

  async function issuedIn(name: string): Promise<number> {
    const { rows } = await sql.query(`SELECT count(*)::int AS n FROM free_bets WHERE ${ofName}`, [name]);
    return rows[0].n;
  }

  /** The number of sessions that wait for a lock in a transaction of at least this age. */
  async function sessionsWaiting(ms = 0): Promise<number> {
    const { rows } = await sql.query(
      `SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
         AND clock_timestamp() - xact_start >= $1 * interval '1 ms'`,
      [ms],
    );
    return rows[0].n;
  }

  /**
   * Keeps every connection of the lanes busy with batches that are held at their writes, until all of these requests
   * wait. Then the first free connection takes them all into one transaction.
   */
  async function sendTogether(url: string, name: string, blockers: Partner[], drafts: Draft[]): Promise<Sent[]> {
    const held: Held[] = [];
    try {
      for (const { clientId } of blockers) held.push(await holdPartner(sql, clientId));
      const blocked = blockers.map((partner) => send(url, [partner, issueOf(name, partner)]));
      await until('all lanes wait', 10_000, async () => (await batchesAtGate(sql)) === blockers.length);
      const together = drafts.map((draft) => send(url, draft));
      await until('all are queued', 10_000, () => laneDepth(url) === drafts.length);
      for (const row of held.splice(0)) await row.letGo();
      for (const { answered } of blocked) assert.equal((await answered).status, 200);
      return together;
    } finally {
      for (const row of held) await row.letGo();
    }
  }

  /** Asserts that the events of every partner have no gap and match the rows. */
  async function assertFeedsHold(url: string): Promise<void> {
    for (const partner of partners) await assertFoldsToRows(sql, await readFeed(url, partner), partner);
    await assertCountsHold(sql);
  }

  return { partners, makeCampaigns, transactionsOf, issuedIn, sessionsWaiting, sendTogether, assertFeedsHold };
}
