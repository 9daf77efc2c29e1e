import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { consoleOf, inBrowser } from '../support/console.ts';
import { testDatabase } from '../support/database.ts';
import { testServer } from '../support/server.ts';
import { acceptedStaffCall } from '../support/staff.ts';
import { until } from '../support/waiting.ts';

// Dates are typed part by part: month, day, year. In between, the date is incomplete or in the year 2, 20 or 202.

const { env, sql } = await testDatabase();
const { url } = await testServer({ ...env, STAFF_MFA: 'off' });
const { deskOf } = await consoleOf(url, sql);

const leave = (page: Page) => page.getByRole('heading', { level: 1 }).click();

/** Types slowly, so that requests caused by one key finish before the next. */
async function typeInto(page: Page, label: string, keys: string, partsBefore = 0): Promise<void> {
  // A focused field would continue at the part that was typed last.
  await leave(page);
  await page.getByLabel(label, { exact: true }).focus();
  for (let part = 0; part < partsBefore; part++) await page.keyboard.press('Tab');
  await page.keyboard.type(keys, { delay: 120 });
}

const shownIn = (page: Page, label: string) => page.getByLabel(label, { exact: true }).inputValue();

/** Collects every address of the page from now on. */
function addressesOf(page: Page): string[] {
  const seen: string[] = [];
  page.on('framenavigated', (frame) => seen.push(frame.url()));
  return seen;
}

inBrowser('typing the end of a draft never saves an incomplete date', async () => {
  const { page, open, who, assertAccessible } = await deskOf('manager');
  assert(who);
  await open('/p/1/drafts/new');
  await page.getByLabel('Name').fill('Typed');
  await page.getByRole('button', { name: 'Create draft' }).click();
  const saved = page.getByText('draft, saved');
  await saved.waitFor();
  const draft_id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
  const sent: (string | undefined)[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/Draft/Save')) sent.push(request.postDataJSON().content.valid_until);
  });
  const savedEnd = async () =>
    (await acceptedStaffCall(url, '/Draft/Get', { client_id: 1, draft_id }, who)).content.valid_until;
  const endIs = (at: string) => until(`it ends ${at}`, 5000, async () => (await savedEnd()) === at);
  await page.getByRole('button', { name: /^(3 ?)?Dates$/ }).click();
  await page.getByLabel('End', { exact: true }).fill('2026-12-01T10:00');
  const zoned = (local: string) => page.evaluate<string>(`new Date('${local}').toISOString()`);
  await endIs(await zoned('2026-12-01T10:00'));
  await typeInto(page, 'End', '2027', 2);
  assert.equal(await shownIn(page, 'End'), '2027-12-01T10:00');
  await endIs(await zoned('2027-12-01T10:00'));

  // Deletes the year and leaves the field, then types only a part of a year.
  await typeInto(page, 'End', '', 2);
  await page.keyboard.press('Backspace');
  await leave(page);
  await page.getByText('Incomplete date. It is not used.').waitFor();
  await assertAccessible();
  await typeInto(page, 'End', '20', 2);
  await leave(page);
  await page.getByText('The year must be from 1970 to 9998. This date is not used.').waitFor();
  await typeInto(page, 'End', '2028', 2);
  await leave(page);
  await endIs(await zoned('2028-12-01T10:00'));
  await page.getByText('not used.').waitFor({ state: 'detached' });
  assert.deepEqual(
    [...new Set(sent)],
    await Promise.all(['2026', '2027', '2028'].map((year) => zoned(`${year}-12-01T10:00`))),
  );
  // An emptied field removes the end.
  await page.getByLabel('End', { exact: true }).fill('');
  await until('it has no end', 5000, async () => (await savedEnd()) === undefined);
});

inBrowser('a far end date stays unchanged when the field is only focused', async () => {
  const { page, open, who } = await deskOf('manager');
  assert(who);
  const draft = { client_id: 1, kind: 'campaign', content: { name: 'Far', valid_until: '9999-12-31T10:00:00Z' } };
  const { draft_id } = await acceptedStaffCall(url, '/Draft/Save', draft, who);
  await open(`/p/1/drafts/${draft_id}`);
  await page.getByRole('button', { name: /^(3 ?)?Dates$/ }).click();
  await page.getByLabel('End', { exact: true }).focus();
  await leave(page);
  assert.match(await shownIn(page, 'End'), /^9999-12-31T/);
  assert.equal(await page.getByText('not used.').count(), 0);
});

inBrowser('typing days into filters sends no requests for incomplete days', async () => {
  const { page, open } = await deskOf('admin');
  const addresses = addressesOf(page);
  for (const { path, until: untilLabel, names } of [
    { path: '/audit', until: 'Until', names: ['from', 'until'] },
    { path: '/p/1/events', until: 'To (inclusive)', names: ['since', 'until'] },
  ]) {
    await open(path);
    await typeInto(page, 'From', '11172025');
    assert.equal(await shownIn(page, 'From'), '2025-11-17');
    await page.waitForURL(new RegExp(`${names[0]}=2025-11-17`));
    await typeInto(page, untilLabel, '11182026');
    await page.waitForURL(new RegExp(`${names[1]}=2026-11-18`));
    assert.deepEqual([await shownIn(page, 'From'), await shownIn(page, untilLabel)], ['2025-11-17', '2026-11-18']);
    await page.getByRole('button', { name: 'Clear filters', exact: true }).click();
    await page.waitForURL((address) => address.search === '');
    assert.deepEqual([await shownIn(page, 'From'), await shownIn(page, untilLabel)], ['', '']);
  }
  assert.deepEqual(
    addresses.filter((address) => /=0\d{3}-/.test(address)),
    [],
  );
  // Implausible days in the address are ignored.
  await page.goto('/console/audit?from=0002-11-17&until=9999-12-31');
  await page.getByRole('table', { name: 'Audit log' }).waitFor();
  assert.equal(await shownIn(page, 'From'), '');
});

inBrowser('typing the year of a report sends no requests for other years', async () => {
  const { page, open } = await deskOf('auditor');
  await open('/reports?from=2025-03-01&to=2026-03-01');
  const addresses = addressesOf(page);
  await typeInto(page, 'From', '2026', 2);
  assert.equal(await shownIn(page, 'From'), '2026-03-01');
  await page.waitForURL(/from=2026-03-01/);
  await page.getByRole('button', { name: 'Last 7 days' }).click();
  await until('the field follows', 5000, async () => {
    const from = new URL(page.url()).searchParams.get('from');
    return from !== '2026-03-01' && (await shownIn(page, 'From')) === from;
  });
  assert.deepEqual(
    addresses.filter((address) => /=0\d{3}-/.test(address)),
    [],
  );
});

inBrowser('the target time of a sandbox clock can be typed', async () => {
  const { page, open } = await deskOf('support');
  await open('/p/1/clock');
  const label = 'Move forward to';
  await page.getByLabel(label).waitFor();
  // January 1 exists in every year, and is within the two years that the clock can move at once.
  const year = Number((await shownIn(page, label)).slice(0, 4));
  await page.getByLabel(label).fill(`${year + 1}-01-01T00:00`);
  await typeInto(page, label, String(year + 2), 2);
  assert.equal(await shownIn(page, label), `${year + 2}-01-01T00:00`);
  await leave(page);
  assert.equal(await shownIn(page, label), `${year + 2}-01-01T00:00`);
  await page.getByRole('button', { name: 'Move clock forward…' }).click();
  await page
    .getByRole('dialog')
    .getByText(String(year + 2))
    .first()
    .waitFor();
});
