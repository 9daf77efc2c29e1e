import type { EventBody } from '@freebets/contract';
import { infiniteQueryOptions } from '@tanstack/react-query';
import { call } from '../../api/call.ts';

// The feed goes forward from a number; people read it backward from the latest event. Numbers have no gap, so a page back is a
// page forward from so many before it.

export const eventTypes = [
  'freebet.issued',
  'freebet.used',
  'freebet.settled',
  'freebet.rolled_back',
  'freebet.finished',
  'freebet.cancelled',
  'freebet.expired',
  'campaign.created',
  'campaign.exhausted',
  'campaign.stopped',
  'campaign.paused',
  'campaign.resumed',
  'campaign.limits_changed',
  'job.finished',
  'job.stopped',
] as const satisfies EventBody['type'][];

export type EventType = (typeof eventTypes)[number];

const eventsAfter = async (clientId: number, after: number, limit: number, signal?: AbortSignal) =>
  (await call('EventsList', { client_id: clientId, after, limit }, signal)).events;

/** The first event of this number or a later one. */
export const eventFrom = async (clientId: number, sequence: number, signal?: AbortSignal) =>
  (await eventsAfter(clientId, sequence - 1, 1, signal))[0];

/** Who has a webhook knows the number of the latest event; for others it is searched for. */
async function lastSequence(clientId: number, signal?: AbortSignal): Promise<number> {
  const { webhook } = await call('PartnerGet', { client_id: clientId }, signal);
  if (webhook !== null) return (await call('WebhookGet', { client_id: clientId }, signal)).last_sequence;
  const first = await eventFrom(clientId, 1, signal);
  return first === undefined ? 0 : searchLast(clientId, first.sequence, signal);
}

const probes = 8;

/** Eight numbers are asked for at a time: of a million events the latest is found in about eight rounds. */
async function searchLast(clientId: number, there: number, signal?: AbortSignal): Promise<number> {
  const isThere = async (sequence: number) => (await eventFrom(clientId, sequence, signal)) !== undefined;
  let low = there;
  let high = Number.POSITIVE_INFINITY;
  while (high - low > 1) {
    const tried = Array.from({ length: probes }, (_, i) =>
      high === Number.POSITIVE_INFINITY ? low + 4 ** (i + 1) : low + Math.ceil(((high - low) * (i + 1)) / (probes + 1)),
    ).filter((sequence) => sequence < high);
    const found = await Promise.all(tried.map(isThere));
    const missing = found.indexOf(false);
    if (missing !== -1) high = Math.min(high, tried[missing] ?? high);
    low = tried[(missing === -1 ? tried.length : missing) - 1] ?? low;
  }
  return low;
}

const pageSize = 25;
/** Where only one type is wanted, so many events are gone through for a page. */
const scannedAtATime = 500;
const scannedForAPage = 2000;

export interface FeedPage {
  /** The latest first. */
  events: EventBody[];
  /** The event with which the next page begins; null where there are none before. */
  next: number | null;
}

/** Of the events up to this number. */
async function pageBack(clientId: number, upTo: number, type: EventType | undefined, signal?: AbortSignal) {
  const size = type === undefined ? pageSize : scannedAtATime;
  const events: EventBody[] = [];
  let end = upTo;
  for (let scanned = 0; end > 0 && events.length < pageSize && scanned < scannedForAPage; scanned += size) {
    const after = Math.max(0, end - size);
    const read = (await eventsAfter(clientId, after, end - after, signal)).filter(({ sequence }) => sequence <= end);
    events.push(...read.toReversed().filter((event) => type === undefined || event.type === type));
    // What is not kept any more ends the feed.
    end = read.length < end - after && read[0]?.sequence !== after + 1 ? 0 : after;
  }
  return { events, next: end > 0 ? end : null };
}

export const feedQuery = (clientId: number, type: EventType | undefined) =>
  infiniteQueryOptions({
    queryKey: ['EventsList', 'feed', clientId, type],
    queryFn: async ({ signal, pageParam }): Promise<FeedPage> =>
      pageBack(clientId, pageParam ?? (await lastSequence(clientId, signal)), type, signal),
    initialPageParam: null as number | null,
    getNextPageParam: (page: FeedPage) => page.next,
  });
