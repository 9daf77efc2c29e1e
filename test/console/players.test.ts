import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { accepted } from '../support/answers.ts';
import { call } from '../support/caller.ts';
import { consoleOf, type Desk, inBrowser } from '../support/console.ts';
import { testDatabase } from '../support/database.ts';
import { tabTo } from '../support/keyboard.ts';
import { callAs, lantern } from '../support/provider.ts';
import { campaign, directIssue, games, inDays } from '../support/requests.ts';
import { testServer } from '../support/server.ts';
import { until } from '../support/waiting.ts';

// Support's case: a player says that the free bet is gone.

const { env, sql } = await testDatabase();
const { url } = await testServer({ ...env, STAFF_MFA: 'off', APPROVAL_LIMITS: 'EUR:100' });
const { deskOf } = await consoleOf(url, sql);

const playerId = 'Mia / 7 $x%';
const created = campaign({ campaign_id: 'welcome', name: 'Welcome', config: { bonus_limit_per_user: 1 } });
accepted('CampaignCreate', await call(url, 'CampaignCreate', created));
const issue = directIssue({ player_id: playerId, quantity: 2 });
const { issue_id } = accepted('Issue', await call(url, 'Issue', issue));

const statusOf = async (id: string) =>
  accepted('FreeBetGet', await call(url, 'FreeBetGet', { issue_id: id })).status as string;

const exactTime = /^\d+ \w+ \d{4}, [\d:]{8}$/;

/** As a finger does it. */
async function tap({ context, page }: Desk, target: Locator): Promise<void> {
  await target.scrollIntoViewIfNeeded();
  const { x, y } = (await target.boundingBox()) ?? assert.fail('it is not there');
  const session = await context.newCDPSession(page);
  await session.send('Emulation.setTouchEmulationEnabled', { enabled: true });
  const touchPoints = [{ x: x + 5, y: y + 5 }];
  await session.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints });
  await session.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
}

const supportsDesk = () => deskOf('support', [1]);

inBrowser('support finds a player, sees what became of a free bet, plays with it in the sandbox', async () => {
  const { page, open, assertAccessible } = await supportsDesk();
  await open('/p/1/players');
  await page.getByLabel('Player', { exact: true }).fill(playerId);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: playerId }).waitFor();
  await page.getByRole('cell', { name: '2 of 2' }).waitFor();
  await page.getByRole('group', { name: 'EUR' }).getByText('1, with 2 bets left').waitFor();
  await page.getByText('Issued: 2 bets of 1.00 EUR, given directly, without a campaign.').waitFor();
  await page
    .locator('time')
    .filter({ hasText: /just now|ago$/ })
    .first()
    .waitFor();
  await page.getByRole('button', { name: /support$/ }).press('Enter');
  await page.getByRole('menuitem', { name: 'Exact' }).press('Enter');
  await page.locator('time').filter({ hasText: exactTime }).first().waitFor();
  await page.getByRole('button', { name: /support$/ }).press('Enter');
  await page.getByRole('menuitem', { name: 'How long ago' }).press('Enter');

  await page.getByRole('link', { name: '2 × 1.00 EUR' }).click();
  await page.getByText('It can be used: 2 bets left').waitFor();
  await page.getByRole('button', { name: 'Play a round…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Play a round' });
  await dialog.getByLabel('Coefficient').fill('1.50');
  await assertAccessible();
  await dialog.getByLabel('Reason').fill('To see it for the player');
  await dialog.getByRole('button', { name: 'Play the round' }).click();
  await page.getByText('Bet 1 of 2 settled: won 0.50 EUR at coefficient 1.50.').waitFor();
  await page.getByText('It is in use: 1 bet placed, 1 left, 0 not settled yet.').waitFor();
  await page.getByText('Expires if 1 bet is not used by then').waitFor();
  await page.getByRole('button', { name: 'Find its events' }).click();
  await page.getByRole('link', { name: 'freebet.settled' }).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Cancel it…' }).count(), 0, 'one that was used stays');
  await assertAccessible();
});

