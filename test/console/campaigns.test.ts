import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { allCounted } from '../support/activity.ts';
import { accepted } from '../support/answers.ts';
import { call } from '../support/caller.ts';
import { consoleOf, type Desk, inBrowser } from '../support/console.ts';
import { testDatabase } from '../support/database.ts';
import { inEuro, submitted } from '../support/drafts.ts';
import { campaign } from '../support/requests.ts';
import { testServer } from '../support/server.ts';
import { acceptedStaffCall, signedIn } from '../support/staff.ts';

// A manager's week: a campaign is drafted above the limit, rejected, corrected, approved, issued to a list of players,
// reported and stopped.

const { env, sql } = await testDatabase();
const { url } = await testServer({ ...env, STAFF_MFA: 'off', APPROVAL_LIMITS: 'EUR:100' });
const { deskOf } = await consoleOf(url, sql);

const deskFor = (name: 'manager' | 'second' | 'support') =>
  name === 'support' ? deskOf('support', [1]) : deskOf('manager', null, name);

/** In the format of a datetime field. */
const localTime = (daysAhead: number): string => {
  const at = new Date(Date.now() + daysAhead * 86_400_000);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
};

const press = ({ page }: Desk, name: string | RegExp) => page.getByRole('button', { name }).click();

/** Fills in the reason in the open dialog and clicks the action. */
async function confirm({ page }: Desk, reason: string, action: string): Promise<void> {
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Reason').fill(reason);
  await dialog.getByRole('button', { name: action }).click();
  await dialog.waitFor({ state: 'hidden' });
}

/** Up to its caps; `check` runs on each step except the first. */
async function draftCampaign(desk: Desk, check: () => Promise<void> = async () => {}): Promise<void> {
  const { page } = desk;
  await desk.open('/p/1/campaigns');
  await page.getByRole('link', { name: 'New campaign' }).click();
  await page.getByLabel('Name').fill('Friday night');
  await press(desk, 'Create draft');
  await page.getByLabel('Find games').fill('sky');
  await page.getByRole('button', { name: 'Skyline Ascent', exact: true }).click();
  await press(desk, 'Next: Bets and stakes');
  await page.getByLabel('Bets per free bet').fill('2');
  await page.getByPlaceholder('Add a currency').click();
  await page.getByRole('option', { name: 'EUR' }).click();
  await page.getByLabel('Stake in EUR').fill('5');
  await check();
  await press(desk, 'Next: Dates');
  await page.getByLabel('Start').fill(localTime(-1));
  await page.getByLabel('End').fill(localTime(20));
  await page.getByText(/UTC$/).first().waitFor();
  await check();
  await press(desk, 'Next: Caps and odds');
  await page.getByLabel('Campaign cap').fill('4000');
  await page.getByLabel('Maximum odds').fill('3');
  await check();
}

const cost = ({ page }: Desk, amount: string) =>
  page.getByRole('region', { name: 'Maximum liability' }).getByText(amount, { exact: true }).waitFor();

inBrowser(
  'a campaign is drafted, rejected, corrected, approved, issued to 2,000 players, reported and stopped',
  async () => {
    const [author, second] = [await deskFor('manager'), await deskFor('second')];
    await draftCampaign(author, author.assertAccessible);
    // Two bets of 5.00. Each can win 10.00, because the stake is not returned.
    await cost(author, '80,000.00 EUR');
    await author.page.getByText('A colleague must approve it').waitFor();
    await press(author, 'Next: Review and submit');
    await author.page.getByText(/gives its player 2 bets of 5\.00\sEUR in Skyline Ascent/).waitFor();
    await press(author, 'Submit…');
    await author.assertAccessible();
    await confirm(author, 'For Friday', 'Submit for approval');
    await author.page.getByText('You cannot approve your own draft; a colleague must.').waitFor();
    assert.equal(await author.page.getByRole('button', { name: 'Approve…' }).count(), 0);

    await second.open('/approvals');
    await second.page.getByText('New campaign · Demo partner').waitFor();
    await second.page.getByRole('link', { name: 'Friday night' }).click();
    await second.page.getByText('“For Friday”').first().waitFor();
    await second.assertAccessible();
    await press(second, 'Reject…');
    await confirm(second, 'Too much for one night', 'Reject draft');

    await correct(author);
    await second.page.getByText('“Half of it”').first().waitFor();
    await changeUnder(author, second);
    await press(second, 'Approve…');
    await confirm(second, 'That is fine', 'Approve and apply');
    await author.page.getByRole('link', { name: 'Go to campaign' }).click();
    await author.page.getByRole('heading', { level: 1, name: 'Friday night' }).waitFor();
    await issueToList(author);
    await seeReport(author);
    await seeHistory(author);
    await stopIt(author);
  },
  { refusals: ['404 /FreeBets/Jobs/Get'] },
);

