import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type PlayOptions, play } from '../../../packages/server/src/admin/play.ts';
import { inTransaction } from '../../../packages/server/src/engine/transaction.ts';
import { readConfig } from '../../../packages/server/src/ops/config.ts';
import { importCatalogue } from '../../../packages/server/src/partners/catalogue/file.ts';
import { announceChange } from '../../../packages/server/src/partners/reference/sql.ts';
import { Failure } from '../../../packages/server/src/primitives/failure.ts';
import { ownerOf, sealSecret } from '../../../packages/server/src/primitives/sealing.ts';
import { faultyServer, page } from '../../client/faulty-server.ts';
import { accepted } from '../../support/answers.ts';
import { call, rival } from '../../support/caller.ts';
import { demoCatalogue, game } from '../../support/catalogue.ts';
import { testDatabase } from '../../support/database.ts';
import { refusingUrl } from '../../support/receiver.ts';
import { directIssue, games } from '../../support/requests.ts';
import { testServer } from '../../support/server.ts';
import { assertClear, succeedsWith } from './terminal.ts';

const { env } = await testDatabase();
const { url } = await testServer(env);

const defaults = { client: '1', player: 'player-1', coefficient: '1.50' };
const playOn = (url: string, options: Partial<PlayOptions> = {}) =>
  play(readConfig(env), { url, ...defaults, ...options });

/** The lines with which a round that cannot be played ends. */
async function failureOf(round: ReturnType<typeof play>): Promise<string[]> {
  const error = await round.then(
    ({ steps }) => assert.fail(`it was played: ${steps}`),
    (error) => error,
  );
  assert.ok(error instanceof Failure, error);
  const lines = error.message.split('\n');
  assertClear(`${lines.at(-1)}\n`);
  return lines;
}

test('play plays a round step by step, and first issues a free bet if there is none', async () => {
  const { steps, bet, settled, free_bet } = await succeedsWith(env, 'play', '--url', url, '--player', 'ann');
  assert.equal(steps.length, 4);
  assert.match(steps[0], /^ann had no free bet to use, so one was issued: [0-9a-f-]{36}, 3 × 1\.00 EUR\.$/);
  assert.equal(steps[1], `lantern-quay placed the bet ${bet.bet_id} of 1.00 EUR in ${games.one}.`);
  assert.equal(steps[2], 'Cashed out at 1.50: ann won 0.50 EUR.');
  assert.equal(steps[3], 'The free bet is in_use, with 2 of 3 bets left.');
  assert.equal(settled.win_amount, '0.50');
  assert.equal(free_bet.issue_id, bet.issue_id);
  const again = await playOn(`${url}/`, { player: 'ann', coefficient: '2' });
  assert.equal(again.steps[0], `ann has the free bet ${bet.issue_id}: 2 × 1.00 EUR left.`);
  assert.equal(again.steps[3], 'The free bet is in_use, with 1 of 3 bets left.');
});

test('play takes another partner of the demo', async () => {
  const { free_bet } = await playOn(url, { client: '2', player: 'bob' });
  const list = async (partner?: typeof rival) =>
    accepted('FreeBetList', await call(url, 'FreeBetList', { player_id: 'bob' }, partner)).free_bets;
  assert.deepEqual(
    (await list(rival)).map(({ issue_id }: { issue_id: string }) => issue_id),
    [free_bet.issue_id],
  );
  assert.deepEqual(await list(), []);
});

test('play refuses partners outside the demo', async () => {
  for (const client of ['3', '', 'one', '01', '1.0']) {
    const [sentence] = await failureOf(playOn(url, { client }));
    assert.equal(sentence, 'Use a partner of the demo, 1 and 2: play works on the demo data only.');
  }
});

test('play reports a refused settlement after the earlier steps and rolls the bet back', async () => {
  const lines = await failureOf(playOn(url, { player: 'carl', coefficient: '1.10' }));
  assert.match(
    lines.join('\n'),
    /^carl had no free bet.+\nlantern-quay placed the bet .+\nThe settlement was refused, so the bet was rolled back\.\nThe coefficient is outside the limits of the free bet, .+ at least 1\.20, the minimum of the free bet\.$/,
  );
  const { free_bets } = accepted('FreeBetList', await call(url, 'FreeBetList', { player_id: 'carl' }));
  assert.deepEqual([free_bets[0].status, free_bets[0].remaining], ['active', 3]);
});

test('play reports an invalid request with its field', async () => {
  const lines = await failureOf(playOn(url, { coefficient: 'high' }));
  assert.match(lines.at(-1) ?? '', /^The request is not valid.* coefficient must be a number of at least 1/);
});

test('play reports an unreachable server and one that is not Freebets', async () => {
  assert.deepEqual(await failureOf(playOn(refusingUrl)), [
    `No server responds at ${refusingUrl}: start one with "npm start", or set its URL with --url.`,
  ]);
  const { url: other } = await faultyServer(page(404));
  assert.deepEqual(await failureOf(playOn(other)), [
    `The server at ${other} is not Freebets: set the right URL with --url.`,
  ]);
  assert.deepEqual(await failureOf(playOn('nowhere')), ['nowhere is not a URL such as http://127.0.0.1:8080.']);
});

test("play reports data that is not the demo's", async () => {
  const { env, sql } = await testDatabase();
  const catalogue = demoCatalogue();
  catalogue.providers[0]?.games.unshift(game('a-real-game'));
  await inTransaction(sql, async (connection) => {
    await announceChange(connection);
    await importCatalogue(connection, catalogue);
  });
  const masterKey = Buffer.from(env.SECRETS_KEY ?? '', 'base64');
  const sealed = (kind: 'partner' | 'provider', id: number | string) =>
    sealSecret([masterKey], ownerOf(kind, id), 'a-real-secret');
  await sql.query(`UPDATE partners SET secret = $1 WHERE client_id = 2`, [sealed('partner', 2)]);
  const { url } = await testServer(env);

  assert.deepEqual(await failureOf(playOn(url, { client: '2' })), [
    `The server at ${url} does not accept the public secrets of the demo: play works on the demo data only. Other possible causes: the networks of the partner do not include this machine (FROM in "freebets client list"), or the clock of this machine is wrong by more than five minutes.`,
  ]);

  const issue = accepted('Issue', await call(url, 'Issue', directIssue({ games: ['a-real-game'] })));
  const { free_bet } = await playOn(url);
  assert.notEqual(free_bet.issue_id, issue.issue_id, 'a free bet for other games is left alone');
  assert.deepEqual(free_bet.games, [games.one]);

  await sql.query(`UPDATE providers SET secret = $1 WHERE provider_id = 'lantern-quay'`, [
    sealed('provider', 'lantern-quay'),
  ]);
  await sql.query('DELETE FROM offers WHERE client_id = 1');
  const { url: restarted } = await testServer(env);
  const lines = await failureOf(playOn(restarted));
  assert.match(lines[0] ?? '', /^player-1 has the free bet/);
  assert.match(
    lines[1] ?? '',
    /does not accept the public secrets of the demo: play works on the demo data only\. Other possible causes: the networks of the partner do /,
  );
  assert.deepEqual(await failureOf(playOn(restarted, { player: 'dora' })), [
    'Partner 1 is not offered any demo game: play works on the demo data only.',
  ]);
});
