import assert from 'node:assert/strict';
import { consoleOf, type Desk, inBrowser } from '../support/console.ts';
import { testDatabase } from '../support/database.ts';
import { inEuro, submitted } from '../support/drafts.ts';
import { testServer } from '../support/server.ts';
import { signedIn } from '../support/staff.ts';

// The manager's campaign: drafted above the limit, refused, mended, approved, and then given from and stopped.

const { env, sql } = await testDatabase();
const { url } = await testServer({ ...env, STAFF_MFA: 'off', APPROVAL_LIMITS: 'EUR:100' });
const { deskOf } = await consoleOf(url, sql);

/** As the field for a time has it. */
const localTime = (daysAhead: number): string => {
  const at = new Date(Date.now() + daysAhead * 86_400_000);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
};

const press = ({ page }: Desk, name: string | RegExp) => page.getByRole('button', { name }).click();

/** In the dialog that is open: the reason, and the button that does it. */
async function confirm({ page }: Desk, reason: string, action: string): Promise<void> {
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Reason').fill(reason);
  await dialog.getByRole('button', { name: action }).click();
  await dialog.waitFor({ state: 'hidden' });
}

/** Up to its limits; `check` is made on each step. */
async function draftCampaign(desk: Desk, check: () => Promise<void> = async () => {}): Promise<void> {
  const { page } = desk;
  await desk.open('/p/1/campaigns');
  await page.getByRole('link', { name: 'New campaign' }).click();
  await page.getByLabel('Name').fill('Friday night');
  await press(desk, 'Begin the draft');
  await page.getByLabel('Find games').fill('sky');
  await page.getByRole('button', { name: 'Skyline Ascent', exact: true }).click();
  await check();
  await press(desk, 'Next: What players get');
  await page.getByLabel('Bets of a free bet').fill('2');
  await page.getByPlaceholder('Add a currency').click();
  await page.getByRole('option', { name: 'EUR' }).click();
  await page.getByLabel('Amount in EUR').fill('5');
  await check();
  await press(desk, 'Next: When');
  await page.getByLabel('Start').fill(localTime(-1));
  await page.getByLabel('End').fill(localTime(20));
  await page.getByText(/UTC$/).first().waitFor();
  await check();
  await press(desk, 'Next: Limits');
  await page.getByLabel('Free bets in all').fill('100');
  await page.getByLabel('Highest coefficient').fill('3');
  await check();
}

const cost = ({ page }: Desk, amount: string) =>
  page.getByRole('region', { name: 'The most it can cost' }).getByText(amount, { exact: true }).waitFor();

inBrowser('a campaign above the limit is refused, mended, approved, and then exists', async () => {
  const [author, second] = [await deskOf('manager'), await deskOf('manager')];
  await draftCampaign(author, author.assertAccessible);
  // Two bets of 5.00, of which each can win 10.00: the stake is not returned.
  await cost(author, '2 000.00 EUR');
  await author.page.getByText('A colleague must approve it').waitFor();
  await press(author, 'Next: Check and submit');
  await author.page.getByText(/gives its player 2 bets of 5\.00 EUR, in Skyline Ascent/).waitFor();
  await press(author, 'Submit…');
  await author.assertAccessible();
  await confirm(author, 'For Friday', 'Ask for approval');
  await author.page.getByText('You submitted it yourself, so somebody else must approve it.').waitFor();
  assert.equal(await author.page.getByRole('button', { name: 'Approve…' }).count(), 0);

  await second.open('/approvals');
  await second.assertAccessible();
  await second.page.getByRole('link', { name: 'Friday night' }).click();
  await second.page.getByText('“For Friday”').first().waitFor();
  await second.assertAccessible();
  await press(second, 'Refuse…');
  await confirm(second, 'Too much for one night', 'Refuse it');

  // What a colleague does is on the screen by itself.
  await author.page.getByText('“Too much for one night”').first().waitFor();
  await press(author, 'Open it again');
  await author.page.getByRole('button', { name: /^(4 ?)?Limits$/ }).click();
  await author.page.getByLabel('Free bets in all').fill('50');
  await cost(author, '1 000.00 EUR');
  await author.page.reload();
  await cost(author, '1 000.00 EUR');
  await author.page.getByRole('button', { name: /^(5 ?)?Check and submit$/ }).click();
  await press(author, 'Submit…');
  await confirm(author, 'Half of it', 'Ask for approval');

  await second.page.getByText('“Half of it”').first().waitFor();
  await press(second, 'Approve…');
  await confirm(second, 'That is fine', 'Approve and carry out');
  await second.page.getByRole('link', { name: 'Go to the campaign' }).click();
  await second.page.getByRole('heading', { level: 1, name: 'Friday night' }).waitFor();
  await second.assertAccessible();
  await giveAndStop(second);
});

