import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { accepted } from '../support/answers.ts';
import { assertValuesWithin } from '../support/bars.ts';
import { call, rival } from '../support/caller.ts';
import { consoleOf, inBrowser } from '../support/console.ts';
import { testDatabase } from '../support/database.ts';
import { campaign, games } from '../support/requests.ts';
import { testServer } from '../support/server.ts';
import { createPartners } from '../support/webhooks.ts';

const { env, sql } = await testDatabase();
const { url } = await testServer({ ...env, STAFF_MFA: 'off' });
const { deskOf } = await consoleOf(url, sql);

inBrowser('activity over the API appears on the overview without a reload, and tiles link to details', async () => {
  const made = accepted('CampaignCreate', await call(url, 'CampaignCreate', campaign({ name: 'Friday' }), rival));
  const { page, open, assertAccessible } = await deskOf('manager');
  await open('/?partner=2');
  await page.getByRole('link', { name: 'Friday' }).waitFor();
  const { campaign_id } = made;
  const issue = { campaign_id, player_id: 'ann', currency: 'EUR', issue_id: crypto.randomUUID() };
  accepted('Issue', await call(url, 'Issue', issue, rival));
  const given = { issue_id: issue.issue_id, game_id: games.one, result: 'won', coefficient: '2.00' };
  accepted('SandboxRound', await call(url, 'SandboxRound', given, rival));
  const today = page.getByRole('table', { name: 'Today by currency' });
  await today.getByText('1.00 EUR').last().waitFor({ timeout: 10_000 });
  await page.getByText('1 issued, no cap').first().waitFor();
  await assertValuesWithin(page, page.getByRole('img', { name: 'bets by day and currency' }), /No activity$|EUR: \d/);
  const table = page.getByRole('table', { name: 'bets by day and currency' });
  assert.match(await table.innerText(), /Time\s+EUR\s+\d+ \w+\s+1$/, 'for screen readers');
  await assertAccessible();
  await page.getByRole('link', { name: /Live campaigns/ }).click();
  await page.waitForURL(/\/console\/p\/2\/campaigns\?status=live$/);

  await open('/');
  await page.getByRole('link', { name: 'Friday' }).waitFor();
  await page.getByText('Demo rival · sandbox', { exact: true }).first().waitFor();
  const kinds = page.getByRole('radiogroup', { name: 'Live or sandbox' });
  assert.equal(await kinds.count(), 0, 'there are only sandboxes');
  await page.getByText('All your sandboxes').waitFor();
  await today.getByText('1.00 EUR').last().waitFor({ timeout: 10_000 });
  await createPartners({ env, sql }, 1);
  await page.reload();
  await kinds.waitFor();
  await page.getByText('All your live partners, without sandboxes').waitFor();
  await page.getByText('No activity today').waitFor();
  await page.getByText('No live campaigns').waitFor();
  assert.match(await page.getByText('Live campaigns').first().locator('..').innerText(), /^Live campaigns\s+0$/);
  assert.equal(await page.getByText('Days in real time').count(), 0, 'live partners have no other clock');
  const ofSandbox = page.getByText('Demo rival · sandbox', { exact: true });
  assert.equal(await ofSandbox.count(), 0, 'every figure is about live partners');
  await kinds.getByText('Sandboxes').click();
  await page.waitForURL(/\?sandboxes=yes$/);
  await page.getByText('All your sandboxes, without live partners').waitFor();
  await page.getByText('Demo rival · sandbox', { exact: true }).first().waitFor();
  await page.getByText('Days in real time. A sandbox with its clock set ahead counts by its own clock').waitFor();
  await today.getByText('1.00 EUR').last().waitFor({ timeout: 10_000 });
  await assertAccessible();
});

const overhangOf = (tile: Locator): Promise<number> =>
  tile.evaluate(
    ({ scrollWidth, clientWidth }: Record<'scrollWidth' | 'clientWidth', number>) => scrollWidth - clientWidth,
  );

inBrowser('amounts of any length stay in their tile, also on a phone', async () => {
  const bet_amounts = [{ currency: 'USD', amount: '25000000.00' }];
  const large = campaign({ name: 'Large', bet_amounts, quantity: 10, config: { max_coefficient: '2.00' } });
  const { campaign_id } = accepted('CampaignCreate', await call(url, 'CampaignCreate', large, rival));
  const given = { campaign_id, player_id: 'ann', currency: 'USD', issue_id: crypto.randomUUID() };
  accepted('Issue', await call(url, 'Issue', given, rival));
  const { page, open } = await deskOf('manager', null, 'who is on the way');
  await open('/?partner=2');
  await page.getByText('250,000,000.00 USD').first().waitFor();
  const tile = page.getByText('Campaign exposure').locator('..');
  for (const width of [360, 390, 800, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    assert.equal(await overhangOf(tile), 0, `the tile at ${width}`);
    assert.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false, `at ${width}`);
  }

  const ofMost = [{ currency: 'USD', amount: '9999999999999.00' }];
  const huge = { ...large, name: 'Huge', bet_amounts: ofMost, config: { max_coefficient: '999999.00' } };
  const made = accepted('CampaignCreate', await call(url, 'CampaignCreate', huge, rival));
  const alsoGiven = { ...given, campaign_id: made.campaign_id, issue_id: crypto.randomUUID() };
  accepted('Issue', await call(url, 'Issue', alsoGiven, rival));
  await page.setViewportSize({ width: 320, height: 800 });
  for (const [path, shown] of [
    [`/p/2/campaigns/${made.campaign_id}`, page.getByRole('group', { name: 'Exposure' }).getByText('USD')],
    ['/reports', page.getByRole('button', { name: 'Last month' })],
  ] as const) {
    await open(path);
    await shown.first().waitFor();
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 320, path);
  }
});

inBrowser('only approvers see approvals; an empty overview shows the first step', async () => {
  const { page, open } = await deskOf('support', [2]);
  await open('/');
  await page.getByText('Failing webhooks').waitFor();
  assert.equal(await page.getByText('Waiting for my approval').count(), 0);
  const empty = await deskOf('manager', []);
  await empty.open('/');
  await empty.page.getByText('No partners yet').waitFor();
  await empty.assertAccessible();
});

inBrowser(
  'a session that ends leads to the sign-in and back to the same screen',
  async () => {
    const { page, open, who } = await deskOf('manager', null, 'whose session ends');
    await open('/?partner=2&measure=issued');
    await sql.query('DELETE FROM sessions WHERE staff_id = $1', [who?.staffId]);
    await page.getByText('Your session has ended').waitFor();
    assert.match(decodeURIComponent(page.url()), /to=\/console\/\?partner=2&measure=issued/);
    await page.getByLabel('E-mail').fill('manager@demo.example');
    await page.getByLabel('Password', { exact: false }).first().fill('demo-staff-password');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    assert.match(page.url(), /\/console\/\?partner=2&measure=issued$/);
  },
  { refusals: ['401 *'] },
);

inBrowser('the System screen refreshes itself', async () => {
  const { page, open, assertAccessible } = await deskOf('viewer');
  await open('/system');
  await page.getByText(/^Version .* up for/).waitFor();
  await page.getByRole('table', { name: 'Database connections' }).waitFor();
  for (const _ of [1, 2]) await page.waitForResponse(/\/System\/Get$/);
  await assertAccessible();
});
