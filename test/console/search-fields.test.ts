import type { Locator, Page } from 'playwright-core';
import { accepted } from '../support/answers.ts';
import { call } from '../support/caller.ts';
import { consoleOf, inBrowser } from '../support/console.ts';
import { testDatabase } from '../support/database.ts';
import { campaign } from '../support/requests.ts';
import { testServer } from '../support/server.ts';

// Search fields with a typing delay show results only for the current text.

const { env, sql } = await testDatabase();
const { url } = await testServer({ ...env, STAFF_MFA: 'off' });
const { deskOf } = await consoleOf(url, sql);

/** Types text without matches, then text with matches while the typing delay is paused. */
async function assertFollowsTyping(page: Page, field: Locator, none: string, typed: string): Promise<void> {
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

inBrowser('a search field reports "no match" only for the current text', async () => {
  const { page, open } = await deskOf('admin', [1, 2]);
  accepted('CampaignCreate', await call(url, 'CampaignCreate', campaign({ name: 'Friday night' })));
  await page.clock.install();
  const partner = page.getByRole('combobox', { name: 'Partner', exact: true });
  await open('/reports?partner=1&by=campaign');
  await assertFollowsTyping(
    page,
    page.getByLabel('Campaign', { exact: true }).first(),
    'No matching campaigns',
    'Friday',
  );
  await open('/audit');
  await assertFollowsTyping(page, partner.first(), 'No matching partner', 'Demo');
  await assertFollowsTyping(page, partner.last(), 'No matching partner', 'Demo');
});

inBrowser('the partner field of an invitation does the same', async () => {
  const { page, open } = await deskOf('admin');
  await page.clock.install();
  await open('/staff');
  await page.getByRole('button', { name: 'Invite user' }).click();
  await page.getByRole('radio', { name: 'Only these' }).check();
  await assertFollowsTyping(page, page.getByPlaceholder('Find by name or ID'), 'No matching partner', 'Demo');
});
