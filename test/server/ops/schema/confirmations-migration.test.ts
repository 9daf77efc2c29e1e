import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { migrate, migrations } from '../../../../packages/server/src/ops/schema/migrations.ts';
import { testDatabase } from '../../../support/database.ts';

const { sql } = await testDatabase('empty');

test('people of an earlier version count as confirmed, and servers of that version refuse the database', async () => {
  const isBefore = ({ name }: { name: string }) => name < '0020';
  await migrate(sql, migrations.filter(isBefore));
  const people = [randomUUID(), randomUUID()];
  for (const id of people) {
    await sql.query(
      `INSERT INTO staff (staff_id, email, email_key, name, role, all_partners) VALUES ($1, $2, $2, 'Ann', 'admin', true)`,
      [id, `${id}@example.com`],
    );
  }
  await migrate(sql);
  const { rows } = await sql.query('SELECT email, vouched_by FROM staff');
  assert.deepEqual([rows.length, rows.filter(({ vouched_by }) => vouched_by !== null)], [2, []]);
  const { schema } = await migrate(sql, migrations.filter(isBefore));
  assert.equal(schema.state, 'newer');
  assert.ok(schema.names.includes('0020_confirmations.sql'));
});
