import type { RequestOf, ResponseOf, StaffRequestOf } from '@freebets/contract';
import type { Pool } from 'pg';
import type { Handlers, StaffCall } from '../../calls/call.ts';
import { cursorsOf, isSequence } from '../../calls/cursor.ts';
import { type ReadServices, readInTurn } from '../../calls/fair-queue.ts';
import { inReportTurn, type ReportServices } from '../../calls/report-turns.ts';
import { firstFitting } from '../../engine/page.ts';
import { ask } from '../../engine/statement.ts';
import { lastInstant, parseBound, type WorldInstant } from '../../primitives/amounts.ts';
import { done, type Outcome, refuse } from '../../primitives/outcome.ts';
import { eventBody, eventBytes } from '../../promo/batch/event.ts';
import type { CampaignDefinitions } from '../../promo/campaigns/sql/definitions.ts';
import { eventsOf } from './sql/events.ts';
import { type EventPage, readEventPage } from './sql/page.ts';
import { type EventsSought, findOccurredAt, findWrittenAt, type SoughtEvents, searchEvents } from './sql/search.ts';

/** The sequence numbers and the times of events may differ in order, because clocks differ. */
const slackMs = 60_000;
const lastTime = Date.UTC(9000, 0);

/** The filters as they appear in the text of a stored event. */
function searchPieces({ event_id, issue_id, campaign_id, player_id, job_id }: StaffRequestOf<'EventSearch'>): string[] {
  const named = {
    id: event_id,
    issueId: issue_id,
    campaignId: campaign_id,
    playerId: player_id,
    jobId: job_id,
  };
  return Object.entries(named).flatMap(([name, value]) =>
    value === undefined ? [] : [`"${name}":${JSON.stringify(value)}`],
  );
}

/** The time in the first 48 bits of a UUID of version 7, at most `lastTime`. */
function timeOfId(eventId: string): WorldInstant {
  const at = Number.parseInt(eventId.replaceAll('-', '').slice(0, 12), 16);
  return Math.min(at, lastTime);
}

interface FeedServices extends ReadServices, ReportServices {
  definitions: CampaignDefinitions;
}

type FeedCall = StaffCall<FeedServices>;

function seek(call: FeedCall, clientId: number, sought: EventsSought): Promise<SoughtEvents> {
  const { from, until } = sought;
  return inReportTurn(call, async (pool) => {
    const floor = from === null ? 0 : await ask(pool, findOccurredAt(clientId, Math.max(0, from - slackMs)));
    const ceiling =
      until === null
        ? sought.before
        : await ask(pool, findOccurredAt(clientId, Math.min(until + slackMs, lastInstant)));
    const before = Math.min(sought.before, ceiling);
    return ask(pool, searchEvents(clientId, { ...sought, floor, before }));
  });
}

/** Searches near the time in the id of an event, which misleads only if the clocks of servers differ much. */
function seekNear(call: FeedCall, clientId: number, at: WorldInstant, sought: EventsSought): Promise<SoughtEvents> {
  return inReportTurn(call, async (pool) => {
    const floor = await ask(pool, findWrittenAt(clientId, Math.max(0, at - slackMs)));
    const before = await ask(pool, findWrittenAt(clientId, at + slackMs));
    return ask(pool, searchEvents(clientId, { ...sought, floor, before }));
  });
}

/** Ids are unique, so one event is enough. */
async function seekById(call: FeedCall, clientId: number, eventId: string, sought: EventsSought) {
  const { found } = await seekNear(call, clientId, timeOfId(eventId), sought);
  return found.length > 0 ? { found, next: null } : seek(call, clientId, sought);
}

const cursors = cursorsOf({ before: isSequence });

export const eventHandlers: Handlers<'EventsList' | 'EventSearch', FeedServices> = {
  EventsList: (call, body) =>
    readInTurn(call, body.client_id, (pool) => readEvents(pool, call.services.definitions, body)),

  async EventSearch(call, body) {
    const { client_id, type = null, event_id, from, until, limit = 50, cursor } = body;
    const before = cursors.read(cursor)?.before ?? Number.MAX_SAFE_INTEGER;
    const time = (text: string | undefined) => (text === undefined ? null : parseBound(text));
    const times = { from: time(from), until: time(until) };
    const sought: EventsSought = { type, pieces: searchPieces(body), ...times, before, floor: 0, limit };
    const { found, next } =
      event_id === undefined || cursor !== undefined
        ? await seek(call, client_id, sought)
        : await seekById(call, client_id, event_id, sought);
    const { consolePool, definitions } = call.services;
    const events = await eventsOf(consolePool, definitions, client_id, found);
    const shown = firstFitting(events, ({ emitted }) => eventBytes(emitted));
    const last = shown.length < events.length ? (shown.at(-1)?.sequence ?? null) : next;
    return done({
      events: shown.map((event) => eventBody(client_id, event)),
      next_cursor: cursors.write(last === null ? null : { before: last }),
    });
  },
};

async function readEvents(
  pool: Pool,
  definitions: CampaignDefinitions,
  body: RequestOf<'EventsList'>,
): Promise<Outcome<ResponseOf<'EventsList'>>> {
  const { client_id, after = 0, after_event_id, limit = 100 } = body;
  const hasId = after_event_id !== undefined;
  if (hasId && after === 0) return unexpectedCursorId;
  const page = await readEventPage(pool, definitions, client_id, { after, limit, withCursorId: hasId });
  const refusal = hasId ? cursorRefusal(page, after, after_event_id) : after > page.last && aheadOf(page.last);
  if (refusal) return refusal;
  const events = firstFitting(page.events.slice(0, limit), ({ emitted }) => eventBytes(emitted));
  return done({
    events: events.map((event) => eventBody(client_id, event)),
    last_sequence: events.at(-1)?.sequence ?? after,
    oldest_sequence: page.oldest,
  });
}

const unexpectedCursorId = refuse('invalid_request', [
  { field: 'after_event_id', reason: 'must be absent when after is 0' },
]);

/** Older servers removed events with their ids: then only the number is checked. */
function cursorRefusal({ oldest, last, cursorId }: EventPage, after: number, eventId: string) {
  if (after < oldest - 1) {
    const reason = `is ${oldest}: the events before it have been removed`;
    return refuse('events_removed', [{ field: 'oldest_sequence', reason, value: String(oldest) }]);
  }
  const isKnown = cursorId !== null || after >= oldest;
  if (!isKnown || cursorId === eventId) return undefined;
  const reason = `is ${last}, and event ${after} is not the one you processed`;
  return refuse('feed_changed', [{ field: 'last_sequence', reason, value: String(last) }]);
}

const aheadOf = (last: number) =>
  refuse('invalid_request', [{ field: 'after', reason: `is ahead of your last event, ${last}` }]);
