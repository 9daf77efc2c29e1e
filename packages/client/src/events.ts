import type { EventsListResponse } from './answers.ts';
import type { Call } from './caller.ts';
import { FreebetsError } from './freebets-error.ts';
import { pause } from './retry.ts';
import type { FreebetsEvent } from './things.ts';

// Follows the feed of a partner. The caller stores the cursor: the number and the id of the last event processed. With the id, the
// service refuses a cursor from before a restore, instead of skipping the events that reuse its numbers.

/** The `sequence` and the `event_id` of the last event that you have processed; every event is one. */
export interface EventCursor {
  sequence: number;
  /** Without it, a restore of the service goes unnoticed. */
  event_id?: string | null | undefined;
}

export interface EventsOptions {
  /** Where to begin; the oldest event when absent. A number alone is a cursor without an id. */
  after?: EventCursor | number | undefined;
  /** `false` ends at the last event there is, instead of waiting for more. */
  follow?: boolean | undefined;
  /** How long to wait where there is nothing new; 1 s when absent. */
  pauseMs?: number | undefined;
  /** Ends it, between two events and without an error. */
  signal?: AbortSignal | undefined;
  /** Whoever follows outlives a service that cannot be reached, however long; each time that a call is given up is told here. */
  onError?: ((error: FreebetsError) => void) | undefined;
}

export async function* eventsOf(call: Call, options: EventsOptions = {}): AsyncGenerator<FreebetsEvent, void> {
  const { follow = true, pauseMs = 1000, signal, onError } = options;
  const after = options.after ?? 0;
  let cursor: EventCursor = typeof after === 'number' ? { sequence: after } : after;
  while (!signal?.aborted) {
    let events: FreebetsEvent[] = [];
    const request = { after: cursor.sequence, after_event_id: cursor.event_id ?? undefined, limit: 1000 };
    try {
      ({ events } = (await call('EventsList', request, { signal })) as EventsListResponse);
    } catch (error) {
      if (signal?.aborted) return;
      if (!follow || !(error instanceof FreebetsError) || !error.isRetryable) throw error;
      onError?.(error);
    }
    for (const event of events) {
      if (signal?.aborted) return;
      cursor = event;
      yield event;
    }
    if (events.length > 0) continue;
    if (!follow) return;
    await pause(pauseMs, [signal]);
  }
}
