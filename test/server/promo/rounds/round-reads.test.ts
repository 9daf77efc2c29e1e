import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { beforeEach, test } from 'node:test';
import { accepted, refused } from '../../../support/answers.ts';
import { call, demo, rival } from '../../../support/caller.ts';
import { later, setClock } from '../../../support/clock.ts';
import { testDatabase } from '../../../support/database.ts';
import { callAs, heron, lantern } from '../../../support/provider.ts';
import { campaign, directIssue, games } from '../../../support/requests.ts';
import { testServer } from '../../../support/server.ts';

const { env, sql } = await testDatabase();
const { url } = await testServer(env);

const now = '2027-06-01T12:00:00.000Z';
const validity = { valid_from: now, valid_until: later(now, 3_600_000) };
const player_id = 'reader';
const game_id = games.one;
beforeEach(() => setClock(sql, now));

const issued = async (changes: object = {}, partner = demo): Promise<string> =>
  accepted('Issue', await call(url, 'Issue', directIssue({ player_id, ...validity, ...changes }), partner)).issue_id;

async function placed(issue_id: string, changes: object = {}): Promise<string> {
  const bet = { bet_id: randomUUID(), issue_id, player_id, game_id, ...changes };
  accepted('RoundsBet', await callAs(lantern, url, 'RoundsBet', bet));
  return bet.bet_id;
}

const settle = async (bet_id: string, changes: object) =>
  accepted('RoundsSettle', await callAs(lantern, url, 'RoundsSettle', { bet_id, ...changes }));
const rollBack = async (bet_id: string) =>
  accepted('RoundsRollback', await callAs(lantern, url, 'RoundsRollback', { bet_id }));
const read = (bet_id: unknown, changes: object = {}, provider = lantern) =>
  callAs(provider, url, 'RoundsGet', { bet_id, ...changes });
const readBet = async (bet_id: string) => accepted('RoundsGet', await read(bet_id));

test('a bet is shown from its placing to its settlement', async () => {
  const issue_id = await issued({ config: { max_coefficient: '3.00' } });
  const bet_id = await placed(issue_id);
  const bet = {
    ...{ bet_id, status: 'placed', issue_id, player_id, game_id, currency: 'EUR', amount: '1.00' },
    ...{ coefficient: null, win_amount: null, placed_at: now, settled_at: null },
  };
  assert.deepEqual(accepted('RoundsGet', await read(bet_id.toUpperCase())), bet);
  await setClock(sql, later(now, 1000));
  await settle(bet_id, { result: 'won', coefficient: '7.50' });
  const won = { status: 'won', coefficient: '3.00', win_amount: '2.00', settled_at: later(now, 1000) };
  assert.deepEqual(await readBet(bet_id), { ...bet, ...won });
});

test('of a campaign too, with its odds, lost, and rolled back', async () => {
  const config = { max_coefficient: '2.00' };
  accepted('CampaignCreate', await call(url, 'CampaignCreate', campaign({ campaign_id: 'read', ...validity, config })));
  const { issue_id } = accepted('Issue', await call(url, 'Issue', { campaign_id: 'read', player_id, currency: 'USD' }));
  const won = await placed(issue_id);
  const lost = await placed(issue_id, { coefficient: '1.50' });
  const back = await placed(issue_id);
  await settle(won, { result: 'won', coefficient: '9' });
  await settle(lost, { result: 'lost' });
  await rollBack(back);
  const shown = async (id: string) => {
    const { status, coefficient, win_amount, amount } = await readBet(id);
    return [status, coefficient, win_amount, amount];
  };
  assert.deepEqual(await shown(won), ['won', '2.00', '1.20', '1.20']);
  assert.deepEqual(await shown(lost), ['lost', '1.50', '0.00', '1.20']);
  assert.deepEqual(await shown(back), ['rolled_back', null, null, '1.20']);
});

test('a free bet shows its bets in the order they were placed, those of one moment too', async () => {
  const issue_id = await issued({ quantity: 9 });
  const ids = Array.from({ length: 6 }, () => randomUUID()).toSorted((a, b) => (a < b ? 1 : -1));
  for (const bet_id of ids) await placed(issue_id, { bet_id });
  await rollBack(ids[2] as string);
  await setClock(sql, later(now, 1));
  const last = await placed(issue_id, { bet_id: '00000000-0000-4000-8000-000000000000' });
  const { bets } = accepted('FreeBetGet', await call(url, 'FreeBetGet', { issue_id }));
  assert.deepEqual(
    bets.map(({ bet_id }: { bet_id: string }) => bet_id),
    [...ids.toSpliced(2, 1), last],
  );
});

