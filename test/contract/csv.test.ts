import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'csv-parse/sync';
import { csvMark, csvRow } from '../../packages/contract/src/csv.ts';

// A CSV reader returns every cell as it was written, and no spreadsheet takes a cell for a formula.

const read = (text: string): string[][] => parse(text, { bom: true });

test('cells are read as they were written', () => {
  const cells = ['plain', 'a "quoted" one', 'a,b;c', 'two\r\nlines', ' space ', 'Ünïcode 🎲', '', 'a=b', '1.50'];
  assert.deepEqual(read(csvMark + csvRow(cells) + csvRow(cells.toReversed())), [cells, cells.toReversed()]);
  assert.equal(csvRow(['a', null, 7, -7, 12_345_678_901_234_567_890n]), 'a,,7,-7,12345678901234567890\r\n');
});

test('what a spreadsheet would carry out is made harmless', () => {
  for (const text of ['=1+1', '+1', '-1', '@SUM(A1)', '=HYPERLINK("https://x","y")', "=cmd|' /C calc'!A0", '＝1+1']) {
    assert.deepEqual(read(csvRow([text, 'next'])), [[`'${text}`, 'next']]);
  }
  for (const [text, shown] of [
    ['\t=1', "'\t'=1"],
    ['\r=1', "'\r'=1"],
    ['  =1', "  '=1"],
    ['x;=1+1;y', "x;'=1+1;y"],
    ['x\t@SUM(A1)', "x\t'@SUM(A1)"],
    ['two\n-1', "two\n'-1"],
    ['x;"=1+1;y', `x;"'=1+1;y`],
    ['x|" "=1+1|y', `x|" "'=1+1|y`],
    ['"=1+1"', `"'=1+1"`],
  ] as const) {
    assert.deepEqual(read(csvRow([text, 'next'])), [[shown, 'next']]);
  }
});
