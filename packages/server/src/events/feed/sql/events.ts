import type { Connection } from '../../../engine/connection.ts';
import { ask, named, plannedAnew, type Statement } from '../../../engine/statement.ts';
import type { Instant, WorldInstant } from '../../../primitives/amounts.ts';
import type { EmittedEvent, Event } from '../../../promo/batch/event.ts';
import { campaignIdOf, emittedOf, type StoredEvent } from '../../../promo/batch/sql/events.ts';
import type { CampaignDefinitions } from '../../../promo/campaigns/sql/definitions.ts';

/** The oldest event of a partner that is kept; the next one to come when none is. */
export const oldestKeptOf = (clientId: string): string => `coalesce(
     (SELECT min(b.first_sequence) FROM event_batches b WHERE b.client_id = ${clientId}),
     (SELECT h.last_sequence + 1 FROM event_heads h WHERE h.client_id = ${clientId}), 1)`;
export const oldestKept = oldestKeptOf('$1');

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
