import assert from 'node:assert/strict';
import { isUtf8 } from 'node:buffer';
import { test } from 'node:test';
import fc from 'fast-check';
import { scalarAt, scanObject } from '../../../packages/server/src/edge/scan.ts';
import { codePoint } from '../../support/code-points.ts';

// The scan must agree with JSON.parse about every body, except the bodies that it refuses on purpose.

const scan = (text: string | Buffer) => scanObject(Buffer.from(text as string), 'client_id');

const onPurpose = /^must not (be named twice|be nested deeper|have more than)/;

/** What JSON.parse makes of it, if that is an object. */
function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const isScalar = (value: unknown) => typeof value !== 'object' || value === null;

function assertAgrees(bytes: Buffer): void {
  if (!isUtf8(bytes)) return;
  const value = parsed(bytes.toString());
  const result = scan(bytes);
  const about = JSON.stringify(bytes.toString());
  if (!result.ok && onPurpose.test(result.error.reason)) return;
  assert.equal(result.ok, value !== undefined, about);
  if (!result.ok) return;
  assert.equal(result.valueAt >= 0, value !== undefined && Object.hasOwn(value, 'client_id'), about);
  assert.equal(result.isDryRun, value?.dry_run === true, about);
  const id = value?.client_id;
  if (result.valueAt >= 0) assert.deepEqual(scalarAt(bytes, result.valueAt), isScalar(id) ? id : undefined, about);
}

const seed = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31));
const check = <T>(values: fc.Arbitrary<T>, bytesOf: (value: T) => Buffer, numRuns: number) =>
  fc.assert(
    fc.property(values, (value) => assertAgrees(bytesOf(value))),
    { seed, numRuns },
  );

const name = fc.oneof(
  fc.constantFrom('client_id', 'dry_run', 'a', '', '__proto__', 'é', '\u0000', '"', '\\'),
  fc.string(),
);
const { object } = fc.letrec((tie) => ({
  object: fc.dictionary(name, tie('value'), { maxKeys: 6 }),
  value: fc.oneof(
    { maxDepth: 5 },
    fc.oneof(fc.string({ unit: codePoint }), fc.integer(), fc.double(), fc.boolean(), fc.constant(null)),
    tie('object'),
    fc.array(tie('value'), { maxLength: 5 }),
  ),
}));
const spaces = fc.constantFrom('', ' ', '\n', '\t \r\n');

test('every output of JSON.stringify is accepted, with and without spaces', () => {
  fc.assert(
    fc.property(object, spaces, spaces, (value, before, after) => {
      const text = `${before}${JSON.stringify(value, null, after)}${after}`;
      assert.equal(scan(text).ok, true, text);
      assertAgrees(Buffer.from(text));
    }),
    { seed, numRuns: 1000 },
  );
});

test('bytes spoilt at random are accepted where JSON.parse accepts them, and nowhere else', () => {
  const spots = fc.array(
    fc.record({
      at: fc.nat(200),
      cut: fc.nat(3),
      put: fc.oneof(
        fc.constantFrom(
          '{',
          '}',
          '[',
          ']',
          ',',
          ':',
          '"',
          '\\',
          '\\u',
          '\\ud800',
          '0',
          '-',
          '.',
          'e',
          'E+',
          'true',
          ' ',
        ),
        fc.string({ unit: codePoint, maxLength: 2 }),
      ),
    }),
    { minLength: 1, maxLength: 3 },
  );
  const spoil = ([value, places]: [unknown, { at: number; cut: number; put: string }[]]) =>
    places.reduce(
      (text, { at, cut, put }) => {
        const place = at % (text.length + 1);
        return Buffer.concat([text.subarray(0, place), Buffer.from(put), text.subarray(place + cut)]);
      },
      Buffer.from(JSON.stringify(value)),
    );
  check(fc.tuple(object, spots), spoil, 5000);
});