/** A colleague's decision appears without a reload, and corrections are saved automatically. */
async function correct(desk: Desk): Promise<void> {
  const { page } = desk;
  await page.getByText('“Too much for one night”').first().waitFor();
  await press(desk, 'Reopen draft');
  await page.getByRole('button', { name: /^(4 ?)?Caps and odds$/ }).click();
  await page.getByLabel('Campaign cap').fill('2000');
  await cost(desk, '40,000.00 EUR');
  await page.getByText('draft, saved').waitFor();
  await page.reload();
  await cost(desk, '40,000.00 EUR');
  await page.getByRole('button', { name: /^(5 ?)?Review and submit$/ }).click();
  await press(desk, 'Submit…');
  await confirm(desk, 'Half of it', 'Submit for approval');
}

/**
 * A revision submitted while a colleague is deciding can't be approved unread: it is shown only when they ask for it.
 */
async function changeUnder(author: Desk, { page }: Desk): Promise<void> {
  const { who } = author;
  assert(who);
  const named = { client_id: 1, draft_id: new URL(author.page.url()).pathname.split('/').at(-1) };
  const submitLimit = async (bonus_limit: number) => {
    const { content, revision: before } = await acceptedStaffCall(url, '/Draft/Get', named, who);
    const changed = { ...content, config: { ...content.config, bonus_limit } };
    const draft = { ...named, revision: before, kind: 'campaign', content: changed };
    const { revision } = await acceptedStaffCall(url, '/Draft/Save', draft, who);
    await acceptedStaffCall(url, '/Draft/Submit', { ...named, revision, reason: 'Half of it' }, who);
  };
  const dialog = page.getByRole('dialog', { name: 'Approve draft' });
  const showLatest = async (most: string) => {
    await page.getByRole('button', { name: 'Show latest version' }).click();
    await page.getByText(most, { exact: true }).first().waitFor();
  };
  await page.getByRole('button', { name: 'Approve…' }).click();
  await dialog.getByLabel('Reason').fill('As I read it');
  await submitLimit(9000);
  await dialog.getByText('This changed while you had it open').waitFor();
  await dialog.getByText('40,000.00 EUR').waitFor();
  assert.equal(await dialog.getByRole('button', { name: 'Approve and apply' }).isDisabled(), true);
  await page.keyboard.press('Escape');
  assert.equal(await page.getByRole('button', { name: 'Reject…' }).isDisabled(), true);
  await showLatest('180,000.00 EUR');
  await submitLimit(2000);
  await showLatest('40,000.00 EUR');
}

async function issueToList(desk: Desk): Promise<void> {
  const { page } = desk;
  await page.getByRole('link', { name: 'New bulk award' }).click();
  const lines = Array.from({ length: 2000 }, (_, i) => `friday-${i}`);
  const file = { name: 'friday.csv', mimeType: 'text/csv', buffer: Buffer.from(`player_id\n${lines.join('\n')}\n`) };
  await page.locator('input[type=file]').setInputFiles(file);
  await page.getByText('2,000 free bets for 2,000 players').waitFor();
  await press(desk, 'Issue free bets…');
  await page.getByRole('dialog').getByText('40,000.00 EUR').waitFor();
  await confirm(desk, 'The list of marketing', 'Issue free bets');
  await page.getByText('2,000 of 2,000', { exact: true }).waitFor();
  await page.getByText('finished', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'Friday night', exact: true }).click();
  await page.getByRole('group', { name: 'Cap used' }).getByText('2,000 of 2,000').waitFor();
  await page.getByText('cap reached', { exact: true }).waitFor();
  await page.getByRole('tab', { name: 'Bulk awards' }).click();
  await page.getByRole('link', { name: 'Friday night: friday.csv' }).waitFor();
  await desk.assertAccessible();
}

