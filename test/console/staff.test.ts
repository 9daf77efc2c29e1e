import assert from 'node:assert/strict';
import { consoleOf, inBrowser } from '../support/console.ts';
import { confirmChange, partOf, takeShown } from '../support/console-change.ts';
import { testDatabase } from '../support/database.ts';
import { testServer } from '../support/server.ts';
import { acceptedStaffCall, signedIn, staffCall } from '../support/staff.ts';

const { env, sql } = await testDatabase();
const { url } = await testServer({ ...env, STAFF_MFA: 'off' });
const { deskOf } = await consoleOf(url, sql);

const password = 'quiet harbour lanterns';

/** Accepts an invitation like its page. */
async function accept(link: string): Promise<string> {
  const token = new URL(link).hash.slice(1);
  const { status, headers, body } = await staffCall(url, '/Invitation/Accept', { token, password });
  assert.equal(status, 200, JSON.stringify(body));
  return headers.getSetCookie()[0]?.split(';')[0] ?? '';
}

inBrowser(
  'a user is invited, accepts, gets another role, and is signed out and disabled',
  async () => {
    const { page, open, assertAccessible } = await deskOf('admin');
    await open('/staff');
    await page.getByRole('button', { name: 'Invite user' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('E-mail').fill('ann@example.com');
    await dialog.getByLabel('Name').fill('Ann Harbour');
    await dialog.getByRole('radio', { name: 'Only these' }).check();
    await dialog.getByPlaceholder('Find by name or ID').fill('demo partner');
    await page.getByRole('option', { name: 'Demo partner (1)' }).click();
    await dialog.getByText('Ann Harbour gets the role viewer of partner 1').waitFor();
    await dialog.getByLabel('E-mail').fill('not an email');
    await dialog.getByLabel('Reason').fill('She begins');
    await dialog.getByRole('button', { name: 'Create invitation' }).click();
    await dialog.getByRole('alert').getByText('Check these values').waitFor();
    await dialog.getByText('email must be an e-mail address').waitFor();
    await dialog.getByLabel('E-mail').fill('ann@example.com');
    await confirmChange(page, 'Create invitation');
    await assertAccessible();
    await takeShown(page, 'Invitation link');

    // A new link keeps rights that a colleague changed in the meantime.
    const row = page.getByRole('row').filter({ hasText: 'ann@example.com' });
    await row.getByRole('link', { name: 'Ann Harbour' }).click();
    await page.getByRole('button', { name: 'New invitation link' }).click();
    await dialog.getByText('The previous link stops working.').waitFor();
    const staff_id = page.url().split('/').at(-1);
    const more = { staff_id, partners: [1, 2], reason: 'For both' };
    await acceptedStaffCall(url, '/Staff/Update', more, await signedIn(sql, 'admin'));
    await confirmChange(page, 'Create new link');
    const cookie = await accept(await takeShown(page, 'Invitation link'));
    await partOf(page, 'Role and partners').getByText('partners 1, 2').waitFor();
    await open('/staff');
    await row.getByText('active').waitFor();
    await page.getByLabel('Find').fill('HARBOUR');
    await page.getByText('admin@demo.example').waitFor({ state: 'detached' });
    assert.match(page.url(), /\/staff\?search=HARBOUR$/);
    await assertAccessible();
    await row.getByRole('link', { name: 'Ann Harbour' }).click();
    await page.getByRole('table', { name: 'Sessions of Ann Harbour' }).waitFor();
    await assertAccessible();

    await page.getByRole('button', { name: 'Change role or partners' }).click();
    const marriage = { staff_id, name: 'Ann Haven', reason: 'She is married' };
    await acceptedStaffCall(url, '/Staff/Update', marriage, await signedIn(sql, 'admin'));
    await page.locator('h1', { hasText: 'Ann Haven' }).waitFor();
    await dialog.getByRole('combobox', { name: 'Role' }).click();
    await page.getByRole('option', { name: 'manager' }).click();
    await dialog.getByText('The role changes from viewer to manager.').waitFor();
    await dialog.getByText('They are signed out at once (1 session).').waitFor();
    await confirmChange(page, 'Save changes');
    await partOf(page, 'Role and partners').getByText('manager').waitFor();
    await partOf(page, 'Sessions').getByText('Not signed in anywhere.').waitFor();
    assert.equal((await staffCall(url, '/Session/Get', {}, { cookie })).status, 401);

    await page.getByRole('button', { name: 'Disable' }).click();
    // A colleague's change of the name was kept.
    await confirmChange(page, 'Disable Ann Haven');
    await page.getByRole('button', { name: 'Enable' }).waitFor();
    const again = await staffCall(url, '/Session/SignIn', { email: 'ann@example.com', password });
    assert.equal(again.status, 401);

    // An outdated dialog can't restore a partner that a colleague removed.
    await page.getByRole('button', { name: 'Change role or partners' }).click();
    const less = { staff_id, partners: [], reason: 'None while she is away' };
    await acceptedStaffCall(url, '/Staff/Update', less, await signedIn(sql, 'admin'));
    await dialog.getByText('This changed while you had it open').waitFor();
  },
  { refusals: ['400 /Staff/Invite'] },
);

inBrowser('an admin ends a session of another user', async () => {
  const { page, open } = await deskOf('admin');
  const answer = await staffCall(url, '/Session/SignIn', {
    email: 'support@demo.example',
    password: 'demo-staff-password',
  });
  const cookie = answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  await open(`/staff/${answer.body.staff_id}`);
  await page.getByRole('table').getByRole('button', { name: 'End session' }).click();
  await confirmChange(page, 'End session');
  await page.getByText('Not signed in anywhere.').waitFor();
  assert.equal((await staffCall(url, '/Session/Get', {}, { cookie })).status, 401);
});

inBrowser(
  'admins cannot disable themselves',
  async () => {
    const { page, open, who } = await deskOf('admin');
    await open(`/staff/${who?.staffId}`);
    await page.getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('dialog').getByLabel('Reason').fill('To see whether I can');
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Disable/ })
      .click();
    await page.getByRole('alert').getByText('You cannot do this to your own account: ask another admin.').waitFor();
    await page.keyboard.press('Escape');
    await open(`/staff/${crypto.randomUUID()}`);
    await page.getByRole('alert').getByText('There is no such staff member.').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Try again' }).count(), 0, 'a retry cannot help');

    await open('/staff');
    const failed = { status: 500, json: { error: 'internal_error', message: 'Something failed' } };
    await page.route('**/Partner/List', (route) => route.fulfill(failed));
    await page.getByRole('button', { name: 'Invite user' }).click();
    await page.getByRole('dialog').getByRole('radio', { name: 'Only these' }).check();
    await page.getByRole('dialog').getByPlaceholder('Find by name or ID').fill('demo');
    await page.getByText('Search failed').waitFor();
    await page.unroute('**/Partner/List');
  },
  { refusals: ['409 /Staff/Disable', '404 /Staff/Get', '500 /Partner/List'] },
);

inBrowser('the access review is a CSV file', async () => {
  const { page, open } = await deskOf('admin');
  await open('/staff');
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Access review (CSV)' }).click();
  assert.equal((await saved).suggestedFilename(), 'staff.csv');
});

inBrowser('a manager sees no link to staff, and its address shows who has access', async () => {
  const { page, open, who } = await deskOf('manager');
  assert(who);
  for (const address of ['/staff', `/staff/${who.staffId}`]) {
    await open(address);
    await page.getByText('Admins manage users').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Try again' }).count(), 0);
  }
  assert.equal(await page.getByRole('link', { name: 'Staff' }).count(), 0);
  assert.deepEqual(await page.getByRole('main').getByRole('button', { name: 'Invite user' }).count(), 0);
  assert.equal((await staffCall(url, '/Staff/List', { limit: 1 }, who)).status, 403);
});