inBrowser(
  'by the keyboard alone: a player is found by how the id begins, and a free bet is cancelled with the reason',
  async () => {
    const tomorrow = directIssue({ player_id: 'keys-1', valid_from: inDays(1) });
    const { issue_id: unwanted } = accepted('Issue', await call(url, 'Issue', tomorrow));
    const { page, open } = await supportsDesk();
    await open('/p/1/players');
    await page.keyboard.type('keys');
    await page.getByRole('link', { name: 'keys-1' }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/players\?find=keys$/);
    await page.getByText('No free bets for keys').waitFor();
    await tabTo(page, 'open keys anyway');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'keys' }).waitFor();
    await page.getByText('No free bets for keys').waitFor();
    await page.goBack();
    await page.getByRole('link', { name: 'keys-1' }).waitFor();
    await tabTo(page, 'keys-1');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'keys-1' }).waitFor();
    await page.getByRole('link', { name: '3 × 1.00 EUR' }).waitFor();
    await tabTo(page, '3 × 1.00 EUR');
    await page.keyboard.press('Enter');
    await page.getByText('It is issued, and cannot be used yet').waitFor();
    await page.getByText('Can be used from here on.').waitFor();
    await tabTo(page, 'Cancel it…');
    await page.keyboard.press('Enter');
    await page.getByText('keys-1 loses 3 bets of 1.00 EUR').waitFor();
    await page.keyboard.type('The player asked for it');
    await tabTo(page, 'Cancel the free bet');
    await page.keyboard.press('Enter');
    await page.getByText(/^Cancelled by .*“The player asked for it”/).waitFor();
    assert.equal(await page.getByText('Can be used from here on.').count(), 0, 'it never could');
    assert.equal(await statusOf(unwanted), 'cancelled');
  },
);

inBrowser(
  'support gives a free bet after a dry run, and cancels it with the reason',
  async () => {
    const { page, open } = await supportsDesk();
    await open('/p/1/players/player-9');
    await page.getByText('No free bets for player-9').waitFor();
    await page.getByRole('button', { name: 'Give a free bet' }).click();
    const giving = page.getByRole('dialog', { name: 'Give player-9 a free bet' });
    await giving.getByRole('combobox', { name: 'Campaign' }).click();
    await page.getByRole('option', { name: 'Welcome' }).click();
    await giving.getByText('player-9 would get').waitFor();
    await giving.getByText('no bound in EUR').waitFor();
    await giving.getByLabel('Reason').fill('A late welcome');
    await giving.getByRole('button', { name: 'Give the free bet' }).click();
    await page.getByRole('link', { name: '3 × 1.00 EUR' }).waitFor();

    await page.getByRole('button', { name: 'Give a free bet' }).click();
    await giving.getByRole('combobox', { name: 'Campaign' }).click();
    await page.getByRole('option', { name: 'Welcome' }).click();
    await giving.getByText('The player has all the free bets that this campaign allows for one player.').waitFor();
    await giving.getByLabel('Reason').fill('One more');
    assert.equal(await giving.getByRole('button', { name: 'Give the free bet' }).isDisabled(), true);
    await giving.getByRole('button', { name: 'Cancel', exact: true }).click();

    await page.getByRole('button', { name: 'Cancel…' }).click();
    const cancelling = page.getByRole('dialog', { name: 'Cancel this free bet' });
    await cancelling.getByText('player-9 loses 3 bets of 1.00 EUR').waitFor();
    await cancelling.getByLabel('Reason').fill('Given by mistake');
    await page.mouse.click(5, 5);
    await cancelSlowly(page, cancelling);
    await page.getByRole('cell', { name: 'cancelled' }).waitFor();
    await page
      .getByText(/^Cancelled by support-\w+@example.com, before any bet was placed: “Given by mistake”\.$/)
      .waitFor();
    const { rows } = await sql.query(`SELECT action FROM audit WHERE record::jsonb ->> 'reason' = 'Given by mistake'`);
    assert.equal(rows.length, 1);
  },
  { refusals: ['409 /FreeBets/Issue'] },
);

