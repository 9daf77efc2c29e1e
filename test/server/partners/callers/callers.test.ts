import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { readConfig } from '../../../../packages/server/src/ops/config.ts';
import { migrateDatabase } from '../../../../packages/server/src/ops/database.ts';
import { loadCallers } from '../../../../packages/server/src/partners/callers/live-keys.ts';
import { requireMasterKey, WrongMasterKey } from '../../../../packages/server/src/partners/master-key/master-key.ts';
import { watchReference } from '../../../../packages/server/src/partners/reference/reference.ts';
import { announceChange } from '../../../../packages/server/src/partners/reference/sql.ts';
import { ownerOfTotp } from '../../../../packages/server/src/people/second-factor.ts';
import { ownerOf, readMasterKey, sealSecret } from '../../../../packages/server/src/primitives/sealing.ts';
import { testDatabase } from '../../../support/database.ts';
import { newPerson } from '../../../support/sign-in.ts';

test('of two secrets one does not open: its owner is named, and may sign with the other', async () => {
  const { env, sql } = await testDatabase();
  const masterKey = readMasterKey(env.SECRETS_KEY as string);
  // Made where SECRETS_KEY is another.
  const sealed = sealSecret([randomBytes(32)], ownerOf('partner', 1), 'the new secret');
  await sql.query('UPDATE partners SET previous_secret = secret, secret = $1 WHERE client_id = 1', [sealed]);
  const load = async () => {
    const named: string[] = [];
    const { partners } = await loadCallers(sql, masterKey, (owner) => named.push(owner));
    return { keys: partners.get(1)?.keys.length, named };
  };
  assert.deepEqual(await load(), { keys: 1, named: ['partner 1'] });
  await sql.query('UPDATE partners SET previous_secret = secret, secret = previous_secret WHERE client_id = 1');
  assert.deepEqual(await load(), { keys: 1, named: ['partner 1'] });
  // No other caller is left, so every caller has a secret that does not open. The key is not reported as wrong yet.
  await sql.query('UPDATE partners SET disabled_at = now() WHERE client_id <> 1');
  await sql.query('UPDATE providers SET disabled_at = now()');
  assert.deepEqual(await load(), { keys: 1, named: ['partner 1'] });
});

test('who serves goes on with what opens, and shuts out who is disabled, also if only secrets are left that do not open', async () => {
  const { env, sql } = await testDatabase();
  const masterKey = readMasterKey(env.SECRETS_KEY as string);
  await sql.query('UPDATE providers SET disabled_at = now()');
  await sql.query(`UPDATE partners SET secret = '\\x00' WHERE client_id = 2`);
  const named: string[] = [];
  const faults: unknown[] = [];
  const watch = await watchReference(sql, masterKey, () => '', {
    onFault: (error) => faults.push(error),
    onUnopened: (owner) => named.push(owner),
  });
  try {
    assert.equal(watch.current().callers.partners.get(1)?.keys.length, 1);
    await sql.query('UPDATE partners SET disabled_at = now() WHERE client_id = 1');
    // No change was recorded, so everything is loaded.
    await announceChange(sql);
    await watch.follow();
    const { partners } = watch.current().callers;
    assert.deepEqual([partners.has(1), partners.get(2)?.keys.length], [false, 0]);
    assert.deepEqual({ named, faults }, { named: ['partner 2', 'partner 2'], faults: [] });
  } finally {
    await watch.stop();
  }
});

test('a master key is refused where callers have secrets, and nothing opens with it', async () => {
  const { env, sql } = await testDatabase();
  const right = readMasterKey(env.SECRETS_KEY as string);
  const other = readMasterKey(randomBytes(32).toString('base64'));
  const isRefused = (connection: typeof sql, masterKey: typeof right) =>
    requireMasterKey(connection, masterKey).then(
      () => false,
      (error) => error instanceof WrongMasterKey,
    );
  assert.deepEqual([await isRefused(sql, other), await isRefused(sql, [...other, ...right])], [true, false]);
  await sql.query(`UPDATE partners SET secret = '\\x00'`);
  await sql.query(`UPDATE providers SET secret = '\\x00', disabled_at = now()`);
  assert.equal(await isRefused(sql, right), true);
  // More than are read at a time, of which the last one opens.
  const last = 1150;
  await sql.query(
    `INSERT INTO partners (client_id, name, secret) SELECT id, 'Partner ' || id, '\\x00' FROM generate_series(1000, ${last}) AS id`,
  );
  const sealed = sealSecret(right, ownerOf('partner', last), 'a secret');
  await sql.query('UPDATE partners SET previous_secret = $2 WHERE client_id = $1', [last, sealed]);
  assert.deepEqual([await isRefused(sql, other), await isRefused(sql, right)], [true, false]);
  await sql.query('UPDATE partners SET previous_secret = NULL');
  assert.equal(await isRefused(sql, right), true);

  const withSecondFactor = async (connection: typeof sql) => {
    const { staffId } = await newPerson(connection);
    const totp = sealSecret(right, ownerOfTotp(staffId), 'a second factor');
    await connection.query('UPDATE staff SET totp_secret = $2, totp_since = now() WHERE staff_id = $1', [
      ...[staffId, totp],
    ]);
  };
  await withSecondFactor(sql);
  assert.deepEqual([await isRefused(sql, other), await isRefused(sql, right)], [true, false]);
  const { env: empty, sql: withoutCallers } = await testDatabase('empty');
  await migrateDatabase(readConfig(empty));
  await withSecondFactor(withoutCallers);
  assert.equal(await isRefused(withoutCallers, other), false);
});
