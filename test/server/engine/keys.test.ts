import assert from 'node:assert/strict';
import { test } from 'node:test';
import { distributedTables, referenceTables } from '../../../packages/server/src/placement/citus/distribution.ts';
import { testDatabase } from '../../support/database.ts';

// The tables that grow can be distributed by client_id only if every key and every reference begins with it.

const { sql } = await testDatabase();
const { rows: tables } = await sql.query(
  `SELECT relname FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace ORDER BY 1`,
);
const names: string[] = tables.map(({ relname }) => relname);
/** The due row is on the node of the partner's rows, by its slot. */
const growing: string[] = distributedTables.filter((name) => name !== 'due_partners').toSorted();

test('every table is listed either as distributed or as small', () => {
  assert.deepEqual(names, [...distributedTables, ...referenceTables].toSorted());
});

test('every primary key, unique constraint and foreign key of a growing table begins with client_id, on both sides', async () => {
  const { rows } = await sql.query(
    `SELECT c.conrelid::regclass::text AS of, c.conname, c.contype,
       (SELECT attname FROM pg_attribute WHERE attrelid = c.conrelid AND attnum = c.conkey[1]) AS first,
       (SELECT attname FROM pg_attribute WHERE attrelid = c.confrelid AND attnum = c.confkey[1]) AS referenced
     FROM pg_constraint c
     WHERE c.contype IN ('p', 'u', 'f') AND c.conrelid = ANY ($1::regclass[])`,
    [growing],
  );
  for (const { of, conname, contype, first, referenced } of rows) {
    assert.equal(first, 'client_id', `${conname} of ${of}`);
    if (contype === 'f') assert.equal(referenced, 'client_id', `what ${conname} of ${of} refers to`);
  }
  const withPrimaryKey = rows.filter(({ contype }) => contype === 'p').map(({ of }) => of);
  assert.deepEqual(withPrimaryKey.toSorted(), growing, 'every growing table has a primary key');
  assert.ok(rows.some(({ contype }) => contype === 'f'));
});

/** People read the record over all partners. */
const acrossPartners = ['audit__newest_first', 'audit__by_actor'];

test('every index of a growing table begins with client_id', async () => {
  const { rows } = await sql.query(
    `SELECT i.indexrelid::regclass::text AS name, a.attname AS first
     FROM pg_index i LEFT JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
     WHERE i.indrelid = ANY ($1::regclass[])`,
    [growing],
  );
  assert.ok(rows.length >= growing.length);
  const others = rows.filter(({ first }) => first !== 'client_id').map(({ name }) => name);
  assert.deepEqual(others.toSorted(), acrossPartners.toSorted());
});

test('nothing that grows refers to a small table, nor is referred to by one', async () => {
  const { rows } = await sql.query(
    `SELECT conname FROM pg_constraint WHERE contype = 'f'
       AND (conrelid = ANY ($1::regclass[])) <> (confrelid = ANY ($1::regclass[]))`,
    [growing],
  );
  assert.deepEqual(rows, []);
});
