import assert from 'node:assert/strict';
import { randomUUIDv7 } from 'node:crypto';
import type { Connection } from '../../../engine/connection.ts';
import { ask, named, plannedAnew, type Statement } from '../../../engine/statement.ts';
import { formatInstant, type Instant, type WorldInstant } from '../../../primitives/amounts.ts';
import type {
  BetEvent,
  CampaignEvent,
  EmittedEvent,
  Event,
  FreeBetEvent,
  JobEvent,
} from '../../../promo/batch/event.ts';
import { type Campaign, type CampaignState, newCampaignState } from '../../../promo/campaigns/campaign.ts';
import type { CampaignDefinitions } from '../../../promo/campaigns/sql/definitions.ts';
import type { FreeBetSnapshot } from '../../../promo/free-bets/free-bet.ts';
import { type StoredTerms, termsOfStored } from '../../../promo/free-bets/sql.ts';
import type { JobSnapshot } from '../../../promo/jobs/job.ts';
import type { BetSnapshot } from '../../../promo/rounds/bet.ts';

// The events of a batch are written as one row, and numbered by the head, which is moved for it and stays locked. What they hold is what happened: the
// definition of a campaign never changes, and is added when they are read. A job is stored whole: it has one at most.

/** One of a row. */
export type StoredEvent =
  | { id: string; type: FreeBetEvent['type']; freeBet: StoredFreeBet }
  | { id: string; type: BetEvent['type']; freeBet: StoredFreeBet; bet: StoredBet }
  // What no version had when it was written is as in a new campaign.
  | { id: string; type: CampaignEvent['type']; campaignId: string; state: Partial<CampaignState> }
  | { id: string; type: JobEvent['type']; job: JobSnapshot };

type Usual = 'cancelledAt' | 'betsPlaced' | 'betsSettled' | 'swept';
type StoredFreeBet = Omit<FreeBetSnapshot, 'terms' | Usual> &
  Partial<Pick<FreeBetSnapshot, Usual>> & { terms?: StoredTerms };
type StoredBet = Omit<BetSnapshot, 'winAmount'> & { winAmount: string | null };

function stored(emitted: EmittedEvent): StoredEvent {
  const id = randomUUIDv7();
  if ('campaign' in emitted)
    return { id, type: emitted.type, campaignId: emitted.campaign.campaignId, state: emitted.state };
  if ('job' in emitted) return { id, ...emitted };
  const freeBet = storedFreeBet(emitted.freeBet);
  if (!('bet' in emitted)) return { id, type: emitted.type, freeBet };
  return {
    id,
    type: emitted.type,
    freeBet,
    bet: { ...emitted.bet, winAmount: emitted.bet.winAmount?.toString() ?? null },
  };
}

/** What is as it was when the free bet was issued need not be said. */
const usual: Pick<FreeBetSnapshot, Usual> = { cancelledAt: null, betsPlaced: 0, betsSettled: 0, swept: false };

function storedFreeBet(freeBet: FreeBetSnapshot): StoredFreeBet {
  const { issueId, campaignId, playerId, currency, betAmount, issuedAt, expiresAt } = freeBet;
  const { terms, cancelledAt, betsPlaced, betsSettled, swept } = freeBet;
  const promised = { issueId, campaignId, playerId, currency, betAmount, issuedAt, expiresAt };
  const isUsual = cancelledAt === null && betsPlaced === 0 && betsSettled === 0 && !swept;
  const stored = isUsual ? promised : { ...promised, cancelledAt, betsPlaced, betsSettled, swept };
  return campaignId === null ? { ...stored, terms } : stored;
}

const addHead = named(
  'add_event_head',
  'INSERT INTO event_heads (client_id, last_sequence) VALUES ($1, 0) ON CONFLICT DO NOTHING',
);

/** For a partner that may have none yet: what is written of it, many rows at a time, stands on its head. */
export const insertEventHead = (clientId: number): Statement => addHead([clientId]);

const writeNothing = named(
  'keep_partner_in_place',
  'UPDATE event_heads SET last_sequence = last_sequence WHERE client_id = $1 AND last_sequence < 0',
);

/**
 * Ahead of the first lock of a transaction that reads under it what it then writes: until it ends, what the partner has stays on its machine,
 * where there are many. Rows that a SELECT has locked are moved to another machine all the same, where they are free; a second
 * transaction then locks them there, and one of the two overwrites the other. What is written to is not moved, and to write nothing is enough.
 */
