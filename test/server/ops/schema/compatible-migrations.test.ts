import assert from 'node:assert/strict';
import { test } from 'node:test';
import type pg from 'pg';
import { type Migration, migrate, migrations } from '../../../../packages/server/src/ops/schema/migrations.ts';
import { testDatabase } from '../../../support/database.ts';

// A migration that calls itself compatible leaves the servers before it working. All their statements run as before where
// everything they know is still there and nothing is asked of them that they do not know. The catalogue of the database tells that; what a
// migration means, such as what servers without it do not do, is said in the changelog.

/** Of each table and function: what a statement can come to know of it. */
const things = `
  SELECT 'table ' || c.relname AS owner, 'column ' || a.attname AS name, NOT (a.attnotnull AND d.adbin IS NULL AND a.attidentity = '') AS is_free,
    format_type(a.atttypid, a.atttypmod) || ' ' || a.attcollation || CASE WHEN a.attnotnull THEN ' NOT NULL ' ELSE ' ' END || a.attgenerated::text
      || coalesce(pg_get_expr(d.adbin, d.adrelid), '') AS definition
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
  WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v') AND a.attnum > 0 AND NOT a.attisdropped
  UNION ALL
  SELECT 'table ' || conrelid::regclass, 'constraint ' || conname || ' of ' ||
    (SELECT string_agg(attname, ',' ORDER BY attnum) FROM pg_attribute WHERE attrelid = conrelid AND attnum = ANY (conkey)), false, pg_get_constraintdef(oid)
  FROM pg_constraint WHERE connamespace = 'public'::regnamespace AND conrelid <> 0 AND contype <> 'n'
  UNION ALL
  SELECT 'table ' || indrelid::regclass, 'unique index ' || indexrelid::regclass, false, pg_get_indexdef(indexrelid)
  FROM pg_index JOIN pg_class c ON c.oid = indrelid WHERE indisunique AND c.relnamespace = 'public'::regnamespace
  UNION ALL
  SELECT 'table ' || tgrelid::regclass, 'trigger ' || tgname, false, pg_get_triggerdef(t.oid)
  FROM pg_trigger t JOIN pg_class c ON c.oid = tgrelid WHERE NOT tgisinternal AND c.relnamespace = 'public'::regnamespace
  UNION ALL
  SELECT 'function ' || oid::regprocedure, 'itself', false, pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = 'public'::regnamespace`;

interface Thing {
  owner: string;
  name: string;
  /** Nothing has to be said of it: it may be null, or has a default. */
  is_free: boolean;
  definition: string;
}

const keyOf = ({ owner, name }: Thing) => `${owner}: ${name}`;
/** May be loosened. */
const isBond = ({ name }: Thing) => /^(constraint|unique index|trigger) /.test(name);

async function readThings(sql: pg.Pool): Promise<Map<string, Thing>> {
  const { rows } = await sql.query<Thing>(things);
  return new Map(rows.map((thing) => [keyOf(thing), thing]));
}

/** What servers that know only the things of before would stumble over. */
function obstacles(before: Map<string, Thing>, after: Map<string, Thing>): string[] {
  const owners = new Set([...before.values()].map(({ owner }) => owner));
  const isNew = (owner: string, column: string) => !before.has(`${owner}: column ${column}`);
  /** A bond on nothing but columns that they do not know. */
  const isOfNewColumns = ({ owner, name }: Thing) =>
    (/ of (.+)$/.exec(name)?.[1]?.split(',') ?? []).some((column) => isNew(owner, column));
  const lost = [...before].flatMap(([key, thing]) => {
    const there = after.get(key);
    if (there === undefined) return isBond(thing) ? [] : [`${key} is gone`];
    return there.definition === thing.definition ? [] : [`${key} is changed`];
  });
  const added = [...after].flatMap(([key, thing]) => {
    if (before.has(key) || !owners.has(thing.owner) || thing.is_free || isOfNewColumns(thing)) return [];
    return [`${key} is asked for`];
  });
  return [...lost, ...added];
}

async function obstaclesOf(sql: pg.Pool, known: Migration[], next: Migration): Promise<string[]> {
  const before = await readThings(sql);
  await migrate(sql, [...known, next]);
  return obstacles(before, await readThings(sql));
}

test('a compatible migration keeps everything that older servers use, and requires nothing new of them', async () => {
  const { sql } = await testDatabase('empty');
  let compatible = 0;
  for (const [i, migration] of migrations.entries()) {
    const found = await obstaclesOf(sql, migrations.slice(0, i), migration);
    if (!migration.sql.startsWith('-- compatible')) continue;
    compatible += 1;
    assert.deepEqual(found, [], migration.name);
  }
  assert.ok(compatible > 0);
});

const breaking: Record<string, string> = {
  'table t: column a is gone': 'ALTER TABLE t DROP COLUMN a',
  'table t: column b is gone': 'ALTER TABLE t RENAME b TO c',
  'table t: column a is changed': 'ALTER TABLE t ALTER a TYPE bigint',
  'table t: column b is changed': 'ALTER TABLE t ALTER b SET NOT NULL',
  'table t: column c is asked for': `ALTER TABLE t ADD c int NOT NULL DEFAULT 0; ALTER TABLE t ALTER c DROP DEFAULT`,
  'table t: constraint few of a is asked for': 'ALTER TABLE t ADD CONSTRAINT few CHECK (a < 10)',
  'table t: unique index one is asked for': 'CREATE UNIQUE INDEX one ON t (b)',
  'table t: trigger stays is asked for': `CREATE FUNCTION stay() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$;
    CREATE TRIGGER stays BEFORE UPDATE ON t FOR EACH ROW EXECUTE FUNCTION stay()`,
  'function f(): itself is changed': `CREATE OR REPLACE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 2'`,
  '': `ALTER TABLE t ADD c int CONSTRAINT little CHECK (c < 3), ADD d int NOT NULL DEFAULT 1; CREATE INDEX several ON t (b);
    CREATE TABLE u (n int PRIMARY KEY); ALTER TABLE t DROP CONSTRAINT positive`,
};

test('the check detects incompatible migrations', async () => {
  const first: Migration = {
    name: '0001_first.sql',
    sql: `CREATE TABLE t (a int NOT NULL CONSTRAINT positive CHECK (a > 0), b text);
      CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1'`,
  };
  for (const [found, sql] of Object.entries(breaking)) {
    const { sql: database } = await testDatabase('empty');
    await migrate(database, [first]);
    const next = { name: '0002_next.sql', sql };
    assert.equal((await obstaclesOf(database, [first], next)).toSorted().join(), found, sql);
  }
});
