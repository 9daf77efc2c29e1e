/** How many items the next step of a job has, from what became of those before. */
export interface StepSize {
  /** At least one, however little room there is. */
  within(room: number): number;
  took(items: number, ms: number): void;
  /** Such as by a timeout: the next one is half as large, and so on down to a single item; then twice as large with each success. */
  failed(items: number): void;
  /** The next `items` go one to a step, because one of them makes every step with it fail. */
  oneByOne(items: number): void;
}

/**
 * Requests on other servers wait for the row of the campaign as long as a step takes. Longer ones gain a job little.
 */
const aimMs = 20;
/** A short step takes about as long as this many items do, so that to make it shorter still gains nobody anything. */
const leastByTime = 128;
/** One step that was held up by something else must not make all that follow small. */
const mostShrink = 0.75;
/** As the shared terms of a direct job are written: into every free bet, and into its event. */
const mostBytes = 2 * 1024 * 1024;

/** `bytesPerItem` is what every item repeats. With `isCareful`, the first items go one by one, because the first step failed before. */
export function stepSizeOf(bytesPerItem: number, isCareful = false): StepSize {
  const mostByBytes = bytesPerItem === 0 ? Number.POSITIVE_INFINITY : Math.floor(mostBytes / bytesPerItem);
  let most = leastByTime;
  let single = isCareful ? leastByTime : 0;
  return {
    within: (room) => (single > 0 ? 1 : Math.max(1, Math.min(room, mostByBytes, Math.floor(most)))),
    took(items, ms) {
      if (single > 0) {
        single -= items;
        return;
      }
      const fitting = (items * aimMs) / ms;
      const isTooLong = ms > aimMs && most >= leastByTime;
      if (isTooLong) most = Math.min(most, Math.max(leastByTime, fitting, most * mostShrink));
      // One that was kept small by something else says nothing of larger ones.
      else if (items >= Math.floor(most)) most = Math.min(Math.max(leastByTime, fitting), most * 2);
    },
    failed(items) {
      most = Math.max(1, Math.min(most, items / 2));
    },
    oneByOne(items) {
      single = items;
    },
  };
}
