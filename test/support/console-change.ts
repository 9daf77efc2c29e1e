import type { Locator, Page, Route } from 'playwright-core';

// What everybody does in the console who changes something: open the dialog, give the reason, confirm.

/** In the dialog that is open; waits until it is closed. */
export async function confirmChange(
  page: Page,
  action: string | RegExp,
  reason = 'As agreed with them',
): Promise<void> {
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Reason').fill(reason);
  await dialog.getByRole('button', { name: action }).click();
  await dialog.getByLabel('Reason').waitFor({ state: 'detached' });
}

/** A part of a screen by its title. */
export const partOf = (page: Page, name: string): Locator => page.getByRole('region', { name, exact: true });

/** What is shown one time; closes it. */
export async function takeShown(page: Page, label: string): Promise<string> {
  const dialog = page.getByRole('dialog');
  const value = await dialog.getByLabel(label).innerText();
  await dialog.getByRole('button', { name: 'I have saved it' }).click();
  await dialog.waitFor({ state: 'detached' });
  return value;
}

/** The server has done it, and its answer does not arrive. */
export async function loseAnswer(route: Route): Promise<void> {
  await route.fetch();
  await route.abort();
}
