import type { Locator, Page, Route } from 'playwright-core';

// The steps of every change in the console: open the dialog, enter the reason, confirm.

/** Confirms the open dialog and waits until it is closed. */
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

/** A section of a screen by its title. */
export const partOf = (page: Page, name: string): Locator => page.getByRole('region', { name, exact: true });

/** Reads a secret that is shown once, and closes the dialog. */
export async function takeShown(page: Page, label: string): Promise<string> {
  const dialog = page.getByRole('dialog');
  const value = await dialog.getByLabel(label).innerText();
  await dialog.getByRole('button', { name: 'I have saved it' }).click();
  await dialog.waitFor({ state: 'detached' });
  return value;
}

/** The server carries out the request, but its response does not arrive. */
export async function loseAnswer(route: Route): Promise<void> {
  await route.fetch();
  await route.abort();
}
