import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, test } from 'node:test';
import pg from 'pg';
import {
  distributedTables,
  readDistribution,
  referenceTables,
} from '../../packages/server/src/placement/citus/distribution.ts';
import { fails, succeeds, succeedsWith } from '../server/admin/terminal.ts';
import { accepted } from '../support/answers.ts';
import { call } from '../support/caller.ts';
import { createJoined, createRole, dropEverywhere, dropRole } from '../support/citus.ts';
import { citusUrl, type ServerEnvironment, settingsOn } from '../support/database.ts';
import { directIssue } from '../support/requests.ts';
import { testServer } from '../support/server.ts';
import { until } from '../support/waiting.ts';

// Which roles can distribute a database, and what a refusal or a kill leaves behind.

const cluster = citusUrl() ?? '';
const suffix = randomBytes(6).toString('hex');
const [owner, stranger] = [`owner_${suffix}`, `stranger_${suffix}`];
const tableCount = distributedTables.length + referenceTables.length;
const distribute = ['migrate', '--distribute'];
const grantSet = `ON PARAMETER session_replication_role`;

let databases = 0;
const drops: (() => Promise<void>)[] = [];

await createRole(cluster, owner);
await createRole(cluster, stranger);
after(async () => {
  for (const drop of drops) await drop();
  for (const role of [owner, stranger]) await dropRole(cluster, role);
});

interface OwnDatabase {
  /** Settings of a server or command that connects as this role; undefined is the superuser. */
  as(role?: string): ServerEnvironment;
  sql: pg.Pool;
  stateOf(): Promise<string>;
}

/** An empty database of `owner`. */
async function ownDatabase(): Promise<OwnDatabase> {
  databases += 1;
  const name = `test_${suffix}_${databases}`;
  const url = await createJoined(cluster, name, owner);
  const sql = new pg.Pool({ connectionString: url, max: 3 });
  sql.on('error', () => {});
  drops.push(async () => {
    await sql.end();
    await dropEverywhere(cluster, name);
  });
  const as = (role?: string) => {
    const found = new URL(url);
    if (role !== undefined) [found.username, found.password] = [role, ''];
    return settingsOn(found.href);
  };
  return { as, sql, stateOf: async () => (await readDistribution(sql)).state };
}

const selectOwners = `SELECT tableowner AS owner, count(*)::int AS tables FROM pg_tables WHERE schemaname = 'public' GROUP BY 1`;
const ownersIn = async ({ sql }: OwnDatabase) => (await sql.query(selectOwners)).rows;

/** On the workers as well, where each part of a table is a table. */
async function assertOwned({ sql }: OwnDatabase): Promise<void> {
  const { rows } = await sql.query(
    `SELECT result FROM run_command_on_all_nodes($$SELECT string_agg(DISTINCT tableowner, ' ') FROM pg_tables WHERE schemaname = 'public'$$)`,
  );
  assert.ok(rows.length > 1);
  for (const { result } of rows) assert.equal(result, owner);
}

async function assertServes(env: ServerEnvironment): Promise<void> {
  await succeeds(env, 'demo');
  const { url, stop } = await testServer(env);
  accepted('Issue', await call(url, 'Issue', directIssue()));
  await stop();
}

test('the owner of an empty database distributes it without further rights', async () => {
  const database = await ownDatabase();
  const { ran, distributed } = await succeedsWith(database.as(owner), ...distribute);
  assert.ok(ran.length > 0);
  assert.equal(distributed.length, tableCount);
  assert.equal(await database.stateOf(), 'whole');
  await assertOwned(database);
  assert.deepEqual((await succeedsWith(database.as(owner), ...distribute)).distributed, []);
  await assertServes(database.as(owner));
  assert.equal((await succeedsWith(database.as(owner), 'migrate', '--undistribute')).undistributed.length, tableCount);
  assert.deepEqual(await ownersIn(database), [{ owner, tables: tableCount }]);
});

test('a superuser distributes an empty database for its owner, who runs the servers', async () => {
  const database = await ownDatabase();
  await succeeds(database.as(), ...distribute);
  await assertOwned(database);
  await assertServes(database.as(owner));
});

