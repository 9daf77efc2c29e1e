import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { consoleOf, inBrowser } from '../support/console.ts';
import { confirmChange, takeShown } from '../support/console-change.ts';
import { testDatabase } from '../support/database.ts';
import { testServer } from '../support/server.ts';

const { env, sql } = await testDatabase();
const { url } = await testServer({ ...env, STAFF_MFA: 'off', STAFF_CONFIRMATION: 'on' });
const { deskOf } = await consoleOf(url, sql);

/** Sends a change that needs a second admin, and closes the dialog. */
async function request(page: Page, action: string): Promise<void> {
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Reason').fill('As agreed with them');
  await dialog.getByRole('button', { name: action }).click();
  await dialog.getByText('Another admin must confirm this').waitFor();
  await dialog.getByRole('button', { name: 'OK' }).click();
  await dialog.waitFor({ state: 'detached' });
}

const requestOf = (page: Page, title: string | RegExp) => page.getByRole('article', { name: title });

inBrowser(
  'a second admin confirms an invitation and a new secret, and only the requester sees them',
  async () => {
    const { page, open, assertAccessible } = await deskOf('admin');
    const second = await deskOf('admin', null, 'second');
    await open('/staff');
    await page.getByRole('button', { name: 'Invite user' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('E-mail').fill('ann@example.com');
    await dialog.getByLabel('Name').fill('Ann Harbour');
    await dialog.getByRole('combobox', { name: 'Role' }).click();
    await page.getByRole('option', { name: /manager/ }).click();
    await request(page, 'Create invitation');
    const invitation = 'Invite Ann Harbour (ann@example.com) as manager of all partners';
    await requestOf(page, invitation).getByText('npx freebets staff confirm').waitFor();
    await requestOf(page, invitation)
      .getByText(/, just now\. Expires in 3 days\./)
      .waitFor();
    await assertAccessible();

    await open('/partners/1');
    await page.getByRole('button', { name: 'Rotate secret' }).click();
    await request(page, 'Create new secret');
    await requestOf(page, 'New secret for partner 1 (Demo partner)').getByText('pending').waitFor();

    await second.open('/approvals');
    await second.page.getByLabel('2 waiting for you').waitFor();
    await second.assertAccessible();
    for (const title of [invitation, 'New secret for partner 1 (Demo partner)']) {
      await requestOf(second.page, title).getByRole('button', { name: 'Confirm…' }).click();
      await confirmChange(second.page, 'Confirm request', 'I called them');
      await requestOf(second.page, title).getByText('confirmed', { exact: true }).waitFor();
      assert.equal(await requestOf(second.page, title).getByRole('button').count(), 0);
    }

    await requestOf(page, 'New secret for partner 1 (Demo partner)').getByRole('button', { name: 'Apply…' }).click();
    await confirmChange(page, 'Apply request');
    assert.ok((await takeShown(page, 'Secret')).length > 20);
    await open('/approvals');
    await requestOf(page, invitation).getByText('I called them').waitFor();
    await assertAccessible();
    await requestOf(page, invitation).getByRole('button', { name: 'Apply…' }).click();
    await confirmChange(page, 'Apply request');
    assert.match(await takeShown(page, 'Invitation link'), /\/console\/invitation#/);
    await requestOf(page, invitation).waitFor({ state: 'detached' });
    await requestOf(second.page, invitation).waitFor({ state: 'detached' });
  },
  { refusals: ['409 /Staff/Invite', '409 /Partner/Secret/Rotate'] },
);

inBrowser(
  'an admin rejects or withdraws a request on the screen that shows it',
  async () => {
    const { page, open } = await deskOf('admin');
    const second = await deskOf('admin', null, 'second');
    await open('/partners/1');
    await page.getByRole('button', { name: 'Change settings' }).click();
    await page.getByRole('dialog').getByRole('switch').check();
    await page
      .getByText('Stake returned in new campaigns, and in new bulk awards and free bets with their own terms.')
      .waitFor();
    await page.getByText('Existing campaigns keep their payout, even for free bets they issue').waitFor();
    await request(page, 'Change settings');
    const title = 'Partner 1 (Demo partner): return the stake with winnings';
    await second.open('/approvals');
    await requestOf(second.page, title).getByRole('button', { name: 'Reject…' }).click();
    await confirmChange(second.page, 'Reject request');
    await requestOf(page, title).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Rotate secret' }).click();
    await request(page, 'Create new secret');
    const secret = requestOf(page, 'New secret for partner 1 (Demo partner)');
    await secret.getByRole('button', { name: 'Withdraw' }).click();
    await secret.waitFor({ state: 'detached' });
    await deskOf('manager').then(async (manager) => {
      await manager.open('/approvals');
      await manager.page.getByText('Nothing to approve').waitFor();
    });
  },
  { refusals: ['409 /Partner/Update', '409 /Partner/Secret/Rotate'] },
);
