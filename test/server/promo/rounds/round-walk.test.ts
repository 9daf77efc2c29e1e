import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { accepted, refused } from '../../../support/answers.ts';
import { call } from '../../../support/caller.ts';
import { later, setClock } from '../../../support/clock.ts';
import { testDatabase } from '../../../support/database.ts';
import { callAs, lantern } from '../../../support/provider.ts';
import { directIssue, games } from '../../../support/requests.ts';
import { testServer } from '../../../support/server.ts';

// A free bet of 3 × 1.00 EUR with limits 1.20 to 5.00 walks through every state, each refused step with its own error.

const { env, sql } = await testDatabase();
const { url } = await testServer({ ...env, SWEEP_PAUSE_MS: '3600000' });

const start = '2027-03-01T12:00:00.000Z';
const validFrom = later(start, 3_600_000);
const validUntil = later(start, 7_200_000);
const player_id = 'walker';
const game_id = games.one;

const issue = async () =>
  accepted(
    'Issue',
    await call(
      url,
      'Issue',
      directIssue({
        player_id,
        valid_from: validFrom,
        valid_until: validUntil,
        config: { min_coefficient: '1.20', max_coefficient: '5.00' },
      }),
    ),
  ).issue_id as string;

const bet = (issue_id: string, bet_id: string, more = {}) =>
  callAs(lantern, url, 'RoundsBet', { bet_id, issue_id, player_id, game_id, ...more });
const settle = (bet_id: string, more: object) => callAs(lantern, url, 'RoundsSettle', { bet_id, ...more });
const rollback = (bet_id: string) => callAs(lantern, url, 'RoundsRollback', { bet_id });
const get = async (issue_id: string) => accepted('FreeBetGet', await call(url, 'FreeBetGet', { issue_id }));
const expectState = async (issue_id: string, status: string, remaining: number) => {
  const body = await get(issue_id);
  assert.deepEqual([body.status, body.remaining], [status, remaining]);
};

test('issued, active, in_use, finished, and what each state refuses', async () => {
  await setClock(sql, start);
  const issue_id = await issue();
  await expectState(issue_id, 'issued', 3);
  refused('free_bet_not_started', await bet(issue_id, randomUUID()));
  await setClock(sql, later(validFrom, -1));
  refused('free_bet_not_started', await bet(issue_id, randomUUID()));
  await setClock(sql, validFrom);
  await expectState(issue_id, 'active', 3);
  refused('game_not_covered', await bet(issue_id, randomUUID(), { game_id: games.ofFirstProvider[1] }));
  refused('coefficient_out_of_range', await bet(issue_id, randomUUID(), { coefficient: '1.19' }), ['coefficient']);
  refused('coefficient_out_of_range', await bet(issue_id, randomUUID(), { coefficient: '5.0001' }), ['coefficient']);

  const [first, second, third] = [randomUUID(), randomUUID(), randomUUID()];
  const placed = accepted('RoundsBet', await bet(issue_id, first));
  assert.deepEqual(placed, {
    bet_id: first,
    issue_id,
    currency: 'EUR',
    amount: '1.00',
    remaining: 2,
    min_coefficient: '1.20',
    max_coefficient: '5.00',
  });
  await expectState(issue_id, 'in_use', 2);
  refused('free_bet_already_used', await call(url, 'Cancel', { issue_id }));
  refused('coefficient_out_of_range', await settle(first, { result: 'won', coefficient: '1.1999' }), ['coefficient']);
  const won = accepted('RoundsSettle', await settle(first, { result: 'won', coefficient: '2.35' }));
  assert.deepEqual(won, { bet_id: first, result: 'won', coefficient: '2.35', win_amount: '1.35', currency: 'EUR' });
  refused('bet_already_settled', await settle(first, { result: 'lost' }));
  refused('bet_already_settled', await rollback(first));
  await expectState(issue_id, 'in_use', 2);

  accepted('RoundsBet', await bet(issue_id, second, { coefficient: '5.00' }));
  accepted('RoundsBet', await bet(issue_id, third));
  await expectState(issue_id, 'in_use', 0);
  refused('free_bet_used_up', await bet(issue_id, randomUUID()));
  refused('coefficient_out_of_range', await settle(second, { result: 'won', coefficient: '4.00' }), ['coefficient']);
  accepted('RoundsSettle', await settle(second, { result: 'lost' }));

  await setClock(sql, validUntil);
  await expectState(issue_id, 'in_use', 0);
  const capped = accepted('RoundsSettle', await settle(third, { result: 'won', coefficient: '250.5' }));
  assert.deepEqual([capped.coefficient, capped.win_amount], ['5.00', '4.00']);
  await expectState(issue_id, 'finished', 0);
  const { bets }: { bets: { bet_id: string; status: string; win_amount: string }[] } = await get(issue_id);
  assert.deepEqual(
    new Map(bets.map((one) => [one.bet_id, `${one.status} ${one.win_amount}`])),
    new Map([
      [first, 'won 1.35'],
      [second, 'lost 0.00'],
      [third, 'won 4.00'],
    ]),
  );
  refused('free_bet_already_used', await call(url, 'Cancel', { issue_id }));
});

test('cancelling after the first bet is refused, and succeeds after that bet is rolled back', async () => {
  await setClock(sql, validFrom);
  const issue_id = await issue();
  const bet_id = randomUUID();
  accepted('RoundsBet', await bet(issue_id, bet_id));
  refused('free_bet_already_used', await call(url, 'Cancel', { issue_id }));
  assert.deepEqual(accepted('RoundsRollback', await rollback(bet_id)), {});
  await expectState(issue_id, 'active', 3);
  assert.deepEqual((await get(issue_id)).bets, []);
  refused('bet_rolled_back', await bet(issue_id, bet_id));
  refused('bet_rolled_back', await settle(bet_id, { result: 'lost' }));
  accepted('Cancel', await call(url, 'Cancel', { issue_id }));
  await expectState(issue_id, 'cancelled', 3);
  refused('free_bet_cancelled', await bet(issue_id, randomUUID()));
});

test('expired with bets left, at the very instant; a bet placed before still settles or rolls back', async () => {
  await setClock(sql, later(validUntil, -1));
  const issue_id = await issue();
  const [kept, taken] = [randomUUID(), randomUUID()];
  accepted('RoundsBet', await bet(issue_id, kept));
  accepted('RoundsBet', await bet(issue_id, taken));
  await setClock(sql, validUntil);
  await expectState(issue_id, 'expired', 1);
  refused('free_bet_expired', await bet(issue_id, randomUUID()));
  accepted('RoundsSettle', await settle(kept, { result: 'won', coefficient: '1.2' }));
  accepted('RoundsRollback', await rollback(taken));
  await expectState(issue_id, 'expired', 2);
  const unused = await call(url, 'FreeBetGet', { issue_id: randomUUID() });
  refused('free_bet_not_found', unused);
});

test('an unused free bet that has expired cannot be cancelled', async () => {
  await setClock(sql, start);
  const issue_id = await issue();
  await setClock(sql, validUntil);
  refused('free_bet_expired', await call(url, 'Cancel', { issue_id }));
  await expectState(issue_id, 'expired', 3);
});
