import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import type { Page, Route } from 'playwright-core';
import { readTable, textChunks } from '../../packages/console/src/features/lists/list-table.ts';
import { localText } from '../../packages/console/src/ui/dates.ts';
import { accepted } from '../support/answers.ts';
import { call } from '../support/caller.ts';
import { consoleOf, type Desk, inBrowser } from '../support/console.ts';
import { testDatabase } from '../support/database.ts';
import { campaign } from '../support/requests.ts';
import { testServer } from '../support/server.ts';
import { acceptedStaffCall, signedIn } from '../support/staff.ts';

const { env, sql } = await testDatabase();
const { url } = await testServer({ ...env, STAFF_MFA: 'off', APPROVAL_LIMITS: 'EUR:100' });
const { deskOf } = await consoleOf(url, sql);

const campaignId = 'friday';
accepted(
  'CampaignCreate',
  await call(
    url,
    'CampaignCreate',
    campaign({ campaign_id: campaignId, name: 'Friday', config: { bonus_limit_per_user: 1 } }),
  ),
);

accepted('CampaignCreate', await call(url, 'CampaignCreate', campaign({ campaign_id: 'friday-too', name: 'Friday' })));

const hourMs = 60 * 60_000;
const ahead = { now: new Date(Date.now() + 2 * hourMs).toISOString() };
accepted('SandboxClockSet', await call(url, 'SandboxClockSet', ahead));

// The second player ID looks like a spreadsheet formula.
const lines = Array.from({ length: 200 }, (_, i) => `${i === 1 ? '=' : ''}player-${i};${i % 2 === 0 ? 'EUR' : 'USD'}`);
const csv = `player_id;currency\r\n${[...lines, 'player-0;EUR', '=player-1;USD', ';EUR', 'player-x;GBP'].join('\r\n')}\r\n`;

