import assert from 'node:assert/strict';
import type { Locator, Route } from 'playwright-core';
import { call } from '../support/caller.ts';
import { consoleOf, inBrowser } from '../support/console.ts';
import { confirmChange, loseAnswer, partOf, takeShown } from '../support/console-change.ts';
import { testDatabase } from '../support/database.ts';
import { testServer } from '../support/server.ts';
import { acceptedStaffCall, session, signedIn } from '../support/staff.ts';

const { env, sql } = await testDatabase();
const { url } = await testServer({ ...env, STAFF_MFA: 'off' });
const { deskOf } = await consoleOf(url, sql);

const gamesOf = async (clientId: number, secret: string) => call(url, 'GameList', {}, { clientId, secret });

inBrowser('an admin creates a partner, its offer, webhook and secret; the partner calls the API', async () => {
  const { page, open, assertAccessible } = await deskOf('admin');
  await open('/partners');
  await page.getByRole('link', { name: 'Demo partner', exact: true }).waitFor();
  await assertAccessible();
  await page.getByRole('link', { name: 'New partner' }).click();
  await page.getByLabel('Name').fill('Casino Monday');
  await page.getByLabel('client_id').fill('77');
  await assertAccessible();
  await page.getByRole('button', { name: 'Create partner…' }).click();
  await page.getByText('It has no games yet.').waitFor();
  await confirmChange(page, 'Create partner');
  const first = await takeShown(page, 'Secret');
  await page.getByRole('heading', { name: 'Casino Monday' }).waitFor();

  await partOf(page, 'Game providers').getByRole('button', { name: 'Change game providers' }).click();
  await page.getByRole('dialog').getByLabel('Game providers offered').first().click();
  await page.getByRole('option', { name: 'Lantern Quay' }).click();
  await page.getByText('The partner gets the games of Lantern Quay.').waitFor();
  await confirmChange(page, 'Change game providers');
  await partOf(page, 'Game providers').getByRole('link', { name: 'Lantern Quay' }).waitFor();

  // A colleague's change appears without a reload.
  const webhook = { client_id: 77, url: 'https://example.com/events', reason: 'Their endpoint is ready' };
  await acceptedStaffCall(url, '/Webhook/Set', webhook, await signedIn(sql, 'admin'));
  await partOf(page, 'Webhook').getByText('https://example.com/events').waitFor();
  await partOf(page, 'Webhook').getByRole('link', { name: 'Webhook settings, events and deliveries' }).waitFor();

  // An outdated dialog can't undo it.
  await partOf(page, 'Game providers').getByRole('button', { name: 'Change game providers' }).click();
  const offers = { client_id: 77, offers: [], reason: 'Not for them yet' };
  await acceptedStaffCall(url, '/Partner/Offer', offers, await signedIn(sql, 'admin'));
  await page.getByRole('dialog').getByText('This changed while you had it open').waitFor();
  assert.ok(await page.getByRole('dialog').getByRole('button', { name: 'Change game providers' }).isDisabled());
  await page.keyboard.press('Escape');
  await acceptedStaffCall(url, '/Partner/Offer', { ...offers, offers: ['lantern-quay'] }, await signedIn(sql, 'admin'));
  await partOf(page, 'API access').getByRole('button', { name: 'Change API access' }).click();
  const strict = { client_id: 77, signing: 'strict', reason: 'They sign the path' };
  await acceptedStaffCall(url, '/Partner/Update', strict, await signedIn(sql, 'admin'));
  await page.getByRole('dialog').getByText('This changed while you had it open').waitFor();
  await page.keyboard.press('Escape');
  await acceptedStaffCall(url, '/Partner/Update', { ...strict, signing: 'plain' }, await signedIn(sql, 'admin'));

  await partOf(page, 'Secrets').getByRole('button', { name: 'Rotate secret' }).click();
  await confirmChange(page, 'Create new secret');
  const second = await takeShown(page, 'Secret');
  assert.notEqual(first, second);
  for (const secret of [first, second]) {
    const { status, body } = await gamesOf(77, secret);
    assert.equal(status, 200);
    assert.deepEqual(
      body.providers.map(({ name }: { name: string }) => name),
      ['Lantern Quay'],
    );
  }
  await partOf(page, 'Secrets').getByRole('button', { name: 'Retire old secret' }).click();
  await confirmChange(page, 'Retire old secret');
  await partOf(page, 'Secrets').getByText('one', { exact: true }).waitFor();
  assert.equal((await gamesOf(77, first)).status, 403);
  assert.equal((await gamesOf(77, second)).status, 200);

  await page.getByRole('button', { name: 'Disable' }).click();
  await confirmChange(page, 'Disable Casino Monday');
  await page.getByRole('button', { name: 'Enable' }).waitFor();
  assert.equal((await gamesOf(77, second)).status, 403);
  await assertAccessible();
});

