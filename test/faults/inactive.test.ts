import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  deactivate,
  markActive,
  markDueActive,
  markMissedActive,
} from '../../packages/server/src/background/sql/due.ts';
import { ask } from '../../packages/server/src/engine/statement.ts';
import { inTransaction } from '../../packages/server/src/engine/transaction.ts';
import { allWork } from '../../packages/server/src/ops/worker.ts';
import { testDatabase } from '../support/database.ts';
import { times } from '../support/long.ts';
import { createPartners } from '../support/webhooks.ts';

// Transactions create and end work of partners while others deactivate the same partners, activate those with work due, and survey all.
// After each round, no partner is inactive for longer than until its first due work.

const database = await testDatabase();
const { sql } = database;
const clientIds = (await createPartners(database, 6)).map(({ clientId }) => clientId);

const oneOf = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)] as T;

/** Its change is committed, so that it may become inactive at once. */
const tire = (clientId: number) =>
  sql.query(
    `UPDATE due_partners SET awake_until = clock_timestamp() - interval '1 s' WHERE client_id = $1 AND awake_until IS NOT NULL`,
    [clientId],
  );

async function giveAndTake(): Promise<void> {
  const clientId = oneOf(clientIds);
  await inTransaction(sql, async (connection) => {
    if (Math.random() < 0.6) {
      await connection.query(
        `INSERT INTO free_bets (client_id, issue_id, player_id, currency, bet_amount, quantity, terms, valid_from, issued_at, expires_at, content_hash)
         VALUES ($1, gen_random_uuid(), 'p', 'EUR', 100, 1, '{}', now(), now(), date_trunc('milliseconds', now() + $2 * interval '1 ms'), '\\x00')`,
        [clientId, oneOf([50, 500, 3_600_000, 7_200_000])],
      );
    } else {
      await connection.query(
        `UPDATE free_bets SET swept = true WHERE client_id = $1 AND issue_id IN
         (SELECT issue_id FROM free_bets WHERE client_id = $1 AND NOT swept ORDER BY expires_at LIMIT 2)`,
        [clientId],
      );
    }
    await ask(connection, markActive([clientId]));
  });
  await tire(clientId);
}

const disturbances = [
  () => inTransaction(sql, (connection) => deactivate(connection, allWork, 0, clientIds)),
  () => ask(sql, markDueActive(0, oneOf([1, 3, 100]))),
  () => markMissedActive(sql, allWork, [0], clientIds),
];

/** Partners that would be found too late: their first expiry, and when they become active. */
async function foundTooLate(): Promise<unknown[]> {
  const { rows } = await sql.query(
    `SELECT f.client_id, f.first, d.wake_at FROM (
       SELECT client_id, min(expires_at) AS first FROM free_bets WHERE client_id = ANY ($1) AND NOT swept GROUP BY 1) f
     LEFT JOIN due_partners d USING (client_id)
     WHERE d.awake_until IS NULL AND coalesce(d.wake_at, 'infinity') > f.first`,
    [clientIds],
  );
  return rows;
}

test('no partner stays inactive too long, in any order of the transactions', async (t) => {
  let inactive = 0;
  for (let round = 0; round < times(12, 15); round++) {
    let areGiving = true;
    const disturb = async () => {
      while (areGiving) await oneOf(disturbances)();
    };
    const disturbing = [disturb(), disturb(), disturb()];
    const give = async () => {
      for (let i = 0; i < 8; i++) await giveAndTake();
    };
    await Promise.all([give(), give(), give(), give()]);
    areGiving = false;
    await Promise.all(disturbing);
    assert.deepEqual(await foundTooLate(), [], `round ${round}`);
    const { rows } = await sql.query('SELECT count(*)::int AS inactive FROM due_partners WHERE wake_at IS NOT NULL');
    inactive += rows[0].inactive;
  }
  t.diagnostic(`${inactive} inactive at the ends of rounds`);
  assert.ok(inactive > 0, 'some were inactive');
});
