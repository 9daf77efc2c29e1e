import type { Connection } from '../../../engine/connection.ts';
import { ask, named } from '../../../engine/statement.ts';
import type { Event } from '../../../promo/batch/event.ts';
import type { CampaignDefinitions } from '../../../promo/campaigns/sql/definitions.ts';
import { type BatchRow, eventsIn, eventsOf, fitsIntoRead, wantedBatches, writtenAt } from './events.ts';

// A page of the feed, with the data that shows whether a cursor belongs to this feed. One statement reads all of it:
// between two statements, retention could remove the events.

/** The first and the last event of the feed. */
export interface FeedBounds {
  /** The next event if none is kept. */
  oldest: number;
  /** 0 before the first event. */
  last: number;
}

export interface EventPage extends FeedBounds {
  events: Event[];
  /** The id of the event at the cursor; null if it is not known. Read only on request. */
  cursorId: string | null;
}

type PageRow = FeedBounds & { cursor_id: string | null } & (BatchRow | Record<keyof BatchRow, null>);

// The index begins with entries of removed batches until they are vacuumed, so the oldest batch is looked up behind the
// tail.
const selectPage = named<PageRow>(
  'event_page',
  `WITH feed AS (
     SELECT
       coalesce((SELECT last_sequence FROM event_heads WHERE client_id = $1), 0) AS last,
       coalesce((SELECT sequence FROM event_tails WHERE client_id = $1), 0) AS removed),
   ${wantedBatches}
   SELECT f.last, r.*,
     coalesce(
       (SELECT b.first_sequence FROM event_batches b
        WHERE b.client_id = $1 AND b.first_sequence > f.removed ORDER BY b.first_sequence LIMIT 1),
       f.last + 1) AS oldest,
     CASE WHEN $4::boolean THEN coalesce(
       (SELECT b.events -> ($2::bigint - b.first_sequence)::int ->> 'id' FROM event_batches b
        WHERE b.client_id = $1 AND b.first_sequence = (
          SELECT max(first_sequence) FROM event_batches WHERE client_id = $1 AND first_sequence <= $2::bigint)
          AND b.last_sequence >= $2::bigint),
       (SELECT event_id::text FROM event_tails WHERE client_id = $1 AND sequence = $2::bigint)) END AS cursor_id
   FROM feed f LEFT JOIN (
     SELECT first_sequence, last_sequence, occurred_at, ${writtenAt} AS written_at, events
     FROM wanted WHERE ${fitsIntoRead}) r ON true
   ORDER BY r.first_sequence`,
);

/**
 * Returns events in order: at least `limit` if there are as many and they are short, and the rest of the last batch.
 */
export async function readEventPage(
  connection: Connection,
  definitions: CampaignDefinitions,
  clientId: number,
  { after, limit, withCursorId }: { after: number; limit: number; withCursorId: boolean },
): Promise<EventPage> {
  const rows = await ask(connection, selectPage([clientId, after, limit, withCursorId]));
  const [bounds] = rows as [PageRow];
  const batches = rows.filter((row): row is PageRow & BatchRow => row.first_sequence !== null);
  const wanted = eventsIn(batches).filter(({ sequence }) => sequence > after);
  return {
    oldest: bounds.oldest,
    last: bounds.last,
    cursorId: bounds.cursor_id,
    events: await eventsOf(connection, definitions, clientId, wanted),
  };
}
