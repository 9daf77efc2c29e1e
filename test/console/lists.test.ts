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

// One that a spreadsheet would take for a formula.
const lines = Array.from({ length: 200 }, (_, i) => `${i === 1 ? '=' : ''}player-${i};${i % 2 === 0 ? 'EUR' : 'USD'}`);
const csv = `player_id;currency\r\n${[...lines, 'player-0;EUR', '=player-1;USD', ';EUR', 'player-x;GBP'].join('\r\n')}\r\n`;

inBrowser(
  'a manager gives free bets to the players of a list, but for wrong lines and duplicates',
  async () => {
    const { page, open, assertAccessible } = await deskOf('manager');
    await open(`/p/1/lists/new?campaign=${campaignId}`);
    const file = { name: 'friday.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) };
    const input = page.locator('input[type=file]');
    await input.setInputFiles({ ...file, buffer: Buffer.from('"') });
    await page.getByText('Line 1: a quote is opened and never closed.').waitFor();
    assert.equal(await input.inputValue(), '', 'mended, it can be chosen again');
    await input.setInputFiles(file);
    await page
      .getByText('202 free bets in the list for 200 players, 2 duplicates among them; 2 wrong lines.')
      .waitFor();
    await page.getByText('line 204: there is no player_id').waitFor();
    await page.getByText('line 205: the campaign has no amount in GBP').waitFor();
    await page.getByText('line 202: player-0 is on line 2 too').waitFor();
    await page.getByText('at most 1 to one player: 2 of the duplicates would be refused').waitFor();
    const duplicates = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download the duplicates' }).click();
    const expected = "\ufeffline,player_id,first_line\r\n202,player-0,2\r\n203,'=player-1,3\r\n";
    assert.equal((await readFile(await (await duplicates).path(), 'utf8')).replaceAll('"', ''), expected);
    await page.getByRole('cell', { name: '300.00 EUR' }).waitFor();
    await assertAccessible();
    const give = page.getByRole('button', { name: 'Give the free bets…' });
    assert.equal(await give.isDisabled(), true, 'nobody has said that wrong lines are left out');
    const [hasNames, goesOn] = [page.getByLabel('The first line names the columns'), page.getByLabel('Go on without')];
    await goesOn.check();
    await hasNames.uncheck();
    await page.getByText('line 1: the campaign has no amount in currency').waitFor();
    await page.getByText('It is taken as a player: player_id, currency').waitFor();
    assert.equal(await goesOn.isChecked(), false, 'other lines are wrong now');
    await hasNames.check();
    await page.getByText('2 wrong lines.').waitFor();
    await goesOn.check();
    await give.click();
    const dialog = page.getByRole('dialog');
    // Of parts a shorter reason is kept, which does not end in half of a character.
    await dialog.getByLabel('Reason').fill(`${'The Friday promotion '.padEnd(199, '.')}🎁`);
    const confirm = dialog.getByRole('button', { name: 'Give the free bets' });
    const beginAt = (ms: number) => dialog.getByLabel('Begin later').fill(localText(ms));
    await beginAt(Date.now() + hourMs);
    await dialog.getByText('This time has passed').waitFor();
    await dialog.getByText('This partner is a sandbox: for it, it is').waitFor();
    assert.equal(await confirm.isDisabled(), true, 'it has not in the world, and has for the sandbox');
    await beginAt(Date.now() + 3 * hourMs);
    await dialog.getByText('This time has passed').waitFor({ state: 'detached' });
    assert.equal(await confirm.isDisabled(), false);
    await dialog.getByLabel('Begin later').fill('');
    await confirm.click();
    await page.getByRole('heading', { name: 'Friday: friday.csv' }).waitFor();
    await page.getByText('finished', { exact: true }).waitFor();
    await page.getByText('200 of 202').waitFor();
    await page.getByText('2 × bonus limit per user reached').waitFor();
    await assertAccessible();

    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download as CSV' }).click();
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

inBrowser('a list that was broken off goes on with the same file, and is stopped with a reason', async () => {
  const { page, open, assertAccessible } = await deskOf('manager');
  const job_id = crypto.randomUUID();
  const started = { job_id, name: 'Broken off', campaign_id: campaignId };
  accepted('JobCreate', await call(url, 'JobCreate', started));
  await open(`/p/1/lists/${job_id}`);
  const dialog = page.getByRole('dialog');
  const goOn = async () => {
    await page.getByRole('link', { name: 'Go on with the same file' }).click();
    await page.getByText('“Broken off” was begun, and is not started').waitFor();
    await page.getByLabel('Paste players').fill('next-1\nnext-2');
    await page.getByRole('button', { name: 'Read what is pasted' }).click();
    await page.getByRole('combobox', { name: 'Currency of all players' }).click();
    await page.getByRole('option', { name: 'USD' }).click();
    await page.getByText('2 free bets for 2 players').waitFor();
    await page.getByRole('button', { name: 'Go on…' }).click();
    await dialog.getByLabel('Reason').fill('Again after a break');
    await dialog.getByRole('button', { name: 'Give the free bets' }).click();
  };
  // Who leaves while it is being sent gives nothing.
  const adding = Promise.withResolvers<Route>();
  await page.route('**/Jobs/Add', adding.resolve);
  await goOn();
  const held = await adding.promise;
  await page.goBack();
  const question = page.getByRole('dialog', { name: 'Not sent' });
  await question.waitFor();
  await page.keyboard.press('Escape');
  await question.waitFor({ state: 'hidden' });
  await page.getByRole('dialog', { name: /^Give / }).waitFor();
  await page.goBack();
  await question.getByRole('button', { name: 'Leave' }).click();
  await page.getByRole('link', { name: 'Go on with the same file' }).waitFor();
  await held.continue().catch(() => {});
  await page.unroute('**/Jobs/Add');
  await goOn();
  await page.getByText('2 of 2', { exact: true }).waitFor();
  assert.match(page.url(), new RegExp(`/lists/${job_id}$`));

  // The pace is that of one clock, however far the sandbox is ahead.
  const running = { status: 'running', per_second: 10, remaining: 300, eta: ahead.now };
  await page.route('**/Jobs/Get', async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, json: { ...(await answer.json()), ...running } });
  });
  await page.reload();
  await page.getByText('10 a second · 30 s left').waitFor();
  accepted('CampaignPause', await call(url, 'CampaignPause', { campaign_id: campaignId }));
  const paused = page.getByText('Its campaign is paused');
  await paused.waitFor();
  accepted('CampaignResume', await call(url, 'CampaignResume', { campaign_id: campaignId }));
  await paused.waitFor({ state: 'detached' });
  // One that is under way is waited for: it is asked for every second.
  await page.unrouteAll({ behavior: 'wait' });

  const later = { job_id: crypto.randomUUID(), name: 'Later', campaign_id: campaignId };
  accepted('JobCreate', await call(url, 'JobCreate', later));
  await open(`/p/1/lists/${later.job_id}`);
  await page.getByRole('button', { name: 'Stop…' }).click();
  await dialog.getByLabel('Reason').fill('Not needed');
  await dialog.getByRole('button', { name: 'Stop the list' }).click();
  await page.getByText('stopped', { exact: true }).waitFor();
  await open('/p/1/lists');
  await page.getByRole('link', { name: 'Later' }).waitFor();
  await assertAccessible();
});

