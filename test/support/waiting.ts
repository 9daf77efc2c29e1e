import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';

/** Asks again and again until it is so; how long that took, in milliseconds. Fails when the bound has passed. */
export async function until(what: string, boundMs: number, isSo: () => boolean | Promise<boolean>): Promise<number> {
  const began = performance.now();
  for (;;) {
    if (await isSo()) return performance.now() - began;
    assert.ok(performance.now() - began < boundMs, `not within ${boundMs} ms: ${what}`);
    await setTimeout(20);
  }
}