inBrowser(
  'a lost response creates neither a second partner nor a second secret',
  async () => {
    const { page, open } = await deskOf('admin');
    const dialog = page.getByRole('dialog');
    const lose = async (path: string, action: string) => {
      await page.route(`**${path}`, loseAnswer, { times: 1 });
      await dialog.getByLabel('Reason').fill('As agreed\nwith them\n');
      await dialog.getByRole('button', { name: action }).click();
      await dialog.getByText('Cannot reach the server').waitFor();
      return dialog.getByRole('button', { name: action });
    };
    await open('/partners/new');
    await page.getByLabel('Name').fill('Casino Tuesday');
    await page.getByRole('button', { name: 'Create partner…' }).click();
    const create = await lose('/Partner/Create', 'Create partner');
    await create.click();
    await dialog.getByText(/^Partner \d+ already exists$/).waitFor();
    assert.ok(await create.isDisabled());
    await dialog.getByRole('link', { name: 'open it' }).click();
    await page.getByRole('heading', { name: 'Casino Tuesday' }).waitFor();
    const made = `SELECT p.client_id, secret, previous_secret, (a.record::jsonb ->> 'reason') AS reason
      FROM partners p JOIN audit a ON a.client_id = p.client_id AND action = 'PartnerCreate' WHERE name = 'Casino Tuesday'`;
    const [partner, ...others] = (await sql.query(made)).rows;
    assert.deepEqual([partner.reason, others], ['As agreed with them', []]);

    await partOf(page, 'Secrets').getByRole('button', { name: 'Rotate secret' }).click();
    const rotate = await lose('/Partner/Secret/Rotate', 'Create new secret');
    await dialog.getByText('This changed while you had it open').waitFor();
    assert.ok(await rotate.isDisabled());
    assert.equal(
      await dialog.getByText('Two secrets are valid now').count(),
      0,
      'the dialog shows the state it opened with',
    );
    assert.deepEqual((await sql.query(made)).rows[0].previous_secret, partner.secret, 'it is still valid');
    await page.keyboard.press('Escape');

    // The secret in use is not retired if a colleague rotated it in the meantime.
    await partOf(page, 'Secrets').getByRole('button', { name: 'Retire old secret' }).click();
    const another = { client_id: partner.client_id, reason: 'Theirs was lost' };
    await acceptedStaffCall(url, '/Partner/Secret/Rotate', another, await signedIn(sql, 'admin'));
    await dialog.getByText('This changed while you had it open').waitFor();
  },
  { refusals: ['409 /Partner/Create'] },
);

inBrowser(
  'entries for a new partner and a secret on the screen survive the end of the session',
  async () => {
    const { page, open, context, who } = await deskOf('admin', null, 'who is interrupted');
    assert(who);
    const interrupt = async (held: Locator, act = async () => {}) => {
      const ended = { staff_id: who.staffId, reason: 'They have gone home' };
      await acceptedStaffCall(url, '/Staff/Sessions/End', ended, await signedIn(sql, 'admin'));
      await act();
      await page.getByRole('heading', { name: 'Sign in again' }).waitFor();
      assert.equal(await held.isVisible(), false);
      // The user signs in in another window and comes back.
      const [name = '', value = ''] = (await session(sql, who.staffId)).split('=');
      await context.addCookies([{ name, value, url, httpOnly: true, sameSite: 'Lax' }]);
      await page.evaluate('dispatchEvent(new Event("focus"))');
      await held.waitFor();
    };
    await open('/partners/2');
    await partOf(page, 'Secrets').getByRole('button', { name: 'Rotate secret' }).click();
    await confirmChange(page, 'Create new secret');
    const shown = page.getByLabel('Secret', { exact: true });
    const secret = await shown.textContent();
    await interrupt(shown);
    assert.equal(await takeShown(page, 'Secret'), secret);

    await open('/partners/new');
    const partner = page.getByLabel('Name');
    await partner.fill('Casino Wednesday');
    // The next read is refused before the stream.
    await interrupt(partner, () => page.getByRole('combobox', { name: 'Partner', exact: true }).fill('demo'));
    await page.getByRole('link', { name: 'Game providers', exact: true }).click();
    const question = page.getByRole('dialog', { name: 'Leave without creating it?' });
    await question.getByRole('button', { name: 'Stay' }).click();
    assert.equal(await partner.inputValue(), 'Casino Wednesday');
  },
  { refusals: ['401 *'] },
);

