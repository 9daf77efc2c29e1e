/** A little later than the schedule says, so that what failed together is not tried again together. */
const jitter = 0.1;

/** How long to wait after so many attempts have failed; undefined when that was the last. */
export function delayAfter(
  scheduleMs: readonly number[],
  attempts: number,
  retryAfterMs: number,
  random: number,
): number | undefined {
  const delayMs = scheduleMs[attempts - 1];
  return delayMs === undefined ? undefined : Math.max(delayMs * (1 + jitter * random), retryAfterMs);
}
