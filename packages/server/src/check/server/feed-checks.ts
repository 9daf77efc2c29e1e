import { randomUUID } from 'node:crypto';
import type { EventsListResponse, FreebetsEvent } from '@freebets/client';
import type { Check } from '../check.ts';
import { bodyIn, type Exchange } from '../exchange.ts';
import { directIssue, type Parties, type Party } from './parties.ts';
import { holds, mustRefuse, mustSucceed, statusOf } from './wire.ts';

const guide = 'partners/events#keep-a-cursor';

/** An upper bound for the length of any feed. */
const maxEvents = 2 ** 50;

type Page = EventsListResponse & { exchange: Exchange };

export async function eventsAfter(party: Party, after: number, limit = 1000): Promise<Page> {
  const exchange = await party.send('EventsList', { after, limit });
  return { ...mustSucceed<EventsListResponse>(exchange), exchange };
}

/** Finds the number of the last event by binary search, for feeds of any length. */
export async function headOf(party: Party): Promise<number> {
  const isBefore = async (after: number) => {
    const exchange = await party.send('EventsList', { after, limit: 1 });
    // The server refuses a cursor past the end of the feed.
    return statusOf(exchange) !== 400 && mustSucceed<EventsListResponse>(exchange).events.length > 0;
  };
  let [low, high] = [0, 1];
  while (await isBefore(high)) {
    holds(high < maxEvents, `There are events after the number ${high}, as if "after" were ignored.`, party.seen.last);
    [low, high] = [high, high * 2];
  }
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (await isBefore(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Causes events, and returns the issue ids in order. */
async function makeEvents(party: Party, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < count; i++) ids.push((await party.call('Issue', directIssue(party))).issue_id);
  return ids;
}

const issueIdIn = (event: FreebetsEvent): string | undefined =>
  (event.data as { free_bet?: { issue_id: string } }).free_bet?.issue_id;

/** The number in the details of a refusal; undefined if there is none. */
function numberIn(exchange: Exchange, field: string): string | undefined {
  const details = bodyIn(exchange)?.details as { field: string; value?: string }[] | undefined;
  return details?.find((one) => one.field === field)?.value;
}

/** Those of the ids that the events are about, in the order of the events. */
const idsAmong = (events: FreebetsEvent[], ids: string[]): string[] =>
  events.map((event) => issueIdIn(event) ?? '').filter((id) => ids.includes(id));

export const feedChecks: Check<Parties>[] = [
  {
    id: 'feed.order',
    rule: 'Events are numbered without gaps, in the order of the changes.',
    guide,
    advice: 'Assign the number in the transaction of the change, under a lock on the partner.',
    async run({ us }) {
      const from = await headOf(us);
      const ids = await makeEvents(us, 4);
      const { events, exchange } = await eventsAfter(us, from);
      const isWithoutGap = events.every(
        ({ sequence }, i) => i === 0 || sequence === (events[i - 1]?.sequence ?? 0) + 1,
      );
      holds(isWithoutGap, `The numbers are ${events.map(({ sequence }) => sequence).join(', ')}.`, exchange);
      const seen = idsAmong(events, ids);
      holds(JSON.stringify(seen) === JSON.stringify(ids), 'The events of four free bets are out of order.', exchange);
    },
  },
  {
    id: 'feed.resume',
    rule: 'Reading on from last_sequence skips and repeats no event.',
    guide,
    advice: 'Return the events with a number greater than `after`, and the last number as last_sequence.',
    async run({ us }) {
      const from = await headOf(us);
      const ids = await makeEvents(us, 4);
      const seen: string[] = [];
      let [after, last]: [number, Exchange | undefined] = [from, undefined];
      for (let page = 0; page < 50; page++) {
        const { events, last_sequence, exchange } = await eventsAfter(us, after, 2);
        last = exchange;
        holds(
          last_sequence === (events.at(-1)?.sequence ?? after),
          'last_sequence is not the number of the last event on the page.',
          exchange,
        );
        if (events.length === 0) break;
        seen.push(...idsAmong(events, ids));
        after = last_sequence;
      }
      const isSame = JSON.stringify(seen.toSorted()) === JSON.stringify(ids.toSorted());
      holds(isSame, `Read in pages of two, ${ids.length} events came as ${seen.length}.`, last);
    },
  },
  {
    id: 'feed.one-time',
    rule: 'Every change emits one event; a repeated or refused request emits none.',
    guide: 'partners/events#types',
    advice: 'Write the event in the transaction of the change, and only if something changed.',
    async run({ us }) {
      const from = await headOf(us);
      const request = directIssue(us);
      const { issue_id } = request;
      for (let i = 0; i < 2; i++) await us.send('Issue', request);
      await us.send('Issue', { ...request, quantity: 2 });
      for (let i = 0; i < 2; i++) await us.send('Cancel', { issue_id });
      const { events, exchange } = await eventsAfter(us, from);
      const types = events.filter((event) => issueIdIn(event) === issue_id).map(({ type }) => type);
      const isRight = types.join() === 'freebet.issued,freebet.cancelled';
      holds(isRight, `A free bet that was issued and cancelled emitted ${types.join(', ') || 'no events'}.`, exchange);
    },
  },
  {
    id: 'feed.cursor',
    rule:
      'A cursor with the event_id of its event returns the next events. A cursor with another id, or ahead of ' +
      'the feed, is refused with feed_changed.',
    guide: 'partners/events#recover-after-a-restore',
    advice: 'Compare after_event_id with the id of the event at after, in the statement that reads the page.',
    async run({ us }) {
      const from = await headOf(us);
      await makeEvents(us, 3);
      const { events, exchange } = await eventsAfter(us, from);
      const [first, second] = events;
      holds(
        first !== undefined && second !== undefined,
        'Three free bets were issued, but there are fewer than two events.',
        exchange,
      );
      const at = (after: number, after_event_id: string) => us.send('EventsList', { after, after_event_id, limit: 1 });
      const on = await at(first.sequence, first.event_id);
      const [next] = mustSucceed<EventsListResponse>(on, 'A cursor with the id of its event').events;
      holds(
        next?.event_id === second.event_id,
        'A cursor with the id of its event does not return the next event.',
        on,
      );
      for (const id of [randomUUID(), second.event_id]) {
        mustRefuse(await at(first.sequence, id), 'feed_changed', 'A cursor with the id of another event');
      }
      const ahead = await at(maxEvents, second.event_id);
      mustRefuse(ahead, 'feed_changed', 'A cursor ahead of the feed');
      const last = numberIn(ahead, 'last_sequence');
      holds(Number(last) > first.sequence, `details have ${last} as last_sequence, but there are later events.`, ahead);
      const start = await us.send('EventsList', { after: 0, after_event_id: first.event_id, limit: 1 });
      mustRefuse(start, 'invalid_request', 'The start of the feed with an id');
    },
  },
  {
    id: 'feed.oldest',
    rule: 'Every page has the oldest_sequence of the feed. A cursor with an id from before it is refused with events_removed.',
    guide: 'partners/events#recover-after-a-restore',
    advice: 'Keep the number of the last removed event, and always keep the newest event.',
    async run({ us }) {
      await makeEvents(us, 1);
      const { events, oldest_sequence, exchange } = await eventsAfter(us, 0, 1);
      const first = events[0]?.sequence;
      holds(
        first === oldest_sequence,
        `The oldest event is ${first}, oldest_sequence is ${oldest_sequence}.`,
        exchange,
      );
      // Without removed events there is no such cursor.
      if (oldest_sequence <= 2) return;
      const request = { after: oldest_sequence - 2, after_event_id: randomUUID(), limit: 1 };
      const removed = await us.send('EventsList', request);
      mustRefuse(removed, 'events_removed', 'A cursor from before the oldest event');
      const oldest = numberIn(removed, 'oldest_sequence');
      holds(Number(oldest) >= oldest_sequence, `details have ${oldest} as oldest_sequence.`, removed);
    },
  },
];
