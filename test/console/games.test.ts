import assert from 'node:assert/strict';
import { test } from 'node:test';
import { demoCatalogue, game } from '../support/catalogue.ts';
import { consoleOf, inBrowser } from '../support/console.ts';
import { testDatabase } from '../support/database.ts';
import { testServer } from '../support/server.ts';
import { acceptedStaffCall, signedIn } from '../support/staff.ts';
import { until } from '../support/waiting.ts';

const { env, sql } = await testDatabase();
const { url } = await testServer({ ...env, STAFF_MFA: 'off' });
const { deskOf } = await consoleOf(url, sql);

const fileOf = (catalogue: unknown) => ({
  name: 'catalogue.json',
  mimeType: 'application/json',
  buffer: Buffer.from(JSON.stringify(catalogue)),
});

inBrowser(
  'games are filtered on the server, with the filters in the address',
  async () => {
    const { page, open, assertAccessible } = await deskOf('viewer');
    await open('/games');
    await page.getByText('41 games from 3 game providers').waitFor();
    await page.route('**/Catalogue/Games', async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ response: answer, json: { ...(await answer.json()), next_cursor: 'nowhere' } });
    });
    await page.reload();
    await page.getByText('Ember Kite').waitFor();
    await page.unroute('**/Catalogue/Games');
    await page.getByRole('button', { name: 'Show more' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByText('Ember Kite').waitFor();
    await page.getByLabel('Search').fill('kite');
    await page.getByText('1 matching game').waitFor();
    await page.waitForURL(/search=kite/);
    await page.reload();
    await page.getByText('Ember Kite').waitFor();
    await assertAccessible();
    assert.equal(await page.getByRole('button', { name: 'Import catalogue…' }).count(), 0, 'only admins import');
    await page.getByRole('tab', { name: 'Offers' }).click();
    await page.getByLabel('Find a partner').fill('rival');
    const offers = page.getByRole('table', { name: 'Offers' }).getByRole('row');
    await offers.filter({ hasText: 'Demo rival' }).getByText('all 3').waitFor();
    await offers.filter({ hasText: 'Demo partner' }).waitFor({ state: 'detached' });
    await assertAccessible();
  },
  { refusals: ['400 /Catalogue/Games'] },
);

inBrowser('an import shows its changes first and asks for a reason', async () => {
  const { page, open, assertAccessible } = await deskOf('admin');
  await open('/games');
  await page.getByRole('button', { name: 'Import catalogue…' }).click();
  const dialog = page.getByRole('dialog');
  const input = page.locator('input[type=file]');
  await input.setInputFiles({ name: 'x.json', mimeType: 'application/json', buffer: Buffer.from('no') });
  await dialog.getByText('The file is not JSON.').waitFor();
  assert.equal(await input.inputValue(), '', 'the same file can be chosen again');
  const catalogue = demoCatalogue();
  const [provider] = catalogue.providers;
  assert.ok(provider?.games[1]);
  provider.games = [{ ...provider.games[1], title: 'Renamed' }, ...provider.games.slice(2), game('brand-new')];
  await input.setInputFiles(fileOf(catalogue));
  const change = dialog.getByRole('group', { name: 'What would change' });
  await change.getByText('Title of brand-new (Lantern Quay)').waitFor();
  await change.getByText('Renamed (Lantern Quay): title').waitFor();
  await change.getByText('Skyline Ascent (Lantern Quay)').waitFor();
  await assertAccessible();
  const action = dialog.getByRole('button', { name: 'Import and withdraw 1' });
  assert.ok(await action.isDisabled(), 'not without a reason');
  await dialog.getByLabel('Reason').fill('The provider sent a new list');
  await action.click();
  await page.getByText('The catalogue now has 41 games; 1 were withdrawn.').waitFor();
  await page.getByText('Title of brand-new').waitFor();
});

test('pictures load only from the host in the catalogue', async () => {
  const admin = await signedIn(sql, 'admin');
  const catalogue = demoCatalogue();
  const moveTo = async (base_url: string) => {
    const image_assets = { ...catalogue.image_assets, base_url };
    const moved = { catalogue: { ...catalogue, image_assets }, reason: 'Pictures come from elsewhere' };
    await acceptedStaffCall(url, '/Catalogue/Import', moved, admin);
  };
  const policy = async () => (await fetch(`${url}/console/`)).headers.get('content-security-policy') ?? '';
  await moveTo('https://pictures.example/of/games');
  await until('the server knows of it', 5000, async () => (await policy()).includes('pictures.example'));
  assert.match(await policy(), /img-src 'self' data: https:\/\/pictures\.example;/);

  await moveTo("https://a;script-src-elem'none'.example");
  await until('the server knows of this too', 5000, async () => !(await policy()).includes('pictures.example'));
  assert.match(await policy(), /img-src 'self' data: ; style-src/);
});
