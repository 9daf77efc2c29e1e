import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requestOf } from '../../../packages/server/src/admin/job-request.ts';

const list = 'ab'.repeat(32);
const terms = {
  betAmount: '1.50',
  quantity: '3',
  games: 'a,b',
  validFrom: '2027-01-31T12:00:00.250Z',
  validUntil: '2031-01-01T00:00:00Z',
  durationMin: '90',
  minCoefficient: '1.20',
  maxCoefficient: '2.3456',
};
const idOf = (options: object) => requestOf(1, options, list).job_id;

test('the ID of a job stays the same across versions, so that interrupted jobs resume after an update', () => {
  assert.equal(idOf(terms), 'a3e2275c-217c-8a7d-bbff-8919da67d362');
  assert.equal(idOf({ campaign: 'friday', currency: 'EUR' }), '70b6baf8-a3fb-8e31-aa52-fd82a92cc374');
});

test('the same terms in another form are the same job', () => {
  const same = [
    { betAmount: '01.50', quantity: '03', games: 'a, b', durationMin: '090' },
    { validFrom: '2027-01-31T12:00:00.25Z' },
    { validFrom: '2027-01-31T12:00:00.250999Z' },
    { validUntil: '2031-01-01T00:00:00.000Z' },
    { minCoefficient: '1.2' },
    { minCoefficient: '01.2000', maxCoefficient: '02.3456' },
  ];
  for (const written of same) assert.equal(idOf({ ...terms, ...written }), idOf(terms), JSON.stringify(written));
  const others = [
    { betAmount: '15.00' },
    { validFrom: '2027-01-31T12:00:00.025Z' },
    { validUntil: '2031-01-01T00:00:00.001Z' },
    { minCoefficient: '1.02' },
    { maxCoefficient: '2.345' },
    { minCoefficient: '2.3456', maxCoefficient: '2.3456' },
  ];
  assert.equal(new Set([terms, ...others.map((other) => ({ ...terms, ...other }))].map(idOf)).size, others.length + 1);
});