export const keepInPlace = (clientId: number): Statement => writeNothing([clientId]);

/** The oldest event of a partner that is kept; the next one to come when none is. */
export const oldestKeptOf = (clientId: string): string => `coalesce(
     (SELECT min(b.first_sequence) FROM event_batches b WHERE b.client_id = ${clientId}),
     (SELECT h.last_sequence + 1 FROM event_heads h WHERE h.client_id = ${clientId}), 1)`;
export const oldestKept = oldestKeptOf('$1');

const moveHead = named(
  'move_event_head',
  'UPDATE event_heads SET last_sequence = last_sequence + $2::bigint WHERE client_id = $1 RETURNING client_id, last_sequence',
  ([row]: { last_sequence: number }[]) => {
    assert(row, 'the partner has a head');
    return row.last_sequence;
  },
);

/** For as many events as are inserted behind it. The number of the last of them. */
export const moveEventHead = (clientId: number, events: number): Statement<number> => moveHead([clientId, events]);

const insertBehind = (name: string, head: string, now: string) =>
  named(
    name,
    `INSERT INTO event_batches (client_id, first_sequence, last_sequence, occurred_at, events, written_at)
     SELECT h.client_id, h.last_sequence - $2::bigint + 1, h.last_sequence - $2::bigint + $3::bigint, $4::timestamptz, $5::json, ${now}
     FROM ${head} h WHERE h.client_id = $1`,
  );

const insert = insertBehind('insert_events', 'event_heads', 'world_now()');
/** Only together with what moves the head, and not on many machines. It waits for the head itself, and then asks what time it is. */
const insertTogether = insertBehind('insert_events_with_head', 'move_event_head', 'service_now()');

const insertNumbered = named(
  'insert_numbered_events',
  `INSERT INTO event_batches (client_id, first_sequence, last_sequence, occurred_at, events, written_at)
   VALUES ($1, $2, $3, $4, $5::json, world_now())`,
);

/** A row is read as a whole, also for one event of it: so those that are very long are few to a row. */
const rowLength = 256 * 1024;

/** The head is moved for all of the events ahead of the statement that inserts them, or in it, or stands at this number now. */
export type Head = 'moved' | 'moving' | number;

/** Where the head is still moving, the first of the statements is to be sent together with what moves it. */
export function insertEvents(
  clientId: number,
  now: Instant,
  emitted: readonly EmittedEvent[],
  head: Head,
): Statement[] {
  let left = emitted.length;
  return inRows(emitted.map((one) => JSON.stringify(stored(one)))).map((texts, i) => {
    const fromHere = left;
    left -= texts.length;
    const content = [formatInstant(now), `[${texts.join(',')}]`];
    if (typeof head === 'number') return insertNumbered([clientId, head - fromHere + 1, head - left, ...content]);
    const isTogether = head === 'moving' && i === 0;
    return (isTogether ? insertTogether : insert)([clientId, fromHere, texts.length, ...content]);
  });
}

function inRows(texts: string[]): string[][] {
  const rows: string[][] = [];
  let length = Number.POSITIVE_INFINITY;
  for (const text of texts) {
    if (length + text.length > rowLength) {
      rows.push([]);
      length = 0;
    }
    rows.at(-1)?.push(text);
    length += text.length;
  }
  return rows;
}

/** In world time, whatever the partner's clock said. */
export const writtenAt = 'coalesce(written_at, occurred_at)';

export interface BatchRow {
  first_sequence: number;
  last_sequence: number;
  occurred_at: Instant;
  written_at: WorldInstant;
  events: StoredEvent[];
}

interface WantedRow extends BatchRow {
  /** Of the last batch that has events wanted, whether it was read or not. */
  last_wanted: number;
  world_now: WorldInstant;
}

/** Stored events that are read at a time, in bytes; one batch may be longer. */
const readBytes = 4 * 1024 * 1024;

