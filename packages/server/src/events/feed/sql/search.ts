import { named, type Statement, withCustomPlan } from '../../../engine/statement.ts';
import { formatInstant, type Instant, timeText, type WorldInstant } from '../../../primitives/amounts.ts';
import { type FoundEvent, writtenAt } from './events.ts';

// Searches events, the latest first. What events are about has no index: a page walks batches, up to a limit. Events
// are stored as text, so a search for the text avoids parsing them.

/** The maximum batches that a page walks, and the maximum bytes of their events. A single batch may be longer. */
const maxBatchesWalked = 5000;
const maxBytesWalked = 16 * 1024 * 1024;

export interface EventsSought {
  type: string | null;
  /** Pieces of text that an event must all contain. */
  pieces: string[];
  from: Instant | null;
  until: Instant | null;
  /** Only events with lower numbers, and only batches that begin at `floor` or later. */
  before: number;
  floor: number;
  limit: number;
}

export interface SoughtEvents {
  found: FoundEvent[];
  /** The search continues with lower numbers; null at the end. */
  next: number | null;
}

interface SoughtRow extends FoundEvent {
  /** Null in the row with the end of the walk. */
  sequence: number;
  walked_from: number | null;
}

// The last walked batch is where the next page starts, unless it is the oldest.
const seek = named<SoughtRow>(
  'search_events',
  `WITH sized AS MATERIALIZED (
     SELECT b.first_sequence, b.occurred_at, ${writtenAt} AS written_at, b.events,
       sum(pg_column_size(b.events)) OVER (ORDER BY b.first_sequence DESC) - pg_column_size(b.events) AS bytes_before
     FROM event_batches b WHERE b.client_id = $1 AND b.first_sequence < $2 AND b.first_sequence >= $3
     ORDER BY b.first_sequence DESC LIMIT $4),
   walked AS MATERIALIZED (SELECT * FROM sized WHERE bytes_before < ${maxBytesWalked}),
   fitting AS (
     SELECT * FROM walked w WHERE ($5::timestamptz IS NULL OR occurred_at >= $5) AND ($6::timestamptz IS NULL OR occurred_at < $6)
       AND (SELECT coalesce(bool_and(strpos(w.events::text, piece) > 0), true) FROM unnest($7::text[]) AS piece))
   (SELECT f.first_sequence + e.i - 1 AS sequence, f.occurred_at, f.written_at, e.event, NULL::bigint AS walked_from
    FROM fitting f CROSS JOIN LATERAL json_array_elements(f.events) WITH ORDINALITY AS e(event, i)
    WHERE f.first_sequence + e.i - 1 < $2 AND ($8::text IS NULL OR e.event ->> 'type' = $8)
      AND (SELECT coalesce(bool_and(strpos(e.event::text, piece) > 0), true) FROM unnest($7::text[]) AS piece)
    ORDER BY 1 DESC LIMIT $9)
   UNION ALL
   SELECT NULL, NULL, NULL, NULL, o.oldest FROM (SELECT min(first_sequence) AS oldest FROM walked) o
   WHERE EXISTS (SELECT FROM event_batches b WHERE b.client_id = $1 AND b.first_sequence < o.oldest AND b.first_sequence >= $3)`,
);

export function searchEvents(clientId: number, sought: EventsSought): Statement<SoughtEvents> {
  const { type, pieces, from, until, before, floor, limit } = sought;
  const isFiltered = type !== null || pieces.length > 0 || from !== null || until !== null;
  const batches = isFiltered ? maxBatchesWalked : limit + 1;
  const times = [timeText(from), timeText(until)];
  return {
    ...withCustomPlan(seek([clientId, before, floor, batches, ...times, pieces, type, limit + 1])),
    read: ({ rows }) => soughtOf(rows as SoughtRow[], limit),
  };
}

function soughtOf(rows: SoughtRow[], limit: number): SoughtEvents {
  const found = rows.filter((row) => row.sequence !== null).toSorted((a, b) => b.sequence - a.sequence);
  const shown = found.slice(0, limit);
  const end = rows.find((row) => row.walked_from !== null)?.walked_from ?? null;
  return { found: shown, next: found.length > limit ? (shown.at(-1)?.sequence ?? null) : end };
}

// Times increase with batch numbers, except briefly between servers, so a binary search finds a time.
const seekTime = (name: string, time: string) =>
  named(
    name,
    `WITH RECURSIVE halves(low, high) AS (
       SELECT * FROM (
         SELECT (SELECT first_sequence FROM event_batches WHERE client_id = $1 ORDER BY first_sequence LIMIT 1) AS low,
           (SELECT last_sequence + 1 FROM event_batches WHERE client_id = $1 ORDER BY first_sequence DESC LIMIT 1) AS high) ends
       WHERE low IS NOT NULL
       UNION ALL
       SELECT CASE WHEN b.at < $2 THEN m.middle + 1 ELSE h.low END, CASE WHEN b.at < $2 THEN h.high ELSE m.middle END
       FROM halves h CROSS JOIN LATERAL (SELECT (h.low + h.high) / 2 AS middle) m
       CROSS JOIN LATERAL (
         SELECT ${time} AS at FROM event_batches b WHERE b.client_id = $1 AND b.first_sequence <= m.middle
         ORDER BY b.first_sequence DESC LIMIT 1) b
       WHERE h.low < h.high)
     SELECT low AS sequence FROM halves WHERE low = high`,
    ([row]: { sequence: number }[]) => row?.sequence ?? 0,
  );

const seekOccurred = seekTime('sequence_occurred_at', 'occurred_at');
const seekWritten = seekTime('sequence_written_at', writtenAt);

/** The first event that occurred at this time or later, or the next event if there is none. 0 if the feed is empty. */
export const findOccurredAt = (clientId: number, time: Instant): Statement<number> =>
  seekOccurred([clientId, formatInstant(time)]);

/** The same in world time. */
export const findWrittenAt = (clientId: number, time: WorldInstant): Statement<number> =>
  seekWritten([clientId, formatInstant(time)]);
