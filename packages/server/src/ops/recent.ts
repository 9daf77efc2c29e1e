import type { BatchTimes } from '../engine/attempts.ts';

// What this server did in the last ten seconds, for people who watch. One slot for each second; the one that is being filled does
// not count yet. Latency goes into buckets that are each a quarter longer than the one before, so that no request is kept.

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
  requests: number;
  latencies: Uint32Array;
  batches: number;
  commands: number;
  loadMs: number;
  commitMs: number;
}

const seconds = 10;
const bucketCount = 64;
const shortestMs = 0.1;
const growth = 1.25;

const logGrowth = Math.log(growth);

const bucketOf = (ms: number): number =>
  Math.min(bucketCount - 1, Math.max(0, Math.ceil(Math.log(ms / shortestMs) / logGrowth)));
const longestIn = (bucket: number): number => shortestMs * growth ** bucket;

const emptySlot = (second: number): Slot => ({
  second,
  requests: 0,
  latencies: new Uint32Array(bucketCount),
  batches: 0,
  commands: 0,
  loadMs: 0,
  commitMs: 0,
});

/** What goes on for as long as somebody listens says nothing of how fast answers are; nor do pages and probes. */
const isCounted = (operation: string): boolean => operation !== 'Live' && !operation.startsWith('/');

/** In seconds since any moment. */
export function keepRecent(now: () => number = () => performance.now() / 1000): Recent {
  const slots: Slot[] = Array.from({ length: seconds + 1 }, () => emptySlot(-1));
  const begun = Math.floor(now());
  let lastSize: number | null = null;

  const slotNow = (): Slot => {
    const second = Math.floor(now());
    const place = second % slots.length;
    const slot = slots[place] as Slot;
    if (slot.second === second) return slot;
    const fresh = emptySlot(second);
    slots[place] = fresh;
    return fresh;
  };

  return {
    observeRequest(operation, elapsedS) {
      if (!isCounted(operation)) return;
      const slot = slotNow();
      slot.requests += 1;
      const bucket = bucketOf(elapsedS * 1000);
      slot.latencies[bucket] = (slot.latencies[bucket] ?? 0) + 1;
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
  const [requests, batches] = [sum((slot) => slot.requests), sum((slot) => slot.batches)];
  const latencies = Array.from({ length: bucketCount }, (_, i) => sum((slot) => slot.latencies[i] ?? 0));
  const perBatch = (total: number) => (batches === 0 ? null : rounded(total / batches));
  return {
    requests: {
      per_second: rounded(requests / spanS),
      p50_ms: quantile(latencies, requests, 0.5),
      p99_ms: quantile(latencies, requests, 0.99),
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

function quantile(counts: number[], total: number, share: number): number | null {
  if (total === 0) return null;
  let left = Math.ceil(total * share);
  const bucket = counts.findIndex((count) => {
    left -= count;
    return left <= 0;
  });
  return rounded(longestIn(bucket));
}

const rounded = (value: number): number => Math.round(value * 100) / 100;
