import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { migrations, statementsIn } from '../../../packages/server/src/ops/schema/migrations.ts';
import { hashOf } from '../../../packages/server/src/placement/citus/shards.ts';
import { testDatabase } from '../../support/database.ts';
import { refusedForms } from '../../support/forms.ts';

// What a database of many machines needs of the code, as far as one machine can tell.

const { sql } = await testDatabase();
const folder = new URL('../../../packages/server/src/', import.meta.url);

/** The string and template literals of a source, with holes for their expressions. */
const textsIn = (source: string): string[] =>
  [...source.matchAll(/`((?:[^`\\]|\\.)*)`|'([^'\n]*)'/gs)].map(([, long = '', short = '']) =>
    (long || short).replace(/\$\{[^{}]*\}/g, 'hole'),
  );

describe('the forms that many machines refuse', () => {
  const bad: Record<string, string> = {
    'a subquery among the values': 'INSERT INTO providers (a) VALUES ($1, (SELECT count(*) FROM providers))',
    'rows that belong to no partner': 'INSERT INTO bets (client_id) SELECT $1, r.x FROM unnest($2::int[]) r(x)',
    'an INSERT in a WITH': 'WITH head AS (INSERT INTO event_heads VALUES ($1) RETURNING 1) SELECT 1',
    'an INSERT behind a WITH that writes':
      'WITH head AS (UPDATE event_heads SET last_sequence = $2 RETURNING 1) INSERT INTO event_batches SELECT 1 FROM head',
    'an element of an array':
      'UPDATE bets t SET state = ($3::text[])[array_position($2, t.bet_id)] WHERE t.client_id = $1',
    'a clock that moves': 'UPDATE webhooks SET leased_until = clock_timestamp() WHERE client_id = $1',
    'in DO UPDATE SET': 'INSERT INTO audit_heads VALUES ($1) ON CONFLICT (client_id) DO UPDATE SET at = world_now()',
    'a COALESCE or CASE': 'UPDATE webhooks SET off_at = coalesce(off_at, world_now()) WHERE client_id = $1',
    'the time in RETURNING': 'UPDATE staff SET name = $2 WHERE staff_id = $1 RETURNING name, world_now() AS now',
    'conflicts are not reported':
      'INSERT INTO providers (provider_id, position) SELECT $1, count(*) FROM providers ON CONFLICT DO NOTHING',
    'a time-out for locks': `SELECT set_config('lock_timeout', $1, true)`,
  };
  for (const [what, statement] of Object.entries(bad)) {
    it(`${what}: is found`, () => {
      const found = refusedForms(statement);
      assert.equal(found.length, 1, found.join());
      assert.match(found[0] ?? '', new RegExp(what));
    });
  }

  it('no statement of the service has one of them', () => {
    const files = globSync(['**/sql.ts', '**/sql/*.ts', 'engine/*.ts', 'placement/**/*.ts', 'ops/schema/*.ts'], {
      cwd: folder,
    });
    const texts = files.flatMap((file) =>
      textsIn(readFileSync(new URL(file, folder), 'utf8')).map((text) => ({ file, text })),
    );
    assert.ok(texts.filter(({ text }) => /\b(SELECT|INSERT|UPDATE|DELETE)\b/.test(text)).length > 200);
    const found = texts.flatMap(({ file, text }) =>
      refusedForms(text).map((form) => `${file}: ${form}: ${text.trim()}`),
    );
    assert.deepEqual(found, []);
  });

  it('no migration since there may be many machines adds a column and a constraint in one statement', () => {
    const later = migrations.filter(({ name }) => name >= '0018');
    assert.ok(later.length > 0);
    const both = later
      .flatMap(({ sql }) => statementsIn(sql))
      .filter((one) => /ADD COLUMN.*ADD CONSTRAINT/is.test(one));
    assert.deepEqual(both, []);
  });
});

it('a file of statements is taken apart where one ends, and nowhere else', () => {
  const file = `-- one; of them\nCREATE TABLE a (b text DEFAULT ';');\n/* ; */ CREATE FUNCTION f() RETURNS int LANGUAGE sql AS $$ SELECT 1; $$;
    CREATE FUNCTION g() RETURNS text LANGUAGE sql AS $x$ SELECT '$$;' $x$; SELECT "a;b", 'it''s;' ; -- the end;`;
  assert.deepEqual(
    statementsIn(file).map((each) => each.split('\n').at(-1)?.trim().slice(0, 22)),
    [`CREATE TABLE a (b text`, `/* ; */ CREATE FUNCTIO`, `CREATE FUNCTION g() RE`, `SELECT "a;b", 'it''s;'`],
  );
  const bare = (text: string) => text.replace(/--[^\n]*|\s/g, '');
  for (const { sql } of migrations) assert.equal(bare(statementsIn(sql).join('\n')), bare(sql));
});

it('a partner has the hash that PostgreSQL gives it', async () => {
  const ids = [0, 1, 2, 3, 12_345, 2_147_483_647, -1];
  const { rows } = await sql.query('SELECT hashint4(id) AS hash FROM unnest($1::int[]) id', [ids]);
  assert.deepEqual(
    ids.map(hashOf),
    rows.map(({ hash }) => hash),
  );
});
