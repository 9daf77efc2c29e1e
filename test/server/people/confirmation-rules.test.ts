import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gainsApproval, unionOf } from '../../../packages/server/src/people/confirmations/rules.ts';

const manager = { role: 'manager', partners: [1] as number[] | null, status: 'active', second_factor: true } as const;

test('a person gains approval rights by role, by partners, by being enabled, and by losing the second factor', () => {
  const gains = (before: object, after: object) => gainsApproval({ ...manager, ...before }, { ...manager, ...after });
  const disabled = { status: 'disabled' };
  assert.equal(gains({}, {}), false);
  assert.equal(gains({ role: 'viewer' }, {}), true);
  assert.equal(gains({ role: 'auditor' }, {}), true);
  assert.equal(gains({ role: 'support' }, { role: 'admin' }), true);
  assert.equal(gains({}, { role: 'admin' }), true);
  assert.equal(gains({ role: 'admin' }, {}), false);
  assert.equal(gains({}, { role: 'support', partners: null }), false);
  assert.equal(gains({}, { partners: [1, 2] }), true);
  assert.equal(gains({}, { partners: [2] }), true);
  assert.equal(gains({}, { partners: null }), true);
  assert.equal(gains({ partners: null }, { partners: [1, 2] }), false);
  assert.equal(gains({ partners: [1, 2] }, { partners: [2] }), false);
  assert.equal(gains({ partners: null }, { partners: null }), false);
  assert.equal(gains(disabled, {}), true);
  assert.equal(gains({}, disabled), false);
  assert.equal(gains({ ...disabled, role: 'viewer' }, disabled), true);
  assert.equal(gains({ ...disabled, role: 'viewer' }, { role: 'viewer' }), false);
  assert.equal(gains({}, { second_factor: false }), true);
  assert.equal(gains({ second_factor: false }, {}), false);
});

test('the scope of two is that of both together', () => {
  assert.deepEqual(unionOf([3, 1], [1, 2]), [1, 2, 3]);
  assert.deepEqual(unionOf([], []), []);
  assert.equal(unionOf(null, [1]), null);
  assert.equal(unionOf([1], null), null);
});