// The batch that holds the first event wanted is the last one to begin at or before it; where that is gone, being too
// old, reading begins with the oldest that is left. That one is asked for only then: before it may stand all that was removed lately, which is
// walked for as long as somebody reads an older state of the table. How long a batch is can be told without reading it.
/** For a WITH: the batches `wanted` of the partner $1 with the events behind $2, $3 of them or a few more. */
export const wantedBatches = `start AS (
     SELECT coalesce(
       (SELECT max(first_sequence) FROM event_batches WHERE client_id = $1 AND first_sequence <= $2::bigint + 1),
       (SELECT min(first_sequence) FROM event_batches WHERE client_id = $1)) AS first),
   wanted AS (
     SELECT b.*, max(b.last_sequence) OVER () AS last_wanted,
       sum(pg_column_size(b.events)) OVER (ORDER BY b.first_sequence) - pg_column_size(b.events) AS bytes_before
     FROM event_batches b
     WHERE b.client_id = $1 AND b.last_sequence > $2 AND b.first_sequence >= (SELECT first FROM start)
       AND b.first_sequence <= greatest($2::bigint, (SELECT first - 1 FROM start)) + $3)`;
export const fitsIntoRead = `bytes_before < ${readBytes}`;

const selectAfter = named<WantedRow>(
  'events_after',
  `WITH ${wantedBatches}
   SELECT first_sequence, last_sequence, occurred_at, ${writtenAt} AS written_at, events, last_wanted, world_now() AS world_now
   FROM wanted
   WHERE ${fitsIntoRead} ORDER BY first_sequence`,
);

export interface EventsRead {
  events: Event[];
  /** Fewer than were asked for, though there are more: they are long. */
  isCut: boolean;
  /** When they were read; undefined when there are none. */
  worldNow: WorldInstant | undefined;
}

/** At least `limit` events, if there are as many and they are short, and what else stands in the last batch; in order. */
export async function findEventsAfter(
  connection: Connection,
  definitions: CampaignDefinitions,
  clientId: number,
  after: number,
  limit: number,
): Promise<EventsRead> {
  const rows = await ask(connection, selectAfter([clientId, after, limit]));
  const wanted = eventsIn(rows).filter(({ sequence }) => sequence > after);
  const last = rows.at(-1);
  return {
    events: await eventsOf(connection, definitions, clientId, wanted),
    isCut: last !== undefined && last.last_sequence < last.last_wanted,
    worldNow: last?.world_now,
  };
}

export const eventsIn = (rows: readonly BatchRow[]): FoundEvent[] =>
  rows.flatMap(({ events, first_sequence, occurred_at, written_at }) =>
    events.map((event, i) => ({ event, sequence: first_sequence + i, occurred_at, written_at })),
  );

/** Of an event, no more than what it is about. */
export interface EventBrief {
  sequence: number;
  type: EmittedEvent['type'];
  occurredAt: Instant;
  campaignId: string | null;
  issueId: string | null;
  playerId: string | null;
  jobId: string | null;
}

/** As `findEventsAfter`, and without what is known of the campaigns. */
export async function findBriefsAfter(
  connection: Connection,
  clientId: number,
  after: number,
  limit: number,
): Promise<EventBrief[]> {
  const rows = await ask(connection, selectAfter([clientId, after, limit]));
  const found = rows.flatMap(({ events, first_sequence, occurred_at }) =>
    events.map((event, i) => briefOf(event, first_sequence + i, occurred_at)),
  );
  return found.filter(({ sequence }) => sequence > after);
}

const briefOf = (event: StoredEvent, sequence: number, occurredAt: Instant): EventBrief => ({
  sequence,
  type: event.type,
  occurredAt,
  campaignId: campaignIdOf(event),
  issueId: 'freeBet' in event ? event.freeBet.issueId : null,
  playerId: 'freeBet' in event ? event.freeBet.playerId : null,
  jobId: 'job' in event ? event.job.jobId : null,
});

const selectTouched = named<{ campaign_id: string }, string[]>(
  'campaigns_touched',
  `SELECT DISTINCT coalesce(e.event ->> 'campaignId', e.event -> 'freeBet' ->> 'campaignId') AS campaign_id
   FROM event_batches b CROSS JOIN LATERAL json_array_elements(b.events) AS e(event)
   WHERE b.client_id = $1 AND b.first_sequence <= $3 AND b.first_sequence >= coalesce(
     (SELECT max(first_sequence) FROM event_batches WHERE client_id = $1 AND first_sequence <= $2::bigint + 1), $2)
     AND coalesce(e.event ->> 'campaignId', e.event -> 'freeBet' ->> 'campaignId') IS NOT NULL
   LIMIT $4`,
  (rows) => rows.map(({ campaign_id }) => campaign_id),
);

