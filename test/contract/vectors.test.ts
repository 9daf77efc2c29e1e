import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ErrorName, errors, isValid } from '@freebets/contract';
import { Coefficient, Money } from '../../packages/contract/src/formats.ts';
import { formatMoney, parseCoefficient, parseMoney, winOf } from '../../packages/server/src/primitives/amounts.ts';
import { errorVectors, moneyVectors } from '../support/vectors.ts';

// Those of signatures and of webhooks are held where these are made.

test('amounts and coefficients are taken and refused as the vectors say', () => {
  const kinds = [
    { schema: Money, forms: moneyVectors.amounts },
    { schema: Coefficient, forms: moneyVectors.coefficients },
  ];
  for (const { schema, forms } of kinds) {
    for (const text of forms.valid) assert.ok(isValid(schema, text), `${text} is valid`);
    for (const text of forms.invalid) assert.ok(!isValid(schema, text), `${JSON.stringify(text)} is not valid`);
  }
});

test('a won bet pays what the vectors say', () => {
  assert.ok(moneyVectors.winnings.length > 10);
  for (const { amount, coefficient, win_amount, with_stake_returned } of moneyVectors.winnings) {
    const win = (stakeReturned: boolean) =>
      formatMoney(winOf(parseMoney(amount), parseCoefficient(coefficient), stakeReturned));
    assert.deepEqual([win(false), win(true)], [win_amount, with_stake_returned], `${amount} at ${coefficient}`);
  }
});

test('the errors of the vectors are those of the table', () => {
  for (const { body, status } of errorVectors.filter(({ body }) => body.includes('"message"'))) {
    const { error, code, message } = JSON.parse(body);
    if (error === 'something_new') continue;
    assert.deepEqual({ status, code, message }, { ...errors[error as ErrorName] });
  }
});