inBrowser(
  'a manager issues free bets to a list without its invalid lines and duplicates',
  async () => {
    const { page, open, assertAccessible } = await deskOf('manager');
    await open(`/p/1/lists/new?campaign=${campaignId}`);
    const file = { name: 'friday.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) };
    const input = page.locator('input[type=file]');
    await input.setInputFiles({ ...file, buffer: Buffer.from('"') });
    await page.getByText('Line 1: a quote is opened and never closed.').waitFor();
    assert.equal(await input.inputValue(), '', 'the same file can be chosen again');
    await input.setInputFiles(file);
    await page
      .getByText('202 free bets in the list for 200 players, 2 duplicates among them; 2 invalid lines.')
      .waitFor();
    await page.getByText('line 204: player_id is missing').waitFor();
    await page.getByText('line 205: the campaign has no stake in GBP').waitFor();
    await page.getByText('line 202: player-0 is also on line 2').waitFor();
    await page.getByText('The per-player cap is 1: 2 of the duplicates would be refused').waitFor();
    const duplicates = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export duplicates' }).click();
    const expected = "\ufeffline,player_id,first_line\r\n202,player-0,2\r\n203,'=player-1,3\r\n";
    assert.equal((await readFile(await (await duplicates).path(), 'utf8')).replaceAll('"', ''), expected);
    await page.getByRole('cell', { name: '300.00 EUR' }).waitFor();
    await assertAccessible();
    const give = page.getByRole('button', { name: 'Issue free bets…' });
    assert.equal(await give.isDisabled(), true, 'invalid lines are not accepted yet');
    const hasNames = page.getByLabel('The first line contains column names');
    const goesOn = page.getByLabel('Continue without');
    await goesOn.check();
    await hasNames.uncheck();
    await page.getByText('line 1: the campaign has no stake in currency').waitFor();
    await page.getByText('It is used as a player: player_id, currency').waitFor();
    assert.equal(await goesOn.isChecked(), false, 'other lines are invalid now');
    await hasNames.check();
    await page.getByText('2 invalid lines.').waitFor();
    await goesOn.check();
    await give.click();
    const dialog = page.getByRole('dialog');
    // The reason of a part is cut, but not within a character.
    await dialog.getByLabel('Reason').fill(`${'The Friday promotion '.padEnd(199, '.')}🎁`);
    const confirm = dialog.getByRole('button', { name: 'Issue free bets' });
    const beginAt = (ms: number) => dialog.getByLabel('Start later').fill(localText(ms));
    await beginAt(Date.now() + hourMs);
    await dialog.getByText('This time has passed').waitFor();
    await dialog.getByText('This partner is a sandbox. Its current time is').waitFor();
    assert.equal(await confirm.isDisabled(), true, 'the time is ahead in real time, but past for the sandbox');
    await beginAt(Date.now() + 3 * hourMs);
    await dialog.getByText('This time has passed').waitFor({ state: 'detached' });
    assert.equal(await confirm.isDisabled(), false);
    await dialog.getByLabel('Start later').fill('');
    await confirm.click();
    await page.getByRole('heading', { name: 'Friday: friday.csv' }).waitFor();
    await page.getByText('finished', { exact: true }).waitFor();
    await page.getByText('200 of 202').waitFor();
    await page.getByText(/^2 × The player has all the free bets/).waitFor();
    await assertAccessible();

    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export CSV' }).click();
    const text = await readFile(await (await saved).path(), 'utf8');
    const { columns, rows: readBack } = await readTable('refused.csv', textChunks(text));
    assert.deepEqual(columns.slice(0, 3), ['player_id', 'currency', 'issue_id']);
    assert.deepEqual(
      readBack.map(({ cells }) => cells.slice(0, 2)),
      [
        ['player-0', 'EUR'],
        ['=player-1', 'USD'],
      ],
    );
    const { rows } = await sql.query(`SELECT count(*)::int AS n FROM free_bets WHERE campaign_id = $1`, [campaignId]);
    assert.equal(rows[0].n, 200);
  },
  { refusals: ['404 /FreeBets/Jobs/Get'] },
);

inBrowser('an interrupted upload continues with the same file; a bulk award is stopped with a reason', async () => {
  const { page, open, assertAccessible } = await deskOf('manager');
  const job_id = crypto.randomUUID();
  const started = { job_id, name: 'Broken off', campaign_id: campaignId };
  accepted('JobCreate', await call(url, 'JobCreate', started));
  await open(`/p/1/lists/${job_id}`);
  const dialog = page.getByRole('dialog');
  const goOn = async () => {
    await page.getByRole('link', { name: 'Continue with the same file' }).click();
    await page.getByText('The upload of “Broken off” is incomplete').waitFor();
    await page.getByLabel('Paste players').fill('next-1\nnext-2');
    await page.getByRole('button', { name: 'Use pasted list' }).click();
    await page.getByRole('combobox', { name: 'Currency for all players' }).click();
    await page.getByRole('option', { name: 'USD' }).click();
    await page.getByText('2 free bets for 2 players').waitFor();
    await page.getByRole('button', { name: 'Continue…' }).click();
    await dialog.getByLabel('Reason').fill('Again after a break');
    await dialog.getByRole('button', { name: 'Issue free bets' }).click();
  };
  // Leaving during the upload issues nothing.
  const adding = Promise.withResolvers<Route>();
  await page.route('**/Jobs/Add', adding.resolve);
  await goOn();
  const held = await adding.promise;
  await page.goBack();
  const question = page.getByRole('dialog', { name: 'Leave without sending?' });
  await question.waitFor();
  await page.keyboard.press('Escape');
  await question.waitFor({ state: 'hidden' });
  await page.getByRole('dialog', { name: /^Issue \d/ }).waitFor();
  await page.goBack();
  await question.getByRole('button', { name: 'Leave' }).click();
  await page.getByRole('link', { name: 'Continue with the same file' }).waitFor();
  await held.continue().catch(() => {});
  await page.unroute('**/Jobs/Add');
  await goOn();
  await page.getByText('2 of 2', { exact: true }).waitFor();
  assert.match(page.url(), new RegExp(`/lists/${job_id}$`));

  // The remaining time does not depend on the sandbox clock.
  const running = { status: 'running', per_second: 10, remaining: 300, eta: ahead.now };
  await page.route('**/Jobs/Get', async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, json: { ...(await answer.json()), ...running } });
  });
  await page.reload();
  await page.getByText('10 per second · 30 s left').waitFor();
  accepted('CampaignPause', await call(url, 'CampaignPause', { campaign_id: campaignId }));
  const paused = page.getByText('The campaign is paused');
  await paused.waitFor();
  accepted('CampaignResume', await call(url, 'CampaignResume', { campaign_id: campaignId }));
  await paused.waitFor({ state: 'detached' });
  // Waits for the pending poll, which runs every second.
  await page.unrouteAll({ behavior: 'wait' });

  const later = { job_id: crypto.randomUUID(), name: 'Later', campaign_id: campaignId };
  accepted('JobCreate', await call(url, 'JobCreate', later));
  await open(`/p/1/lists/${later.job_id}`);
  await page.getByRole('button', { name: 'Stop bulk award…' }).click();
  await dialog.getByLabel('Reason').fill('Not needed');
  await dialog.getByRole('button', { name: 'Stop bulk award' }).click();
  await page.getByText('stopped', { exact: true }).waitFor();
  await open('/p/1/lists');
  await page.getByRole('link', { name: 'Later' }).waitFor();
  await assertAccessible();
});

