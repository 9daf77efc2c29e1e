import type { Locator, Page } from 'playwright-core';
import { accepted } from '../support/answers.ts';
import { call } from '../support/caller.ts';
import { consoleOf, inBrowser } from '../support/console.ts';
import { testDatabase } from '../support/database.ts';
import { campaign } from '../support/requests.ts';
import { testServer } from '../support/server.ts';

// Fields that search when one stops typing say what was found of what is typed, and nothing of what was typed before it.

const { env, sql } = await testDatabase();
const { url } = await testServer({ ...env, STAFF_MFA: 'off' });
const { deskOf } = await consoleOf(url, sql);

/** Types what is not there, then something that is, while the time until it is searched for stands still. */
async function assertSaysOfTyped(page: Page, field: Locator, none: string, typed: string): Promise<void> {
  await field.fill('zzz');
  await page.getByText(none).waitFor();
  await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 1000);
  await field.fill(typed);
  await page.getByText('Searching…').waitFor();
  await page.getByText(none).waitFor({ state: 'detached' });
  await page.clock.resume();
  await page.getByRole('option').filter({ hasText: typed }).first().waitFor();
  await page.keyboard.press('Escape');
}

inBrowser('a field says that there is none of what is typed, not of what was typed before', async () => {
  const { page, open } = await deskOf('admin', [1, 2]);
  accepted('CampaignCreate', await call(url, 'CampaignCreate', campaign({ name: 'Friday night' })));
  await page.clock.install();
  const partner = page.getByRole('combobox', { name: 'Partner', exact: true });
  await open('/reports?partner=1&by=campaign');
  await assertSaysOfTyped(page, page.getByLabel('Campaign', { exact: true }).first(), 'No such campaign', 'Friday');
  await open('/audit');
  await assertSaysOfTyped(page, partner.first(), 'No such partner', 'Demo');
  await assertSaysOfTyped(page, partner.last(), 'No such partner', 'Demo');
});

inBrowser('it does so for the partners that somebody may see', async () => {
  const { page, open } = await deskOf('admin');
  await page.clock.install();
  await open('/staff');
  await page.getByRole('button', { name: 'Invite' }).click();
  await page.getByRole('radio', { name: 'Only these' }).check();
  await assertSaysOfTyped(page, page.getByPlaceholder('Find by name or id'), 'No such partner', 'Demo');
});
