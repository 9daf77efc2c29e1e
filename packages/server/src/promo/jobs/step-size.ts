/** Adapts the number of items in the next step to the duration and failures of earlier steps. */
export interface StepSize {
  /** At least 1, even without room. */
  within(room: number): number;
  took(items: number, ms: number): void;
  /**
   * After a failure such as a timeout, the next step is half as large, down to one item. Each success doubles it again.
   */
  failed(items: number): void;
  /** The next `items` are sent one per step, because one of them makes its step fail. */
  oneByOne(items: number): void;
}

/**
 * The target duration. Requests on other servers wait for the campaign's row during a step, and longer steps gain
 * little.
 */
const targetMs = 20;
/**
 * A step with fewer items takes about as long as one with this many, so duration alone never shrinks a step further.
 */
const minByTime = 128;
/** Limits the shrinking after one slow step, which may have been delayed by something else. */
const maxShrink = 0.75;
/** The limit for the shared terms of a direct job, which are written into every free bet and its event. */
const maxSharedBytes = 2 * 1024 * 1024;

/**
 * Every item repeats `bytesPerItem`. Set `isCareful` after earlier failures: the first items are then sent one by one.
 */
export function stepSizeOf(bytesPerItem: number, isCareful = false): StepSize {
  const maxByBytes = bytesPerItem === 0 ? Number.POSITIVE_INFINITY : Math.floor(maxSharedBytes / bytesPerItem);
  let limit = minByTime;
  let single = isCareful ? minByTime : 0;
  return {
    within: (room) => (single > 0 ? 1 : Math.max(1, Math.min(room, maxByBytes, Math.floor(limit)))),
    took(items, ms) {
      if (single > 0) {
        single -= items;
        return;
      }
      const fitting = (items * targetMs) / ms;
      const isTooLong = ms > targetMs && limit >= minByTime;
      if (isTooLong) limit = Math.min(limit, Math.max(minByTime, fitting, limit * maxShrink));
      // Only a step of full size shows that larger ones would fit.
      else if (items >= Math.floor(limit)) limit = Math.min(Math.max(minByTime, fitting), limit * 2);
    },
    failed(items) {
      limit = Math.max(1, Math.min(limit, items / 2));
    },
    oneByOne(items) {
      single = items;
    },
  };
}
