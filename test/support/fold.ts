import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import type { EventBody } from '@freebets/contract';
import type pg from 'pg';
import { demo } from './caller.ts';

// Rebuilds the state from the events alone, from the first to the last. At every event the free bet must match the
// changes so far, and in the end everything must match the rows.

interface FreeBet {
  campaignId: string | null;
  placed: number;
  settled: number;
  cancelled: boolean;
  expired: boolean;
}

interface Campaign {
  limit: number | null;
  issued: number;
  cancelled: number;
  expired: number;
  finished: number;
  betsPlaced: number;
  stopped: boolean;
}

export interface Folded {
  freeBets: Map<string, FreeBet>;
  /** The state of each bet. */
  bets: Map<string, string>;
  campaigns: Map<string, Campaign>;
  /** Every emitted change, such as "freebet.issued" and its id. Only a full campaign may be emitted twice. */
  emitted: Set<string>;
}

type OfCampaign = Extract<EventBody, { data: { campaign: unknown } }>;
type OfJob = Extract<EventBody, { data: { job: unknown } }>;
type OfFreeBet = Exclude<EventBody, OfCampaign | OfJob>;

const subjectOf = ({ data }: EventBody): string => {
  if ('campaign' in data) return data.campaign.campaign_id;
  if ('job' in data) return data.job.job_id;
  return 'bet' in data ? data.bet.bet_id : data.free_bet.issue_id;
};

export const eventKey = (type: EventBody['type'], id: string): string => `${type} ${id}`;

function statusOf({ placed, settled, cancelled }: FreeBet, { occurred_at, data: { free_bet } }: OfFreeBet): string {
  if (cancelled) return 'cancelled';
  if (settled === free_bet.quantity) return 'finished';
  if (occurred_at >= free_bet.expires_at && placed < free_bet.quantity) return 'expired';
  if (placed > 0) return 'in_use';
  return occurred_at < free_bet.valid_from ? 'issued' : 'active';
}

const centsOf = (amount: string | null) => (amount === null ? null : BigInt(amount.replace('.', '')));

function foldFreeBet({ freeBets, bets, campaigns }: Folded, event: OfFreeBet): void {
  const { type, data } = event;
  const { issue_id, campaign_id: campaignId, quantity, remaining, status } = data.free_bet;
  if (type === 'freebet.issued') {
    freeBets.set(issue_id, { campaignId, placed: 0, settled: 0, cancelled: false, expired: false });
  }
  const freeBet = freeBets.get(issue_id);
  assert.ok(freeBet, `${type} before ${issue_id} was issued`);
  if (type === 'freebet.used') freeBet.placed += 1;
  if (type === 'freebet.rolled_back') freeBet.placed -= 1;
  if (type === 'freebet.settled') freeBet.settled += 1;
  if (type === 'freebet.cancelled') freeBet.cancelled = true;
  if (type === 'freebet.expired') freeBet.expired = true;
  assert.deepEqual([remaining, status], [quantity - freeBet.placed, statusOf(freeBet, event)], JSON.stringify(event));
  if ('bet' in data) bets.set(data.bet.bet_id, `${data.bet.status} ${centsOf(data.bet.win_amount)}`);
  const campaign = campaignId === null ? undefined : campaigns.get(campaignId);
  assert.ok(campaign !== undefined || campaignId === null, `${type} before ${campaignId} was created`);
  if (campaign !== undefined) count(campaign, type);
}

function count(campaign: Campaign, type: OfFreeBet['type']): void {
  if (type === 'freebet.issued') campaign.issued += 1;
  if (type === 'freebet.cancelled') campaign.cancelled += 1;
  if (type === 'freebet.expired') campaign.expired += 1;
  if (type === 'freebet.finished') campaign.finished += 1;
  if (type === 'freebet.used') campaign.betsPlaced += 1;
  if (type === 'freebet.rolled_back') campaign.betsPlaced -= 1;
}

function foldCampaign({ campaigns }: Folded, { type, data }: OfCampaign): void {
  const { campaign_id, config } = data.campaign;
  if (type === 'campaign.created') {
    const none = { issued: 0, cancelled: 0, expired: 0, finished: 0, betsPlaced: 0, stopped: false };
    campaigns.set(campaign_id, { limit: config.bonus_limit, ...none });
  }
  const campaign = campaigns.get(campaign_id);
  assert.ok(campaign, `${type} before ${campaign_id} was created`);
  if (type === 'campaign.stopped') campaign.stopped = true;
}