async function seeReport(desk: Desk): Promise<void> {
  const { page } = desk;
  const campaignId = new URL(page.url()).pathname.split('/').at(-1);
  // Activity is counted with a delay of a few seconds.
  await allCounted(sql);
  await desk.open(`/reports?partner=1&by=campaign&measure=issued&campaign=${campaignId}`);
  const total = page.getByRole('table', { name: 'Totals by currency' }).getByRole('row', { name: /^EUR 2,000/ });
  await total.waitFor();
  await desk.open(`/p/1/campaigns/${campaignId}`);
}

async function seeHistory(desk: Desk): Promise<void> {
  const { page } = desk;
  await page.getByRole('tab', { name: 'History' }).click();
  await page.getByRole('row', { name: /New campaign approved .*Half of it.*That is fine/ }).waitFor();
  await page.getByRole('tab', { name: 'Events' }).click();
  await page.getByText('Campaign “Friday night” reached its cap.').waitFor();
  await page.getByText('Bulk award “Friday night: friday.csv” finished: 2,000 issued, 0 refused.').waitFor();
}

async function stopIt(desk: Desk): Promise<void> {
  const { page } = desk;
  await press(desk, 'Change caps');
  await page.getByLabel('Campaign cap').fill('2001');
  await page.getByRole('dialog').getByText('20.00 EUR').waitFor();
  const campaign_id = new URL(page.url()).pathname.split('/').at(-1);
  const others = { campaign_id, bonus_limit: 1950, bonus_limit_per_user: null };
  accepted('CampaignLimits', await call(url, 'CampaignLimits', others));
  await page.getByRole('dialog').getByText('This changed while you had it open').waitFor();
  await page.keyboard.press('Escape');
  await press(desk, 'Change caps');
  await page.getByLabel('Campaign cap').fill('1900');
  await page.getByText('it issues no more from now on').waitFor();
  await confirm(desk, 'Less is enough', 'Lower caps');
  await page.getByRole('group', { name: 'Cap used' }).getByText('2,000 of 1,900').waitFor();
  await press(desk, 'Stop');
  await confirm(desk, 'It is over', 'Stop campaign');
  await page.getByText('stopped', { exact: true }).waitFor();
  const auditor = await deskOf('auditor');
  await auditor.open(`/p/1/campaigns/${campaign_id}?tab=history`);
  await auditor.page.getByRole('row', { name: /^Stop a campaign .*It is over/ }).waitFor();
  await press(desk, 'Duplicate');
  await page.getByText('draft, saved').waitFor();
  await cost(desk, '38,000.00 EUR');
}

inBrowser('campaigns can be searched, filtered and sorted, and the address keeps the selection', async () => {
  for (const [name, days] of [
    ['Ramadan عرض', 30],
    ['🎰 Jackpot '.repeat(25), 10],
    ['a'.repeat(255), 20],
  ] as const) {
    const valid_until = new Date(Date.now() + days * 86_400_000).toISOString();
    accepted('CampaignCreate', await call(url, 'CampaignCreate', campaign({ name, valid_until })));
  }
  const stopped = campaign({ name: 'Over and done' });
  const { campaign_id } = accepted('CampaignCreate', await call(url, 'CampaignCreate', stopped));
  accepted('CampaignStop', await call(url, 'CampaignStop', { campaign_id }));
  const { page, open, assertAccessible } = await deskOf('manager', null, 'third');
  await open('/p/1/campaigns');
  const rows = page.getByRole('table', { name: 'Campaigns' }).getByRole('row');
  const statuses = page.getByRole('radiogroup', { name: 'Status' });
  await page.getByRole('link', { name: 'Ramadan' }).waitFor();
  assert.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false);
  await page.getByRole('combobox', { name: 'Sort by' }).click();
  await page.getByRole('option', { name: 'Ending soonest' }).click();
  await rows.nth(1).getByText('Jackpot').waitFor();
  await statuses.getByText('Stopped').click();
  await page.getByRole('link', { name: 'Ramadan' }).waitFor({ state: 'detached' });
  await rows.filter({ hasText: 'Over and done' }).waitFor();
  assert.equal(await rows.getByRole('cell', { name: 'stopped', exact: true }).count(), (await rows.count()) - 1);
  await statuses.getByText('All').click();
  await page.getByLabel('Find campaigns').fill('jackPOT');
  await page.waitForURL(/search=jackPOT/);
  await page.getByRole('link', { name: 'Ramadan' }).waitFor({ state: 'detached' });
  assert.equal(await rows.count(), 2);
  await assertAccessible();
  await page.reload();
  await rows.nth(1).getByText('Jackpot').waitFor();
  await page.getByLabel('Find campaigns').fill('nothing like it');
  await page.getByText('No matching campaigns').waitFor();
});

