import assert from 'node:assert/strict';
import { test } from 'node:test';
import { databasesOf, type Finding, goalsLine } from '../../bench/report.ts';
import { versionOf } from '../../bench/server.ts';
import { testDatabase } from '../support/database.ts';

const finding = (ratio: number, goal: Pick<Finding, 'least' | 'most'> = {}): Finding => ({
  ...{ part: 'issue', what: 'Issue', against: 'the limit', unit: '/s', value: ratio, base: 1, ratio },
  ...goal,
});

test('goals count only for the findings that have one', () => {
  assert.equal(goalsLine([finding(0.3), finding(0.2)]), 'None of the findings has a goal');
  assert.equal(goalsLine([]), 'None of the findings has a goal');
  assert.equal(goalsLine([finding(0.3), finding(0.8, { least: 0.7 })]), 'Every goal is reached');
  assert.equal(
    goalsLine([finding(0.3, { least: 0.7 }), finding(0.8, { most: 0.9 }), finding(0.1)]),
    '1 of 2 goals are not reached',
  );
});

test('the version is that of the database that the parts run on', async () => {
  const [own, cluster] = ['PostgreSQL 18.1', 'PostgreSQL 15.9, Citus 13.2.2'];
  assert.equal(databasesOf(['citus'], own, cluster), cluster);
  assert.equal(databasesOf(['issue', 'citus'], own, cluster), `${own}; citus: ${cluster}`);
  assert.equal(databasesOf(['issue'], own, cluster), own);
  assert.equal(databasesOf(['citus'], own), own);
  const { env } = await testDatabase('empty');
  assert.match(await versionOf(env.DATABASE_URL ?? ''), /^PostgreSQL \d+[^,]*$/);
});