inBrowser(
  'a dialog shows the error of the server and keeps its input',
  async () => {
    const { page, open } = await deskOf('admin');
    await open('/partners/1');
    await partOf(page, 'API access').getByRole('button', { name: 'Change API access' }).click();
    const networks = page.getByRole('dialog').getByLabel('Allowed from');
    await networks.fill('everywhere');
    await networks.press('Enter');
    await page.getByRole('dialog').getByLabel('Reason').fill('Only from their office');
    await page.getByRole('dialog').getByRole('button', { name: 'Change API access' }).click();
    await page.getByRole('alert').getByText('"everywhere" is not a network').waitFor();
    assert.equal(await page.getByRole('dialog').getByLabel('Reason').inputValue(), 'Only from their office');
  },
  { refusals: ['400 /Partner/Update'] },
);

inBrowser('Back asks before it closes a dialog, and dialogs do not carry over to another partner', async () => {
  const { page, open } = await deskOf('admin');
  await open('/partners/1');
  await page.getByRole('combobox', { name: 'Partner', exact: true }).click();
  await page.getByRole('option', { name: /\(2\)/ }).click();
  await page.waitForURL('**/partners/2');
  const dialog = page.getByRole('dialog');
  const question = (name: string) => page.getByRole('dialog', { name, exact: true });
  const answer = async (title: string, label: string) => {
    await page.goBack();
    await question(title).getByRole('button', { name: label }).click();
    await question(title).waitFor({ state: 'hidden' });
    await page.waitForURL(`**/partners/${label === 'Stay' ? 2 : 1}`);
  };

  // A secret that is created while the question is open is still shown.
  const making = Promise.withResolvers<Route>();
  await page.route('**/Partner/Secret/Rotate', making.resolve, { times: 1 });
  await partOf(page, 'Secrets').getByRole('button', { name: 'Rotate secret' }).click();
  await dialog.getByLabel('Reason').fill('As agreed');
  await dialog.getByRole('button', { name: 'Create new secret' }).click();
  const held = await making.promise;
  await page.goBack();
  await question('Change in progress').waitFor();
  await held.continue();
  const secret = await page.getByLabel('Secret', { exact: true }).textContent();
  await page.waitForURL('**/partners/2');
  await answer('Leave without saving it?', 'Stay');
  assert.equal(await takeShown(page, 'Secret'), secret);

  await partOf(page, 'API access').getByRole('button', { name: 'Change API access' }).click();
  await dialog.getByLabel('Reason').fill('Only from their office');
  await page.goBack();
  await question('Discard your entries?').waitFor();
  await page.goForward();
  await question('Discard your entries?').waitFor({ state: 'hidden' });
  await answer('Discard your entries?', 'Stay');
  await page.waitForURL('**/partners/2');
  assert.equal(await dialog.getByLabel('Reason').inputValue(), 'Only from their office');
  await answer('Discard your entries?', 'Leave');
  await page.getByRole('heading', { name: 'Demo partner' }).waitFor();
  assert.equal(await dialog.count(), 0);
});

inBrowser('an admin creates a game provider and changes its API access', async () => {
  const { page, open, assertAccessible } = await deskOf('admin');
  await open('/providers');
  await page.getByRole('button', { name: 'New game provider' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Paper Lighthouse');
  await dialog.getByLabel('Currencies').fill('eur,usd,');
  await confirmChange(page, 'Create game provider');
  await takeShown(page, 'Secret');
  await page.getByRole('heading', { name: 'Paper Lighthouse' }).waitFor();
  await page.getByText('EUR, USD').waitFor();
  await partOf(page, 'API access').getByRole('button', { name: 'Change API access' }).click();
  await page.getByLabel('Strict signing').check();
  await page.getByText('signed without time and path are refused').waitFor();
  await confirmChange(page, 'Change API access');
  await partOf(page, 'API access').getByText('strict: covers body, time and path').waitFor();
  await assertAccessible();
  await open('/providers');
  await page.getByRole('link', { name: 'Paper Lighthouse' }).waitFor();
  await assertAccessible();
});

inBrowser(
  'a manager sees a partner but no buttons to change it',
  async () => {
    const { page, open } = await deskOf('manager', [1]);
    await open('/partners?search=demo');
    await page.getByRole('link', { name: 'Demo partner', exact: true }).click();
    await partOf(page, 'Secrets').waitFor();
    assert.deepEqual(await page.getByRole('main').getByRole('button').allInnerTexts(), []);
    await open('/partners/2');
    await page.getByRole('alert').getByText('There is no such partner').waitFor();
    await open('/providers/lantern-quay');
    await partOf(page, 'Secrets').waitFor();
    assert.deepEqual(await page.getByRole('main').getByRole('button').allInnerTexts(), []);
  },
  { refusals: ['404 *'] },
);
