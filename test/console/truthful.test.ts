import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { accepted } from '../support/answers.ts';
import { call, rival } from '../support/caller.ts';
import { consoleOf, inBrowser } from '../support/console.ts';
import { testDatabase } from '../support/database.ts';
import { inEuro } from '../support/drafts.ts';
import { startReceiver } from '../support/receiver.ts';
import { directIssue, inDays } from '../support/requests.ts';
import { testServer } from '../support/server.ts';
import { issue, setWebhook } from '../support/webhooks.ts';

// The promises, counts and times on the screens agree with the service.

const { env, sql } = await testDatabase();
const { url } = await testServer({
  ...env,
  STAFF_MFA: 'off',
  APPROVAL_LIMITS: 'EUR:100',
  WEBHOOK_ALLOW_PRIVATE: 'yes',
});
const { deskOf } = await consoleOf(url, sql);

const created = async (changes: object) =>
  accepted('CampaignCreate', await call(url, 'CampaignCreate', inEuro(100, changes))).campaign_id as string;

inBrowser('a campaign shows the pending change of its caps, and no second one can be submitted', async () => {
  const campaign_id = await created({ name: 'Friday', valid_until: inDays(4) });
  const [author, rivalAuthor] = [await deskOf('manager', null, 'first'), await deskOf('manager', null, 'second')];
  for (const { open } of [author, rivalAuthor]) await open(`/p/1/campaigns/${campaign_id}`);
  await author.page.getByRole('button', { name: 'Change caps' }).click();
  await author.page.getByLabel('Campaign cap').fill('500');
  await author.page.getByLabel('Reason').fill('More players');
  await author.page.getByRole('button', { name: 'Submit higher caps' }).click();
  await author.page.getByText('Waiting for approval', { exact: true }).waitFor();
  // The campaign ends before the 14 days are over.
  await author.page.getByText(/Without a decision it expires in (4 days|\d\d hours)/).waitFor();

  const { page } = rivalAuthor;
  await page.getByText('A change of the caps is waiting for approval').waitFor();
  await page.getByRole('button', { name: 'Change caps' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Campaign cap').fill('600');
  await dialog.getByText('You can submit higher caps after the decision.').waitFor();
  await dialog.getByLabel('Reason').fill('Even more');
  assert.ok(await dialog.getByRole('button', { name: 'Submit higher caps' }).isDisabled());
  await rivalAuthor.assertAccessible();
  await dialog.getByLabel('Campaign cap').fill('90');
  assert.ok(await dialog.getByRole('button', { name: 'Lower caps' }).isEnabled());
  await dialog.getByRole('button', { name: 'Cancel', exact: true }).click();
  await page.getByRole('link', { name: 'Open draft' }).click();
  await page.getByRole('button', { name: 'Reject…' }).click();
  await dialog.getByLabel('Reason').fill('Too many');
  await dialog.getByRole('button', { name: 'Reject draft' }).click();
  await page.getByText('Rejected by').waitFor();
  await rivalAuthor.open(`/p/1/campaigns/${campaign_id}`);
  await page.getByRole('heading', { name: 'Friday' }).waitFor();
  await page.getByText('A change of the caps is waiting for approval').waitFor({ state: 'hidden' });
});

inBrowser('a free bet that was cancelled has no bets left, and does not expire', async () => {
  const given = directIssue({ player_id: 'gone', quantity: 5, valid_until: inDays(2) });
  const { issue_id } = accepted('Issue', await call(url, 'Issue', given));
  accepted('Cancel', await call(url, 'Cancel', { issue_id }));
  const { page, open } = await deskOf('support', [1]);
  await open('/p/1/players/gone');
  const row = page.getByRole('row', { name: /cancelled/ });
  await row.getByRole('cell', { name: '0 of 5' }).waitFor();
  assert.doesNotMatch(await row.innerText(), /\bin \d|5 of 5/);
  await page.getByRole('link', { name: /5 × / }).click();
  const terms = page.getByRole('region', { name: 'Terms' });
  await terms.getByText('0 of 5').waitFor();
  assert.match(await terms.innerText(), /Expires\s+–/);
});

inBrowser(
  'a bulk award promises what the campaign can still issue, and the cost of that',
  async () => {
    const campaign_id = await created({ name: 'Rest', config: { bonus_limit: 450, max_coefficient: '2.00' } });
    const { page, open, assertAccessible } = await deskOf('manager');
    await open(`/p/1/lists/new?campaign=${campaign_id}`);
    const lines = Array.from({ length: 494 }, (_, i) => `player-${i},EUR`);
    await page.getByLabel('Paste players').fill(`player_id,currency\n${lines.join('\n')}\n`);
    await page.getByRole('button', { name: 'Use pasted list' }).click();
    await page.getByText('494 free bets in the list for 494 players').waitFor();
    await page.getByText('The campaign cap leaves 450 free bets: 44 of this list would be refused.').waitFor();
    await page.getByRole('button', { name: 'Issue free bets…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Issue 450 free bets' });
    await dialog.getByText(/At most 450 of the 494 free bets .* refuse the other 44\./).waitFor();
    await dialog.getByText('450.00 EUR').waitFor();
    assert.equal(await dialog.getByText('494.00').count(), 0);
    await assertAccessible();
    await dialog.getByRole('button', { name: 'Cancel', exact: true }).click();
  },
  // The screen looks for the job under its new ID.
  { refusals: ['404 /FreeBets/Jobs/Get'] },
);

inBrowser('an unknown player is not found, and a player whose ID differs only in capitals is suggested', async () => {
  accepted('Issue', await call(url, 'Issue', directIssue({ player_id: 'vip-0001' })));
  const { page, open, assertAccessible } = await deskOf('support', [1]);
  await open('/p/1/players');
  await page.getByLabel('Player', { exact: true }).fill('VIP-0001');
  await page.keyboard.press('Enter');
  await page.getByText('No free bets for VIP-0001').waitFor();
  await page.waitForURL(/\/players\?find=VIP-0001$/);
  await assertAccessible();
  await page.getByRole('link', { name: 'vip-0001', exact: true }).click();
  await page.getByRole('link', { name: '3 × 1.00 EUR' }).waitFor();
  const give = page.getByRole('button', { name: 'Issue free bet' });
  assert.equal(await give.getAttribute('data-variant'), 'filled');
  await open('/p/1/players/VIP-0001');
  await page.getByText('No free bets for VIP-0001').waitFor();
  assert.equal(await give.getAttribute('data-variant'), 'default', 'it is not the main action');
  await page.getByRole('link', { name: 'vip-0001', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'vip-0001' }).waitFor();
});

inBrowser('the webhook shows as failing when its deliveries do', async () => {
  const receiver = await startReceiver(() => 500);
  await setWebhook(sql, rival, receiver.url);
  const { page, open } = await deskOf('viewer');
  await open('/p/2/events?view=deliveries');
  const panel = page.getByRole('region', { name: 'Webhook' });
  await panel.getByText('0 waiting').waitFor();
  await issue(url, rival, 11);
  await page
    .getByRole('cell', { name: /answered 500/ })
    .nth(10)
    .waitFor({ timeout: 10_000 });
  await panel.getByText('11 waiting').waitFor({ timeout: 1500 });
  await panel.getByText('failing', { exact: true }).waitFor({ timeout: 1500 });
});

inBrowser('a change that just happened is not shown as a future one', async () => {
  const campaign_id = await created({ name: 'Paused', campaign_id: `c-${randomUUID()}` });
  const { page, open } = await deskOf('manager', null, 'with a slow clock');
  await page.clock.install({ time: Date.now() - 13_000 });
  await open(`/p/1/campaigns/${campaign_id}`);
  await page.getByText(/created\s*just now/).waitFor();
  accepted('CampaignPause', await call(url, 'CampaignPause', { campaign_id }));
  await page.getByText(/paused\s*just now/).waitFor({ timeout: 10_000 });
});
