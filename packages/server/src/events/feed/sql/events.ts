import type { Connection } from '../../../engine/connection.ts';
import { ask, named, type Statement, withCustomPlan } from '../../../engine/statement.ts';
import type { Instant, WorldInstant } from '../../../primitives/amounts.ts';
import type { EmittedEvent, Event } from '../../../promo/batch/event.ts';
import { campaignIdOf, emittedOf, type StoredEvent } from '../../../promo/batch/sql/events.ts';
import type { CampaignDefinitions } from '../../../promo/campaigns/sql/definitions.ts';

/** The number of the partner's oldest kept event, or of its next event if none is kept. */
export const oldestKeptOf = (clientId: string): string => `coalesce(
     (SELECT min(b.first_sequence) FROM event_batches b WHERE b.client_id = ${clientId}),
     (SELECT h.last_sequence + 1 FROM event_heads h WHERE h.client_id = ${clientId}), 1)`;
export const oldestKept = oldestKeptOf('$1');

/** In world time, regardless of the partner's clock. */
export const writtenAt = 'coalesce(written_at, occurred_at)';

export interface BatchRow {
  first_sequence: number;
  last_sequence: number;
  occurred_at: Instant;
  written_at: WorldInstant;
  events: StoredEvent[];
}

interface WantedRow extends BatchRow {
  /** The last number of the last matching batch, even if that batch was not read. */
  last_wanted: number;
  world_now: WorldInstant;
}

/** The maximum bytes of stored events per read. A single batch may be longer. */
const readBytes = 4 * 1024 * 1024;

// The first wanted event is in the last batch that begins at or before it. If that batch has been removed, reading
// begins with the oldest batch. Only then is the oldest looked up: recently removed batches may precede it in the
// index, and the lookup walks over them while an older snapshot is in use. The size of a batch is known without reading
// it.
/** For a WITH clause: the batches `wanted`, with the events of the partner $1 after $2: $3 events, or a few more. */
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
  /** Fewer events than requested, although more exist, because they are long. */
  isCut: boolean;
  /** The time of the read; undefined if there are no events. */
  worldNow: WorldInstant | undefined;
}

/**
 * Returns events in order: at least `limit` if there are as many and they are short, and the rest of the last batch.
 */
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

/** What an event is about, without its body. */
export interface EventBrief {
  sequence: number;
  type: EmittedEvent['type'];
  occurredAt: Instant;
  campaignId: string | null;
  issueId: string | null;
  playerId: string | null;
  jobId: string | null;
}

/** As `findEventsAfter`, but without reading campaigns. */
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

/** The campaigns of the events after one number, up to another. May include a few more. */
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

/** For a batch `b` and its events `e`: selects the events of the partner $1 with the numbers $2. */
const areWanted = `b.client_id = $1 AND b.first_sequence + e.i - 1 = ANY ($2::bigint[])
     AND b.first_sequence = ANY (ARRAY(
       SELECT (SELECT first_sequence FROM event_batches WHERE client_id = $1 AND first_sequence <= sequence
               ORDER BY first_sequence DESC LIMIT 1)
       FROM unnest($2::bigint[]) AS wanted(sequence)))`;

// Parses each batch once for all its wanted events. One by one, 256 events of a batch of 1,000 took 400 ms.
const selectSome = named<FoundEvent>(
  'some_events',
  `SELECT b.first_sequence + e.i - 1 AS sequence, b.occurred_at, ${writtenAt} AS written_at, e.event
   FROM event_batches b CROSS JOIN LATERAL json_array_elements(b.events) WITH ORDINALITY AS e(event, i)
   WHERE ${areWanted}`,
);

/** Returns the events that are still kept. */
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

/**
 * The type and id of each event that is still kept, by number. PostgreSQL hashes the numbers only if it plans for the
 * actual values.
 */
export const findEventTypes = (connection: Connection, clientId: number, sequences: number[]) =>
  ask(connection, withCustomPlan(selectTypes([clientId, sequences])));

/** Adds the terms of the campaigns. */
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
