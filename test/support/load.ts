import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type pg from 'pg';
import { type Answer, call, demo } from './caller.ts';

// Load from a partner that behaves as the guide for partners says: an id of its own for every issue, and a note of what
// was acknowledged. What got no answer may have happened or not; only a retry with the same id can tell.

/** Processes the items with this concurrency. */
export async function inParallel<T>(items: Iterable<T>, width: number, work: (item: T) => Promise<void>) {
  const rest = items[Symbol.iterator]();
  const worker = async () => {
    for (let next = rest.next(); !next.done; next = rest.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: width }, worker));
}

export interface IssueByCampaign {
  issue_id: string;
  campaign_id: string;
  player_id: string;
  currency: string;
}

/** Endless issues, for the players in turn. */
export function* issuesFor(campaignId: string, players: number): Generator<IssueByCampaign> {
  for (let i = 0; ; i++) {
    yield { issue_id: randomUUID(), campaign_id: campaignId, player_id: `player-${i % players}`, currency: 'EUR' };
  }
}

export interface Load {
  /** The requests and their responses; undefined if the connection ended without a response. */
  sent: { issue: IssueByCampaign; answer: Answer | undefined }[];
  acknowledged(): number;
  /** Stops sending, and resolves when every request has a response or has failed. */
  stop(): Promise<void>;
}

/**
 * Issues on this many connections until it is stopped or the test ends, with a pause after each issue if the test is
 * long. Retries a server that is down.
 */
export function startLoad(
  url: string,
  issues: Iterator<IssueByCampaign>,
  connections: number,
  partner = demo,
  pauseMs = 0,
): Load {
  const sent: Load['sent'] = [];
  let stopped = false;
  let acknowledged = 0;
  const worker = async () => {
    for (let next = issues.next(); !stopped && !next.done; next = issues.next()) {
      const answer = await call(url, 'Issue', next.value, partner).catch(() => undefined);
      sent.push({ issue: next.value, answer });
      if (answer?.status === 200) acknowledged += 1;
      // Refused connections fail at once; the pause leaves the processor to others.
      if (answer === undefined || pauseMs > 0) await setTimeout(answer === undefined ? 5 : pauseMs);
    }
  };
  const ended = Promise.all(Array.from({ length: connections }, worker));
  const stop = async () => {
    stopped = true;
    await ended;
  };
  after(stop);
  return { sent, acknowledged: () => acknowledged, stop };
}

/** The ids that have a free bet. */
export async function issuedAmong(sql: pg.Pool, issueIds: string[]): Promise<Set<string>> {
  const { rows } = await sql.query<{ issue_id: string }>(
    'SELECT issue_id FROM free_bets WHERE issue_id = ANY ($1::uuid[])',
    [issueIds],
  );
  return new Set(rows.map((row) => row.issue_id));
}

/** Asserts that every acknowledged free bet exists exactly as acknowledged. */
export async function assertAcknowledgedAreThere(
  url: string,
  { sent }: Pick<Load, 'sent'>,
  partner = demo,
): Promise<void> {
  const acknowledged = sent.filter(({ answer }) => answer?.status === 200);
  await inParallel(acknowledged, 32, async ({ issue, answer }) => {
    const found = await call(url, 'FreeBetGet', { issue_id: issue.issue_id }, partner);
    assert.equal(found.status, 200, `${issue.issue_id} was acknowledged and is not there: ${found.text}`);
    const { bets: _, ...freeBet } = found.body;
    assert.deepEqual(freeBet, answer?.body);
  });
}
