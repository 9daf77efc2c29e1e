import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { allCounted } from '../support/activity.ts';
import { accepted } from '../support/answers.ts';
import { assertValuesWithin } from '../support/bars.ts';
import { call, rival } from '../support/caller.ts';
import { consoleOf, inBrowser } from '../support/console.ts';
import { testDatabase } from '../support/database.ts';
import { campaign, directIssue } from '../support/requests.ts';
import { testServer } from '../support/server.ts';
import { createPartners } from '../support/webhooks.ts';

const { env, sql } = await testDatabase();
const { url } = await testServer({ ...env, STAFF_MFA: 'off' });
const { deskOf } = await consoleOf(url, sql);

const longName = 'Supercalifragilistic'.repeat(10);
for (const [campaign_id, name] of [
  ['friday', 'Friday night'],
  ['friday-too', 'Friday night'],
  ['long', longName],
]) {
  accepted('CampaignCreate', await call(url, 'CampaignCreate', campaign({ campaign_id, name })));
}
for (const [campaign_id, currency] of [
  ['friday', 'EUR'],
  ['friday', 'EUR'],
  ['friday', 'USD'],
  ['friday-too', 'EUR'],
  ['long', 'EUR'],
]) {
  const issue = {
    campaign_id,
    player_id: crypto.randomUUID(),
    currency,
    issue_id: crypto.randomUUID(),
  };
  accepted('Issue', await call(url, 'Issue', issue));
}
await allCounted(sql);

inBrowser('a report follows its address, has totals for each currency and is exported as CSV', async () => {
  const { page, open, assertAccessible } = await deskOf('auditor');
  await open('/reports');
  await page.getByRole('button', { name: 'Last 7 days' }).click();
  await page.waitForURL(/from=\d{4}-\d\d-\d\d&to=\d{4}-\d\d-\d\d/);
  await page.goto(`${page.url()}&by=campaign,day&measure=issued&campaign=friday`);
  const rows = page.getByRole('table', { name: 'Report' }).getByRole('row');
  await rows.filter({ hasText: 'Friday night' }).first().waitFor();
  assert.equal(await rows.filter({ hasText: 'Friday night' }).count(), 2);
  const totals = page.getByRole('table', { name: 'Totals by currency' }).getByRole('row');
  assert.match((await totals.filter({ hasText: 'EUR' }).textContent()) ?? '', /^EUR2000/);
  assert.match((await totals.filter({ hasText: 'USD' }).textContent()) ?? '', /^USD1000/);
  const chart = (measure: string) => page.getByRole('img', { name: `${measure} by day, EUR` });
  await assertValuesWithin(page, chart('issued'), /No activity$|EUR: 2/);
  assert.equal(await chart('issued').locator('.bars-bar').count(), 7, 'including days without activity');
  await assertAccessible();
  const answered = Promise.withResolvers<void>();
  await page.route('**/Report/Get', (route) => answered.promise.then(() => route.continue()));
  await page.getByRole('combobox', { name: 'Measure' }).click();
  await page.getByRole('option', { name: 'cancelled' }).click();
  await chart('issued').waitFor({ state: 'detached' });
  assert.equal(await chart('cancelled').count(), 0, 'no measure is drawn with the rows of another');
  answered.resolve();
  await chart('cancelled').waitFor();
  await page.unroute('**/Report/Get');
  const [saved] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export CSV' }).click(),
  ]);
  const lines = readFileSync(await saved.path(), 'utf8')
    .trim()
    .split(/\r?\n/);
  assert.match(lines[0] ?? '', /campaign_id,campaign_name,day,currency,issued/);
  assert.equal(lines.length, 3);

  // The width of a sheet of paper.
  await page.setViewportSize({ width: 718, height: 1000 });
  await page.emulateMedia({ media: 'print' });
  await page.getByRole('columnheader', { name: 'Staked' }).first().waitFor();
  assert.equal(await page.getByRole('navigation').isVisible(), false);
  const sheet = page.getByRole('table', { name: 'Report' });
  const { x, width } = (await sheet.boundingBox()) ?? assert.fail('there is no table');
  assert.ok(x + width <= 718, `${x} and ${width}`);
  await page.emulateMedia({ media: null });
  await page.setViewportSize({ width: 1280, height: 860 });

  await page.goto('/console/reports?from=2025-01-01&to=2026-11-18&by=day');
  await page.getByText('A report covers up to 367 days.').waitFor();
  assert.ok(await page.getByRole('button', { name: 'Export CSV' }).isDisabled());

  await open('/reports?partner=1&by=campaign');
  await assertCampaignsSeen(page);
  await page.getByLabel('Campaign', { exact: true }).first().fill('friday');
  await page.getByRole('option', { name: 'Friday night' }).filter({ hasText: 'friday ·' }).click();
  await page.waitForURL(/campaign=friday/);
  await page.getByRole('combobox', { name: 'Partner' }).click();
  await page.getByRole('option', { name: 'Demo rival (2) · sandbox' }).click();
  await page.waitForURL(/partner=2/);
  assert.doesNotMatch(page.url(), /campaign=/, 'it belongs to the other partner');
  await page.goBack();
  await rows.getByRole('link', { name: 'Friday night' }).first().click();
  await page.waitForURL(/\/p\/1\/campaigns\/friday$/);
});

