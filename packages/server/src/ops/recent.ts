import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';
import type { BatchTimes } from '../engine/attempts.ts';

// This server's activity in the last ten seconds, for the console. One slot per second; the slot of the current second
// does not count yet.

export interface Recent {
  observeRequest(operation: string, elapsedS: number): void;
  observeBatch(size: number, times: BatchTimes): void;
  read(): RecentRead;
}

export interface RecentRead {
  requests: { per_second: number; p50_ms: number | null; p99_ms: number | null };
  lanes: {
    batches_per_second: number;
    mean_size: number | null;
    last_size: number | null;
    load_ms: number | null;
    commit_ms: number | null;
  };
}

interface Slot {
  second: number;
  /** Response times in microseconds. */
  latencies: RecordableHistogram;
  batches: number;
  commands: number;
  loadMs: number;
  commitMs: number;
}

const seconds = 10;
/** In microseconds. */
const longest = 3600 * 1e6;

const openHistogram = () => createHistogram({ highest: longest, figures: 2 });

const emptySlot = (): Slot => ({
  second: -1,
  latencies: openHistogram(),
  batches: 0,
  commands: 0,
  loadMs: 0,
  commitMs: 0,
});

/** Excludes streams, whose duration is not a response time, and pages and probes. */
const isCounted = (operation: string): boolean => operation !== 'Live' && !operation.startsWith('/');

/** `now` returns seconds since an arbitrary moment. */
export function keepRecent(now: () => number = () => performance.now() / 1000): Recent {
  const slots: Slot[] = Array.from({ length: seconds + 1 }, emptySlot);
  const begun = Math.floor(now());
  let lastSize: number | null = null;

  const slotNow = (): Slot => {
    const second = Math.floor(now());
    const slot = slots[second % slots.length] as Slot;
    if (slot.second === second) return slot;
    slot.latencies.reset();
    return Object.assign(slot, { second, batches: 0, commands: 0, loadMs: 0, commitMs: 0 });
  };

  return {
    observeRequest(operation, elapsedS) {
      if (!isCounted(operation)) return;
      slotNow().latencies.record(Math.min(longest, Math.max(1, Math.ceil(elapsedS * 1e6))));
    },
    observeBatch(size, { loadMs, commitMs }) {
      const slot = slotNow();
      lastSize = size;
      slot.batches += 1;
      slot.commands += size;
      slot.loadMs += loadMs;
      slot.commitMs += commitMs;
    },
    read() {
      const second = Math.floor(now());
      const whole = slots.filter((slot) => slot.second < second && slot.second >= second - seconds);
      return readOf(whole, Math.max(1, Math.min(seconds, second - begun)), lastSize);
    },
  };
}

function readOf(slots: Slot[], spanS: number, last_size: number | null): RecentRead {
  const sum = (of: (slot: Slot) => number) => slots.reduce((total, slot) => total + of(slot), 0);
  const latencies = openHistogram();
  for (const slot of slots) latencies.add(slot.latencies);
  const quantile = (percent: number) => (latencies.count === 0 ? null : rounded(latencies.percentile(percent) / 1000));
  const batches = sum((slot) => slot.batches);
  const perBatch = (total: number) => (batches === 0 ? null : rounded(total / batches));
  return {
    requests: {
      per_second: rounded(latencies.count / spanS),
      p50_ms: quantile(50),
      p99_ms: quantile(99),
    },
    lanes: {
      batches_per_second: rounded(batches / spanS),
      mean_size: perBatch(sum((slot) => slot.commands)),
      last_size,
      load_ms: perBatch(sum((slot) => slot.loadMs)),
      commit_ms: perBatch(sum((slot) => slot.commitMs)),
    },
  };
}

const rounded = (value: number): number => Math.round(value * 100) / 100;
