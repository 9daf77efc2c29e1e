import assert from 'node:assert/strict';
import { test } from 'node:test';
import { later } from '../../support/clock.ts';
import { testDatabase } from '../../support/database.ts';
import { databaseProxy } from '../../support/database-proxy.ts';
import { fails, succeedsWith } from './terminal.ts';

// Setting a clock at the terminal while the database fails. The message says what is known about the clock.

const { env, sql } = await testDatabase();
const proxy = await databaseProxy(env);

const id = '2';
const { now } = await succeedsWith(env, 'client', 'clock', id);
const tomorrow = later(now, 86_400_000);
const set = (by = env) => fails(by, 'client', 'clock', id, '--set', tomorrow);
const offset = async () => (await succeedsWith(env, 'client', 'clock', id)).offset_s;

const loseRace = `RAISE EXCEPTION 'another was first' USING ERRCODE = '40001'`;
const endConnection = 'PERFORM pg_terminate_backend(pg_backend_pid())';

/** Makes the first attempt to move a clock fail, and the later ones. */
async function failing(first: string, then: string): Promise<AsyncDisposable> {
  await sql.query(`
    CREATE SEQUENCE attempts;
    CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF nextval('attempts') = 1 THEN ${first}; ELSE ${then}; END IF;
        RETURN NEW;
      END $$;
    CREATE TRIGGER failing BEFORE UPDATE ON sandbox_clocks FOR EACH ROW EXECUTE FUNCTION fail()`);
  return {
    async [Symbol.asyncDispose]() {
      await sql.query('DROP TRIGGER failing ON sandbox_clocks; DROP FUNCTION fail; DROP SEQUENCE attempts');
    },
  };
}

test('a database failure before the commit leaves the clock unset, and the command says so', async () => {
  await using _ = await failing(endConnection, endConnection);
  assert.match(await set(), /^The clock was not set: .+\.$/);
  assert.equal(await offset(), 0);
});

test('a retry after a lost race reports its failure', async () => {
  {
    await using _ = await failing(loseRace, endConnection);
    assert.match(await set(), /^The clock was not set: .+\.$/);
  }
  await using _ = await failing(loseRace, loseRace);
  assert.equal(
    await set(),
    'The clock was not set, because it was being changed at the same time. Run the command again.',
  );
  assert.equal(await offset(), 0);
});

test('a database failure during the commit is reported as unknown', async () => {
  for (const [fate, isSet] of [
    ['cut before', false],
    ['cut after', true],
  ] as const) {
    proxy.atCommit = () => fate;
    assert.match(await set(proxy.env), /^The clock may have been set, so check it: .+\.$/);
    assert.equal((await offset()) > 0, isSet, fate);
  }
});

test('the command sets the clock after a lost race', async () => {
  await using _ = await failing(loseRace, 'NULL');
  const { offset_s } = await succeedsWith(env, 'client', 'clock', id, '--set', later(tomorrow, 86_400_000));
  assert.ok(offset_s > 90_000);
});
