import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, test } from 'node:test';
import pg from 'pg';
import { versionOf } from '../../bench/server.ts';
import { loadDemo } from '../../packages/server/src/demo/demo.ts';
import { readConfig } from '../../packages/server/src/ops/config.ts';
import { migrateDatabase, withDatabase } from '../../packages/server/src/ops/database.ts';
import { migrate, migrations } from '../../packages/server/src/ops/schema/migrations.ts';
import {
  distributedTables,
  readDistribution,
  referenceTables,
} from '../../packages/server/src/placement/citus/distribution.ts';
import { readNodes } from '../../packages/server/src/placement/citus/nodes.ts';
import { hashOf } from '../../packages/server/src/placement/citus/shards.ts';
import { call } from '../support/caller.ts';
import { createJoined, dropEverywhere } from '../support/citus.ts';
import { citusUrl, settingsOn } from '../support/database.ts';
import { directIssue } from '../support/requests.ts';
import { testServer } from '../support/server.ts';
import { until } from '../support/waiting.ts';

// A database with data in it is spread over the machines of a cluster, step by step, and goes on being migrated there.

const cluster = citusUrl() ?? '';
const name = `test_${randomBytes(6).toString('hex')}`;
const env = settingsOn(await createJoined(cluster, name));
const config = readConfig(env);
const sql = new pg.Pool({ connectionString: env.DATABASE_URL, max: 2 });
sql.on('error', () => {});
after(async () => {
  await sql.end();
  await dropEverywhere(cluster, name);
});

const stateOf = async () => (await readDistribution(sql)).state;
const all = [...distributedTables, ...referenceTables];

test('the benchmark shows the versions of the cluster', async () => {
  assert.match(await versionOf(cluster), /^PostgreSQL \d+.*, Citus \d+\./);
});

test('it is done only when it is asked for', async () => {
  await migrateDatabase(config);
  await withDatabase(config, ({ pool, masterKey }) => loadDemo(pool, masterKey, { history: false }));
  assert.equal(await stateOf(), 'none');
});

test('one that was broken off is refused, and finished by the same command', async () => {
  await sql.query(`SELECT create_reference_table('partners')`);
  assert.equal(await stateOf(), 'half');
  await assert.rejects(migrateDatabase(config), /Only some tables .* run "freebets migrate --distribute"/);
  await assert.rejects(
    withDatabase(config, async () => {}),
    /Only some tables/,
  );
  const { moved } = await migrateDatabase(config, 'many');
  assert.deepEqual(moved?.toSorted(), all.filter((each) => each !== 'partners').toSorted());
  assert.equal(await stateOf(), 'whole');
});

test('distributing again changes nothing', async () => {
  assert.deepEqual(await migrateDatabase(config, 'many'), { ran: [], moved: [] });
  const { rows } = await sql.query('SELECT count(*)::int AS count FROM partners');
  assert.deepEqual(rows, [{ count: 2 }]);
  const { rows: left } = await sql.query(
    'SELECT name FROM unnest($1::text[]) AS t(name) WHERE pg_relation_size(name::regclass) > 0',
    [all],
  );
  assert.deepEqual(left, []);
});

test('the record still refuses to be changed', async () => {
  await sql.query(`INSERT INTO audit (client_id, sequence, at, record, hash) VALUES (1, 1, now(), '{}', '')`);
  for (const change of ['UPDATE audit SET hash = hash', 'DELETE FROM audit', 'TRUNCATE audit']) {
    await assert.rejects(sql.query(change), /cannot be changed/, change);
  }
});

test('the due row of a partner is on the node of its other rows, which servers compute', async () => {
  const machines = await readNodes(sql);
  const ids = Array.from({ length: 200 }, (_, i) => i + 1);
  const { rows } = await sql.query(
    `SELECT id, hashint4(id) AS hash, p.groupid AS machine,
       get_shard_id_for_distribution_column('due_partners', due_slot(id)) - get_shard_id_for_distribution_column('due_partners', id) AS apart
     FROM unnest($1::int[]) id JOIN pg_dist_placement p ON p.shardid = get_shard_id_for_distribution_column('event_heads', id)`,
    [ids],
  );
  assert.equal(rows.length, ids.length);
  for (const { id, hash, machine, apart } of rows) {
    assert.equal(Number(apart), 0);
    assert.equal(hashOf(id), hash);
    assert.equal(machines.of(id), machine);
  }
  assert.ok(machines.dueKeys.size > 1);
});

test('later migrations run there, one statement after the other', async () => {
  const later = {
    name: '9999_later.sql',
    sql: `-- compatible
      ALTER TABLE bets ADD COLUMN tried text;
      ALTER TABLE bets ADD CONSTRAINT bets__tried CHECK (tried <> '');
      CREATE FUNCTION tried(text) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT $1; $$;
      CREATE INDEX bets__by_tried ON bets (client_id, tried) WHERE tried IS NOT NULL;
      ALTER TABLE partners ADD COLUMN tried int NOT NULL DEFAULT 1;
      INSERT INTO event_heads (client_id, last_sequence) SELECT client_id + 1000, 0 FROM partners;`,
  };
  assert.deepEqual((await migrate(sql, [...migrations, later])).ran, [later.name]);
  const { rows } = await sql.query('SELECT tried FROM bets WHERE client_id = 1');
  assert.deepEqual(rows, []);
});

test('back on one machine everything is there, as it was, and the extension is needed no more', async () => {
  const counted = async () => {
    const { rows } = await sql.query(
      `SELECT (SELECT count(*) FROM games)::int AS games, (SELECT count(*) FROM event_heads)::int AS heads`,
    );
    return rows[0];
  };
  const before = await counted();
  // Broken off, either way is open.
  await sql.query(`SELECT undistribute_table('campaigns', cascade_via_foreign_keys => true)`);
  const { moved: again } = await migrateDatabase(config, 'many');
  assert.ok(again?.includes('campaigns') && !again.includes('event_heads'), String(again));
  assert.equal(await stateOf(), 'whole');
  await sql.query(`SELECT undistribute_table('due_partners')`);
  await assert.rejects(
    withDatabase(config, async () => {}),
    /Only some tables .* "freebets migrate --undistribute" to go back/,
  );
  const { moved } = await migrateDatabase(config, 'one');
  assert.deepEqual(moved?.toSorted(), all.filter((each) => each !== 'due_partners').toSorted());
  assert.equal(await stateOf(), 'none');
  assert.deepEqual(await counted(), before);
  assert.deepEqual(await migrateDatabase(config, 'one'), { ran: [], moved: [] });
  await sql.query('DROP EXTENSION citus CASCADE');
  await assert.rejects(sql.query('DELETE FROM audit'), /cannot be changed/);
  const { url } = await testServer(env);
  assert.equal((await call(url, 'Issue', directIssue())).status, 200);
  await sql.query(`UPDATE free_bets SET expires_at = world_now() - interval '1 s' WHERE client_id = 1`);
  await until('what has expired is found', 15_000, async () => {
    const { rows } = await sql.query('SELECT FROM free_bets WHERE client_id = 1 AND NOT swept');
    return rows.length === 0;
  });
});
