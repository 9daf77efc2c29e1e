import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { consoleOf, inBrowser } from '../support/console.ts';
import { confirmChange, takeShown } from '../support/console-change.ts';
import { testDatabase } from '../support/database.ts';
import { testServer } from '../support/server.ts';

const { env, sql } = await testDatabase();
const { url } = await testServer({ ...env, STAFF_MFA: 'off', STAFF_CONFIRMATION: 'on' });
const { deskOf } = await consoleOf(url, sql);

/** Sends a change that needs a second admin, and closes the dialog that says so. */
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
    await page.getByRole('button', { name: 'Invite' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('E-mail').fill('ann@example.com');
    await dialog.getByLabel('Name').fill('Ann Harbour');
    await dialog.getByRole('combobox', { name: 'Role' }).click();
    await page.getByRole('option', { name: /manager/ }).click();
    await request(page, 'Make the invitation');
    const invitation = 'Invite Ann Harbour (ann@example.com) as manager of all partners';
    await requestOf(page, invitation).getByText('npx freebets staff confirm').waitFor();
    await requestOf(page, invitation)
      .getByText(/, just now\. Lapses in 3 days\./)
      .waitFor();
    await assertAccessible();

    await open('/partners/1');
    await page.getByRole('button', { name: 'New secret' }).click();
    await request(page, 'Make a new secret');
    await requestOf(page, 'New secret for partner 1 (Demo partner)').getByText('pending').waitFor();

    await second.open('/approvals');
    await second.page.getByLabel('2 waiting for you').waitFor();
    await second.assertAccessible();
    for (const title of [invitation, 'New secret for partner 1 (Demo partner)']) {
      await requestOf(second.page, title).getByRole('button', { name: 'Confirm…' }).click();
      await confirmChange(second.page, 'Confirm the request', 'I called them');
      await requestOf(second.page, title).getByText('confirmed', { exact: true }).waitFor();
      assert.equal(await requestOf(second.page, title).getByRole('button').count(), 0);
    }

    await requestOf(page, 'New secret for partner 1 (Demo partner)')
      .getByRole('button', { name: 'Carry out…' })
      .click();
    await confirmChange(page, 'Carry it out');
    assert.ok((await takeShown(page, 'Secret')).length > 20);
    await open('/approvals');
    await requestOf(page, invitation).getByText('I called them').waitFor();
    await assertAccessible();
    await requestOf(page, invitation).getByRole('button', { name: 'Carry out…' }).click();
    await confirmChange(page, 'Carry it out');
    assert.match(await takeShown(page, 'Invitation link'), /\/console\/invitation#/);
    await requestOf(page, invitation).waitFor({ state: 'detached' });
    await requestOf(second.page, invitation).waitFor({ state: 'detached' });
  },
  { refusals: ['409 /Staff/Invite', '409 /Partner/Secret/Rotate'] },
);

inBrowser(
  'an admin refuses or withdraws a request on the screen that shows it',
  async () => {
    const { page, open } = await deskOf('admin');
    const second = await deskOf('admin', null, 'second');
    await open('/partners/1');
    await page.getByRole('button', { name: 'Change settings' }).click();
    await page.getByRole('dialog').getByRole('switch').check();
    await page
      .getByText(
        'Wins pay the stake as well in new campaigns, and in new bulk awards and free bets with their own terms.',
      )
      .waitFor();
    await page.getByText('Existing campaigns keep their terms, also for free bets that they give').waitFor();
    await request(page, 'Change settings');
    const title = 'Partner 1 (Demo partner): won free bets pay the stake as well';
    await second.open('/approvals');
    await requestOf(second.page, title).getByRole('button', { name: 'Refuse…' }).click();
    await confirmChange(second.page, 'Refuse the request');
    await requestOf(page, title).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'New secret' }).click();
    await request(page, 'Make a new secret');
    const secret = requestOf(page, 'New secret for partner 1 (Demo partner)');
    await secret.getByRole('button', { name: 'Withdraw' }).click();
    await secret.waitFor({ state: 'detached' });
    await deskOf('manager').then(async (manager) => {
      await manager.open('/approvals');
      await manager.page.getByText('Nothing waits for you').waitFor();
    });
  },
  { refusals: ['409 /Partner/Update', '409 /Partner/Secret/Rotate'] },
);