inBrowser(
  'a bulk award waits for a paused campaign and is blocked for a stopped one',
  async () => {
    const { page, open } = await deskOf('manager');
    const over = { campaign_id: 'over', name: 'Over' };
    accepted('CampaignCreate', await call(url, 'CampaignCreate', campaign(over)));
    const paste = async () => {
      await open('/p/1/lists/new?campaign=over');
      await page.getByLabel('Paste players').fill('ann,EUR');
      await page.getByRole('button', { name: 'Use pasted list' }).click();
      await page.getByText('1 free bet for 1 player').waitFor();
    };
    accepted('CampaignPause', await call(url, 'CampaignPause', { campaign_id: 'over' }));
    await paste();
    await page.getByText('The campaign is paused. The bulk award would wait until you resume it.').waitFor();
    assert.equal(await page.getByText('who would be refused').count(), 0);
    await page.getByRole('button', { name: 'Replace list' }).click();
    accepted('CampaignStop', await call(url, 'CampaignStop', { campaign_id: 'over' }));
    await paste();
    await page.getByText('The campaign was stopped.').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Issue free bets…' }).isDisabled(), true);
    await page.getByRole('button', { name: 'Replace list' }).click();
  },
  { refusals: ['409 /FreeBets/Issue'] },
);

inBrowser(
  'a bulk award with its own terms starts within the limit or by approval; a rejected one is copied',
  async () => {
    const { page, open, assertAccessible } = await deskOf('manager');
    const send = async (players: string, cost: string, action = 'Issue free bets…') => {
      await page.getByLabel('Paste players').fill(players);
      await page.getByRole('button', { name: 'Use pasted list' }).click();
      await page.getByText('who would get a free bet').waitFor();
      await page.getByRole('button', { name: action }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText(cost).waitFor();
      await dialog.getByLabel('Reason').fill('For the tournament');
      await dialog.getByRole('button', { name: 'Upload and submit' }).click();
    };
    await open('/p/1/lists/new');
    await page.getByText('Own terms').click();
    await page.getByLabel('Find games').fill('sky');
    await page.getByRole('button', { name: 'Skyline Ascent', exact: true }).click();
    await page.getByLabel('Stake per bet').fill('5');
    await page.getByLabel('Usable from').fill('2026-01-01T12:00');
    await page.getByLabel('Usable until').fill('2098-01-01T12:00');
    await page.getByLabel('Maximum odds').fill('3');
    await page.getByLabel('Paste players').fill('kept-1,EUR');
    await page.getByText('From a campaign').click();
    await page.getByText('Choose a campaign').waitFor();
    await assertDistinguishable(page);
    await page.getByText('Own terms').click();
    assert.equal(await page.getByLabel('Paste players').inputValue(), 'kept-1,EUR');
    assert.match(await page.getByLabel('Stake per bet').inputValue(), /^5(\.00)?$/);
    await page.getByRole('link', { name: 'Players' }).click();
    await page.getByRole('dialog', { name: 'Leave without sending?' }).getByRole('button', { name: 'Stay' }).click();
    assert.equal(await page.getByLabel('Maximum odds').inputValue(), '3.00');
    await send('player_id,currency,quantity\nown-1,EUR,\nown-2,EUR,20', '210.00 EUR');
    await page.getByText('Waiting for approval', { exact: true }).waitFor();
    await page.getByText('issues 2 free bets with its own terms').waitFor();
    const shared = page.getByRole('region', { name: 'Terms of each free bet' });
    await shared.getByText('Skyline Ascent').first().waitFor();
    await shared.getByText('1, unless the list sets it').waitFor();
    await assertAccessible();
    const draft_id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    await seeTermsBeforeApproving(await deskOf('manager', null, 'who approves'), draft_id);
    const refusal = { client_id: 1, draft_id, revision: 1, reason: 'Too much for two' };
    await acceptedStaffCall(url, '/Draft/Refuse', refusal, await signedIn(sql, 'manager'));
    await page.getByText('“Too much for two”').first().waitFor();
    await page.getByRole('link', { name: 'New bulk award with these terms' }).click();
    await page.waitForURL(/like=/);
    assert.equal(await page.getByLabel('Stake per bet').inputValue(), '5.00');
    assert.equal(await page.getByLabel('Usable from').inputValue(), '2026-01-01T12:00');

    // The terms are changed and the upload is interrupted. From then on the terms are fixed.
    await page.getByLabel('Stake per bet').fill('4');
    const broken = { status: 409, json: { error: 'draft_changed', message: 'Broken off' } };
    await page.route('**/Draft/Save', (route) => route.fulfill(broken), { times: 1 });
    await send('player_id,currency\nown-1,EUR\nown-2,EUR', '16.00 EUR');
    await page.getByRole('dialog').getByText('Broken off').waitFor();
    await page.reload();
    const terms = page.getByRole('region', { name: 'Terms of each free bet' });
    await terms.getByText('4.00 in the player’s currency').waitFor();
    await assertAccessible();
    await send('player_id,currency\nown-1,EUR\nown-2,EUR', '16.00 EUR', 'Continue…');
    await page.getByText('Applied').waitFor();
    await page.getByRole('link', { name: 'Go to bulk award' }).click();
    await page.getByText('2 of 2', { exact: true }).waitFor();
    await page.getByText('finished', { exact: true }).waitFor();
    const failed = { status: 500, json: { error: 'internal_error', message: 'Something failed' } };
    await page.route('**/Draft/List', (route) => route.fulfill(failed), { times: 1 });
    await open(`/p/1/lists/${draft_id}`);
    await page.getByRole('alert').getByText('Something failed').waitFor();
    assert.equal(await page.getByText('The upload is incomplete').count(), 0, 'it is unknown');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('Its draft: rejected').waitFor();
  },
  { refusals: ['404 /FreeBets/Jobs/Get', '409 /Draft/Save', '500 /Draft/List', '500 /FreeBets/Jobs/Get'] },
);

/** Checks that two campaigns with the same name have different details. */
async function assertDistinguishable(page: Page): Promise<void> {
  await page.getByRole('combobox', { name: 'Campaign' }).fill('Frid');
  const options = page.getByRole('option', { name: 'Friday' });
  await options.filter({ hasText: /friday-too · 3 × 1\.00.EUR.* · until / }).waitFor();
  await options.filter({ hasText: 'friday · 3 × 1.00' }).waitFor();
  await page.keyboard.press('Escape');
}

async function seeTermsBeforeApproving({ page, open }: Desk, draftId: string): Promise<void> {
  const failed = { status: 500, json: { error: 'internal_error', message: 'Something failed' } };
  await page.route('**/Jobs/Get', (route) => route.fulfill(failed));
  await open(`/p/1/drafts/${draftId}`);
  await page.getByRole('alert').getByText('Something failed').waitFor();
  const approve = page.getByRole('button', { name: 'Approve…' });
  assert.equal(await approve.isDisabled(), true, 'the terms are not read');
  await page.unroute('**/Jobs/Get');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('region', { name: 'Terms of each free bet' }).waitFor();
  assert.equal(await approve.isDisabled(), false);
}

inBrowser('the list chosen last is used, even if an earlier one takes longer to read', async () => {
  const { page, open } = await deskOf('manager');
  await open('/p/1/lists/new?campaign=friday');
  await page.getByLabel('Paste players').waitFor();
  await page.evaluate(`{
    const read = Blob.prototype.arrayBuffer;
    let first = new Promise((resolve) => (globalThis.release = resolve));
    Blob.prototype.arrayBuffer = async function () {
      const before = first;
      first = undefined;
      await before;
      return read.call(this);
    };
    const give = (name, text) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([text], name));
      document.querySelector('textarea').dispatchEvent(new DragEvent('drop', { bubbles: true, dataTransfer }));
    };
    give('everybody.csv', 'ann,EUR\\nben,EUR');
    give('few.csv', 'ann,EUR');
  }`);
  await page.getByText('few.csv: 1 line').waitFor();
  await page.evaluate('release(), new Promise((resolve) => setTimeout(resolve, 200))');
  await page.getByText('few.csv: 1 line').waitFor();
  await page.getByRole('button', { name: 'Replace list' }).click();
});

inBrowser('no line is invalid while the currencies of the games are loading', async () => {
  const { page, open } = await deskOf('manager');
  const answered = Promise.withResolvers<void>();
  await page.route('**/Provider/List', (route) => answered.promise.then(() => route.continue()));
  await open('/p/1/lists/new?terms=own');
  await page.getByLabel('Find games').fill('sky');
  await page.getByRole('button', { name: 'Skyline Ascent', exact: true }).click();
  await page.getByLabel('Paste players').fill('ann,EUR');
  await page.getByRole('button', { name: 'Use pasted list' }).click();
  await page.getByRole('button', { name: 'Replace list' }).waitFor();
  await page.evaluate('new Promise((resolve) => setTimeout(resolve, 200))');
  assert.equal(await page.getByText('not all selected games support EUR').count(), 0);
  answered.resolve();
  await page.getByText('1 free bet for 1 player, 0 duplicates among them; 0 invalid lines.').waitFor();
  await page.getByRole('button', { name: 'Replace list' }).click();
});

inBrowser('support sees bulk awards but cannot create one', async () => {
  const { page, open } = await deskOf('support');
  await open('/p/1/lists');
  await page.getByRole('table', { name: 'Bulk awards' }).waitFor();
  assert.equal(await page.getByRole('link', { name: 'New bulk award' }).count(), 0);
  await open(`/p/1/lists/new?campaign=${campaignId}`);
  await page.getByText('Your role does not allow this').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Issue free bets…' }).count(), 0);
});
