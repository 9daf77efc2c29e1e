import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';

/** Reads the values of the first and the last bar of a chart by pointing at them, at any width. */
export async function assertValuesWithin(page: Page, chart: Locator, said: string | RegExp): Promise<void> {
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 860 });
    const bars = chart.locator('.bars-bar');
    for (const bar of [bars.first(), bars.last()]) {
      await bar.hover();
      const values = await chart.locator('.bars-values').filter({ hasText: said }).boundingBox();
      const around = await chart.boundingBox();
      assert.ok(values && around);
      const [left, right] = [values.x - around.x, around.x + around.width - values.x - values.width];
      assert.ok(left >= 0 && right >= 0, `${width}: ${left} to the left, ${right} to the right`);
    }
  }
}
