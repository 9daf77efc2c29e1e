import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';

const turnMs = 20;

/** However slow a machine is, so many times the bound is too long. */
const mostSlowness = 10;

/**
 * Asks again and again until it is so; how long that took, in milliseconds. Fails when the bound has passed. Where the machine is
 * busy, seen by pauses that take longer than they should, what is asked takes so much longer too, and counts for as much less, in
 * both.
 */
export async function until(what: string, boundMs: number, isSo: () => boolean | Promise<boolean>): Promise<number> {
  const began = performance.now();
  for (let counted = 0, slowness = 1; ; ) {
    const asked = performance.now();
    if (await isSo()) return counted + (performance.now() - asked) / slowness;
    const paused = performance.now();
    const isInTime = counted < boundMs && paused - began < mostSlowness * boundMs;
    assert.ok(isInTime, `not within ${boundMs} ms, after ${Math.round(paused - began)}: ${what}`);
    await setTimeout(turnMs);
    slowness = Math.max(1, (performance.now() - paused) / turnMs);
    counted += turnMs + (paused - asked) / slowness;
  }
}
