import assert from 'node:assert/strict';
import { after, beforeEach, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import type pg from 'pg';
import { openPool, type Result } from '../../../packages/server/src/engine/connection.ts';
import { ask, named, type Statement } from '../../../packages/server/src/engine/statement.ts';
import { begin, commit, inOneTrip } from '../../../packages/server/src/engine/transaction.ts';
import { codePoint } from '../../support/code-points.ts';
import { testDatabase } from '../../support/database.ts';
import { stopwatch, until } from '../../support/waiting.ts';

// Many statements in one round trip, against the real database: the results, the statements that run when one of them
// fails, and that every caller gets a result, and the connection can be used again.

const { env, sql } = await testDatabase();
const queryTimeoutMs = 700;
const settings = { connection: { connectionString: env.DATABASE_URL }, applicationName: 'test' };
const patient = openPool({ ...settings, max: 8, queryTimeoutMs: 20_000 });
const hasty = openPool({ ...settings, max: 8, queryTimeoutMs });
after(() => Promise.all([patient.end(), hasty.end()]));

await sql.query('CREATE TABLE notes (id int PRIMARY KEY, body text)');
beforeEach(() => sql.query('TRUNCATE notes'));

const note = named('note', 'INSERT INTO notes (id, body) VALUES ($1, $2)');
const divide = named('divide', 'SELECT 10 / $1::int AS quotient');
const echo = named('echo', 'SELECT $1::text AS said');
const sleep = named('sleep', 'SELECT pg_sleep($1::float8)');

/** The committed rows of the table. */
const committed = async (): Promise<number[]> =>
  (await sql.query<{ id: number }>('SELECT id FROM notes ORDER BY id')).rows.map(({ id }) => id);

async function withConnection<T>(work: (client: pg.PoolClient) => Promise<T>, pool = patient): Promise<T> {
  const client = await pool.connect();
  try {
    return await work(client);
  } finally {
    client.release(true);
  }
}

/** What came back for each of the statements, whole. */
async function resultsOf(client: pg.PoolClient, statements: readonly pg.QueryConfig[]) {
  const whole = statements.map(
    ({ name = '', text, values = [] }): Statement<Result<Record<string, unknown>>> => ({
      name,
      text,
      values,
      read: (result) => result as Result<Record<string, unknown>>,
    }),
  );
  const answers = await inOneTrip(client, whole);
  return whole.map((one) => answers.of(one));
}

/** The failure is reported within a limit. A caller that waits for ever would hold a connection for ever. */
async function rejection(trip: Promise<unknown>, boundMs = 5000): Promise<Error & { code?: string }> {
  const settled = trip.then(
    (value) => ({ value }),
    (error: Error) => ({ error }),
  );
  const outcome = await Promise.race([settled, delay(boundMs, undefined, { ref: false })]);
  assert.ok(outcome !== undefined, `no result within ${boundMs} ms`);
  assert.ok('error' in outcome, `it should have failed: ${JSON.stringify(outcome)}`);
  return outcome.error;
}

async function assertUsable(client: pg.PoolClient): Promise<void> {
  for (const word of ['one', 'two']) {
    const [, said, ended] = await resultsOf(client, [begin(), echo([word]), commit()]);
    assert.deepEqual([said?.rows, ended?.command], [[{ said: word }], 'COMMIT']);
  }
  assert.deepEqual((await client.query('SELECT 1 AS one')).rows, [{ one: 1 }]);
}

describe('what comes back', () => {
  const kinds = named(
    'kinds',
    `SELECT 7::int AS int, 9007199254740991::bigint AS bigint, 1.50::numeric AS numeric, true AS yes, NULL::text AS nothing,
       '' AS empty, timestamptz '2026-01-02 03:04:05.678+00' AS at, '{"a": [1, null]}'::json AS json,
       ARRAY['x', NULL, 'NULL', '', '"', '\\'] AS texts, '\\xdeadbeef'::bytea AS bytes`,
  );

  it('has the types that the driver gives, when a statement is prepared and ever after', () =>
    withConnection(async (client) => {
      const { rows } = await client.query(kinds().text);
      for (let i = 0; i < 3; i++) {
        const [result] = await resultsOf(client, [kinds()]);
        assert.deepEqual(result?.rows, rows);
        assert.deepEqual([result?.rowCount, result?.command], [1, 'SELECT']);
      }
    }));

  it('is in the order of the statements, each with its own rows', () =>
    withConnection(async (client) => {
      const series = named('series', 'SELECT i FROM generate_series(1, $1::int) AS i');
      for (let i = 0; i < 2; i++) {
        const results = await resultsOf(client, [
          begin(),
          series([3]),
          note([i, 'a note']),
          series([0]),
          divide([5]),
          { text: 'UPDATE notes SET body = $1', values: ['unnamed'] },
          { text: 'SELECT id AS other FROM notes ORDER BY id' },
          commit(),
        ]);
        assert.deepEqual(
          results.map(({ rows }) => rows),
          [
            [],
            [{ i: 1 }, { i: 2 }, { i: 3 }],
            [],
            [],
            [{ quotient: 2 }],
            [],
            Array.from({ length: i + 1 }, (_, other) => ({ other })),
            [],
          ],
        );
        assert.deepEqual(
          results.map(({ command }) => command),
          ['BEGIN', 'SELECT', 'INSERT', 'SELECT', 'SELECT', 'UPDATE', 'SELECT', 'COMMIT'],
        );
        assert.deepEqual(results.map(({ rowCount }) => rowCount).slice(1, -1), [3, 1, 0, 1, i + 1, i + 1]);
      }
    }));

  it('is whole, however long the statements and the answers are', () =>
    withConnection(async (client) => {
      const long = (i: number) => `${i} `.repeat(20_000);
      const several = await Promise.all(
        [0, 1].map(() =>
          resultsOf(
            client,
            Array.from({ length: 300 }, (_, i) => echo([long(i % 40)])),
          ),
        ),
      );
      for (const results of several) {
        results.forEach(({ rows }, i) => {
          assert.ok((rows[0] as { said: string }).said === long(i % 40), `answer ${i} is another`);
        });
      }
    }));

  it('is nothing for no statement', () =>
    withConnection(async (client) => {
      assert.deepEqual(await resultsOf(client, []), []);
      await assertUsable(client);
    }));
});

describe('values', () => {
  const back = named(
    'back',
    'SELECT $1::text[] AS texts, $2::text AS text, $3::bigint[] AS numbers, $4::bool[] AS flags',
  );
  const roundTrip = async (client: pg.PoolClient, values: unknown[]) =>
    (await resultsOf(client, [back(values)]))[0]?.rows[0];

  it('are read as they were given', () =>
    withConnection(async (client) => {
      const texts = ['', ' ', 'NULL', 'null', null, '"', '\\', '\\"', '\\\\', "'", '{}', '{', ',', '\n\t', '💶 é'];
      const numbers = [0, -1, 2 ** 53 - 1, null, -0];
      assert.deepEqual(await roundTrip(client, [texts, '{"a"}\\', numbers, [true, false, null]]), {
        texts,
        text: '{"a"}\\',
        numbers: [0, -1, 2 ** 53 - 1, null, 0].map((n) => (n === null ? null : String(n))),
        flags: [true, false, null],
      });
      assert.deepEqual(await roundTrip(client, [[], '', [], []]), { texts: [], text: '', numbers: [], flags: [] });
      const nothing = { texts: null, text: null, numbers: null, flags: null };
      assert.deepEqual(await roundTrip(client, [null, undefined, null, undefined]), nothing);
      assert.deepEqual((await roundTrip(client, [[undefined, 'x'], 5n, [5n], []])) as unknown, {
        texts: [null, 'x'],
        text: '5',
        numbers: ['5'],
        flags: [],
      });
    }));

  it('may be any text', () =>
    withConnection(async (client) => {
      const text = fc.string({ unit: codePoint }).filter((value) => !value.includes('\0') && value.isWellFormed());
      const special = fc.string({ unit: fc.constantFrom('"', '\\', '{', '}', ',', "'", ' ', 'NULL', '\r', 'é') });
      const any = fc.oneof(text, special);
      await fc.assert(
        fc.asyncProperty(fc.array(fc.option(any)), any, async (texts, text) => {
          const found = await roundTrip(client, [texts, text, [], []]);
          assert.deepEqual(found, { texts, text, numbers: [], flags: [] });
        }),
        { numRuns: 200 },
      );
    }));
});

describe('a statement that fails', () => {
  const failures: Record<string, [pg.QueryConfig, string]> = {
    'while it runs': [divide([0]), '22012'],
    'when it is prepared': [named('nonsense', 'SELEKT 1')(), '42601'],
    'for its values': [divide(['seven']), '22P02'],
    'for their number': [divide([1, 2]), '08P01'],
    'against a constraint': [note([1, 'again']), '23505'],
  };

  for (const [how, [failing, code]] of Object.entries(failures)) {
    it(`${how} fails the trip as itself, and nothing after it is carried out`, () =>
      withConnection(async (client) => {
        const statements = [begin(), note([1, 'before']), failing, note([2, 'after']), commit()];
        // The first of these trips prepares its statements, and fails; the next must not stumble over them.
        for (let i = 0; i < 3; i++) {
          assert.equal((await rejection(resultsOf(client, statements))).code, code);
          await client.query('ROLLBACK');
          assert.deepEqual(await committed(), []);
        }
        await assertUsable(client);
        await resultsOf(client, [note([3, 'later']), divide([2])]);
        assert.equal((await rejection(resultsOf(client, statements))).code, code, 'now that they are known');
        await client.query('ROLLBACK');
        assert.deepEqual(await committed(), [3]);
        await assertUsable(client);
      }));
  }

  it('because it is gone, is prepared again', () =>
    withConnection(async (client) => {
      await assertUsable(client);
      await client.query('DEALLOCATE ALL');
      await rejection(resultsOf(client, [echo(['gone'])]));
      await assertUsable(client);
    }));

  it('runs the statements that are queued behind the trip', () =>
    withConnection(async (client) => {
      const failing = resultsOf(client, [divide([0]), echo(['x'])]);
      const behind = resultsOf(client, [echo(['behind'])]);
      assert.equal((await rejection(failing)).code, '22012');
      assert.deepEqual((await behind)[0]?.rows, [{ said: 'behind' }]);
    }));
});

describe('a trip', () => {
  it('for a statement with a value that cannot be written is not sent at all', () =>
    withConnection(async (client) => {
      const unwritable = { toString: () => assert.fail('no text for this') };
      const trip = resultsOf(client, [
        begin(),
        note([1, 'before']),
        note([2, unwritable]),
        note([3, 'after']),
        commit(),
      ]);
      assert.equal((await rejection(trip)).message, 'no text for this');
      await client.query('ROLLBACK');
      assert.deepEqual(await committed(), [], 'half of the transaction was committed');
      await assertUsable(client);
    }));

  it('for the same statement many times before it is known', () =>
    withConnection(async (client) => {
      for (let i = 0; i < 2; i++) {
        const results = await resultsOf(
          client,
          Array.from({ length: 20 }, (_, n) => echo([`${n}`])),
        );
        assert.deepEqual(
          results.flatMap(({ rows }) => rows.map(({ said }) => said)),
          Array.from({ length: 20 }, (_, n) => `${n}`),
        );
      }
    }));
});

describe('a connection that is lost', () => {
  const terminate = (client: pg.PoolClient) =>
    sql.query('SELECT pg_terminate_backend($1)', [(client as unknown as { processID: number }).processID]);
  const isSleeping = () =>
    until('a statement that sleeps', 5000, async () => {
      const { rows } = await sql.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'`,
      );
      return rows.length > 0;
    });

  it('fails the trip under way, and the one that waits behind it', () =>
    withConnection(async (client) => {
      const underWay = resultsOf(client, [sleep([30]), note([1, 'after'])]);
      const behind = resultsOf(client, [note([2, 'behind'])]);
      const reported = [rejection(underWay), rejection(behind)];
      await isSleeping();
      await terminate(client);
      await Promise.all(reported);
      assert.deepEqual(await committed(), []);
    }));

  it('fails the trip that begins on it', () =>
    withConnection(async (client) => {
      const lost = new Promise((resolve) => client.once('end', resolve));
      await terminate(client);
      await lost;
      await rejection(resultsOf(client, [note([1, 'too late'])]));
    }));

  it('fails the trip that begins while it is being broken off', () =>
    withConnection(async (client) => {
      (client as unknown as { connection: pg.Connection }).connection.stream.destroy();
      await rejection(resultsOf(client, [note([1, 'too late'])]));
    }));
});

