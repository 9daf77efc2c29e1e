import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';

const turnMs = 20;

/** How much longer than its bound a test waits on a machine that has no time for it. */
const slowMs = 60_000;

// It stands still while the machine does, and never makes up for it: what was missed is not counted.
let turns = 0;
setInterval(() => {
  turns += 1;
}, turnMs).unref();

/** The milliseconds from here on, less those in which the machine had no time for this process; what keeps it busy counts. */
export function stopwatch(): () => number {
  const [began, before, used] = [performance.now(), turns, process.cpuUsage()];
  return () => {
    const { user, system } = process.cpuUsage(used);
    const hadMs = Math.max((turns - before + 1) * turnMs, (user + system) / 1000);
    return Math.min(performance.now() - began, hadMs);
  };
}

/**
 * Asks again and again until it is so; how long that took, by the stopwatch. Fails when the bound has passed by it, and a good
 * deal more where it lags behind the clock on the wall: then what is asked has as little time as we have.
 */
export async function until(what: string, boundMs: number, isSo: () => boolean | Promise<boolean>): Promise<number> {
  const [began, countedMs] = [performance.now(), stopwatch()];
  while (!(await isSo())) {
    const [counted, passed] = [countedMs(), performance.now() - began];
    const isSlow = passed > 1.5 * counted;
    assert.ok(
      (counted < boundMs || isSlow) && passed < 10 * boundMs + slowMs,
      `not within ${boundMs} ms, after ${Math.round(passed)}: ${what}`,
    );
    await setTimeout(turnMs);
  }
  return countedMs();
}