/** Campaigns with the same name show their IDs, and a long name does not push the figures out of view. */
async function assertCampaignsSeen(page: Page): Promise<void> {
  const report = page.getByRole('table', { name: 'Report' });
  await report.getByText(longName).waitFor();
  assert.deepEqual((await report.getByText(/^friday/).allInnerTexts()).toSorted(), ['friday', 'friday', 'friday-too']);
  assert.equal(await report.getByText('long', { exact: true }).count(), 0);
  const last = await report.getByRole('columnheader', { name: 'Won' }).boundingBox();
  assert.ok(last && last.x + last.width <= 1280, `the figures end at ${last && last.x + last.width}`);
}

inBrowser('a report covers either live partners or sandboxes', async () => {
  await createPartners({ env, sql }, 1);
  const { page, open } = await deskOf('auditor', null, 'who comes later');
  await open('/reports');
  await page.getByText('or the sandboxes').waitFor();
  await page.getByRole('radiogroup', { name: 'Live or sandbox' }).getByText('Sandboxes').click();
  await page.getByRole('table', { name: 'Report' }).getByText('Friday night').first().waitFor();
  assert.match(page.url(), /sandboxes=yes/);
  await open('/reports?by=campaign&sandboxes=yes');
  await assertCampaignsSeen(page);

  // Results for other text must not be shown for this text.
  await open('/reports?partner=1&by=campaign');
  const field = page.getByLabel('Campaign', { exact: true }).first();
  await field.fill('zzz');
  await page.getByText('No matching campaigns').waitFor();
  const answered = Promise.withResolvers<void>();
  await page.route('**/Campaign/Search', (route) => answered.promise.then(() => route.continue()));
  await field.fill('friday');
  await page.getByText('Searching…').waitFor();
  answered.resolve();
  await page.getByRole('option', { name: 'Friday night' }).first().waitFor();
});

inBrowser('the default month follows the clock of a selected sandbox', async () => {
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
  accepted('SandboxClockSet', await call(url, 'SandboxClockSet', { now: inDays(40) }, rival));
  accepted('Issue', await call(url, 'Issue', directIssue({ valid_until: inDays(80) }), rival));
  await allCounted(sql);
  const { page, open } = await deskOf('auditor', null, 'who is ahead');
  const asked: string[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/Report/Get')) asked.push(request.postDataJSON().from);
  });
  const answered = Promise.withResolvers<void>();
  await page.route('**/Partner/Get', (route) => answered.promise.then(() => route.continue()));
  await open('/reports?partner=2');
  assert.equal(await page.getByRole('button', { name: 'Export CSV' }).count(), 0, 'the month is not known yet');
  answered.resolve();
  const totals = page.getByRole('table', { name: 'Totals by currency' }).getByRole('row');
  await totals.filter({ hasText: /^EUR1/ }).waitFor();
  await page.getByRole('button', { name: 'This month', pressed: true }).waitFor();
  assert.equal(new Set(asked).size, 1, 'no other month was requested');
});

inBrowser('time zones off by half an hour show a note about UTC hours', async () => {
  const { page, context } = await deskOf('auditor', null, 'who is elsewhere');
  const note = page.getByText('in whole UTC hours');
  const session = await context.newCDPSession(page);
  for (const [timezoneId, times] of [
    ['Australia/Adelaide', 1],
    ['Asia/Tokyo', 0],
  ] as const) {
    await session.send('Emulation.setTimezoneOverride', { timezoneId });
    await page.goto('/console/reports');
    await page.getByText(`Days are in ${timezoneId}`).waitFor();
    assert.equal(await note.count(), times, timezoneId);
  }
});

inBrowser('a role without reports sees no reports', async () => {
  const { page, open } = await deskOf('support');
  await open('/reports');
  await page.getByText('Your role does not allow this').waitFor();
  assert.equal(await page.getByRole('link', { name: 'Reports' }).count(), 0);
  assert.equal(await page.getByRole('button', { name: 'Export CSV' }).count(), 0);
});
