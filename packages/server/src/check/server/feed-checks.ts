import type { EventsListResponse, FreebetsEvent } from '@freebets/client';
import type { Check } from '../check.ts';
import type { Exchange } from '../exchange.ts';
import { directIssue, type Parties, type Party } from './parties.ts';
import { carriedOut, holds, statusOf } from './wire.ts';

const guide = 'partners#reading-events';

/** No feed is as long. */
const mostEvents = 2 ** 50;

type Page = EventsListResponse & { exchange: Exchange };

export async function eventsAfter(party: Party, after: number, limit = 1000): Promise<Page> {
  const exchange = await party.send('EventsList', { after, limit });
  return { ...carriedOut<EventsListResponse>(exchange), exchange };
}

/** The number after which nothing has happened yet, found in a few steps however long the feed is. */
export async function headOf(party: Party): Promise<number> {
  const isBefore = async (after: number) => {
    const exchange = await party.send('EventsList', { after, limit: 1 });
    // Who is ahead of the feed is told so.
    return statusOf(exchange) !== 400 && carriedOut<EventsListResponse>(exchange).events.length > 0;
  };
  let [low, high] = [0, 1];
  while (await isBefore(high)) {
    holds(
      high < mostEvents,
      `There are events after the number ${high}, as if after were not regarded.`,
      party.seen.last,
    );
    [low, high] = [high, high * 2];
  }
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (await isBefore(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Some things happen; their ids, in their order. */
async function makeEvents(party: Party, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < count; i++) ids.push((await party.call('Issue', directIssue(party))).issue_id);
  return ids;
}

const issueIdIn = (event: FreebetsEvent): string | undefined =>
  (event.data as { free_bet?: { issue_id: string } }).free_bet?.issue_id;

/** Those of the ids that the events are about, in their order. */
const idsAmong = (events: FreebetsEvent[], ids: string[]): string[] =>
  events.map((event) => issueIdIn(event) ?? '').filter((id) => ids.includes(id));

export const feedChecks: Check<Parties>[] = [
  {
    id: 'feed.order',
    rule: 'Events are numbered one by one without a gap, and come in the order in which things happened.',
    guide,
    advice: 'Give the number in the transaction of the change, under a lock of the partner.',
    async run({ us }) {
      const from = await headOf(us);
      const ids = await makeEvents(us, 4);
      const { events, exchange } = await eventsAfter(us, from);
      const isWithoutGap = events.every(
        ({ sequence }, i) => i === 0 || sequence === (events[i - 1]?.sequence ?? 0) + 1,
      );
      holds(isWithoutGap, `The numbers are ${events.map(({ sequence }) => sequence).join(', ')}.`, exchange);
      const seen = idsAmong(events, ids);
      holds(JSON.stringify(seen) === JSON.stringify(ids), 'Four free bets are not told in their order.', exchange);
    },
  },
  {
    id: 'feed.resume',
    rule: 'Whoever goes on from last_sequence misses nothing and gets nothing twice.',
    guide,
    advice: 'Answer events with a greater number than after, and the last of them as last_sequence.',
    async run({ us }) {
      const from = await headOf(us);
      const ids = await makeEvents(us, 4);
      const seen: string[] = [];
      let [after, last]: [number, Exchange | undefined] = [from, undefined];
      for (let page = 0; page < 50; page++) {
        const { events, last_sequence, exchange } = await eventsAfter(us, after, 2);
        last = exchange;
        holds(last_sequence === (events.at(-1)?.sequence ?? after), 'last_sequence is not that of the page.', exchange);
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
    rule: 'Every change is told one time; a repeated or refused request tells nothing.',
    guide: 'partners#events',
    advice: 'Write the event in the transaction of the change, and only where something has changed.',
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
      holds(isRight, `A free bet that was issued and cancelled is told as ${types.join(', ') || 'nothing'}.`, exchange);
    },
  },
];
