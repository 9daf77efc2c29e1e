import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';

/** Goes on with the tab key until this has the focus. */
export async function tabTo(page: Page, name: string): Promise<void> {
  const nameOf = async () => {
    const text = await page.evaluate<string>(
      '(({ ariaLabel, textContent }) => ariaLabel ?? textContent)(document.activeElement)',
    );
    return text.replaceAll('\u00a0', ' ');
  };
  for (let step = 0; step < 60; step++) {
    await page.keyboard.press('Tab');
    if ((await nameOf()) === name) return;
  }
  assert.fail(`the keyboard does not reach ${name}`);
}