describe('a database that does not answer in time', () => {
  it('fails the trip, and the one that waits behind it', () =>
    withConnection(async (client) => {
      await client.query('BEGIN');
      const tookMs = stopwatch();
      const underWay = resultsOf(client, [echo(['x']), sleep([3])]);
      const behind = resultsOf(client, [echo(['behind'])]);
      const errors = await Promise.all([rejection(underWay), rejection(behind)]);
      for (const { message } of errors) assert.equal(message, 'Query read timeout');
      assert.ok(tookMs() < queryTimeoutMs + 1000, `${tookMs()} ms`);
    }, hasty));

  it('and answers after all is no answer to the next trip', () =>
    withConnection(async (client) => {
      const late = resultsOf(client, [sleep([1]), echo(['late'])]);
      await rejection(late);
      await delay(600);
      const [next] = await resultsOf(client, [echo(['next'])]);
      assert.deepEqual(next?.rows, [{ said: 'next' }]);
    }, hasty));
});

it('a statement can be sent alone and within a trip, on one connection, in any order', async () => {
  for (const order of ['alone first', 'trip first']) {
    const client = await patient.connect();
    const statement = named('both_ways', 'SELECT $1::int AS n')([7]);
    const alone = () => ask(client, statement);
    const within = async () => (await inOneTrip(client, [statement])).of(statement);
    for (const way of order === 'alone first' ? [alone, within, alone] : [within, alone, within]) {
      assert.deepEqual(await way(), [{ n: 7 }], order);
    }
    client.release(true);
  }
});
