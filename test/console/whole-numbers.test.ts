import assert from 'node:assert/strict';
import { test } from 'node:test';
import { typedAmount } from '../../packages/console/src/features/drafts/draft-form.ts';
import { decimalError, decimalIn, wholeNumberIn } from '../../packages/console/src/ui/numbers.ts';
import { consoleOf, inBrowser } from '../support/console.ts';
import { testDatabase } from '../support/database.ts';
import { testServer } from '../support/server.ts';
import { acceptedStaffCall } from '../support/staff.ts';
import { until } from '../support/waiting.ts';

const { env, sql } = await testDatabase();
const { url } = await testServer({ ...env, STAFF_MFA: 'off' });
const { deskOf } = await consoleOf(url, sql);

test('whole numbers are read with any thousands separator, and nothing else is', () => {
  const written = [
    '40000',
    '40,000',
    '40.000',
    '40 000',
    "40'000",
    '40’000',
    '40\u00a0000',
    '40\u202f000',
    ' 40,000\n',
  ];
  for (const text of written) assert.equal(wholeNumberIn(text), '40000', text);
  assert.equal(wholeNumberIn('1,234,567'), '1234567');
  assert.equal(wholeNumberIn('0'), '0');
  const others = [
    '',
    '40.5',
    '4,00',
    '40,0000',
    '1,00,000',
    '1,000.000',
    '1,000.00',
    '0.125',
    '-5',
    '1e3',
    '40k',
    ',000',
  ];
  for (const text of others) assert.equal(wholeNumberIn(text), undefined, text);
});

test('decimals are read in any notation; ambiguous numbers are refused', () => {
  const read = {
    '1.5000': ['1.5', '1,5', '1.500', '1.50', '01,5', '1,5000', ' 1,5 '],
    '0.5': ['0,500'],
    '1500': ['1500', '1500,', '1 500', "1'500", '1500.00', '1 500,00'],
    '1234567.5': ['1,234,567.5', '1.234.567,5', '1 234 567,5'],
    '1000000': ['1,000,000', '1.000.000'],
  };
  for (const [number, texts] of Object.entries(read))
    for (const text of texts) assert.equal(Number(decimalIn(text, 4)), Number(number), text);
  assert.equal(decimalIn('1,500', 4), undefined);
  assert.match(decimalError('1,500', 4) ?? '', /“1,500” can mean 1500 or 1\.500/);
  assert.match(decimalError('1,500', 2) ?? '', /write 1500 without the comma/);
  for (const text of ['', 'abc', '1,234,5', '1.234.5', '12 34', '1,2,3', '-1', '1e3', '.5', '1.00000'])
    assert.equal(decimalIn(text, 4), undefined, text);
  assert.equal(decimalError('', 4), undefined);
  assert.match(decimalError('5.005', 2) ?? '', /at most 2 decimals/);
  assert.deepEqual(['5', '5,0', '1.234,50', '1,500', ' many '].map(typedAmount), [
    '5.00',
    '5.00',
    '1234.50',
    '1,500',
    'many',
  ]);
});

inBrowser('pasted numbers with separators are accepted; other text is refused without a change', async () => {
  const { page, open, who } = await deskOf('manager');
  assert(who);
  await open('/p/1/drafts/new');
  await page.getByLabel('Name').fill('Pasted');
  await page.getByRole('button', { name: 'Create draft' }).click();
  await page.getByText('draft, saved').waitFor();
  const draft_id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
  await page.getByRole('button', { name: /^(4 ?)?Caps and odds$/ }).click();
  const limit = page.getByLabel('Campaign cap');
  const pasteOver = async (text: string) => {
    const other = page.getByLabel('Minimum odds');
    await other.fill(text);
    await other.press('Control+A');
    await other.press('Control+X');
    await limit.press('Control+A');
    await limit.press('Control+V');
  };
  for (const text of ['40,000', '40.000', '40 000', "40'000", '40000']) {
    await limit.fill('7');
    await pasteOver(text);
    assert.equal(await limit.inputValue(), '40,000', text);
  }
  for (const text of ['1.5', '-12', '3,000,000,000', 'many']) {
    await pasteOver(text);
    await page.getByText(`“${text}” is not a whole number from 1 to 2,147,483,647.`).waitFor();
    assert.equal(await limit.inputValue(), '40,000', text);
  }
  const savedLimit = async () => {
    const { content } = await acceptedStaffCall(url, '/Draft/Get', { client_id: 1, draft_id }, who);
    return content.config?.bonus_limit;
  };
  await until('it is saved', 5000, async () => (await savedLimit()) === 40_000);
  await limit.press('End');
  await limit.press('5');
  await page.getByText('is not a whole number').waitFor({ state: 'detached' });
  assert.equal(await limit.inputValue(), '400,005');
  for (const typed of ['0', '3000000000']) {
    await limit.fill(typed);
    await limit.blur();
    await page.getByText(`“${typed}” is not a whole number from 1 to 2,147,483,647.`).waitFor();
  }

  const highest = page.getByLabel('Maximum odds');
  await highest.fill('1,500');
  await page.getByText('“1,500” can mean 1500 or 1.500').waitFor();
  await highest.blur();
  assert.equal(await highest.inputValue(), '1,500');
  await highest.fill('1,5');
  await highest.blur();
  assert.equal(await highest.inputValue(), '1.50');
});
