import type { EventsListResponse } from './answers.ts';
import type { Call, CallOptions } from './caller.ts';
import { FreebetsError } from './freebets-error.ts';
import { pause } from './retry.ts';
import type { FreebetsEvent } from './things.ts';

// Follows the feed of a partner. The caller stores the cursor: the sequence and the ID of the last event processed.
// With the ID, the service refuses a cursor from before a restore, instead of skipping the events that reuse its
// sequence numbers.

/** The `sequence` and the `event_id` of the last event that you processed. Every event is a valid cursor. */
export interface EventCursor {
  sequence: number;
  /** Without it, the service can't detect that it was restored from a backup. */
  event_id?: string | null | undefined;
}

export interface EventsOptions extends CallOptions {
  /** The last event that you processed; absent to start with the oldest event. A number is a cursor without an ID. */
  after?: EventCursor | number | undefined;
  /** `false` ends after the newest event instead of waiting for more. */
  follow?: boolean | undefined;
  /** The pause when there is no new event; 1 s if absent. */
  pauseMs?: number | undefined;
  /** Ends the iteration between two events, without an error. */
  signal?: AbortSignal | undefined;
  /** Called each time a call gives up. The iteration then continues, however long the service is unreachable. */
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
      ({ events } = (await call('EventsList', request, options)) as EventsListResponse);
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