/** The campaigns that the events behind one number, up to another, are about; a few more may be among them. */
export const findCampaignsTouched = (
  clientId: number,
  after: number,
  through: number,
  limit: number,
): Statement<string[]> => selectTouched([clientId, after, through, limit]);

export interface FoundEvent {
  event: StoredEvent;
  sequence: number;
  occurred_at: Instant;
  written_at: WorldInstant;
}

/** Of the batch `b` and its events `e`: those of the partner $1 with the numbers $2. */
const areWanted = `b.client_id = $1 AND b.first_sequence + e.i - 1 = ANY ($2::bigint[])
     AND b.first_sequence = ANY (ARRAY(
       SELECT (SELECT first_sequence FROM event_batches WHERE client_id = $1 AND first_sequence <= sequence
               ORDER BY first_sequence DESC LIMIT 1)
       FROM unnest($2::bigint[]) AS wanted(sequence)))`;

// Each batch is taken apart once, however many of its events are wanted: 256 of one batch of 1,000 took 400 ms one by one.
const selectSome = named<FoundEvent>(
  'some_events',
  `SELECT b.first_sequence + e.i - 1 AS sequence, b.occurred_at, ${writtenAt} AS written_at, e.event
   FROM event_batches b CROSS JOIN LATERAL json_array_elements(b.events) WITH ORDINALITY AS e(event, i)
   WHERE ${areWanted}`,
);

/** Those of the events that are still kept. */
export async function findEvents(
  connection: Connection,
  definitions: CampaignDefinitions,
  clientId: number,
  sequences: number[],
): Promise<Event[]> {
  const found = await ask(connection, selectSome([clientId, sequences]));
  return eventsOf(connection, definitions, clientId, found);
}

const selectTypes = named(
  'event_types',
  `SELECT b.first_sequence + e.i - 1 AS sequence, e.event ->> 'type' AS type, e.event ->> 'id' AS id
   FROM event_batches b CROSS JOIN LATERAL json_array_elements(b.events) WITH ORDINALITY AS e(event, i)
   WHERE ${areWanted}`,
  (rows: { sequence: number; type: string; id: string }[]) => new Map(rows.map((row) => [row.sequence, row])),
);

/** The type and the id of each, by its number, of those that are still kept. Only where PostgreSQL plans for the very numbers does it hash them. */
export const findEventTypes = (connection: Connection, clientId: number, sequences: number[]) =>
  ask(connection, plannedAnew(selectTypes([clientId, sequences])));

/** With what is known of their campaigns. */
export async function eventsOf(
  connection: Connection,
  definitions: CampaignDefinitions,
  clientId: number,
  found: FoundEvent[],
): Promise<Event[]> {
  const ids = found.map(({ event }) => campaignIdOf(event));
  const campaigns = await definitions.load(connection, clientId, new Set(ids.filter((id) => id !== null)));
  return found.map(({ event, sequence, occurred_at, written_at }) => ({
    eventId: event.id,
    sequence,
    occurredAt: occurred_at,
    writtenAt: written_at,
    emitted: emittedOf(event, campaigns),
  }));
}

function campaignIdOf(event: StoredEvent): string | null {
  if ('job' in event) return null;
  return 'freeBet' in event ? event.freeBet.campaignId : event.campaignId;
}

function emittedOf(event: StoredEvent, campaigns: ReadonlyMap<string, Campaign>): EmittedEvent {
  if ('campaignId' in event) {
    const state = { ...newCampaignState(), ...event.state };
    return { type: event.type, campaign: definitionOf(event.campaignId, campaigns), state };
  }
  if ('job' in event) return { type: event.type, job: event.job };
  const { terms: own, campaignId } = event.freeBet;
  const terms = own === undefined ? definitionOf(campaignId, campaigns).terms : termsOfStored(own);
  const freeBet = { ...usual, ...event.freeBet, terms };
  if (!('bet' in event)) return { type: event.type, freeBet };
  const { winAmount } = event.bet;
  return { type: event.type, freeBet, bet: { ...event.bet, winAmount: winAmount === null ? null : BigInt(winAmount) } };
}

function definitionOf(campaignId: string | null, campaigns: ReadonlyMap<string, Campaign>): Campaign {
  const campaign = campaignId === null ? undefined : campaigns.get(campaignId);
  if (campaign === undefined) throw new Error(`campaign ${campaignId} has events and no definition`);
  return campaign;
}
