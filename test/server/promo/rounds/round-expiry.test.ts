import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { accepted } from '../../../support/answers.ts';
import { call, demo, rival } from '../../../support/caller.ts';
import { setClock } from '../../../support/clock.ts';
import { testDatabase } from '../../../support/database.ts';
import { times } from '../../../support/long.ts';
import { overdueFreeBets } from '../../../support/overdue.ts';
import { callAs, lantern } from '../../../support/provider.ts';
import { campaign, games, inDays } from '../../../support/requests.ts';
import { serverProcess, testServer } from '../../../support/server.ts';
import { until } from '../../../support/waiting.ts';

// The sweeper writes down what the clock has decided: on two servers at once, for several partners, behind an outage.

const { env, sql } = await testDatabase();
const overdue = times(2000, 3000);

const unswept = async (): Promise<number> => {
  const { rows } = await sql.query('SELECT count(*)::int AS n FROM free_bets WHERE NOT swept AND expires_at <= now()');
  return rows[0].n;
};

test('two servers catch up with a backlog, count each free bet once, and serve meanwhile', async () => {
  const one = await testServer({ ...env, SWEEP_PAUSE_MS: '3600000' });
  const campaign_id = 'backlog';
  for (const partner of [demo, rival]) {
    accepted('CampaignCreate', await call(one.url, 'CampaignCreate', campaign({ campaign_id }), partner));
    await overdueFreeBets(sql, partner.clientId, campaign_id, overdue);
  }
  const get = async (url: string, partner = demo) =>
    accepted('CampaignGet', await call(url, 'CampaignGet', { campaign_id }, partner));
  const before = await get(one.url);
  assert.equal(before.counts.expired, overdue, 'the clock decides before the sweeper has come');
  assert.deepEqual(before.exposure[0], { currency: 'EUR', amount: '0.00' });

  const sweeping = { ...env, SWEEP_PAUSE_MS: '50' };
  const [two, three] = await Promise.all([serverProcess(sweeping), serverProcess(sweeping)]);
  let served = 0;
  await until('the backlog is swept', 60_000, async () => {
    const answer = await call(two.url, 'Issue', { campaign_id, player_id: `p-${served}`, currency: 'EUR' });
    accepted('Issue', answer);
    served += 1;
    return (await unswept()) === 0;
  });
  for (const partner of [demo, rival]) {
    const { counts } = await get(three.url, partner);
    assert.equal(counts.expired, overdue);
    assert.equal(counts.issued, overdue + (partner === demo ? served : 0));
  }
});

test('remaining bets expire once, at any time of the sweeper, and a later rollback is counted', async () => {
  const { url } = await testServer({ ...env, SWEEP_PAUSE_MS: '50' });
  const campaign_id = 'edges';
  const valid_until = inDays(5);
  const config = { max_coefficient: '2.00' };
  accepted('CampaignCreate', await call(url, 'CampaignCreate', campaign({ campaign_id, valid_until, config })));
  const issue = async (): Promise<string> =>
    accepted('Issue', await call(url, 'Issue', { campaign_id, player_id: 'p', currency: 'EUR' })).issue_id;
  const bet = async (issue_id: string): Promise<string> => {
    const bet_id = randomUUID();
    const body = { bet_id, issue_id, player_id: 'p', game_id: games.one };
    accepted('RoundsBet', await callAs(lantern, url, 'RoundsBet', body));
    return bet_id;
  };
  const [unused, partly, wholly, cancelled] = [await issue(), await issue(), await issue(), await issue()];
  const standing = await bet(partly);
  const placed = [await bet(wholly), await bet(wholly), await bet(wholly)];
  accepted('Cancel', await call(url, 'Cancel', { issue_id: cancelled }));

  await setClock(sql, valid_until);
  const get = async () => accepted('CampaignGet', await call(url, 'CampaignGet', { campaign_id }));
  const open = async () => (await get()).exposure[0].amount;
  assert.deepEqual([(await get()).counts.expired, await open()], [2, '4.00']);
  const isSwept = 'SELECT bool_and(swept) AS all FROM free_bets WHERE campaign_id = $1';
  await until('all four are swept', 5000, async () => (await sql.query(isSwept, [campaign_id])).rows[0].all);
  assert.deepEqual([(await get()).counts.expired, await open()], [2, '4.00']);

  accepted('RoundsRollback', await callAs(lantern, url, 'RoundsRollback', { bet_id: placed[0] }));
  assert.deepEqual([(await get()).counts.expired, await open()], [3, '3.00']);
  accepted('RoundsRollback', await callAs(lantern, url, 'RoundsRollback', { bet_id: placed[1] }));
  assert.deepEqual([(await get()).counts.expired, await open()], [3, '2.00']);
  accepted('RoundsSettle', await callAs(lantern, url, 'RoundsSettle', { bet_id: standing, result: 'lost' }));
  assert.deepEqual([(await get()).counts.finished, await open()], [0, '1.00']);
  const status = async (issue_id: string) => (await call(url, 'FreeBetGet', { issue_id })).body.status;
  assert.deepEqual(await Promise.all([unused, partly, wholly, cancelled].map(status)), [
    'expired',
    'expired',
    'expired',
    'cancelled',
  ]);
  await setClock(sql, null);
});
