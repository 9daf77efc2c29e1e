import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import type pg from 'pg';
import { openPool } from '../../../../packages/server/src/engine/connection.ts';
import { migrate, migrations } from '../../../../packages/server/src/ops/schema/migrations.ts';
import { accepted } from '../../../support/answers.ts';
import { call } from '../../../support/caller.ts';
import { type ServerEnvironment, testDatabase } from '../../../support/database.ts';
import { directIssue } from '../../../support/requests.ts';
import { spawnCommand, testServer } from '../../../support/server.ts';
import { assertClear, fails, succeeds, succeedsWith } from '../../admin/terminal.ts';

// Which role owns the tables, and the errors for a role without rights.

const newest = migrations.at(-1)?.name;

const asRole = (env: ServerEnvironment, role: string): ServerEnvironment => ({
  ...env,
  DATABASE_URL: `${env.DATABASE_URL}&options=${encodeURIComponent(`-c role=${role}`)}`,
});

interface Owned {
  env: ServerEnvironment;
  sql: pg.Pool;
  owner: string;
  other: string;
  /** Of all tables and functions. */
  ownersOf(): Promise<string[]>;
}

/** Tests on an empty database that belongs to `owner`; `other` is a role without rights. */
const onOwned = (title: string, work: (owned: Owned) => Promise<void>) =>
  test(title, async () => {
    const { env, sql } = await testDatabase('empty');
    const suffix = randomBytes(6).toString('hex');
    const [owner, other] = [`owner_${suffix}`, `other_${suffix}`];
    await sql.query(`CREATE ROLE ${owner}; CREATE ROLE ${other}`);
    const database = new URL(env.DATABASE_URL ?? '').pathname.slice(1);
    const ownersOf = async () => {
      const { rows } = await sql.query(
        `SELECT DISTINCT tableowner AS owner FROM pg_tables WHERE schemaname = 'public'
         UNION SELECT DISTINCT proowner::regrole::text FROM pg_proc WHERE pronamespace = 'public'::regnamespace`,
      );
      return rows.map((row) => row.owner);
    };
    try {
      await sql.query(`ALTER DATABASE ${database} OWNER TO ${owner}`);
      await work({ env, sql, owner, other, ownersOf });
    } finally {
      await sql.query(`DROP OWNED BY ${other}; REASSIGN OWNED BY ${owner} TO freebets; DROP OWNED BY ${owner}`);
      await sql.query(`DROP ROLE ${owner}, ${other}`);
    }
  });

onOwned(
  'a superuser migrates an empty database for its owner, and a server then runs as the owner',
  async ({ env, owner, ownersOf }) => {
    assert.equal((await succeedsWith(env, 'migrate')).schema, newest);
    assert.deepEqual(await ownersOf(), [owner]);
    await succeeds(asRole(env, owner), 'demo');
    const { url, stop } = await testServer(asRole(env, owner));
    accepted('Issue', await call(url, 'Issue', directIssue()));
    await stop();
  },
);

onOwned(
  'a superuser and a member of the owner add later tables as the owner',
  async ({ env, sql, owner, other, ownersOf }) => {
    await sql.query(`GRANT ${owner} TO ${other}`);
    const pool = openPool({
      connection: { connectionString: asRole(env, owner).DATABASE_URL },
      ...{ max: 1, queryTimeoutMs: 60_000, applicationName: 'older' },
    });
    await migrate(pool, migrations.slice(0, 10));
    await pool.end();
    await succeeds(asRole(env, other), 'migrate');
    assert.deepEqual(await ownersOf(), [owner]);
  },
);

onOwned(
  'a role that may create tables owns the tables that it creates in an empty database',
  async ({ env, sql, other, ownersOf }) => {
    await sql.query(`GRANT CREATE, USAGE ON SCHEMA public TO ${other}`);
    await succeeds(asRole(env, other), 'migrate');
    assert.deepEqual(await ownersOf(), [other]);
  },
);

onOwned(
  'a role without rights is refused in one sentence, by servers and commands',
  async ({ env, sql, owner, other, ownersOf }) => {
    const asOther = asRole(env, other);
    for (const command of ['serve', 'migrate']) {
      assert.equal(
        await fails(asOther, command),
        'The database cannot be migrated: permission denied for schema public.',
      );
    }
    assert.deepEqual(await ownersOf(), []);
    await succeeds(env, 'migrate');
    const refusal = (table: string) =>
      `The database user lacks rights (permission denied for table ${table}): connect as the owner of the tables, or have the owner grant the rights.`;
    for (const command of [['serve'], ['migrate'], ['client', 'list']]) {
      assert.equal(await fails(asOther, ...command), refusal('migrations'), command.join(' '));
    }
    const { stderr, code } = await spawnCommand({ ...asOther, PROCESSES: '2' }, 'serve');
    assert.deepEqual([code, stderr], [1, `${refusal('migrations')}\n`]);
    // Of all tables it may read this one, the first that a server reads.
    await sql.query(`GRANT SELECT ON migrations TO ${other}`);
    for (const command of [['serve'], ['client', 'list']]) {
      const refused = await fails(asOther, ...command);
      assert.match(refused, /^The database user lacks rights \(permission denied for table \w+\): /);
    }
    for (const flag of ['--distribute', '--undistribute']) {
      assert.equal(
        await fails(asOther, 'migrate', flag),
        `The tables of the database belong to ${owner}, and ${other} cannot migrate them: run "freebets migrate ${flag}" as ${owner}.`,
      );
    }
    assertClear(stderr);
  },
);

onOwned('on one PostgreSQL, migrate --distribute is refused before it makes a schema', async ({ env, ownersOf }) => {
  assert.equal(
    await fails(env, 'migrate', '--distribute'),
    'The database cannot be distributed: it has no extension "citus".',
  );
  assert.deepEqual(await ownersOf(), []);
});
