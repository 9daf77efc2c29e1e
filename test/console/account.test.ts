import assert from 'node:assert/strict';
import { consoleOf, inBrowser } from '../support/console.ts';
import { confirmChange, takeShown } from '../support/console-change.ts';
import { testDatabase } from '../support/database.ts';
import { listenHere, openIdClient, serveOpenId } from '../support/openid-provider.ts';
import { testServer } from '../support/server.ts';
import { codeAt } from '../support/sign-in.ts';
import { acceptedStaffCall, session, signedIn, staffCall } from '../support/staff.ts';

const { env, sql } = await testDatabase();
const listening = await listenHere();
const { issuer } = listening;
const { url } = await testServer({ ...env, ...openIdClient, OIDC_ISSUER: issuer, STAFF_MFA: 'on' });
const provider = await serveOpenId(listening, url);
const { deskOf } = await consoleOf(url, sql);
const newPassword = 'nine yellow lanterns';

async function invitationFor(email: string, sso = false): Promise<string> {
  const admin = await signedIn(sql, 'admin');
  const invited = { email, name: 'Ann', role: 'manager', partners: null, sso, reason: 'She begins on Monday' };
  const { link } = await acceptedStaffCall(url, '/Staff/Invite', invited, admin);
  return new URL(link).hash;
}

inBrowser(
  'an invited user sets a password and a second factor, then signs in with a recovery code',
  async () => {
    const { page, assertAccessible } = await deskOf(null);
    const hash = await invitationFor('ann@example.com');
    await page.goto(`/console/invitation${hash}`);
    await page.getByRole('heading', { name: 'Welcome, Ann' }).waitFor();
    await assertAccessible();
    await page.getByLabel('Password', { exact: false }).first().fill(newPassword);
    await page.getByRole('button', { name: 'Accept invitation' }).click();
    await page.getByRole('heading', { name: 'Set up a second factor' }).waitFor();
    const secret = (await page.getByTestId('secret').textContent())?.replaceAll(' ', '') ?? '';
    await assertAccessible();
    await page.goto('/console/reports');
    await page.getByRole('heading', { name: 'Set up a second factor' }).waitFor();
    const again = (await page.getByTestId('secret').textContent())?.replaceAll(' ', '') ?? '';
    assert.notEqual(again, secret, 'each setup creates a new secret');
    await page.getByLabel('Code').fill(codeAt(again, new Date().toISOString()));
    await page.getByRole('button', { name: 'Confirm' }).click();
    const codes = page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem');
    await codes.first().waitFor();
    assert.equal(await codes.count(), 10);
    const recovery = (await codes.first().textContent()) ?? '';
    await assertAccessible();
    const asked = page.waitForEvent('dialog');
    await page.evaluate('void setTimeout(() => location.reload())');
    await (await asked).dismiss();
    assert.equal(await codes.first().textContent(), recovery, 'reloading before they are saved asks first');
    await page.getByRole('button', { name: 'I have saved them' }).click();
    await page.getByRole('heading', { name: 'Reports' }).waitFor();

    await page.getByRole('button', { name: /^Ann/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByLabel('E-mail').fill('ann@example.com');
    await page.getByLabel('Password', { exact: false }).first().fill(newPassword);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Second factor' }).waitFor();
    await assertAccessible();
    await page.getByRole('button', { name: 'Use a recovery code instead' }).click();
    await page.getByLabel('Recovery code').fill(recovery);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();

    await page.goto(`/console/invitation${hash}`);
    await page.getByText('The invitation is not valid').waitFor();
  },
  { refusals: ['401 *', '404 /Invitation/Get'] },
);

inBrowser(
  'a user invited with a company account accepts and signs in with it',
  async () => {
    await invitationFor('bea@example.com', true);
    const admin = await deskOf('admin');
    await admin.open('/staff?search=bea@example.com');
    await admin.page.getByRole('link', { name: 'Ann' }).click();
    await admin.page.getByRole('button', { name: 'New invitation link' }).click();
    assert.ok(await admin.page.getByLabel('Uses single sign-on').isChecked(), 'as in the previous link');
    await confirmChange(admin.page, 'Create new link');
    const link = await takeShown(admin.page, 'Invitation link');

    const { page, assertAccessible } = await deskOf(null);
    provider.account = { subject: 'subject-of-bea', email: 'bea@example.com' };
    await page.goto(link);
    await page.getByRole('heading', { name: 'Welcome, Ann' }).waitFor();
    assert.equal(await page.getByLabel('Password').count(), 0);
    await assertAccessible();
    await page.getByRole('button', { name: 'Accept with your company account' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();

    await page.getByRole('button', { name: /^Ann/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in with your company account' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
  },
  { elsewhere: issuer, refusals: ['401 /Session/Get'] },
);

inBrowser(
  'users see and end their own sessions; the skip link skips the menu',
  async () => {
    const { page, open, assertAccessible } = await deskOf('viewer');
    await open('/account');
    const { rows } = await sql.query(`SELECT staff_id FROM staff WHERE email LIKE 'viewer-%'`);
    const other = { cookie: await session(sql, rows[0].staff_id) };
    await page.reload();
    await page.getByRole('button', { name: 'End session', exact: true }).waitFor();
    await assertAccessible();
    await page.getByRole('button', { name: 'End session', exact: true }).click();
    await page.getByRole('button', { name: 'End session', exact: true }).waitFor({ state: 'detached' });
    assert.equal((await staffCall(url, '/Session/Get', {}, other)).status, 401);

    await page.getByLabel('Current password', { exact: false }).first().fill('not my password');
    await page.getByLabel('New password', { exact: false }).first().fill(newPassword);
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByRole('alert').getByText('is wrong, or there').waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Your account' }).waitFor();
    await page.getByRole('button', { name: 'viewer' }).click();
    const documentation = page.getByRole('menuitem', { name: 'Documentation' });
    assert.equal(await documentation.getAttribute('href'), '../docs/console');
    await page.reload();
    await page.getByRole('heading', { name: 'Your account' }).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.locator('#content:focus').waitFor();
  },
  { refusals: ['401 /Account/Password'] },
);
