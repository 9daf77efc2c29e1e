import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, type TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type pg from 'pg';
import { call, type Partner } from './caller.ts';
import { inParallel } from './load.ts';
import { type Receiver, type Reply, refusingUrl, repeated, startReceiver } from './receiver.ts';
import { directIssue } from './requests.ts';
import { until } from './waiting.ts';
import { deliveriesOf, isAllWrittenDown, lastSequenceOf, setWebhook } from './webhooks.ts';

// Events for several partners at once, whose receivers fail in every way, and the checks afterwards.

export const impatience = {
  WEBHOOK_ALLOW_PRIVATE: 'yes',
  WEBHOOK_TIMEOUT_MS: '1000',
  WEBHOOK_RETRIES_S: ['0.05,0.1', ...Array(40).fill('0.3')].join(),
};

const faults: [share: number, reply: Reply][] = [
  [0.3, 500],
  [0.03, 'drop'],
  [0.02, { status: 302, headers: { location: refusingUrl } }],
  [0.005, 'stall'],
];

/** A third of the calls fail, at random, so that every event gets through in the end. */
function moody(): Reply {
  let random = Math.random();
  for (const [share, reply] of faults) {
    random -= share;
    if (random < 0) return reply;
  }
  return 204;
}

export interface Watched {
  partner: Partner;
  receiver: Receiver;
  /** Earlier events belong to another test. */
  since: number;
}

export async function startMoodyReceivers(sql: pg.Pool, partners: Partner[]): Promise<Watched[]> {
  const watched: Watched[] = [];
  for (const partner of partners) {
    const receiver = await startReceiver(moody);
    await setWebhook(sql, partner, receiver.url);
    watched.push({ partner, receiver, since: await lastSequenceOf(sql, partner) });
  }
  return watched;
}

export const attemptsAt = (watched: Watched[]): number =>
  watched.reduce((sum, { receiver }) => sum + receiver.requests.length, 0);

const countTo = (count: number) => Array.from({ length: count }, (_, i) => i + 1);

/** Creates this many events for each partner, through the servers that are running at the time. */
export function issueAll(servers: { url: string }[], partners: Partner[], perPartner: number): Promise<void> {
  let isOver = false;
  after(() => {
    isOver = true;
  });
  // Like a careful partner: a request without a response is sent again with its id, to another server.
  const issueSurely = async (partner: Partner, turn: number) => {
    const issue = directIssue({ issue_id: randomUUID() });
    for (let i = turn; !isOver; i++) {
      const url = servers[i % servers.length]?.url ?? '';
      const answer = await call(url, 'Issue', issue, partner).catch(() => undefined);
      if (answer?.status === 200) return;
      assert.ok(answer === undefined || answer.status === 503, `${answer?.text}`);
      await setTimeout(20);
    }
  };
  return inParallel(countTo(perPartner * partners.length), 32, (turn) =>
    issueSurely(partners[turn % partners.length] as Partner, Math.floor(turn / partners.length)),
  );
}

/** Attempts that were received but not recorded. */
async function unknownAttempts(sql: pg.Pool, { partner, receiver }: Watched): Promise<number> {
  const written = new Map((await deliveriesOf(sql, partner)).map(({ sequence, attempts }) => [sequence, attempts]));
  const times = Map.groupBy(receiver.requests, ({ event }) => event.sequence);
  return [...times].reduce(
    (sum, [sequence, { length }]) => sum + Math.max(0, length - (written.get(sequence) ?? 1)),
    0,
  );
}

/**
 * Asserts that every event was received. Returns the number of surplus receipts and of attempts that were not
 * recorded. A slow receiver may get an event again after its receipt, but then both attempts are recorded.
 */
export async function assertAllReceived(sql: pg.Pool, all: Watched[], t: TestContext) {
  await until('all written down', 30_000, () => isAllWrittenDown(sql));
  const counts = { twice: 0, unknown: 0 };
  for (const watched of all) {
    const { partner, receiver, since } = watched;
    const receipts = receiver.receipts();
    const wanted = countTo((await lastSequenceOf(sql, partner)) - since).map((n) => since + n);
    assert.deepEqual(new Set(receipts.keys()), new Set(wanted));
    counts.twice += repeated(receipts);
    counts.unknown += await unknownAttempts(sql, watched);
  }
  const { twice, unknown } = counts;
  t.diagnostic(`${attemptsAt(all)} attempts, ${twice} receipts too many, ${unknown} attempts not written down`);
  return counts;
}
