import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isTimestamp, isValid } from '@freebets/contract';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import * as formats from '../../packages/contract/src/formats.ts';

const ajv = new Ajv2020({ strict: false, formats: { 'date-time': isTimestamp } });
const takes = (schema: object) => ajv.compile(schema);

test('money: every accepted value is an exact number of cents above zero and below 10^15', () => {
  const isMoney = takes(formats.Money);
  const cents = fc.bigInt({ min: 1n, max: 999_999_999_999_999n });
  fc.assert(
    fc.property(cents, (amount) => {
      const digits = String(amount).padStart(3, '0');
      assert.ok(isMoney(`${digits.slice(0, -2)}.${digits.slice(-2)}`));
    }),
  );
  fc.assert(
    fc.property(fc.stringMatching(/^[0-9.,+\-e ]{0,20}$/), (text) => {
      const plain = /^\d{1,13}\.\d\d$/.test(text) && BigInt(text.replace('.', '')) > 0n;
      assert.equal(isMoney(text), plain);
    }),
    { numRuns: 2000 },
  );
});

test('coefficients: from 1 to 999999.9999, in ten-thousandths', () => {
  const isCoefficient = takes(formats.Coefficient);
  fc.assert(
    fc.property(fc.stringMatching(/^\d{0,8}(\.\d{0,6})?$/), (text) => {
      const plain = /^\d{1,6}(\.\d{1,4})?$/.test(text) && Number(text) >= 1;
      assert.equal(isCoefficient(text), plain, text);
    }),
    { numRuns: 2000 },
  );
});

test('times: every existing instant from 1970 to 9999 in its usual form', () => {
  const isTime = takes(formats.Timestamp);
  const instants = fc.date({ min: new Date(0), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true });
  fc.assert(fc.property(instants, (date) => assert.ok(isTime(date.toISOString()))));
  const two = (max: number) => fc.integer({ min: 0, max }).map((n) => String(n).padStart(2, '0'));
  const year = fc.oneof(fc.integer({ min: 1960, max: 1975 }), fc.integer({ min: 0, max: 9999 }));
  fc.assert(
    fc.property(year, two(13), two(32), two(25), two(61), two(61), (y, month, day, hour, minute, second) => {
      const text = `${String(y).padStart(4, '0')}-${month}-${day}T${hour}:${minute}:${second}Z`;
      const date = new Date(text);
      const exists = !Number.isNaN(date.getTime()) && date.toISOString() === text.replace('Z', '.000Z');
      assert.equal(isTime(text), exists && y >= 1970, text);
      assert.equal(isTimestamp(text), exists && y >= 1970, text);
    }),
    { numRuns: 5000 },
  );
});

/** Every code point of Unicode, halves of surrogate pairs included. */
const codePoints = Array.from({ length: 0x110000 }, (_, point) => String.fromCodePoint(point));
const unprintable = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u;

test('ids: 1 to a maximum of printable characters, without invisible ones', () => {
  for (const [schema, max] of [
    [formats.CampaignId, 64],
    [formats.PlayerId, 128],
    [formats.GameId, 128],
  ] as const) {
    const isId = takes(schema);
    for (const sign of ['x', 'é', '字', '💥', ' ']) {
      assert.ok(isId(sign) && isId(sign.repeat(max)));
      assert.ok(!isId(sign.repeat(max + 1)));
    }
    for (const wrong of ['', '\0', 'a\nb', '\u2028', '\ud800', 'a\udc00', 1, null]) assert.ok(!isId(wrong));
    for (const wrong of ['\u00ad', '\u200b', '\u200d', '\u200f', '\u202e', '\u2066', '\ufeff', '\u{e0041}']) {
      assert.ok(!isId(`player${wrong}7`), wrong);
    }
  }
  const isId = takes(formats.PlayerId);
  const wrong = codePoints.filter((sign) => isId(sign) !== !(unprintable.test(sign) || /\p{Cf}/u.test(sign)));
  assert.deepEqual(wrong, []);
});

test('names: what joins an emoji may be in them, what turns the direction of writing may not', () => {
  const isName = takes(formats.text(255, 'A name'));
  for (const name of ['Weekend 💥', '👩\u200d🚀 week', 'שבוע', 'a\u200eb', ' ']) assert.ok(isName(name), name);
  assert.ok(isName('x'.repeat(255)) && !isName('x'.repeat(256)) && !isName(''));
  const turning = new Set('\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069');
  const wrong = codePoints.filter((sign) => isName(sign) !== !(unprintable.test(sign) || turning.has(sign)));
  assert.deepEqual(wrong, []);
});

test('the checks for single values are those of the schemas', () => {
  const { IssueId, CampaignId, Currency, ProviderId } = formats;
  assert.ok(isValid(IssueId, '7D444840-9dc0-41d1-b245-5ffdce74fad2'));
  for (const wrong of ['7D444840', undefined]) assert.ok(!isValid(IssueId, wrong));
  assert.ok(isValid(CampaignId, 'weekend'));
  for (const wrong of ['', 'a\0', 'x'.repeat(65)]) assert.ok(!isValid(CampaignId, wrong));
  assert.ok(isValid(Currency, 'EUR') && !isValid(Currency, 'eur'));
  assert.ok(isValid(ProviderId, 'lantern-quay') && !isValid(ProviderId, '-') && !isValid(ProviderId, 7));
});

test('UUIDs: any version, any case, in the usual form', () => {
  const isUuid = takes(formats.IssueId);
  fc.assert(fc.property(fc.uuid(), (uuid) => assert.ok(isUuid(uuid) && isUuid(uuid.toUpperCase()))));
  for (const uuid of ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'])
    assert.ok(isUuid(uuid));
  for (const wrong of ['', '0'.repeat(32), '0'.repeat(36), '-'.repeat(36)]) assert.ok(!isUuid(wrong));
});

test('currencies: three to ten capitals and digits', () => {
  const isCurrency = takes(formats.Currency);
  for (const code of ['EUR', 'USDT', '1INCH', 'ABCDEFGHIJ', '000']) assert.ok(isCurrency(code));
  for (const wrong of ['', 'EU', 'eur', 'EUR ', 'ABCDEFGHIJK', 'ÉUR', 'EUR\n']) assert.ok(!isCurrency(wrong));
});
