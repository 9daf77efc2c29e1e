import assert from 'node:assert/strict';
import { consoleOf, inBrowser } from '../support/console.ts';
import { testDatabase } from '../support/database.ts';
import { testServer } from '../support/server.ts';

const { env, sql } = await testDatabase();
const { url } = await testServer({ ...env, STAFF_MFA: 'off' });
const { deskOf } = await consoleOf(url, sql);

inBrowser(
  'who is not signed in is asked to, and comes to the screen they wanted',
  async () => {
    const { page, assertAccessible } = await deskOf(null);
    await page.goto('/console/sign-in');
    await page.getByLabel('E-mail').waitFor();
    await page.goto('/console/p/1/campaigns?status=active');
    await page.getByLabel('E-mail').waitFor();
    await assertAccessible();
    await page.getByLabel('E-mail').fill('Manager@Demo.example');
    await page.getByLabel('Password', { exact: false }).first().fill('a wrong password');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('alert').getByText('is not right').waitFor();
    await page.getByLabel('Password', { exact: false }).first().fill('demo-staff-password');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Campaigns' }).waitFor();
    assert.match(page.url(), /\/console\/p\/1\/campaigns\?status=active$/);
    await assertAccessible();
    await page.goBack();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    assert.match(page.url(), /\/console\/$/, 'who is signed in already is led on');
    await page.goForward();
    await page.getByRole('heading', { name: 'Campaigns' }).waitFor();
    await page.goto('/console/sign-in?to=/console/p/1/players');
    await page.getByRole('heading', { name: 'Players' }).waitFor();
    assert.match(page.url(), /\/console\/p\/1\/players$/);
  },
  { refusals: ['401 *'] },
);

inBrowser(
  'a session that has ended leads back to the sign-in',
  async () => {
    const { page, open, who } = await deskOf('viewer');
    await open('/');
    await sql.query('DELETE FROM sessions WHERE staff_id = $1', [who?.staffId]);
    await page.reload();
    await page.getByLabel('E-mail').waitFor();
  },
  { refusals: ['401 *'] },
);

inBrowser(
  'the address of the server leads to the console; in a demo, and only there, one click signs in',
  async () => {
    const { page } = await deskOf(null);
    await page.goto('/');
    await page.waitForURL(/\/console\/sign-in/);
    await page.waitForLoadState('networkidle');
    assert.equal(await page.getByRole('region', { name: 'Demo people' }).count(), 0);
    // This server is none; its page is told otherwise.
    await page.route('**/Session/Ways', (route) => route.fulfill({ json: { sso: false, demo: true } }));
    await page.reload();
    await page.getByRole('button', { name: /^Demo auditor/ }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.getByText('npx freebets simulate').waitFor();
    assert.match(page.url(), /\/console\/$/);
  },
  { refusals: ['401 *'] },
);
