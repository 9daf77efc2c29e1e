import type { EventBody } from '@freebets/contract';
import { call } from '../../api/call.ts';

// Events by their numbers, which have no gap.

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

interface Place {
  sequence: number;
  atMs: number;
}

/** The first event at this time or later, by guesses between two that are known: times are in the order of the numbers. */
async function firstSince(clientId: number, atMs: number, last: number, known: Place[], signal?: AbortSignal) {
  let low = known.findLast((place) => place.atMs < atMs)?.sequence ?? 0;
  let high = known.find((place) => place.atMs >= atMs)?.sequence ?? last + 1;
  while (high - low > 1) {
    const event = await eventFrom(clientId, Math.floor((low + high) / 2), signal);
    if (event === undefined) {
      high = Math.floor((low + high) / 2);
      continue;
    }
    const place = { sequence: event.sequence, atMs: Date.parse(event.occurred_at) };
    known.splice(known.findLastIndex((each) => each.sequence < place.sequence) + 1, 0, place);
    if (place.atMs < atMs) low = Math.max(low, place.sequence);
    else high = Math.floor((low + high) / 2);
  }
  return high;
}

const readAround = 200;

export interface FoundEvents {
  events: EventBody[];
  /** Whether every event since the first of them was read. */
  isWhole: boolean;
}

/** The events of a free bet, searched for around the times at which something happened to it. */
export async function eventsOf(clientId: number, issueId: string, times: string[], signal?: AbortSignal) {
  const last = await lastSequence(clientId, signal);
  const known: Place[] = [];
  const found = new Map<number, EventBody>();
  let [readFrom, readTo] = [Number.POSITIVE_INFINITY, 0];
  let isWhole = true;
  for (const time of times.toSorted()) {
    const first = await firstSince(clientId, Date.parse(time), last, known, signal);
    if (first + readAround - 1 <= readTo || first > last) continue;
    const events = await eventsAfter(clientId, first - 1, readAround, signal);
    isWhole &&= readTo === 0 || first <= readTo + 1;
    readFrom = Math.min(readFrom, first);
    readTo = Math.max(readTo, first + readAround - 1);
    for (const event of events)
      if ('free_bet' in event.data && event.data.free_bet.issue_id === issueId) found.set(event.sequence, event);
  }
  const events = [...found.values()].toSorted((a, b) => a.sequence - b.sequence);
  return { events, isWhole: isWhole && readTo >= last } satisfies FoundEvents;
}
