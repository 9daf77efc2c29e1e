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

inBrowser('a new partner is created, offered games, given a webhook and another secret, and can call', async () => {
  const { page, open, assertAccessible } = await deskOf('admin');
  await open('/partners');
  await page.getByRole('link', { name: 'Demo partner', exact: true }).waitFor();
  await assertAccessible();
  await page.getByRole('link', { name: 'New partner' }).click();
  await page.getByLabel('Name').fill('Casino Monday');
  await page.getByLabel('client_id').fill('77');
  await assertAccessible();
  await page.getByRole('button', { name: 'Create…' }).click();
  await page.getByText('It is offered no games yet.').waitFor();
  await confirmChange(page, 'Create partner');
  const first = await takeShown(page, 'Secret');
  await page.getByRole('heading', { name: 'Casino Monday' }).waitFor();

  await partOf(page, 'Offer').getByRole('button', { name: 'Change offer' }).click();
  await page.getByRole('dialog').getByLabel('Providers offered').first().click();
  await page.getByRole('option', { name: 'Lantern Quay' }).click();
  await page.getByText('Gets the games of Lantern Quay.').waitFor();
  await confirmChange(page, 'Change offer');
  await partOf(page, 'Offer').getByRole('link', { name: 'Lantern Quay' }).waitFor();

  // What a colleague sets appears without reloading.
  const webhook = { client_id: 77, url: 'https://example.com/events', reason: 'Their endpoint is ready' };
  await acceptedStaffCall(url, '/Webhook/Set', webhook, await signedIn(sql, 'admin'));
  await partOf(page, 'Webhook').getByText('https://example.com/events').waitFor();
  await partOf(page, 'Webhook').getByRole('link', { name: 'Set the webhook, see events and deliveries' }).waitFor();

  // Nor is it undone by who has not seen it.
  await partOf(page, 'Offer').getByRole('button', { name: 'Change offer' }).click();
  const offers = { client_id: 77, offers: [], reason: 'Not for them yet' };
  await acceptedStaffCall(url, '/Partner/Offer', offers, await signedIn(sql, 'admin'));
  await page.getByRole('dialog').getByText('It has changed since you opened it').waitFor();
  assert.ok(await page.getByRole('dialog').getByRole('button', { name: 'Change offer' }).isDisabled());
  await page.keyboard.press('Escape');
  await acceptedStaffCall(url, '/Partner/Offer', { ...offers, offers: ['lantern-quay'] }, await signedIn(sql, 'admin'));
  await partOf(page, 'Calls').getByRole('button', { name: 'Change calls' }).click();
  const strict = { client_id: 77, signing: 'strict', reason: 'They sign the path' };
  await acceptedStaffCall(url, '/Partner/Update', strict, await signedIn(sql, 'admin'));
  await page.getByRole('dialog').getByText('It has changed since you opened it').waitFor();
  await page.keyboard.press('Escape');
  await acceptedStaffCall(url, '/Partner/Update', { ...strict, signing: 'plain' }, await signedIn(sql, 'admin'));

  await partOf(page, 'Secrets').getByRole('button', { name: 'New secret' }).click();
  await confirmChange(page, 'Make a new secret');
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
  await partOf(page, 'Secrets').getByRole('button', { name: 'Retire the old one' }).click();
  await confirmChange(page, 'Retire the old secret');
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
  'an answer that is lost makes neither a second partner nor a second secret, which would end the one in use',
  async () => {
    const { page, open } = await deskOf('admin');
    const dialog = page.getByRole('dialog');
    const lose = async (path: string, action: string) => {
      await page.route(`**${path}`, loseAnswer, { times: 1 });
      await dialog.getByLabel('Reason').fill('As agreed\nwith them\n');
      await dialog.getByRole('button', { name: action }).click();
      await dialog.getByText('The server cannot be reached').waitFor();
      return dialog.getByRole('button', { name: action });
    };
    await open('/partners/new');
    await page.getByLabel('Name').fill('Casino Tuesday');
    await page.getByRole('button', { name: 'Create…' }).click();
    const create = await lose('/Partner/Create', 'Create partner');
    await create.click();
    await dialog.getByText(/^Partner \d+ is there$/).waitFor();
    assert.ok(await create.isDisabled());
    await dialog.getByRole('link', { name: 'open it' }).click();
    await page.getByRole('heading', { name: 'Casino Tuesday' }).waitFor();
    const made = `SELECT p.client_id, secret, previous_secret, (a.record::jsonb ->> 'reason') AS reason
      FROM partners p JOIN audit a ON a.client_id = p.client_id AND action = 'PartnerCreate' WHERE name = 'Casino Tuesday'`;
    const [partner, ...others] = (await sql.query(made)).rows;
    assert.deepEqual([partner.reason, others], ['As agreed with them', []]);

    await partOf(page, 'Secrets').getByRole('button', { name: 'New secret' }).click();
    const rotate = await lose('/Partner/Secret/Rotate', 'Make a new secret');
    await dialog.getByText('It has changed since you opened it').waitFor();
    assert.ok(await rotate.isDisabled());
    assert.equal(await dialog.getByText('Two are valid at this moment').count(), 0, 'of what was read');
    assert.deepEqual((await sql.query(made)).rows[0].previous_secret, partner.secret, 'it is still valid');
    await page.keyboard.press('Escape');

    // Nor is the one in use retired, where a colleague has made another meanwhile.
    await partOf(page, 'Secrets').getByRole('button', { name: 'Retire the old one' }).click();
    const another = { client_id: partner.client_id, reason: 'Theirs was lost' };
    await acceptedStaffCall(url, '/Partner/Secret/Rotate', another, await signedIn(sql, 'admin'));
    await dialog.getByText('It has changed since you opened it').waitFor();
  },
  { refusals: ['409 /Partner/Create'] },
);

inBrowser(
  'what is typed for a new partner, or shown one time, waits for its person when the session is ended elsewhere',
  async () => {
    const { page, open, context, who } = await deskOf('admin', null, 'who is interrupted');
    assert(who);
    const interrupt = async (held: Locator, act = async () => {}) => {
      const ended = { staff_id: who.staffId, reason: 'They have gone home' };
      await acceptedStaffCall(url, '/Staff/Sessions/End', ended, await signedIn(sql, 'admin'));
      await act();
      await page.getByRole('heading', { name: 'Sign in again' }).waitFor();
      assert.equal(await held.isVisible(), false);
      // They sign in in another window, and come back to this one.
      const [name = '', value = ''] = (await session(sql, who.staffId)).split('=');
      await context.addCookies([{ name, value, url, httpOnly: true, sameSite: 'Lax' }]);
      await page.evaluate('dispatchEvent(new Event("focus"))');
      await held.waitFor();
    };
    await open('/partners/2');
    await partOf(page, 'Secrets').getByRole('button', { name: 'New secret' }).click();
    await confirmChange(page, 'Make a new secret');
    const shown = page.getByLabel('Secret', { exact: true });
    const secret = await shown.textContent();
    await interrupt(shown);
    assert.equal(await takeShown(page, 'Secret'), secret);

    await open('/partners/new');
    const partner = page.getByLabel('Name');
    await partner.fill('Casino Wednesday');
    // What is read next is refused, before the stream is.
    await interrupt(partner, () => page.getByRole('combobox', { name: 'Partner', exact: true }).fill('demo'));
    await page.getByRole('link', { name: 'Providers', exact: true }).click();
    const question = page.getByRole('dialog', { name: 'Not created' });
    await question.getByRole('button', { name: 'Stay' }).click();
    assert.equal(await partner.inputValue(), 'Casino Wednesday');
  },
  { refusals: ['401 *'] },
);

inBrowser(
  'what is wrong is said in the words of the server, and nothing is lost',
  async () => {
    const { page, open } = await deskOf('admin');
    await open('/partners/1');
    await partOf(page, 'Calls').getByRole('button', { name: 'Change calls' }).click();
    const networks = page.getByRole('dialog').getByLabel('Allowed from');
    await networks.fill('everywhere');
    await networks.press('Enter');
    await page.getByRole('dialog').getByLabel('Reason').fill('Only from their office');
    await page.getByRole('dialog').getByRole('button', { name: 'Change calls' }).click();
    await page.getByRole('alert').getByText('"everywhere" is not a network').waitFor();
    assert.equal(await page.getByRole('dialog').getByLabel('Reason').inputValue(), 'Only from their office');
  },
  { refusals: ['400 /Partner/Update'] },
);

inBrowser('who goes back is asked, and what is open for one partner is not open for another', async () => {
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

  // A secret that is being made is shown to who has not left yet.
  const making = Promise.withResolvers<Route>();
  await page.route('**/Partner/Secret/Rotate', making.resolve, { times: 1 });
  await partOf(page, 'Secrets').getByRole('button', { name: 'New secret' }).click();
  await dialog.getByLabel('Reason').fill('As agreed');
  await dialog.getByRole('button', { name: 'Make a new secret' }).click();
  const held = await making.promise;
  await page.goBack();
  await question('Under way').waitFor();
  await held.continue();
  const secret = await page.getByLabel('Secret', { exact: true }).textContent();
  await page.waitForURL('**/partners/2');
  await answer('Not kept', 'Stay');
  assert.equal(await takeShown(page, 'Secret'), secret);

  await partOf(page, 'Calls').getByRole('button', { name: 'Change calls' }).click();
  await dialog.getByLabel('Reason').fill('Only from their office');
  await page.goBack();
  await question('Not done').waitFor();
  await page.goForward();
  await question('Not done').waitFor({ state: 'hidden' });
  await answer('Not done', 'Stay');
  await page.waitForURL('**/partners/2');
  assert.equal(await dialog.getByLabel('Reason').inputValue(), 'Only from their office');
  await answer('Not done', 'Leave');
  await page.getByRole('heading', { name: 'Demo partner' }).waitFor();
  assert.equal(await dialog.count(), 0);
});

inBrowser('a provider is created, and how it may call is changed', async () => {
  const { page, open, assertAccessible } = await deskOf('admin');
  await open('/providers');
  await page.getByRole('button', { name: 'New provider' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Paper Lighthouse');
  await dialog.getByLabel('Currencies').fill('eur,usd,');
  await confirmChange(page, 'Create provider');
  await takeShown(page, 'Secret');
  await page.getByRole('heading', { name: 'Paper Lighthouse' }).waitFor();
  await page.getByText('EUR, USD').waitFor();
  await partOf(page, 'Calls').getByRole('button', { name: 'Change calls' }).click();
  await page.getByLabel('Strict signing').check();
  await page.getByText('does not cover time and path are refused').waitFor();
  await confirmChange(page, 'Change calls');
  await partOf(page, 'Calls').getByText('strict: covers time and path').waitFor();
  await assertAccessible();
  await open('/providers');
  await page.getByRole('link', { name: 'Paper Lighthouse' }).waitFor();
  await assertAccessible();
});

inBrowser(
  'a manager sees a partner, and is offered no change of it',
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