async function giveAndStop(desk: Desk): Promise<void> {
  const { page } = desk;
  await press(desk, 'Issue to a player');
  await page.getByRole('dialog').getByLabel('Player').fill('p-friday');
  await page.getByText(/2 bets of 5\.00 EUR, to use in 1 game/).waitFor();
  await confirm(desk, 'Asked for by support', 'Issue the free bet');
  await page.getByRole('link', { name: 'p-friday' }).waitFor();
  await page.getByRole('group', { name: 'Given' }).getByText('1 of 50').waitFor();
  await press(desk, 'Change limits');
  await page.getByLabel('Free bets in all').fill('40');
  await confirm(desk, 'Less is enough', 'Set lower limits');
  await page.getByRole('group', { name: 'Given' }).getByText('1 of 40').waitFor();
  await press(desk, 'Stop');
  await confirm(desk, 'It is over', 'Stop it for good');
  await page.getByText('stopped', { exact: true }).waitFor();
  await press(desk, 'Duplicate');
  await page.getByText('draft, saved').waitFor();
  await cost(desk, '800.00 EUR');
}

inBrowser('a campaign within the limit needs nobody; higher limits are a draft with what they change', async () => {
  const desk = await deskOf('manager');
  await draftCampaign(desk);
  await desk.page.getByLabel('Free bets in all').fill('5');
  await cost(desk, '100.00 EUR');
  await press(desk, 'Next: Check and submit');
  await press(desk, 'Submit…');
  await confirm(desk, 'A small one', 'Submit and carry out');
  await desk.page.getByRole('link', { name: 'Go to the campaign' }).click();
  await press(desk, 'Change limits');
  await desk.page.getByLabel('Free bets in all').fill('6');
  await confirm(desk, 'One more', 'Submit higher limits');
  await desk.page.getByText('Waits for approval').waitFor();
  const row = desk.page.getByRole('table', { name: 'Differences' }).getByRole('row', { name: /Free bets in all/ });
  assert.match(await row.innerText(), /5\s+6/);
  await desk.assertAccessible();
});

inBrowser('support sees campaigns and gives one free bet, but drafts, stops and approves nothing', async () => {
  await submitted(url, inEuro(5, { name: 'Seen by support' }), await signedIn(sql, 'manager'));
  const desk = await deskOf('support', [1]);
  const { page } = desk;
  await desk.open('/p/1/campaigns');
  await page.getByRole('table', { name: 'Campaigns' }).waitFor();
  assert.equal(await page.getByRole('link', { name: 'New campaign' }).count(), 0);
  assert.equal(await page.getByRole('button', { name: /^Duplicate/ }).count(), 0);
  await desk.assertAccessible();
  await page.getByRole('link', { name: 'Seen by support' }).click();
  await page.getByRole('heading', { name: 'Terms' }).waitFor();
  for (const name of ['Stop', 'Pause', 'Change limits', 'Duplicate']) {
    assert.equal(await page.getByRole('button', { name, exact: true }).count(), 0, name);
  }
  assert.equal(await page.getByRole('tab', { name: 'History' }).count(), 0);
  await desk.open('/p/1/campaigns/new');
  await page.getByText('Your role does not allow this').waitFor();
  await desk.open('/p/2/campaigns');
  await page.getByText('There is no such partner.').waitFor();
});
