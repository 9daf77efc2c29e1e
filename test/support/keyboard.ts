import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';

/** Presses Tab until this element has the focus. */
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

/** Opens a dialog by its button and closes it with the keyboard. Asserts that the button has the focus again. */
export async function assertFocusComesBack(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name, exact: true }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.locator(':focus').waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await page.locator('button:focus', { hasText: name }).waitFor({ timeout: 5000 });
}
