import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CsvError, parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { CsvFault, type CsvRow, csvReader, csvText } from '../../packages/contract/src/csv.ts';

/** Reads the text in chunks that end at these places; a fault is the last entry. */
function read(text: string, cuts: number[] = []): (CsvRow | string)[] {
  const rows: (CsvRow | string)[] = [];
  const reader = csvReader((row) => rows.push(row));
  const places = [0, ...cuts.toSorted((a, b) => a - b), text.length];
  try {
    for (const [i, place] of places.entries()) reader.push(text.slice(place, places[i + 1] ?? text.length));
    reader.end();
  } catch (error) {
    assert(error instanceof CsvFault, String(error));
    rows.push(`line ${error.line}: ${error.message}`);
  }
  return rows;
}

test('rows are read as spreadsheets write them, however they are cut into chunks', () => {
  const text = 'player_id;note\r\n"a;1";"two\r\nlines"\r\n\r\n"say ""hi""";x\rlast;y';
  const expected = [
    { line: 1, cells: ['player_id', 'note'] },
    { line: 2, cells: ['a;1', 'two\r\nlines'] },
    { line: 5, cells: ['say "hi"', 'x'] },
    { line: 6, cells: ['last', 'y'] },
  ];
  fc.assert(fc.property(fc.array(fc.nat(text.length)), (cuts) => assert.deepEqual(read(text, cuts), expected)));
});

test('the first line says what separates cells, and is no row where it does nothing else', () => {
  const rows = [
    { line: 2, cells: ['a', '1;5'] },
    { line: 3, cells: ['b', '2'] },
  ];
  for (const said of ['sep=|', '"sep=|"', 'SEP=| ']) assert.deepEqual(read(`${said}\r\na|1;5\r\nb|2`, [3, 7]), rows);
  assert.deepEqual(read('sep=\t\na\t1;5\nb\t2\n'), rows);
  assert.deepEqual(
    read('auth0|1\nauth0|2\n'),
    [
      { line: 1, cells: ['auth0|1'] },
      { line: 2, cells: ['auth0|2'] },
    ],
    'ids of players may have bars',
  );
  assert.deepEqual(read('sep=;'), []);
  assert.deepEqual(read('sep=xy\na\n'), [
    { line: 1, cells: ['sep=xy'] },
    { line: 2, cells: ['a'] },
  ]);
});

test('a written cell is read unchanged', () => {
  const cell = fc.string({ unit: fc.constantFrom('a', ' ', '"', ',', ';', '\t', '\n', '\r', "'", '=', 'é', '😀') });
  const table = fc.integer({ min: 2, max: 4 }).chain((width) => {
    const row = fc.tuple(fc.constant('x'), ...Array.from({ length: width }, () => cell));
    return fc.array(row, { minLength: 1, maxLength: 5 });
  });
  fc.assert(
    fc.property(table, (rows) => {
      const text = `${rows[0]?.map(() => 'name').join(',')}\n${rows.map((row) => `${row.map(csvText).join(',')}\r\n`).join('')}`;
      const [, ...found] = read(text);
      assert.deepEqual(
        found.map((row) => (row as CsvRow).cells),
        rows,
      );
    }),
  );
});

test('another CSV reader accepts and refuses the same texts', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '"', ',', '\n', '\r\n'), maxLength: 30 });
  /** Null where it is wrong. */
  const readByOther = (text: string): string[][] | null => {
    try {
      return parse(text, { record_delimiter: ['\r\n', '\n'], relax_column_count: true, trim: true });
    } catch (error) {
      assert(error instanceof CsvError);
      return null;
    }
  };
  const hasSomething = (cells: string[]) => cells.some((cell) => cell !== '');
  fc.assert(
    fc.property(text, (rest) => {
      // The other reader goes on reading a cell that is empty in quotes where another quote comes behind it.
      fc.pre(!/"" +"/.test(rest));
      // The names of the columns say what separates them.
      const whole = `a,b,c\n${rest}`;
      const rows = read(whole);
      const own = rows.some((row) => typeof row === 'string') ? null : rows.map((row) => (row as CsvRow).cells);
      assert.deepEqual(own, readByOther(whole)?.filter(hasSomething) ?? null);
    }),
    { numRuns: 1000 },
  );
});

test('a quote out of place ends the rows, and has the line on which its row begins', () => {
  const rows = [
    { line: 1, cells: ['a', 'b'] },
    { line: 2, cells: ['1', '2\n3'] },
  ];
  const faultOf = (rest: string): unknown => {
    const [last, ...before] = read(`a,b\n1,"2\n3"\n${rest}`).toReversed();
    assert.deepEqual(before.toReversed(), rows);
    return last;
  };
  assert.equal(faultOf('"x,4\ny,5\n'), 'line 4: a quote is opened and never closed');
  assert.match(`${faultOf('x"y,4\nz,5\n')}`, /^line 4: a quote is in the middle of a cell;/);
  assert.match(`${faultOf('"x"y,4\nz,5\n')}`, /^line 4: something follows the closing quote of a cell;/);
  assert.match(`${faultOf('"x" "y",4\nz,5\n')}`, /^line 4: something follows the closing quote of a cell;/);
  const tooLong = 'line 4: it is longer than 64 KiB, or a quote is opened and not closed';
  assert.equal(faultOf(`"x,4\n${'y,5\n'.repeat(20_000)}`), tooLong);
  assert.equal(faultOf(','.repeat(70_000)), tooLong);
  assert.deepEqual(read(','.repeat(70_000)), [tooLong.replace('4', '1')]);
});
