import type { EventsListResponse } from './answers.ts';
import type { Call } from './caller.ts';
import { FreebetsError } from './freebets-error.ts';
import { pause } from './retry.ts';
import type { FreebetsEvent } from './things.ts';

// Follows the feed of a partner. The position is the caller's to keep: the `sequence` of the last event that was dealt with is the
// next `after`.

export interface EventsOptions {
  /** The `sequence` of the last event that you have dealt with; 0 when absent, to begin with the oldest that there is. */
  after?: number | undefined;
  /** `false` ends at the last event there is, instead of waiting for more. */
  follow?: boolean | undefined;
  /** How long to wait where there is nothing new; 1 s when absent. */
  pauseMs?: number | undefined;
  /** Ends it, between two events and without an error. */
  signal?: AbortSignal | undefined;
  /** Whoever follows outlives a service that cannot be reached, however long; each time that a call is given up is told here. */
  onError?: ((error: FreebetsError) => void) | undefined;
}

const eventsOfPage = 1000;

export async function* eventsOf(call: Call, options: EventsOptions = {}): AsyncGenerator<FreebetsEvent, void> {
  const { follow = true, pauseMs = 1000, signal, onError } = options;
  const next = async (after: number) => {
    try {
      return (await call('EventsList', { after, limit: eventsOfPage }, { signal })) as EventsListResponse;
    } catch (error) {
      if (signal?.aborted) return undefined;
      if (!follow || !(error instanceof FreebetsError) || !error.isRetryable) throw error;
      onError?.(error);
      return { events: [], last_sequence: after };
    }
  };
  for (let after = options.after ?? 0; ; ) {
    const page = await next(after);
    for (const event of page?.events ?? []) {
      if (signal?.aborted) return;
      yield event;
    }
    if (page === undefined || signal?.aborted) return;
    after = page.last_sequence;
    if (page.events.length > 0) continue;
    if (!follow) return;
    await pause(pauseMs, [signal]);
  }
}
