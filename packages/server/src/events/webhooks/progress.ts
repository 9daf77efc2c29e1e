import type { DeliveryResult, Progress } from './sql/progress.ts';

// What a courier has done and not yet written down. Events are taken from the feed in order and end in any order; those at
// the front that have ended count as attempted, so that one number tells how far the courier has come. An attempt that
// takes long must not hold up the rest, or a crash would repeat them all: it is set aside, written down like a failure that
// is to be tried again later than it can last, and written over when it ends.

export interface Unrecorded {
  /** The next event of the feed is attempted. */
  begin(sequence: number): void;
  /** `result` says what to write down if it needs a row of its own, as everything does but a receipt at first attempt. */
  end(sequence: number, hasReceived: boolean, result: DeliveryResult): void;
  isEmpty(): boolean;
  collect(): Progress;
}

export interface Patience {
  /** An attempt under way for longer is set aside. */
  patienceMs: number;
  /** Until it is tried again if nothing more is heard of it. */
  setAsideMs: number;
}

export function openProgress(attemptedThrough: number, { patienceMs, setAsideMs }: Patience): Unrecorded {
  const begun: { sequence: number; at: number }[] = [];
  const ended = new Set<number>();
  let results: DeliveryResult[] = [];
  let recorded = attemptedThrough;
  let through = attemptedThrough;
  let hasReceived = false;
  let hasFailed = false;

  const setAside = (sequence: number) => {
    results.push({ sequence, state: 'waiting', attempts: 0, resent: 0, delayMs: setAsideMs, outcome: 'under way' });
  };

  const moveOn = () => {
    const patientUntil = performance.now() - patienceMs;
    let count = 0;
    for (const { sequence, at } of begun) {
      if (!ended.delete(sequence)) {
        if (at > patientUntil) break;
        setAside(sequence);
      }
      through = sequence;
      count += 1;
    }
    begun.splice(0, count);
  };

  return {
    begin(sequence) {
      begun.push({ sequence, at: performance.now() });
    },
    end(sequence, isReceipt, result) {
      const isFirst = sequence > through;
      if (isFirst) ended.add(sequence);
      if (!isFirst || !isReceipt) results.push(result);
      if (isReceipt) hasReceived = true;
      else hasFailed = true;
    },
    isEmpty() {
      moveOn();
      return through === recorded && results.length === 0;
    },
    collect() {
      moveOn();
      // What failed beyond the front waits for it: an event has a row only when it counts as attempted.
      const ready = results.filter(({ sequence }) => sequence <= through);
      results = results.filter(({ sequence }) => sequence > through);
      const attempted = { attemptedFrom: recorded + 1, attemptedThrough: through };
      const progress = { ...attempted, results: latest(ready), hasReceived, hasFailed };
      recorded = through;
      hasReceived = hasFailed = false;
      return progress;
    },
  };
}

/** One row is written once in a statement, and in the order of their numbers, as by everybody. */
const latest = (results: DeliveryResult[]): DeliveryResult[] =>
  [...new Map(results.map((result) => [result.sequence, result])).values()].sort((a, b) => a.sequence - b.sequence);