inBrowser(
  'a campaign within the limit needs no approval; higher caps are a draft that shows the changes',
  async () => {
    const desk = await deskFor('second');
    await draftCampaign(desk);
    await desk.page.getByLabel('Campaign cap').fill('5');
    await cost(desk, '100.00 EUR');
    await press(desk, 'Next: Review and submit');
    await press(desk, 'Submit…');
    await confirm(desk, 'A small one', 'Submit and apply');
    await desk.page.getByRole('link', { name: 'Go to campaign' }).click();
    await desk.page.waitForURL(/\/campaigns\//);
    const address = new URL(desk.page.url()).pathname.replace('/console', '');
    await press(desk, 'Change caps');
    await desk.page.getByLabel('Campaign cap').fill('6');
    await confirm(desk, 'One more', 'Submit higher caps');
    await desk.page.getByText('Waiting for approval', { exact: true }).waitFor();
    const row = desk.page.getByRole('table', { name: 'Differences' }).getByRole('row', { name: /Campaign cap/ });
    assert.match(await row.innerText(), /5\s+6/);

    const draft_id = new URL(desk.page.url()).pathname.split('/').at(-1) ?? '';
    const refusal = { client_id: 1, draft_id, revision: 1, reason: 'Rather seven' };
    await acceptedStaffCall(url, '/Draft/Refuse', refusal, await signedIn(sql, 'manager'));
    await desk.page.getByText('“Rather seven”').first().waitFor();
    await press(desk, 'Edit caps…');
    await desk.page.getByLabel('Campaign cap').fill('7');
    await confirm(desk, 'Seven it is', 'Submit higher caps');
    await desk.page.getByText('“Seven it is”').first().waitFor();
    assert.match(await row.innerText(), /5\s+7/);
    assert.match(desk.page.url(), new RegExp(draft_id), 'it is the same draft');
    const author = await deskFor('manager');
    await author.open(`/p/1/drafts/${draft_id}`);
    await press(author, 'Approve…');
    await author.page
      .getByRole('dialog')
      .getByText(/Additional maximum liability:\s*40\.00.EUR/)
      .waitFor();
    await author.page.keyboard.press('Escape');
    await desk.open(address);
    await pauseUnread(desk);
    await pauseTooLate(desk);
  },
  { refusals: ['500 /FreeBets/Campaign/Get'] },
);

/** An accepted change counts as done, even if the read after it fails. */
async function pauseUnread(desk: Desk): Promise<void> {
  await press(desk, 'Pause');
  const failed = { status: 500, json: { error: 'internal_error', message: 'Something failed' } };
  await desk.page.route('**/Campaign/Pause', async (route) => {
    const response = await route.fetch();
    await desk.page.route('**/Campaign/Get', (read) => read.fulfill(failed));
    await route.fulfill({ response });
  });
  await confirm(desk, 'Not read again', 'Pause campaign');
  await desk.page.getByRole('dialog').waitFor({ state: 'detached' });
  await desk.page.unroute('**/Campaign/Get');
  await desk.page.unroute('**/Campaign/Pause');
  await desk.page.reload();
  await press(desk, 'Resume');
  await confirm(desk, 'Read again', 'Resume campaign');
}

/** A colleague stops the campaign at the same moment, so the pause has no effect. */
async function pauseTooLate(desk: Desk): Promise<void> {
  const campaign_id = new URL(desk.page.url()).pathname.split('/').at(-1);
  await press(desk, 'Pause');
  await desk.page.route('**/Campaign/Pause', async (route) => {
    accepted('CampaignStop', await call(url, 'CampaignStop', { campaign_id }));
    await route.continue();
  });
  const dialog = desk.page.getByRole('dialog');
  await dialog.getByLabel('Reason').fill('For a moment');
  await dialog.getByRole('button', { name: 'Pause campaign' }).click();
  await dialog.getByText('The campaign is already stopped. Nothing was changed.').waitFor();
  await dialog.getByText('Friday night is now stopped.').waitFor();
  await desk.page.unroute('**/Campaign/Pause');
  await desk.page.keyboard.press('Escape');
}

inBrowser('campaigns and players with unusual IDs have working screens', async () => {
  const { page, open } = await deskOf('manager', null, 'third');
  for (const campaign_id of ['new', '..', 'a/b?c#d%2E']) {
    const name = `Called ${campaign_id}`;
    accepted('CampaignCreate', await call(url, 'CampaignCreate', campaign({ campaign_id, name })));
    const player_id = campaign_id;
    accepted('Issue', await call(url, 'Issue', { campaign_id, player_id, currency: 'EUR', issue_id: randomUUID() }));
    await open('/p/1/campaigns');
    await page.getByRole('link', { name, exact: true }).click();
    // The heading has the focus, so that screen readers announce the new screen.
    await page.getByRole('heading', { level: 1, name, exact: true }).and(page.locator(':focus')).waitFor();
    await page.reload();
    await page.getByRole('link', { name: player_id, exact: true }).click();
    await page.getByRole('heading', { level: 1, name: player_id, exact: true }).waitFor();
    await page.reload();
    await page.getByRole('link', { name: '3 × 1.00 EUR' }).waitFor();
  }
});

inBrowser(
  'support sees campaigns and issues a free bet, but cannot draft, stop or approve',
  async () => {
    await submitted(url, inEuro(5, { name: 'Seen by support' }), await signedIn(sql, 'manager'));
    const desk = await deskFor('support');
    const { page } = desk;
    await desk.open('/p/1/campaigns');
    await page.getByRole('table', { name: 'Campaigns' }).waitFor();
    assert.equal(await page.getByRole('link', { name: 'New campaign' }).count(), 0);
    assert.equal(await page.getByRole('button', { name: /^Duplicate/ }).count(), 0);
    await page.getByRole('link', { name: 'Seen by support' }).click();
    await page.getByRole('heading', { name: 'Terms' }).waitFor();
    await issueOne(desk);
    for (const name of ['Stop', 'Pause', 'Change caps', 'Duplicate']) {
      assert.equal(await page.getByRole('button', { name, exact: true }).count(), 0, name);
    }
    assert.equal(await page.getByRole('link', { name: 'New bulk award' }).count(), 0);
    await desk.open('/p/1/drafts/new');
    await page.getByText('Your role does not allow this').waitFor();
    await desk.open('/p/2/campaigns');
    await page.getByText('There is no such partner.').waitFor();
  },
  { refusals: ['404 *'] },
);

async function issueOne(desk: Desk): Promise<void> {
  const { page } = desk;
  await press(desk, 'Issue free bet');
  await page.getByRole('dialog').getByLabel('Player').fill('p-friday');
  await page.getByText('1 bet of 1.00 EUR for 1 game.').waitFor();
  await page.getByRole('dialog').getByText('Maximum winnings: 1.00 EUR').waitFor();
  await confirm(desk, 'Asked for by the player', 'Issue free bet');
  await page.getByRole('link', { name: 'p-friday' }).waitFor();
  await page.getByRole('group', { name: 'Cap used' }).getByText('1 of 5').waitFor();
}
