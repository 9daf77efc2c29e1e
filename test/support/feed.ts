import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import type { EventBody } from '@freebets/contract';
import { accepted } from './answers.ts';
import { type Answer, call, demo, type Partner } from './caller.ts';

// Readers of /Events/List as in the guide for partners: the next page starts after the last sequence of a page.

/** The events of a page, after the checks that apply to every page. */
function pageOf(answer: Answer, after: number, limit: number, { clientId }: Partner): EventBody[] {
  const { events, last_sequence } = accepted('EventsList', answer);
  assert.ok(events.length <= limit);
  events.forEach((event: EventBody, i: number) => {
    assert.equal(event.sequence, after + i + 1, `after ${after}, one was skipped or repeated`);
    assert.equal(event.client_id, clientId);
  });
  assert.equal(last_sequence, after + events.length);
  return events;
}

/** All current events after a given one. */
export async function readFeed(url: string, partner = demo, after = 0, limit = 1000): Promise<EventBody[]> {
  const events: EventBody[] = [];
  for (;;) {
    const from = after + events.length;
    const page = pageOf(await call(url, 'EventsList', { after: from, limit }, partner), from, limit, partner);
    if (page.length === 0) return events;
    events.push(...page);
  }
}

export interface Follower {
  /** Reads to the end and stops; returns all events. */
  end(): Promise<EventBody[]>;
}

/** Reads pages continuously from alternating servers, and skips servers that are down. */
export function follow(urls: string[], limitOf: (page: number) => number, partner = demo): Follower {
  const events: EventBody[] = [];
  let isEnding = false;
  const following = (async () => {
    for (let turn = 0; ; turn++) {
      const wasEnding = isEnding;
      const [after, limit] = [events.length, limitOf(turn)];
      const url = urls[turn % urls.length] as string;
      const answer = await call(url, 'EventsList', { after, limit }, partner).catch(() => undefined);
      // At the end of the feed it pauses, to leave the processor to the writers.
      await setTimeout(answer?.body?.events?.length > 0 ? 0 : 5);
      if (answer === undefined || answer.status === 503) continue;
      const page = pageOf(answer, after, limit, partner);
      if (wasEnding && page.length === 0) return events;
      events.push(...page);
    }
  })();
  // `stop` reports a failure. Until then it must not end the process.
  following.catch(() => {});
  return {
    end() {
      isEnding = true;
      return following;
    },
  };
}
