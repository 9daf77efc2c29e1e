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

// Support handles a player who says that a free bet is missing.

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

/** Taps like a finger. */
async function tap({ context, page }: Desk, target: Locator): Promise<void> {
  await target.scrollIntoViewIfNeeded();
  const { x, y } = (await target.boundingBox()) ?? assert.fail('no such element');
  const session = await context.newCDPSession(page);
  await session.send('Emulation.setTouchEmulationEnabled', { enabled: true });
  const touchPoints = [{ x: x + 5, y: y + 5 }];
  await session.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints });
  await session.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
}

const supportsDesk = () => deskOf('support', [1]);

inBrowser('support finds a player, reads the history of a free bet and plays a sandbox round', async () => {
  const { page, open, assertAccessible } = await supportsDesk();
  await open('/p/1/players');
  await page.getByLabel('Player', { exact: true }).fill(playerId);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: playerId }).waitFor();
  await page.getByRole('cell', { name: '2 of 2' }).waitFor();
  await page.getByRole('group', { name: 'EUR' }).getByText('1 with 2 bets left').waitFor();
  await page.getByText('Issued: 2 bets of 1.00 EUR without a campaign.').waitFor();
  await page
    .locator('time')
    .filter({ hasText: /just now|ago$/ })
    .first()
    .waitFor();
  await page.getByRole('button', { name: /support$/ }).press('Enter');
  await page.getByRole('menuitem', { name: 'Exact' }).press('Enter');
  await page.locator('time').filter({ hasText: exactTime }).first().waitFor();
  await page.getByRole('button', { name: /support$/ }).press('Enter');
  await page.getByRole('menuitem', { name: 'Relative' }).press('Enter');

  await page.getByRole('link', { name: '2 × 1.00 EUR' }).click();
  await page.getByText('Usable: 2 bets left').waitFor();
  await page.getByRole('button', { name: 'Play test round…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Play test round' });
  await dialog.getByLabel('Odds').fill('1.50');
  await assertAccessible();
  await dialog.getByLabel('Reason').fill('To see it for the player');
  await dialog.getByRole('button', { name: 'Play test round' }).click();
  await page.getByText('Bet 1 of 2 settled: won 0.50 EUR at odds of 1.50.').waitFor();
  await page.getByText('In use: 1 bet placed, 1 left, 0 not settled yet.').waitFor();
  await page.getByText('Expires if 1 bet is still unused').waitFor();
  await page.getByRole('button', { name: 'Show events' }).click();
  await page.getByRole('link', { name: 'freebet.settled' }).waitFor();
  assert.equal(
    await page.getByRole('button', { name: 'Cancel free bet…' }).count(),
    0,
    'a used free bet cannot be cancelled',
  );
  await assertAccessible();
});

inBrowser('by keyboard alone, support finds a player by the beginning of the ID and cancels a free bet', async () => {
  const tomorrow = directIssue({ player_id: 'keys-1', valid_from: inDays(1) });
  const { issue_id: unwanted } = accepted('Issue', await call(url, 'Issue', tomorrow));
  const { page, open } = await supportsDesk();
  await open('/p/1/players');
  await page.keyboard.type('keys');
  await page.getByRole('link', { name: 'keys-1' }).waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/players\?find=keys$/);
  await page.getByText('No free bets for keys').waitFor();
  await tabTo(page, 'Open keys anyway');
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
  await page.getByText('Not usable yet').waitFor();
  await page.getByText('Becomes usable.').waitFor();
  await tabTo(page, 'Cancel free bet…');
  await page.keyboard.press('Enter');
  await page.getByText('keys-1 loses 3 bets of 1.00 EUR').waitFor();
  await page.keyboard.type('The player asked for it');
  await tabTo(page, 'Cancel free bet');
  await page.keyboard.press('Enter');
  await page.getByText(/^Cancelled by .*“The player asked for it”/).waitFor();
  assert.equal(await page.getByText('Becomes usable.').count(), 0, 'it never became usable');
  assert.equal(await statusOf(unwanted), 'cancelled');
});