test('any row of tokens is accepted where JSON.parse accepts it, and nowhere else', () => {
  const tokens = [
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"a"',
    '"client_id"',
    '1',
    '-0',
    '01',
    '1.',
    '.5',
    '1e5',
    '1e',
    '-',
    'nul',
  ];
  const more = ['null', 'true', 'false', ' ', '\n', '\u000b', '\ufeff', '"\\u00e9"', '"\\x"', '"\\u12"', '"\t"', '"'];
  const row = fc.array(fc.constantFrom(...tokens, ...more), { maxLength: 8 });
  check(row, (parts) => Buffer.from(`{"a":${parts.join('')}}`), 20_000);
  check(row, (parts) => Buffer.from(parts.join('')), 10_000);
});

test('a field named twice is found in every spelling of its letters, and other fields are not taken for it', () => {
  const spelt = (text: string, escapes: boolean[]) =>
    [...text].map((c, i) => (escapes[i] ? `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}` : c)).join('');
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '_'), minLength: 1, maxLength: 4 });
  const ways = fc.array(fc.boolean(), { minLength: 4, maxLength: 4 });
  fc.assert(
    fc.property(fc.array(fc.tuple(letters, ways), { maxLength: 32 }), (fields) => {
      const text = `{${fields.map(([field, escapes]) => `"${spelt(field, escapes)}":1`).join(',')}}`;
      assert.equal(scan(text).ok, new Set(fields.map(([field]) => field)).size === fields.length, text);
    }),
    { seed, numRuns: 2000 },
  );
});

test('names are unique per object, and closed objects are forgotten', () => {
  const inner = '{"a":1,"b":[{"a":1},{"a":1}],"c":{"a":{"a":1},"b":1}}';
  assert.deepEqual(scan(`{"a":${inner},"b":${inner},"client_id":7}`).ok, true);
  const full = `{${Array.from({ length: 32 }, (_, i) => `"x${i}":1`).join(',')}}`;
  let deep = full;
  for (let depth = 2; depth <= 16; depth++) deep = full.replace('"x31":1', `"x31":${deep}`);
  assert.equal(scan(deep).ok, true, 'as deep and as full as can be');
});

/** Processor time of the quickest of some runs, or of the first within the bound: on a busy machine it is long before the code is compiled. */
function leastMs(boundMs: number, run: () => unknown): number {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 40 && least >= boundMs; i++) {
    const began = process.threadCpuUsage().user;
    run();
    least = Math.min(least, (process.threadCpuUsage().user - began) / 1000);
  }
  return least;
}

// It takes 15 ms at most on a slow machine; JSON.parse takes 30 for empty arrays, 50 for fields and 200 for brackets.
test('scanning a mebibyte is fast for any content', () => {
  const boundMs = 40;
  const mebibyte = 1024 * 1024;
  const filled = (before: string, piece: string, after = '') =>
    Buffer.from(before + piece.repeat(Math.floor((mebibyte - before.length - after.length) / piece.length)) + after);
  const fullObject = `{${Array.from({ length: 32 }, (_, i) => `"${i.toString(36)}":1`).join(',')}},`;
  const bodies = {
    brackets: filled('{"a":', '['),
    objects: filled('', '{"a":'),
    'empty arrays': filled('{"a":[', '[],', '1]}'),
    'small objects': filled('{"a":[', '{"a":1},', '1]}'),
    'full objects': filled('{"a":[', fullObject, '1]}'),
    'escaped names': filled('{"a":[', '{"\\u0061":1},', '1]}'),
    'many fields': filled('{', '"a":1,'),
    escapes: filled('{"a":"', '\\u0000', '"}'),
    backslashes: filled('{"a":"', '\\\\', '"}'),
    'a long number': filled('{"a":1e', '9', '}'),
    numbers: filled('{"a":[', '1,', '1]}'),
    'a long name': filled('{"', 'a', '":1}'),
    spaces: filled('{"a":1', ' ', '}'),
  };
  for (const [what, bytes] of Object.entries(bodies)) {
    const ms = leastMs(boundMs, () => scan(bytes));
    assert.ok(ms < boundMs, `${what}: ${ms} ms`);
  }
});