inBrowser(
  'for a campaign that is paused a list waits, and one that was stopped gives nothing to it',
  async () => {
    const { page, open } = await deskOf('manager');
    const over = { campaign_id: 'over', name: 'Over' };
    accepted('CampaignCreate', await call(url, 'CampaignCreate', campaign(over)));
    const paste = async () => {
      await open('/p/1/lists/new?campaign=over');
      await page.getByLabel('Paste players').fill('ann,EUR');
      await page.getByRole('button', { name: 'Read what is pasted' }).click();
      await page.getByText('1 free bet for 1 player').waitFor();
    };
    accepted('CampaignPause', await call(url, 'CampaignPause', { campaign_id: 'over' }));
    await paste();
    await page.getByText('The campaign is paused: the list would wait until it is resumed.').waitFor();
    assert.equal(await page.getByText('who would be refused').count(), 0);
    await page.getByRole('button', { name: 'Another list' }).click();
    accepted('CampaignStop', await call(url, 'CampaignStop', { campaign_id: 'over' }));
    await paste();
    await page.getByText('The campaign was stopped.').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Give the free bets…' }).isDisabled(), true);
    await page.getByRole('button', { name: 'Another list' }).click();
  },
  { refusals: ['409 /FreeBets/Issue'] },
);

inBrowser(
  'a list with terms of its own starts within the limit, and else by approval; what was refused begins anew',
  async () => {
    const { page, open, assertAccessible } = await deskOf('manager');
    const send = async (players: string, cost: string, action = 'Give the free bets…') => {
      await page.getByLabel('Paste players').fill(players);
      await page.getByRole('button', { name: 'Read what is pasted' }).click();
      await page.getByText('they would get it').waitFor();
      await page.getByRole('button', { name: action }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText(cost).waitFor();
      await dialog.getByLabel('Reason').fill('For the tournament');
      await dialog.getByRole('button', { name: 'Send and submit' }).click();
    };
    await open('/p/1/lists/new');
    await page.getByText('Terms of its own').click();
    await page.getByLabel('Find games').fill('sky');
    await page.getByRole('button', { name: 'Skyline Ascent', exact: true }).click();
    await page.getByLabel('Amount of a bet').fill('5');
    await page.getByLabel('Can be used from').fill('2026-01-01T12:00');
    await page.getByLabel('Can be used until').fill('2098-01-01T12:00');
    await page.getByLabel('Highest coefficient').fill('3');
    await page.getByLabel('Paste players').fill('kept-1,EUR');
    await page.getByText('Of a campaign').click();
    await page.getByText('Choose the campaign first').waitFor();
    await tellApart(page);
    await page.getByText('Terms of its own').click();
    assert.equal(await page.getByLabel('Paste players').inputValue(), 'kept-1,EUR');
    assert.match(await page.getByLabel('Amount of a bet').inputValue(), /^5(\.00)?$/);
    await page.getByRole('link', { name: 'Players' }).click();
    await page.getByRole('dialog', { name: 'Not sent' }).getByRole('button', { name: 'Stay' }).click();
    assert.equal(await page.getByLabel('Highest coefficient').inputValue(), '3.00');
    await send('player_id,currency,quantity\nown-1,EUR,\nown-2,EUR,20', '210.00 EUR');
    await page.getByText('Waits for approval').waitFor();
    await page.getByText('issues 2 free bets with the terms of the list').waitFor();
    const shared = page.getByRole('region', { name: 'Terms of each free bet' });
    await shared.getByText('Skyline Ascent').first().waitFor();
    await shared.getByText('1, unless the list says otherwise').waitFor();
    await assertAccessible();
    const draft_id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    await seeTermsBeforeApproving(await deskOf('manager', null, 'who approves'), draft_id);
    const refusal = { client_id: 1, draft_id, revision: 1, reason: 'Too much for two' };
    await acceptedStaffCall(url, '/Draft/Refuse', refusal, await signedIn(sql, 'manager'));
    await page.getByText('“Too much for two”').first().waitFor();
    await page.getByRole('link', { name: 'New list with its terms' }).click();
    await page.waitForURL(/like=/);
    assert.equal(await page.getByLabel('Amount of a bet').inputValue(), '5.00');
    assert.equal(await page.getByLabel('Can be used from').inputValue(), '2026-01-01T12:00');

    // Its terms are changed, and it is broken off when it is sent: from there on they are its own.
    await page.getByLabel('Amount of a bet').fill('4');
    const broken = { status: 409, json: { error: 'draft_changed', message: 'Broken off' } };
    await page.route('**/Draft/Save', (route) => route.fulfill(broken), { times: 1 });
    await send('player_id,currency\nown-1,EUR\nown-2,EUR', '16.00 EUR');
    await page.getByRole('dialog').getByText('Broken off').waitFor();
    await page.reload();
    const terms = page.getByRole('region', { name: 'Terms of each free bet' });
    await terms.getByText('4.00, in the currency of the player').waitFor();
    await assertAccessible();
    await send('player_id,currency\nown-1,EUR\nown-2,EUR', '16.00 EUR', 'Go on…');
    await page.getByText('Carried out').waitFor();
    await page.getByRole('link', { name: 'Go to the list' }).click();
    await page.getByText('2 of 2', { exact: true }).waitFor();
    await page.getByText('finished', { exact: true }).waitFor();
    const failed = { status: 500, json: { error: 'internal_error', message: 'Something failed' } };
    await page.route('**/Draft/List', (route) => route.fulfill(failed), { times: 1 });
    await open(`/p/1/lists/${draft_id}`);
    await page.getByRole('alert').getByText('Something failed').waitFor();
    assert.equal(await page.getByText('was not sent to its end').count(), 0, 'nobody knows');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('Its start is a draft that is refused').waitFor();
  },
  { refusals: ['404 /FreeBets/Jobs/Get', '409 /Draft/Save', '500 /Draft/List', '500 /FreeBets/Jobs/Get'] },
);

/** Two campaigns of one name. */
async function tellApart(page: Page): Promise<void> {
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

inBrowser('of two lists the one that was given last is the list, however long the other is read', async () => {
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
  await page.getByRole('button', { name: 'Another list' }).click();
});

inBrowser('no line is wrong while it is not known which currencies the games take', async () => {
  const { page, open } = await deskOf('manager');
  const answered = Promise.withResolvers<void>();
  await page.route('**/Provider/List', (route) => answered.promise.then(() => route.continue()));
  await open('/p/1/lists/new?terms=own');
  await page.getByLabel('Find games').fill('sky');
  await page.getByRole('button', { name: 'Skyline Ascent', exact: true }).click();
  await page.getByLabel('Paste players').fill('ann,EUR');
  await page.getByRole('button', { name: 'Read what is pasted' }).click();
  await page.getByRole('button', { name: 'Another list' }).waitFor();
  await page.evaluate('new Promise((resolve) => setTimeout(resolve, 200))');
  assert.equal(await page.getByText('not every chosen game takes EUR').count(), 0);
  answered.resolve();
  await page.getByText('1 free bet for 1 player, 0 duplicates among them; 0 wrong lines.').waitFor();
  await page.getByRole('button', { name: 'Another list' }).click();
});

inBrowser('support sees lists, and is offered no new one', async () => {
  const { page, open } = await deskOf('support');
  await open('/p/1/lists');
  await page.getByRole('table', { name: 'Lists' }).waitFor();
  assert.equal(await page.getByRole('link', { name: 'New list' }).count(), 0);
  await open(`/p/1/lists/new?campaign=${campaignId}`);
  await page.getByText('Your role does not allow this').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Give the free bets…' }).count(), 0);
});
