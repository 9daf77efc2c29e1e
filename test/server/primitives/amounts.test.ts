import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  formatCoefficient,
  formatInstant,
  formatMoney,
  parseBound,
  parseCoefficient,
  parseInstant,
  parseMoney,
  winOf,
} from '../../../packages/server/src/primitives/amounts.ts';
import { times } from '../../support/long.ts';
import { coefficient, expectedWin, money } from '../promo/batch/winnings.ts';

const numRuns = times(5000, 20_000);

test('winnings are exact and rounded down, for any amount and coefficient', () => {
  const property = fc.property(money, coefficient, fc.boolean(), (amount, odds, stakeReturned) => {
    const win = formatMoney(winOf(parseMoney(amount), parseCoefficient(odds), stakeReturned));
    assert.equal(win, expectedWin(amount, odds, stakeReturned));
  });
  fc.assert(property, { numRuns });
});

test('amounts and coefficients are read and written without loss', () => {
  fc.assert(
    fc.property(money, coefficient, (amount, odds) => {
      assert.equal(formatMoney(parseMoney(amount)), amount);
      assert.equal(parseCoefficient(formatCoefficient(parseCoefficient(odds))), parseCoefficient(odds));
    }),
    { numRuns },
  );
  assert.deepEqual(
    ['1', '1.2', '1.20', '1.2345', '1.2300', '999999.9999'].map((text) => formatCoefficient(parseCoefficient(text))),
    ['1.00', '1.20', '1.20', '1.2345', '1.23', '999999.9999'],
  );
  assert.deepEqual([formatMoney(1), formatMoney(10), formatMoney(0n)], ['0.01', '0.10', '0.00']);
});

test('instants are read and written to the millisecond, in any order', () => {
  assert.equal(parseInstant('2030-01-01T00:00:00.1239999Z'), Date.UTC(2030, 0, 1) + 123);
  const instants = fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 1, maxLength: 60 });

  test('a bound finer than a millisecond means the next one, since times are kept in milliseconds', () => {
    const at = Date.UTC(2030, 0, 1);
    assert.deepEqual(
      ['', '.0', '.001', '.001000', '.0001', '.0009', '.001001'].map(
        (fraction) => parseBound(`2030-01-01T00:00:00${fraction}Z`) - at,
      ),
      [0, 0, 1, 1, 1, 1, 2],
    );
  });
  fc.assert(
    fc.property(instants, (all) => {
      for (const instant of all) assert.equal(formatInstant(instant), new Date(instant).toISOString());
    }),
  );
});