test('of a bet that was rolled back before it came only that is known', async () => {
  const bet_id = randomUUID();
  await rollBack(bet_id);
  const { status, ...rest } = await readBet(bet_id);
  assert.equal(status, 'rolled_back');
  assert.deepEqual(new Set(Object.values(rest)), new Set([bet_id, null]));
});

test('an unknown bet, another partner’s and another provider’s are not there', async () => {
  const bet_id = await placed(await issued());
  refused('bet_not_found', await read(randomUUID()));
  refused('bet_not_found', await read(bet_id, { client_id: rival.clientId }));
  refused('bet_not_found', await read(bet_id, { client_id: 2_147_483_647 }));
  refused('bet_not_found', await read(bet_id, {}, heron));
  for (const wrong of ['x', 7, null, undefined, '']) refused('invalid_request', await read(wrong), ['bet_id']);
});

const open = (request: object, provider = lantern) => callAs(provider, url, 'RoundsOpen', request);

async function walkOpen(request: object): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const { bets, next_cursor } = accepted('RoundsOpen', await open({ ...request, ...(cursor && { cursor }) }));
    ids.push(...bets.map(({ bet_id }: { bet_id: string }) => bet_id));
    assert.ok(ids.length < 1000, 'the list has no end');
    cursor = next_cursor;
  }
  return ids;
}

/** Twenty-four bets of eight instants, of which every second is settled or rolled back. Returns the open ones, oldest first. */
async function fill() {
  await sql.query('DELETE FROM bets');
  const issue_id = await issued({ quantity: 40 });
  const all: { id: string; at: string }[] = [];
  for (let i = 0; i < 24; i++) {
    const at = later(now, Math.floor(i / 3));
    await setClock(sql, at);
    all.push({ id: await placed(issue_id), at });
  }
  for (const [i, { id }] of all.entries()) {
    if (i % 4 === 1) await settle(id, { result: 'lost' });
    if (i % 4 === 2) await rollBack(id);
  }
  return all.filter((_, i) => i % 4 === 0 || i % 4 === 3).toSorted((a, b) => (a.at + a.id < b.at + b.id ? -1 : 1));
}

test('open bets are those placed and not settled, the oldest first, in pages, until a time', async () => {
  const expected = await fill();
  const ids = expected.map(({ id }) => id);
  for (const limit of [1, 5, 12, 200]) assert.deepEqual(await walkOpen({ limit }), ids, `pages of ${limit}`);
  assert.deepEqual(await walkOpen({}), ids);
  const placed_until = later(now, 4);
  const old = expected.filter(({ at }) => at < placed_until).map(({ id }) => id);
  assert.ok(old.length > 2 && old.length < ids.length);
  assert.deepEqual(await walkOpen({ placed_until, limit: 2 }), old);
  assert.deepEqual(await walkOpen({ placed_until: now }), []);
  const { bets } = accepted('RoundsOpen', await open({ limit: 3 }));
  for (const bet of bets) assert.deepEqual(bet, await readBet(bet.bet_id));
  const nothing = { bets: [], next_cursor: null };
  assert.deepEqual(accepted('RoundsOpen', await open({}, heron)), nothing);
  assert.deepEqual(accepted('RoundsOpen', await open({ client_id: rival.clientId })), nothing);
  assert.deepEqual(accepted('RoundsOpen', await open({ client_id: 2_147_483_647 })), nothing);
});

test('a page is asked for in the form of every list', async () => {
  for (const limit of [0, 201, 1.5, '10', null]) refused('invalid_request', await open({ limit }), ['limit']);
  for (const cursor of ['', 'x', Buffer.from('[1,"x"]').toString('base64url'), 7]) {
    refused('invalid_request', await open({ cursor }), ['cursor']);
  }
  for (const placed_until of ['2027-02-30T00:00:00Z', 1, null]) {
    refused('invalid_request', await open({ placed_until }), ['placed_until']);
  }
  refused('invalid_request', await open({ placed_from: now }), ['placed_from']);
});