/** Asked for twice at once it is sent one time, and what is under way is not closed as if it were not. */
async function cancelSlowly(page: Page, dialog: Locator): Promise<void> {
  const answered = Promise.withResolvers<void>();
  let sent = 0;
  await page.route('**/FreeBets/Cancel', async (route) => {
    sent += 1;
    await answered.promise;
    await route.continue();
  });
  await dialog.getByRole('button', { name: 'Cancel the free bet' }).evaluate((button: { click(): void }) => {
    button.click();
    button.click();
  });
  await dialog.getByText('It is under way…').waitFor();
  await page.keyboard.press('Escape');
  assert.equal(await dialog.getByRole('button', { name: 'Keep it' }).isDisabled(), true);
  assert.equal(await dialog.getByLabel('Reason').inputValue(), 'Given by mistake');
  answered.resolve();
  await dialog.waitFor({ state: 'detached' });
  await page.unroute('**/FreeBets/Cancel');
  assert.equal(sent, 1);
}

inBrowser(
  'support gives a free bet with terms of its own, within what one may give without approval',
  async () => {
    const { page, open, assertAccessible } = await supportsDesk();
    await open('/p/1/players/own-1');
    await page.getByRole('button', { name: 'Give a free bet' }).click();
    const giving = page.getByRole('dialog', { name: 'Give own-1 a free bet' });
    await giving.getByText('Terms of its own').click();
    await giving.getByLabel('Find games').fill('sky');
    await giving.getByRole('button', { name: 'Skyline Ascent', exact: true }).click();
    await giving.getByLabel('Amount of a bet').fill('2,5');
    await giving.getByLabel('Can be used until').fill('2098-01-01T12:00');
    const refused = giving.getByRole('alert');
    const highest = giving.getByLabel('Highest coefficient');
    await refused.getByText('It is more than you may give without approval.').waitFor();
    await refused.getByText('The most it can win has no bound without the highest coefficient').waitFor();
    await highest.fill('abc');
    await giving.getByText('“abc” is no number with at most 4 decimals').waitFor();
    await highest.fill('3');
    await giving.getByLabel('Lowest coefficient').fill('5');
    await refused.getByText('This is not right yet').waitFor();
    await refused.getByText('Lowest coefficient must not be above the highest coefficient').waitFor();
    await giving.getByLabel('Lowest coefficient').fill('');
    await highest.fill('100');
    await giving.getByLabel('Reason').fill('A birthday');
    await giving
      .getByRole('alert')
      .getByText(/is 247\.50 EUR, .* the limit is 100\.00/)
      .waitFor();
    const give = giving.getByRole('button', { name: 'Give the free bet' });
    assert.ok(await give.isDisabled(), 'what would be refused is not sent');
    await assertAccessible();
    await giving.getByLabel('Highest coefficient').fill('3');
    await giving.getByText('The most it can win: 5.00 EUR').waitFor();
    await give.click();
    await page.getByRole('link', { name: '1 × 2.50 EUR' }).waitFor();
    await page.getByText('given directly', { exact: true }).waitFor();
  },
  { refusals: ['400 /FreeBets/Issue', '409 /FreeBets/Issue'] },
);

