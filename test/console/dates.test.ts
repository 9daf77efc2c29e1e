import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { consoleOf, inBrowser } from '../support/console.ts';
import { testDatabase } from '../support/database.ts';
import { testServer } from '../support/server.ts';
import { acceptedStaffCall } from '../support/staff.ts';
import { until } from '../support/waiting.ts';

// Dates are typed part by part: month, day, year. Each key leaves a date that is not whole, or one of the year 2, 20 and 202.

const { env, sql } = await testDatabase();
const { url } = await testServer({ ...env, STAFF_MFA: 'off' });
const { deskOf } = await consoleOf(url, sql);

const leave = (page: Page) => page.getByRole('heading', { level: 1 }).click();

/** As slowly as somebody who looks for the keys, so that whatever a key begins is answered before the next. */
async function typeInto(page: Page, label: string, keys: string, partsBefore = 0): Promise<void> {
  // What has the focus already would stay at the part that was typed last.
  await leave(page);
  await page.getByLabel(label, { exact: true }).focus();
  for (let part = 0; part < partsBefore; part++) await page.keyboard.press('Tab');
  await page.keyboard.type(keys, { delay: 120 });
}

const shownIn = (page: Page, label: string) => page.getByLabel(label, { exact: true }).inputValue();

/** Every address that the page has from now on. */
function addressesOf(page: Page): string[] {
  const seen: string[] = [];
  page.on('framenavigated', (frame) => seen.push(frame.url()));
  return seen;
}

inBrowser('the end of a draft is typed; what is not whole yet is not saved, and takes nothing away', async () => {
  const { page, open, who, assertAccessible } = await deskOf('manager');
  assert(who);
  await open('/p/1/drafts/new');
  await page.getByLabel('Name').fill('Typed');
  await page.getByRole('button', { name: 'Begin the draft' }).click();
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
  await page.getByRole('button', { name: /^(3 ?)?When$/ }).click();
  await page.getByLabel('End', { exact: true }).fill('2026-12-01T10:00');
  const zoned = (local: string) => page.evaluate<string>(`new Date('${local}').toISOString()`);
  await endIs(await zoned('2026-12-01T10:00'));
  await typeInto(page, 'End', '2027', 2);
  assert.equal(await shownIn(page, 'End'), '2027-12-01T10:00');
  await endIs(await zoned('2027-12-01T10:00'));

  // The year is taken away, and the field left; then only a part of a year is typed.
  await typeInto(page, 'End', '', 2);
  await page.keyboard.press('Backspace');
  await leave(page);
  await page.getByText('This is not whole, and not used.').waitFor();
  await assertAccessible();
  await typeInto(page, 'End', '20', 2);
  await leave(page);
  await page.getByText('A year from 1970 to 9998; this is not used.').waitFor();
  await typeInto(page, 'End', '2028', 2);
  await leave(page);
  await endIs(await zoned('2028-12-01T10:00'));
  await page.getByText('not used.').waitFor({ state: 'detached' });
  assert.deepEqual(
    [...new Set(sent)],
    await Promise.all(['2026', '2027', '2028'].map((year) => zoned(`${year}-12-01T10:00`))),
  );
  // What is emptied is no end.
  await page.getByLabel('End', { exact: true }).fill('');
  await until('it has no end', 5000, async () => (await savedEnd()) === undefined);
});

inBrowser('an end that is very far away stays as it is when one comes by', async () => {
  const { page, open, who } = await deskOf('manager');
  assert(who);
  const draft = { client_id: 1, kind: 'campaign', content: { name: 'Far', valid_until: '9999-12-31T10:00:00Z' } };
  const { draft_id } = await acceptedStaffCall(url, '/Draft/Save', draft, who);
  await open(`/p/1/drafts/${draft_id}`);
  await page.getByRole('button', { name: /^(3 ?)?When$/ }).click();
  await page.getByLabel('End', { exact: true }).focus();
  await leave(page);
  assert.match(await shownIn(page, 'End'), /^9999-12-31T/);
  assert.equal(await page.getByText('not used.').count(), 0);
});

inBrowser('days are typed into the filters of records and events; no other days are asked for on the way', async () => {
  const { page, open } = await deskOf('admin');
  const addresses = addressesOf(page);
  for (const { path, until: untilLabel, names } of [
    { path: '/audit', until: 'Until', names: ['from', 'until'] },
    { path: '/p/1/events', until: 'To, with this day', names: ['since', 'until'] },
  ]) {
    await open(path);
    await typeInto(page, 'From', '11172025');
    assert.equal(await shownIn(page, 'From'), '2025-11-17');
    await page.waitForURL(new RegExp(`${names[0]}=2025-11-17`));
    await typeInto(page, untilLabel, '11182026');
    await page.waitForURL(new RegExp(`${names[1]}=2026-11-18`));
    assert.deepEqual([await shownIn(page, 'From'), await shownIn(page, untilLabel)], ['2025-11-17', '2026-11-18']);
    await page.getByRole('button', { name: 'Clear', exact: true }).click();
    await page.waitForURL((address) => address.search === '');
    assert.deepEqual([await shownIn(page, 'From'), await shownIn(page, untilLabel)], ['', '']);
  }
  assert.deepEqual(
    addresses.filter((address) => /=0\d{3}-/.test(address)),
    [],
  );
  // One that somebody has written there is not asked for.
  await page.goto('/console/audit?from=0002-11-17&until=9999-12-31');
  await page.getByRole('table', { name: 'Audit' }).waitFor();
  assert.equal(await shownIn(page, 'From'), '');
});

inBrowser('the year of a report is typed', async () => {
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

inBrowser('the time to which the clock of a sandbox goes is typed', async () => {
  const { page, open } = await deskOf('support');
  await open('/p/1/clock');
  const label = 'Forward to';
  await page.getByLabel(label).waitFor();
  // The first day of a year is in each of them, and within the two years that it may go at a time.
  const year = Number((await shownIn(page, label)).slice(0, 4));
  await page.getByLabel(label).fill(`${year + 1}-01-01T00:00`);
  await typeInto(page, label, String(year + 2), 2);
  assert.equal(await shownIn(page, label), `${year + 2}-01-01T00:00`);
  await leave(page);
  assert.equal(await shownIn(page, label), `${year + 2}-01-01T00:00`);
  await page.getByRole('button', { name: 'Set the clock forward…' }).click();
  await page
    .getByRole('dialog')
    .getByText(String(year + 2))
    .first()
    .waitFor();
});