test('with audit records, the owner needs one more right, and without it the command changes nothing', async () => {
  const database = await ownDatabase();
  const { sql, as } = database;
  await succeeds(as(owner), 'migrate');
  await succeeds(as(owner), 'client', 'create', '--name', 'Example');
  assert.equal(
    await fails(as(owner), ...distribute),
    `The database cannot be distributed: it has audit records, which ${owner} may not move: run it as a superuser, or let a superuser GRANT SET ${grantSet} TO ${owner} first.`,
  );
  assert.equal(await database.stateOf(), 'none');
  await sql.query(`GRANT SET ${grantSet} TO ${owner}`);
  try {
    assert.equal((await succeedsWith(as(owner), ...distribute)).distributed.length, tableCount);
  } finally {
    await sql.query(`REVOKE SET ${grantSet} FROM ${owner}`);
  }
  const { rows } = await sql.query(
    `SELECT pg_relation_size('audit')::int AS local, count(*)::int AS records FROM audit`,
  );
  assert.deepEqual(rows, [{ local: 0, records: 1 }]);
  assert.match(await succeeds(as(owner), 'audit', 'verify'), /^The audit log is intact\.$/m);
  // Distributed, it has no records left to move.
  assert.deepEqual((await succeedsWith(as(owner), ...distribute)).distributed, []);
});

test('a role that does not own the tables is refused, and the tables stay where they are', async () => {
  const database = await ownDatabase();
  await succeeds(database.as(owner), 'migrate');
  await database.sql.query(`GRANT SELECT ON migrations TO ${stranger}`);
  for (const flag of ['--distribute', '--undistribute']) {
    assert.equal(
      await fails(database.as(stranger), 'migrate', flag),
      `The tables of the database belong to ${owner}, and ${stranger} cannot migrate them: run "freebets migrate ${flag}" as ${owner}.`,
    );
  }
  assert.equal(await database.stateOf(), 'none');
});

test('while a machine is lost, distributing changes nothing, and reads about all partners fail', async () => {
  const database = await ownDatabase();
  const { sql } = database;
  const { rows } = await sql.query(
    'SELECT nodeid, nodename, nodeport FROM pg_dist_node WHERE shouldhaveshards ORDER BY groupid DESC LIMIT 1',
  );
  const [{ nodeid, nodename, nodeport }] = rows;
  const moveTo = (port: number) => sql.query('SELECT citus_update_node($1, $2, $3, true)', [nodeid, nodename, port]);
  const closedPort = 1;
  const moveBack = async () => {
    await moveTo(nodeport);
    await until('the machines agree on where each of them is', 60_000, async () => {
      const { rows } = await sql.query('SELECT FROM pg_dist_node WHERE NOT metadatasynced');
      return rows.length === 0;
    });
  };
  await moveTo(closedPort);
  assert.match(
    await fails(database.as(owner), ...distribute),
    /^The database cannot be distributed: the machine \S+:1 cannot be reached \(.+\)\.$/,
  );
  assert.deepEqual(await ownersIn(database), []);
  await moveBack();
  await succeeds(database.as(owner), ...distribute);
  await succeeds(database.as(owner), 'demo');
  await moveTo(closedPort);
  // Reads about all partners need all machines, as the guide says; other small tables do not.
  const needAll = [
    ['client', 'list'],
    ['audit', 'verify'],
    ['report', 'verify', '--client', '1'],
  ];
  for (const command of needAll) {
    assert.match(
      await fails(database.as(owner), ...command),
      /^The database could not complete the command \(.*refused/,
      command.join(' '),
    );
  }
  for (const command of [['provider', 'list'], ['staff', 'list'], ['keys', 'check'], ['migrate']]) {
    await succeeds(database.as(owner), ...command);
  }
  assert.match(
    await fails(database.as(owner), 'migrate', '--undistribute'),
    /^The database cannot be undistributed: the machine \S+:1 cannot be reached \(.+\)\.$/,
  );
  assert.equal(await database.stateOf(), 'whole');
  await moveBack();
});

test('if distributing is killed before the last table, servers refuse the database and the same command finishes it', async () => {
  const database = await ownDatabase();
  const { sql } = database;
  await succeeds(database.as(owner), 'migrate');
  const holder = await sql.connect();
  try {
    await holder.query('BEGIN; LOCK TABLE due_partners IN EXCLUSIVE MODE');
    const failing = fails(database.as(owner), ...distribute);
    const selectWaiting = `SELECT pid FROM pg_locks WHERE relation = 'due_partners'::regclass AND NOT granted`;
    await until('it waits for the last table', 60_000, async () => (await sql.query(selectWaiting)).rows.length > 0);
    await sql.query(`SELECT pg_terminate_backend(pid) FROM (${selectWaiting}) w`);
    assert.match(await failing, /^The database cannot be distributed: /);
  } finally {
    holder.release(true);
  }
  assert.equal(await database.stateOf(), 'half');
  assert.match(await fails(database.as(owner), 'client', 'list'), /^Only some tables .*\(not yet: due_partners\)/);
  const { rows } = await sql.query('SELECT bool_or(due_slot(id) <> 0) AS placed FROM generate_series(1, 50) id');
  assert.deepEqual(rows, [{ placed: true }]);
  assert.deepEqual((await succeedsWith(database.as(owner), ...distribute)).distributed, ['due_partners']);
  await assertServes(database.as(owner));
});
