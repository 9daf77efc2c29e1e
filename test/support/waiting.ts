import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';

const turnMs = 20;

/**
 * Asks again and again until it is so; how long that took, in milliseconds. Fails when the bound has passed: on a machine that is
 * so busy that turns take much longer than they should, after as many of them as there would be in that time.
 */
export async function until(what: string, boundMs: number, isSo: () => boolean | Promise<boolean>): Promise<number> {
  const began = performance.now();
  const passed = () => performance.now() - began;
  for (let counted = 0; ; ) {
    const turnBegan = passed();
    if (await isSo()) return passed();
    assert.ok(counted < boundMs && passed() < 10 * boundMs, `not within ${boundMs} ms: ${what}`);
    await setTimeout(turnMs);
    counted += Math.min(passed() - turnBegan, 3 * turnMs);
  }
}