/** The campaign that an event filled to its cap; the next event must report it. */
function filledBy({ campaigns }: Folded, { type, data }: EventBody): string | undefined {
  if (type !== 'freebet.issued' || !('free_bet' in data) || data.free_bet.campaign_id === null) return undefined;
  const { limit, issued, cancelled } = campaigns.get(data.free_bet.campaign_id) as Campaign;
  if (limit === null || issued - cancelled < limit) return undefined;
  assert.equal(issued - cancelled, limit, 'more than the limit');
  return data.free_bet.campaign_id;
}

/** All events of a partner, from the first. */
function fold(events: EventBody[]): Folded {
  const folded: Folded = { freeBets: new Map(), bets: new Map(), campaigns: new Map(), emitted: new Set() };
  const ids = new Set<string>();
  let filled: string | undefined;
  events.forEach((event, i) => {
    assert.equal(event.sequence, i + 1);
    assert.match(event.event_id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    ids.add(event.event_id);
    assert.equal(event.type === 'campaign.exhausted' ? subjectOf(event) : undefined, filled, JSON.stringify(event));
    const key = eventKey(event.type, subjectOf(event));
    // A job may fail again after a retry.
    const mayRepeat = filled !== undefined || event.type === 'job.failed';
    if (!mayRepeat) assert.ok(!folded.emitted.has(key), `emitted twice: ${key}`);
    folded.emitted.add(key);
    if ('campaign' in event.data) foldCampaign(folded, event as OfCampaign);
    if ('free_bet' in event.data) foldFreeBet(folded, event as OfFreeBet);
    filled = filledBy(folded, event);
  });
  assert.equal(filled, undefined, 'a campaign was filled without an event');
  assert.equal(ids.size, events.length, 'every event has its own id');
  for (const [issueId, { placed, settled }] of folded.freeBets) {
    assert.ok(placed >= settled, issueId);
  }
  return folded;
}

const freeBetRows = `
  SELECT issue_id, campaign_id AS "campaignId", bets_placed AS placed, bets_settled AS settled,
    cancelled_at IS NOT NULL AS cancelled, swept AND cancelled_at IS NULL AND bets_placed < quantity AS expired,
    bets_settled = quantity AS finished
  FROM free_bets WHERE client_id = $1`;

const betRows = `
  SELECT bet_id, state || ' ' || coalesce(win_amount::text, 'null') AS state FROM bets
  WHERE client_id = $1 AND issue_id IS NOT NULL`;

const campaignRows = `
  SELECT campaign_id, c.bonus_limit AS limit, s.issued::int, s.cancelled::int, s.expired::int, s.finished::int,
    s.bets_placed::int AS "betsPlaced", s.stopped_at IS NOT NULL AS stopped
  FROM campaigns c JOIN campaign_states s USING (client_id, campaign_id) WHERE client_id = $1`;

/** Shows only the first few differences. */
function assertSame<T>(emitted: Map<string, T>, rows: Map<string, T>): void {
  const differing = [...new Set([...emitted.keys(), ...rows.keys()])].filter(
    (id) => !isDeepStrictEqual(emitted.get(id), rows.get(id)),
  );
  const shown = differing.slice(0, 3).map((id) => ({ id, emitted: emitted.get(id), row: rows.get(id) }));
  assert.deepEqual(shown, [], `${differing.length} differ from their events`);
}

/** Asserts that events and rows describe the same changes. */
export async function assertFoldsToRows(sql: pg.Pool, events: EventBody[], { clientId } = demo): Promise<Folded> {
  const folded = fold(events);
  const rowsOf = async (statement: string) => (await sql.query(statement, [clientId])).rows;
  const freeBets = await rowsOf(freeBetRows);
  assertSame(folded.freeBets, new Map(freeBets.map(({ issue_id, finished: _, ...row }) => [issue_id, row])));
  assertSame(folded.bets, new Map((await rowsOf(betRows)).map(({ bet_id, state }) => [bet_id, state])));
  const campaigns = await rowsOf(campaignRows);
  assertSame(folded.campaigns, new Map(campaigns.map(({ campaign_id, ...row }) => [campaign_id, row])));
  const finished = freeBets.filter((row) => row.finished).map((row) => eventKey('freebet.finished', row.issue_id));
  assert.deepEqual(
    [...folded.emitted].filter((key) => key.startsWith('freebet.finished ')).toSorted(),
    finished.toSorted(),
  );
  const heads = await rowsOf('SELECT last_sequence::int AS last FROM event_heads WHERE client_id = $1');
  assert.equal(heads[0]?.last ?? 0, events.length);
  return folded;
}