inBrowser(
  'support issues a free bet after a dry run and cancels it with a reason',
  async () => {
    const { page, open } = await supportsDesk();
    await open('/p/1/players/player-9');
    await page.getByText('No free bets for player-9').waitFor();
    await page.getByRole('button', { name: 'Issue free bet' }).first().click();
    const giving = page.getByRole('dialog', { name: 'Issue a free bet to player-9' });
    await giving.getByRole('combobox', { name: 'Campaign' }).click();
    await page.getByRole('option', { name: 'Welcome' }).click();
    await giving.getByText('player-9 would get').waitFor();
    await giving.getByText('unlimited in EUR').waitFor();
    await giving.getByLabel('Reason').fill('A late welcome');
    await giving.getByRole('button', { name: 'Issue free bet' }).click();
    await page.getByRole('link', { name: '3 × 1.00 EUR' }).waitFor();

    await page.getByRole('button', { name: 'Issue free bet' }).first().click();
    await giving.getByRole('combobox', { name: 'Campaign' }).click();
    await page.getByRole('option', { name: 'Welcome' }).click();
    await giving.getByText('The player has all the free bets that this campaign allows for one player.').waitFor();
    await giving.getByLabel('Reason').fill('One more');
    assert.equal(await giving.getByRole('button', { name: 'Issue free bet' }).isDisabled(), true);
    await giving.getByRole('button', { name: 'Cancel', exact: true }).click();

    await page.getByRole('button', { name: 'Cancel…' }).click();
    const cancelling = page.getByRole('dialog', { name: 'Cancel free bet' });
    await cancelling.getByText('player-9 loses 3 bets of 1.00 EUR').waitFor();
    await cancelling.getByLabel('Reason').fill('Given by mistake');
    await page.mouse.click(5, 5);
    await cancelSlowly(page, cancelling);
    await page.getByRole('cell', { name: 'cancelled' }).waitFor();
    await page
      .getByText(/^Cancelled by support-\w+@example.com before any bet was placed: “Given by mistake”\.$/)
      .waitFor();
    const { rows } = await sql.query(`SELECT action FROM audit WHERE record::jsonb ->> 'reason' = 'Given by mistake'`);
    assert.equal(rows.length, 1);
  },
  { refusals: ['409 /FreeBets/Issue'] },
);

/** A double click sends one request, and the dialog can't be closed while it is in progress. */
async function cancelSlowly(page: Page, dialog: Locator): Promise<void> {
  const answered = Promise.withResolvers<void>();
  let sent = 0;
  await page.route('**/FreeBets/Cancel', async (route) => {
    sent += 1;
    await answered.promise;
    await route.continue();
  });
  await dialog.getByRole('button', { name: 'Cancel free bet' }).evaluate((button: { click(): void }) => {
    button.click();
    button.click();
  });
  await dialog.getByText('In progress…').waitFor();
  await page.keyboard.press('Escape');
  assert.equal(await dialog.getByRole('button', { name: 'Keep free bet' }).isDisabled(), true);
  assert.equal(await dialog.getByLabel('Reason').inputValue(), 'Given by mistake');
  answered.resolve();
  await dialog.waitFor({ state: 'detached' });
  await page.unroute('**/FreeBets/Cancel');
  assert.equal(sent, 1);
}

inBrowser(
  'support issues a free bet with its own terms, within the limit without approval',
  async () => {
    const { page, open, assertAccessible } = await supportsDesk();
    await open('/p/1/players/own-1');
    await page.getByRole('button', { name: 'Issue free bet' }).first().click();
    const giving = page.getByRole('dialog', { name: 'Issue a free bet to own-1' });
    await giving.getByText('Own terms').click();
    await giving.getByLabel('Find games').fill('sky');
    await giving.getByRole('button', { name: 'Skyline Ascent', exact: true }).click();
    await giving.getByLabel('Stake per bet').fill('2,5');
    await giving.getByLabel('Usable until').fill('2098-01-01T12:00');
    const refused = giving.getByRole('alert');
    const highest = giving.getByLabel('Maximum odds');
    await refused.getByText('This is more than you can issue without approval.').waitFor();
    await refused.getByText('Maximum winnings has no bound without the maximum odds').waitFor();
    await highest.fill('abc');
    await giving.getByText('“abc” is not a number with at most 4 decimals').waitFor();
    await highest.fill('3');
    await giving.getByLabel('Minimum odds').fill('5');
    await refused.getByText('Check these values').waitFor();
    await refused.getByText('Minimum odds must not be above the maximum odds').waitFor();
    await giving.getByLabel('Minimum odds').fill('');
    await highest.fill('100');
    await giving.getByLabel('Reason').fill('A birthday');
    await giving
      .getByRole('alert')
      .getByText(/is 247\.50 EUR, .* the limit is 100\.00/)
      .waitFor();
    const give = giving.getByRole('button', { name: 'Issue free bet' });
    assert.ok(await give.isDisabled(), 'a refused dry run blocks the button');
    await assertAccessible();
    await giving.getByLabel('Maximum odds').fill('3');
    await giving.getByText('Maximum winnings: 5.00 EUR').waitFor();
    await give.click();
    await page.getByRole('link', { name: '1 × 2.50 EUR' }).waitFor();
    await page.getByText('without a campaign', { exact: true }).waitFor();
  },
  { refusals: ['400 /FreeBets/Issue', '409 /FreeBets/Issue'] },
);

