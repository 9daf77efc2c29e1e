import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call, rival } from '../support/caller.ts';
import { testDatabase } from '../support/database.ts';
import { databaseProxy } from '../support/database-proxy.ts';
import { campaign } from '../support/requests.ts';
import { runCommand, testServer } from '../support/server.ts';
import { until } from '../support/waiting.ts';

// What takes over from a database that is gone may lack its last commits, where these are not waited for on both.

const { env, sql } = await testDatabase();
const proxy = await databaseProxy({ ...env, REQUEST_DEADLINE_MS: '5000' });
const { url } = await testServer(proxy.env);

const worth = (amount: string, config = {}) =>
  campaign({ campaign_id: 'x', bet_amounts: [{ currency: 'EUR', amount }], config });
const issueTo = async (player_id: string) => {
  const { status, body } = await call(url, 'Issue', { campaign_id: 'x', player_id, currency: 'EUR' });
  return [status, body.bet_amount ?? body.error];
};
const statusForRival = async () => (await call(url, 'FreeBetList', {}, rival)).status;

test('a server goes by the database that took over, and not by what it knew of the one that is gone', async () => {
  assert.equal((await call(url, 'CampaignCreate', worth('100.00'))).status, 200);
  assert.deepEqual(await issueTo('a'), [200, '100.00']);
  assert.equal((await runCommand(env, 'client', 'disable', String(rival.clientId))).code, 0);
  await until('the server knows that one is disabled', 5000, async () => (await statusForRival()) === 403);

  await proxy.refuse();
  await until('the server knows that it is gone', 10_000, async () => (await issueTo('a'))[0] === 503);
  // The change of the partner is lost, and another has its version.
  await sql.query('UPDATE partners SET disabled_at = NULL WHERE client_id = $1', [rival.clientId]);
  for (const table of ['campaign_totals', 'campaign_players', 'campaign_states', 'free_bets', 'campaigns'])
    await sql.query(`DELETE FROM ${table} WHERE client_id = 1 AND campaign_id = 'x'`);
  await proxy.back();

  await until('the campaign is gone', 10_000, async () => (await issueTo('b'))[1] === 'campaign_not_found');
  const created = [worth('1.00', { bonus_limit: 1 }), worth('1.00', { bonus_limit: 1 })];
  for (const body of created) assert.equal((await call(url, 'CampaignCreate', body)).status, 200);
  assert.deepEqual(
    [await issueTo('b'), await issueTo('c')],
    [
      [200, '1.00'],
      [409, 'bonus_limit_reached'],
    ],
  );
  await until('the partner is let in', 5000, async () => (await statusForRival()) === 200);
});
