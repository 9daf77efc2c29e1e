import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { loadCallers } from '../../../packages/server/src/callers/callers.ts';
import { ownerOf, readMasterKey, sealSecret } from '../../../packages/server/src/callers/secrets.ts';
import { testDatabase } from '../../support/database.ts';

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
  // Nobody else is left, so that all callers have one that does not open: the key is not at fault yet.
  await sql.query('UPDATE partners SET disabled_at = now() WHERE client_id <> 1');
  await sql.query('UPDATE providers SET disabled_at = now()');
  assert.deepEqual(await load(), { keys: 1, named: ['partner 1'] });
});
