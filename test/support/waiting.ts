import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';

const turnMs = 20;

/** How much longer than its limit a test waits on a busy machine. */
const slowMs = 60_000;

// It stops while the process gets no processor time, and does not count that time later.
let turns = 0;
setInterval(() => {
  turns += 1;
}, turnMs).unref();

/** The milliseconds from now, without the time in which this process waited for a processor. */
export function stopwatch(): () => number {
  const [began, before, used] = [performance.now(), turns, process.cpuUsage()];
  return () => {
    const { user, system } = process.cpuUsage(used);
    const hadMs = Math.max((turns - before + 1) * turnMs, (user + system) / 1000);
    return Math.min(performance.now() - began, hadMs);
  };
}

/**
 * Polls until the condition holds, and returns the time by the stopwatch. Fails when the limit has passed by the
 * stopwatch. It waits longer if the stopwatch lags behind the real time, because then the service also gets little
 * processor time.
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
