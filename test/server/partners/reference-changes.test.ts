import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { announceChange } from '../../../packages/server/src/partners/reference/sql.ts';
import { accepted, refused } from '../../support/answers.ts';
import { call, demo, type Partner, rival } from '../../support/caller.ts';
import { demoCatalogue } from '../../support/catalogue.ts';
import { testDatabase } from '../../support/database.ts';
import { fileOf } from '../../support/files.ts';
import { campaign, directIssue, games } from '../../support/requests.ts';
import { setSecret } from '../../support/secrets.ts';
import { runCommand, testServer } from '../../support/server.ts';
import { until } from '../../support/waiting.ts';

// What the command line changes shows on every running server within two seconds, without a restart.

const { env, sql } = await testDatabase();
const rotating = { clientId: 3, secret: 'the-first-secret' };
await setSecret(sql, env, rotating.clientId, rotating.secret);
const running = [await testServer(env), await testServer(env)] as const;
const servers = running.map(({ url }) => url);
const [{ reference }] = running;
const [url = ''] = servers;
const boundMs = 2000;

async function command(...args: string[]) {
  const { stdout, stderr, code } = await runCommand(env, ...args, '--json');
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout);
}

const statusesOf = (partner: Partner) =>
  Promise.all(servers.map(async (to) => (await call(to, 'CampaignList', {}, partner)).status));

async function onEveryServer(what: string, isSo: (url: string) => Promise<boolean>): Promise<void> {
  await until(what, boundMs, async () => (await Promise.all(servers.map(isSo))).every(Boolean));
}

const answers = (partner: Partner, status: number) =>
  onEveryServer(`partner ${partner.clientId} is answered ${status}`, async (to) => {
    return (await call(to, 'CampaignList', {}, partner)).status === status;
  });

const providersOf = async (to: string, partner: Partner): Promise<{ name: string }[]> =>
  accepted('GameList', await call(to, 'GameList', {}, partner)).providers;

test('during a rotation both secrets are good; after it only the new one is', async () => {
  const withSecret = (secret: string): Partner => ({ ...rotating, secret });
  const rotate = async (): Promise<Partner> => withSecret((await command('client', 'rotate-secret', '3')).secret);
  const second = await rotate();
  await answers(second, 200);
  assert.deepEqual(await statusesOf(rotating), [200, 200], 'no request fails during the rotation');
  await command('client', 'rotate-secret', '3', '--retire-old');
  await answers(rotating, 403);
  assert.deepEqual(await statusesOf(second), [200, 200]);
  await answers(await rotate(), 200);
  await answers(await rotate(), 200);
  assert.deepEqual(await statusesOf(second), [403, 403], 'of three secrets the oldest is no longer good');
});

test('a disabled partner is refused, and keeps everything it has', async () => {
  const issue_id = randomUUID();
  accepted('Issue', await call(url, 'Issue', directIssue({ issue_id }), rival));
  await command('client', 'disable', '2');
  await answers(rival, 403);
  assert.deepEqual(await statusesOf(demo), [200, 200]);
  await command('client', 'enable', '2');
  await answers(rival, 200);
  const freeBet = accepted('FreeBetGet', await call(url, 'FreeBetGet', { issue_id }, rival));
  assert.equal(freeBet.status, 'active');
});

test('an offer decides what a partner sees and what its free bets may be for', async () => {
  await command('client', 'offer', '2', 'copper-heron');
  await onEveryServer('one provider is offered', async (to) => (await providersOf(to, rival)).length === 1);
  for (const to of servers) {
    refused('game_not_available', await call(to, 'Issue', directIssue(), rival));
    accepted('Issue', await call(to, 'Issue', directIssue({ games: [games.ofSecondProvider] }), rival));
    accepted('Issue', await call(to, 'Issue', directIssue()));
  }
  await command('client', 'offer', '2', 'none');
  await onEveryServer('nothing is offered', async (to) => (await providersOf(to, rival)).length === 0);
  await command('client', 'offer', '2', 'all');
  await onEveryServer('all are offered', async (to) => (await providersOf(to, rival)).length === 3);
});

test('a game that disappears from the catalogue is withdrawn everywhere, and comes back', async () => {
  accepted('CampaignCreate', await call(url, 'CampaignCreate', campaign({ campaign_id: 'before' })));
  const tag = (await call(url, 'GameList', {})).headers.etag;
  const fewer = demoCatalogue();
  for (const provider of fewer.providers) provider.games = provider.games.filter((game) => game.id !== games.one);
  const listed = async (to: string) => (await call(to, 'GameList', {})).text.includes(`"${games.one}"`);
  assert.equal((await command('catalogue', 'import', fileOf(fewer))).withdrawn, 1);
  await onEveryServer('the game is gone', async (to) => !(await listed(to)));
  for (const to of servers) {
    refused('game_not_available', await call(to, 'CampaignCreate', campaign()), ['games[0]']);
    assert.notEqual((await call(to, 'GameList', {})).headers.etag, tag);
  }
  await command('catalogue', 'import', fileOf(demoCatalogue()));
  await onEveryServer('the game is back', listed);
  for (const to of servers) {
    accepted('CampaignCreate', await call(to, 'CampaignCreate', campaign()));
    const { image_assets: _, ...list } = accepted('GameList', await call(to, 'GameList', {}));
    assert.deepEqual(list, { providers: demoCatalogue().providers }, 'in its old place');
  }
});

test('a game that loses FreeBet, and a provider that loses a currency, are refused at once', async () => {
  const changed = demoCatalogue();
  const [first, second] = changed.providers;
  assert.ok(first?.games[0] && second);
  first.games[0].promoTypes = [];
  second.currencies = ['USD'];
  await command('catalogue', 'import', fileOf(changed));
  await onEveryServer('the currency is gone', async (to) => {
    const answer = await call(to, 'Issue', directIssue({ games: [games.ofSecondProvider] }));
    return answer.body.error === 'currency_not_allowed';
  });
  for (const to of servers) {
    const asked = directIssue({ games: [first.games[0].id] });
    refused('game_without_free_bets', await call(to, 'Issue', asked), ['games[0]']);
  }
});

test('unchanged data is not reloaded unless a change has no record', async () => {
  const { callers, catalogue } = reference();
  const caller = callers.partners.get(demo.clientId);
  const isSame = () => [
    reference().callers.partners.get(demo.clientId) === caller,
    reference().catalogue === catalogue,
  ];
  const isChanged = (what: string, isSo: () => boolean) => until(what, boundMs, isSo);
  assert.equal(catalogue.profileOf(rotating.clientId).stakeReturned, false);
  await command('client', 'update', '3', '--stake-returned', 'yes');
  await isChanged('the partner', () => catalogue.profileOf(rotating.clientId).stakeReturned);
  assert.deepEqual(isSame(), [true, true]);
  const provider = reference().callers.providers.get('lantern-quay');
  await command('provider', 'update', 'lantern-quay', '--allow-from', '127.0.0.1');
  await isChanged('the providers', () => reference().callers.providers.get('lantern-quay') !== provider);
  assert.deepEqual(isSame(), [true, false]);
  await announceChange(sql);
  await isChanged('everything', () => reference().callers.partners.get(demo.clientId) !== caller);
});