inBrowser('the clock of a sandbox says what expires on the way', async () => {
  const other = directIssue({ player_id: 'late', duration_min: 60 });
  const { issue_id: late } = accepted('Issue', await call(url, 'Issue', other));
  const bet = { bet_id: crypto.randomUUID(), issue_id: late, player_id: 'late', game_id: other.games[0] };
  accepted('RoundsBet', await callAs(lantern, url, 'RoundsBet', bet));
  const { page, open, assertAccessible } = await supportsDesk();
  await open('/p/1/clock');
  const slider = page.getByRole('slider', { name: 'Set the clock forward' });
  await slider.focus();
  for (let step = 0; step < 62; step++) await page.keyboard.press('ArrowRight');
  await page
    .getByText(/\d+ free bets? expires?/)
    .first()
    .waitFor();
  await assertAccessible();
  await page.getByRole('button', { name: 'Set the clock forward…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Reason').fill('To see the end of it');
  await dialog.getByRole('button', { name: 'Set the clock forward' }).click();
  await page.getByText('ahead of real time').waitFor();
  assert.equal(await statusOf(late), 'expired');
  const lost = { bet_id: bet.bet_id, result: 'lost' };
  accepted('RoundsSettle', await callAs(lantern, url, 'RoundsSettle', lost));
  await page.goto(`/console/p/1/free-bets/${late}`);
  await page.getByText('It has expired with 2 bets left: that is 1 hour after it could first be used.').waitFor();
  const story = page.getByRole('region', { name: 'What happened' });
  await story.getByText('settled').waitFor();
  assert.match(await story.innerText(), /Issued.*Bet 1 of 3 placed.*Expired.*Bet 1 of 3 settled/s, 'as time went');
  const shown = story.locator('time');
  // Nobody could say to which of the two clocks it is relative.
  await shown.filter({ hasText: exactTime }).first().waitFor();
  assert.equal(await shown.filter({ hasNotText: exactTime }).count(), 0);
});

inBrowser(
  'what happened to a player is told of all free bets, or it is said of which, and that something could not be read',
  async () => {
    const gift = directIssue({ player_id: 'often' });
    const { issue_id: first } = accepted('Issue', await call(url, 'Issue', gift));
    for (let n = 0; n < 25; n++) accepted('Issue', await call(url, 'Issue', gift));
    const played = { issue_id: first, game_id: games.one, result: 'won', coefficient: '2.00' };
    accepted('SandboxRound', await call(url, 'SandboxRound', played));
    const { page, open } = await supportsDesk();
    const failed = { status: 500, json: { error: 'internal_error', message: 'Something failed' } };
    await page.route('**/FreeBets/Stories', (route) => route.fulfill(failed));
    await open('/p/1/players/often');
    const part = page.getByRole('region', { name: 'What happened' });
    await part.getByText('Of the latest 25 free bets; what happened to older ones is not here yet.').waitFor();
    const before = part.getByRole('button', { name: 'Show what happened before' });
    await before.click();
    await page.getByRole('alert').getByText('Something failed').waitFor();
    await page.unroute('**/FreeBets/Stories');
    await page.getByRole('button', { name: 'Try again' }).click();
    await part.getByText('Bet 1 of 3 placed').waitFor();
    assert.equal(await part.getByText('Of the latest').count(), 0);
    await page.getByRole('radiogroup', { name: 'Status' }).getByText('In use').click();
    await part.getByText('Of the 1 free bet that is in use.').waitFor();
  },
  { refusals: ['500 /FreeBets/Stories'] },
);

inBrowser(
  'who may only see is offered no change, and sees nothing of other partners',
  async () => {
    const viewer = await deskOf('viewer', [1]);
    await viewer.page.setViewportSize({ width: 390, height: 800 });
    await viewer.open(`/p/1/free-bets/${issue_id}`);
    const issued = viewer.page.getByRole('region', { name: 'What happened' }).locator('time').first();
    await issued.waitFor();
    // What comes above it may move it away from the finger, which then begins anew elsewhere.
    const exact = viewer.page.getByRole('tooltip').getByText('UTC');
    await until('a tap shows the exact time', 20_000, async () => {
      for (const target of [viewer.page.getByRole('heading', { level: 1 }), issued]) await tap(viewer, target);
      return exact.waitFor({ timeout: 1000 }).then(
        () => true,
        () => false,
      );
    });
    for (const name of ['Cancel it…', 'Play a round…'])
      assert.equal(await viewer.page.getByRole('button', { name }).count(), 0);
    await viewer.open(`/p/1/players/${encodeURIComponent(playerId)}`);
    await viewer.page.getByRole('link', { name: '2 × 1.00 EUR' }).waitFor();
    assert.equal(await viewer.page.getByRole('button', { name: 'Give a free bet' }).count(), 0);
    const long = campaign({ campaign_id: 'c'.repeat(64) });
    const { campaign_id } = accepted('CampaignCreate', await call(url, 'CampaignCreate', long));
    const ofLong = { campaign_id, player_id: 'p'.repeat(128), currency: 'EUR', issue_id: crypto.randomUUID() };
    accepted('Issue', await call(url, 'Issue', ofLong));
    await viewer.open(`/p/1/free-bets/${ofLong.issue_id}`);
    await viewer.page.getByRole('region', { name: 'Terms' }).getByText(campaign_id).waitFor();
    assert.equal(await viewer.page.evaluate('document.documentElement.scrollWidth > innerWidth'), false);
    await viewer.open('/p/2/players/player-1');
    await viewer.page.getByRole('alert').getByText('There is no such partner.').first().waitFor();
  },
  { refusals: ['404 /FreeBets/List', '404 /Partner/Get', '404 /Player/Get'] },
);