inBrowser('the sandbox clock shows what will expire', async () => {
  const other = directIssue({ player_id: 'late', duration_min: 60 });
  const { issue_id: late } = accepted('Issue', await call(url, 'Issue', other));
  const bet = { bet_id: crypto.randomUUID(), issue_id: late, player_id: 'late', game_id: other.games[0] };
  accepted('RoundsBet', await callAs(lantern, url, 'RoundsBet', bet));
  const { page, open, assertAccessible } = await supportsDesk();
  await open('/p/1/clock');
  const slider = page.getByRole('slider', { name: 'Move clock forward' });
  await slider.focus();
  for (let step = 0; step < 62; step++) await page.keyboard.press('ArrowRight');
  await page
    .getByText(/\d+ free bets? expires?/)
    .first()
    .waitFor();
  await assertAccessible();
  await page.getByRole('button', { name: 'Move clock forward…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Reason').fill('To see the end of it');
  await dialog.getByRole('button', { name: 'Move clock forward' }).click();
  await page.getByText('ahead of real time').waitFor();
  assert.equal(await statusOf(late), 'expired');
  const lost = { bet_id: bet.bet_id, result: 'lost' };
  accepted('RoundsSettle', await callAs(lantern, url, 'RoundsSettle', lost));
  await page.goto(`/console/p/1/free-bets/${late}`);
  await page.getByText('Expired with 2 bets left, 1 hour after it became usable.').waitFor();
  const story = page.getByRole('region', { name: 'History' });
  await story.getByText('settled').waitFor();
  assert.match(await story.innerText(), /Issued.*Bet 1 of 3 placed.*Expired.*Bet 1 of 3 settled/s, 'in order of time');
  const shown = story.locator('time');
  // Relative times would be ambiguous with two clocks.
  await shown.filter({ hasText: exactTime }).first().waitFor();
  assert.equal(await shown.filter({ hasNotText: exactTime }).count(), 0);
});

inBrowser(
  'the history of a player shows which free bets it covers, and loading errors',
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
    const part = page.getByRole('region', { name: 'History' });
    await part.getByText('Of the latest 25 free bets. Older ones are not loaded yet.').waitFor();
    const before = part.getByRole('button', { name: 'Show older' });
    await before.click();
    await page.getByRole('alert').getByText('Something failed').waitFor();
    await page.unroute('**/FreeBets/Stories');
    await page.getByRole('button', { name: 'Try again' }).click();
    await part.getByText('Bet 1 of 3 placed').waitFor();
    assert.equal(await part.getByText('Of the latest').count(), 0);
    await page.getByRole('radiogroup', { name: 'Status' }).getByText('In use').click();
    await part.getByText('Of 1 in use free bet.').waitFor();
  },
  { refusals: ['500 /FreeBets/Stories'] },
);

inBrowser(
  'a viewer sees no buttons to change anything, and no other partners',
  async () => {
    const viewer = await deskOf('viewer', [1]);
    await viewer.page.setViewportSize({ width: 390, height: 800 });
    await viewer.open(`/p/1/free-bets/${issue_id}`);
    const issued = viewer.page.getByRole('region', { name: 'History' }).locator('time').first();
    await issued.waitFor();
    // Content that loads above can move the element, so the tap is repeated.
    const exact = viewer.page.getByRole('tooltip').getByText('UTC');
    await until('a tap shows the exact time', 20_000, async () => {
      for (const target of [viewer.page.getByRole('heading', { level: 1 }), issued]) await tap(viewer, target);
      return exact.waitFor({ timeout: 1000 }).then(
        () => true,
        () => false,
      );
    });
    for (const name of ['Cancel free bet…', 'Play test round…'])
      assert.equal(await viewer.page.getByRole('button', { name }).count(), 0);
    await viewer.open(`/p/1/players/${encodeURIComponent(playerId)}`);
    await viewer.page.getByRole('link', { name: '2 × 1.00 EUR' }).waitFor();
    assert.equal(await viewer.page.getByRole('button', { name: 'Issue free bet' }).count(), 0);
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
