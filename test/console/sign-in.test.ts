import assert from 'node:assert/strict';
import { accepted } from '../support/answers.ts';
import { call } from '../support/caller.ts';
import { consoleOf, inBrowser } from '../support/console.ts';
import { testDatabase } from '../support/database.ts';
import { campaign } from '../support/requests.ts';
import { testServer } from '../support/server.ts';
import { type Staff, signedIn, staffCall } from '../support/staff.ts';

const { env, sql } = await testDatabase();
const { url } = await testServer({ ...env, STAFF_MFA: 'off' });
const { deskOf } = await consoleOf(url, sql);

inBrowser(
  'a user without a session signs in and reaches the requested screen',
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
    await page.getByRole('alert').getByText('is wrong, or there').waitFor();
    await page.getByLabel('Password', { exact: false }).first().fill('demo-staff-password');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Campaigns' }).waitFor();
    assert.match(page.url(), /\/console\/p\/1\/campaigns\?status=active$/);
    await assertAccessible();
    await page.goBack();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    assert.match(page.url(), /\/console\/$/, 'a signed-in user skips the sign-in');
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
  'unsaved work survives the end of a session, for the same user only',
  async () => {
    accepted('CampaignCreate', await call(url, 'CampaignCreate', campaign({ name: 'Held' })));
    const { page, context } = await deskOf(null);
    await page.goto('/console/sign-in?to=/console/p/1/lists');
    await page.getByLabel('E-mail').fill('manager@demo.example');
    const password = page.getByLabel('Password').first();
    const enter = async () => {
      await password.fill('demo-staff-password');
      await password.press('Enter');
    };
    await enter();
    await page.getByRole('link', { name: 'New bulk award' }).click();
    await page.getByRole('combobox', { name: 'Campaign' }).click();
    await page.getByRole('option', { name: 'Held' }).click();
    const end = () => sql.query('DELETE FROM sessions');
    const lock = page.getByRole('heading', { name: 'Sign in again' });
    const summary = page.getByText('2 free bets for 2 players').first();
    await page.getByLabel('Paste players').fill('ann,EUR\nben,USD');
    await end();
    await page.getByRole('button', { name: 'Use pasted list' }).click();
    await lock.waitFor();
    assert.equal(await summary.isVisible(), false, 'nothing is readable');
    await page.goBack();
    await lock.waitFor();
    await enter();
    await summary.waitFor();
    assert.equal(await page.getByRole('dialog').count(), 0, 'blocked Back asks nothing');
    assert.match(page.url(), /lists\/new\b/);
    await page.getByText('who would get a free bet').waitFor();

    await page.getByRole('button', { name: 'Issue free bets…' }).click();
    const reason = page.getByRole('dialog').getByLabel('Reason');
    await reason.fill('Their birthday');
    await end();
    await page.getByRole('button', { name: 'Issue free bets', exact: true }).click();
    await lock.waitFor();
    assert.equal(await reason.isVisible(), false);
    await page.keyboard.press('Escape');
    await enter();
    assert.equal(await reason.inputValue(), 'Their birthday');

    // Another window of the same browser signs in another user.
    const enterElsewhere = async (who: Staff) => {
      const [name = '', value = ''] = who.cookie.split('=');
      await context.addCookies([{ name, value, url, httpOnly: true, sameSite: 'Lax' }]);
    };
    const questions: string[] = [];
    page.on('dialog', (question) => {
      questions.push(question.type());
      void question.dismiss();
    });
    await enterElsewhere(await signedIn(sql, 'admin'));
    assert.equal(await page.getByRole('dialog').getByRole('alert').count(), 0, 'the sign-in error is gone');
    // When its live stream reconnects, the page may notice before the click.
    const isNoticed = page.getByText('A admin', { exact: true }).waitFor();
    const give = page.getByRole('button', { name: 'Issue free bets', exact: true });
    give.click().catch(() => {});
    await isNoticed;
    assert.equal(await page.getByRole('dialog').count(), 0);
    assert.equal(await page.getByLabel('Paste players').inputValue(), '');
    const { rows } = await sql.query('SELECT count(*)::int AS n FROM jobs');
    assert.equal(rows[0].n, 0, 'nothing was done as another user');
    assert.deepEqual(questions, [], 'the page reloads without asking');
    await page.getByRole('button', { name: /^A admin/ }).click();
    const support = await signedIn(sql, 'support');
    await enterElsewhere(support);
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByText('A support', { exact: true }).waitFor();
    assert.equal((await staffCall(url, '/Session/Get', {}, support)).status, 200, 'they are not signed out');
  },
  { refusals: ['401 *', '403 *', '404 *'] },
);

inBrowser(
  'the root address leads to the console; only a demo offers one-click sign-in',
  async () => {
    const { page } = await deskOf(null);
    await page.goto('/');
    await page.waitForURL(/\/console\/sign-in/);
    await page.waitForLoadState('networkidle');
    assert.equal(await page.getByRole('region', { name: 'Demo users' }).count(), 0);
    // This server is not a demo, so the response is mocked.
    await page.route('**/Session/Ways', (route) => route.fulfill({ json: { sso: false, demo: true } }));
    await page.reload();
    await page.getByRole('button', { name: /^Demo auditor/ }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.getByText('npx freebets simulate').waitFor();
    assert.match(page.url(), /\/console\/$/);
  },
  { refusals: ['401 *'] },
);
