import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { consoleOf, inBrowser } from '../support/console.ts';
import { testDatabase } from '../support/database.ts';
import { tabTo } from '../support/keyboard.ts';
import { testServer } from '../support/server.ts';
import { acceptedStaffCall, signedIn } from '../support/staff.ts';

const { env, sql } = await testDatabase();
const { url } = await testServer({ ...env, STAFF_MFA: 'off' });
const { deskOf } = await consoleOf(url, sql);
const admin = await signedIn(sql, 'admin');
const update = (client_id: number, name: string, reason: string) =>
  acceptedStaffCall(url, '/Partner/Update', { client_id, name, reason }, admin);
await update(1, 'Renamed partner', 'They have another name');
await update(2, 'Renamed rival', 'They too');

inBrowser('an auditor reads records by keyboard alone and can change nothing', async () => {
  const { page, open, assertAccessible } = await deskOf('auditor');
  await open(`/audit?partner=1&who=${admin.staffId}`);
  await page.getByRole('table', { name: 'Audit log' }).getByText('They have another name').waitFor();
  assert.equal(await page.getByText('They too').count(), 0);
  await assertAccessible();
  await tabTo(page, 'Verify audit log');
  await page.keyboard.press('Enter');
  await page.getByText('The audit log is intact').waitFor();
  await tabTo(page, 'Change a partner');
  await page.keyboard.press('Enter');
  const row = page.getByRole('table', { name: 'Before and after' }).getByRole('row', { name: 'name changed' });
  await row.waitFor();
  assert.deepEqual(await row.getByRole('cell').allTextContents(), ['name changed', 'Demo partner', 'Renamed partner']);
  await page.getByRole('switch', { name: /^Show \d+ unchanged/ }).waitFor();
  await assertAccessible();
  await page.reload();
  await row.waitFor();
  await tabTo(page, 'partner 1');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Renamed partner' }).waitFor();
  assert.deepEqual(await page.getByRole('main').getByRole('button').allInnerTexts(), []);
});

inBrowser(
  'records without a partner have their own chain; an invalid partner in the address shows all records',
  async () => {
    const invited = { email: 'new@demo.example', name: 'New', role: 'support', partners: null, reason: 'She begins' };
    await acceptedStaffCall(url, '/Staff/Invite', invited, admin);
    const { page, open } = await deskOf('auditor');
    await open(`/audit?partner=none&who=${admin.staffId}`);
    const table = page.getByRole('table', { name: 'Audit log' });
    await table.getByRole('link', { name: 'Invite a user' }).click();
    await page.waitForURL(/\/audit\/none\/\d+/);
    await page.reload();
    await page.getByText('new@demo.example').first().waitFor();
    await page.goto(`/console/audit?partner=1x&who=${admin.staffId}`);
    for (const reason of ['They have another name', 'They too']) await table.getByText(reason).waitFor();
    assert.equal(await page.getByRole('combobox', { name: 'Partner', exact: true }).last().inputValue(), '');
    await page.getByRole('button', { name: 'Verify audit log' }).click();
    await page.getByText(/records in [2-9] chains are unchanged/).waitFor();
  },
);

inBrowser('filters are in the address, and the export follows them', async () => {
  const { page, open } = await deskOf('auditor');
  await open('/audit');
  await page.getByText('They too').waitFor();
  await page.getByRole('combobox', { name: 'Target' }).click();
  await page.getByRole('option', { name: 'game provider', exact: true }).click();
  await page.getByText('No matching records').waitFor();
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await page.getByText('They too').waitFor();
  const check = page.getByRole('button', { name: 'Verify audit log' });
  await check.click();
  await page.getByText('The audit log is intact').waitFor();
  await page.getByRole('combobox', { name: 'Partner', exact: true }).last().click();
  await page.getByRole('option', { name: 'Renamed rival' }).click();
  await page.getByText('They have another name').waitFor({ state: 'detached' });
  assert.equal(await page.getByText('The audit log is intact').count(), 0, 'the result was for other chains');
  assert.match(page.url(), /\/audit\?partner=/);
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export NDJSON' }).click();
  const file = await readFile(await (await saved).path(), 'utf8');
  assert.match(file, /They too/);
  assert.doesNotMatch(file, /They have another name/);
  await page.getByLabel('By').fill('unknown@example.com');
  await page.getByText('No matching records').waitFor();
  assert.match(page.url(), /who=unknown/);
  await check.click();
  await page.getByText(/records of partner 2 are unchanged/).waitFor();
});

inBrowser('verifying shows where the chain is broken', async () => {
  const { page, open } = await deskOf('auditor', [2]);
  await open('/audit');
  await page.getByText('They too').waitFor();
  await sql.query('ALTER TABLE audit DISABLE TRIGGER ALL');
  await sql.query(`UPDATE audit SET record = replace(record, 'They too', 'They two') WHERE client_id = 2`);
  await page.getByRole('button', { name: 'Verify audit log' }).click();
  await page.getByText('Records of partner 2: 1 break').waitFor();
});

inBrowser(
  'a manager sees no link to the audit log, and its address is refused',
  async () => {
    const { page, open } = await deskOf('manager');
    await open('/audit');
    await page.getByRole('alert').getByText('Your role does not allow this.').first().waitFor();
    assert.equal(await page.getByRole('link', { name: 'Audit log' }).count(), 0);
    assert.equal(await page.getByRole('button', { name: 'Export NDJSON' }).count(), 0);
  },
  { refusals: ['403 /Audit/List'] },
);
