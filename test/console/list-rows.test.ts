import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileSchema, JobItem } from '@freebets/contract';
import fc from 'fast-check';
import { costOfLimits, costOfList } from '../../packages/console/src/features/campaigns/cost.ts';
import { checkList, problemOf, promisedOf } from '../../packages/console/src/features/lists/check-list.ts';
import {
  columnsNotUsed,
  fileChunks,
  type ListTable,
  onlyCurrency,
  readTable,
  textChunks,
  withHeader,
} from '../../packages/console/src/features/lists/list-table.ts';
import { cut } from '../../packages/console/src/ui/words.ts';
import { campaign } from '../support/requests.ts';

const how = { currencies: ['EUR', 'USD'], currency: null, isOwn: false };
const unending = new AbortController().signal;
const checked = async (text: string, other: { currency?: string; isOwn?: boolean } = {}) =>
  checkList(await readTable('a list', textChunks(text)), { ...how, ...other }, unending);

test('invalid lines are reported by number, duplicates are kept and reported', async () => {
  const list = '\ufeffPlayer ID,Currency,quantity\na,EUR,1\n" b",EUR,1\na,USD,1\nc,GBP,1\nd,EUR\n';
  const { items, wrong, repeated, mostOfOne } = await checked(list);
  assert.deepEqual(items, [
    { player_id: 'a', currency: 'EUR' },
    { player_id: 'a', currency: 'USD' },
  ]);
  assert.deepEqual(repeated, [{ line: 4, playerId: 'a', before: 2 }]);
  assert.equal(mostOfOne, 2);
  assert.deepEqual(
    wrong.map(({ line, problem }) => `${line} ${problem}`),
    ['3 player_id starts or ends with a space', '5 the campaign has no stake in GBP', '6 2 cells instead of 3'],
  );
  const cells = ['p'.repeat(128), 'GBP', '1'];
  const long = await checked(`player_id,currency,quantity\n${cells.join(',')}\n`);
  assert.deepEqual(long.wrong[0]?.cells, cells, 'cells are not shortened');
});

test('spaces around cells are trimmed; quoted spaces are part of a player ID', async () => {
  const list = 'player_id, currency ,issue_id\n p-1, EUR ,\n\tp 2 ,"USD" , \n  \n "p-3"\u00a0," EUR", \n"p-4 ",EUR,\n';
  const { items, wrong } = await checked(list);
  assert.deepEqual(items, [
    { player_id: 'p-1', currency: 'EUR' },
    { player_id: 'p 2', currency: 'USD' },
    { player_id: 'p-3', currency: 'EUR' },
  ]);
  assert.deepEqual(
    wrong.map(({ line, problem }) => `${line} ${problem}`),
    ['6 player_id starts or ends with a space'],
  );
  assert.deepEqual((await checked('p-1, EUR\np-2,\tUSD\n')).items, [
    { player_id: 'p-1', currency: 'EUR' },
    { player_id: 'p-2', currency: 'USD' },
  ]);
  assert.deepEqual((await checked('p-1\t EUR\n p-2\tUSD\n')).items.length, 2);
});

test('a misplaced quote refuses the list instead of merging lines', async () => {
  const players = Array.from({ length: 20_000 }, (_, i) => `player-${i},EUR\n`).join('');
  await assert.rejects(checked(`player_id,currency\nann,EUR\n"${players}`), {
    message: 'Line 3: it is longer than 64 KiB, or a quote is opened and not closed.',
  });
  await assert.rejects(checked('player_id,currency\n"ann,EUR\nbob,EUR\n'), {
    message: 'Line 2: a quote is opened and never closed.',
  });
});

test('a list of IDs uses one currency, and a file in another encoding is refused', async () => {
  assert.deepEqual((await checked('a\nb\n', { currency: 'USD' })).items, [
    { player_id: 'a', currency: 'USD' },
    { player_id: 'b', currency: 'USD' },
  ]);
  const latin = new Blob([new Uint8Array([0x61, 0xe9, 0x0a])]);
  await assert.rejects(readTable('latin.csv', fileChunks(latin)), /not text in UTF-8/);
});

test('a currency in the list is never replaced', async () => {
  const read = (text: string) => readTable('a list', textChunks(text));
  const { items, wrong } = await checked('a,usd\nb,EUR\nc,\n', { currency: 'EUR' });
  assert.deepEqual(items, [{ player_id: 'b', currency: 'EUR' }]);
  assert.deepEqual(
    wrong.map(({ line, problem }) => `${line} ${problem}`),
    ['1 the campaign has no stake in usd', '3 currency is missing'],
  );
  assert.equal(onlyCurrency(await read('a\nb\n'), ['EUR']), 'EUR');
  assert.equal(onlyCurrency(await read('a\nb\n'), ['EUR', 'USD']), null);
  const passedOver = await read('player_id;Währung;amount\na;USD;1\n');
  assert.equal(onlyCurrency(passedOver, ['EUR']), null, 'an ignored column can be the currency');
  assert.deepEqual(columnsNotUsed(passedOver, false), ['Währung', 'amount']);
  assert.deepEqual(columnsNotUsed(await read('a,EUR,1.00\n'), true), ['Column 3']);
});

test('a header line is recognised, and the user can correct it', async () => {
  const read = (text: string) => readTable('a list', textChunks(text));
  const playersIn = async (table: ListTable) =>
    (await checkList(table, { ...how, currency: 'EUR' }, unending)).items.map(({ player_id }) => player_id);
  for (const header of ['Username', 'Account ID', 'sep=;\r\nplayer_id', 'sep=,']) {
    assert.deepEqual(await playersIn(await read(`${header}\r\nann\r\nbob\r\n`)), ['ann', 'bob'], header);
  }
  const unknown = await read('Spieler;Währung\nann;EUR\n');
  assert.deepEqual(await playersIn(unknown), ['Spieler', 'ann'], 'unknown names are players');
  const named = withHeader(unknown, true);
  assert.deepEqual(await playersIn(named), ['ann']);
  assert.deepEqual(columnsNotUsed(named, true), ['Währung']);
  assert.deepEqual(withHeader(named, true), named);
  assert.deepEqual(withHeader(named, false), unknown);
});

test('the column with the clearest name is the player', async () => {
  const columnsOf = async (names: string) => (await readTable('a list', textChunks(`${names}\n`))).columns;
  assert.deepEqual(await columnsOf('id,player_id,,currency'), [null, 'player_id', null, 'currency']);
  assert.deepEqual(await columnsOf('ID,User,Player ID,ccy,Currency'), [null, null, 'player_id', null, 'currency']);
  assert.deepEqual(await columnsOf('id,user_id,amount'), [null, 'player_id', 'bet_amount']);
  assert.deepEqual(await columnsOf('currency,id'), ['currency', 'player_id']);
  const { items } = await checked('id,player_id,currency\n1,ann,EUR\n2,bob,EUR\n');
  assert.deepEqual(
    items.map(({ player_id }) => player_id),
    ['ann', 'bob'],
  );
});

test('player IDs are valid exactly as in the contract', () => {
  const validate = compileSchema(JobItem);
  const character = fc.oneof(fc.constantFrom('\u200b', '\u0000', '\u2028', '\ud800', 'é', '😀', 'a'), fc.string());
  fc.assert(
    fc.property(fc.array(character, { maxLength: 140 }), (parts) => {
      const player_id = parts.join('');
      if (player_id !== player_id.trim()) return;
      const item = { player_id, currency: 'EUR' };
      assert.equal(problemOf(item, how) === undefined, validate(item).length === 0, JSON.stringify(player_id));
    }),
  );
});

test('the cost is exact to the cent and rounded down per bet, like in the service', () => {
  const terms = { ...campaign({ quantity: 3 }), config: { max_coefficient: '1.3333' } };
  const [euro] = costOfList(
    terms as unknown as Parameters<typeof costOfList>[0],
    [{ currency: 'EUR', players: 2000 }],
    false,
  );
  assert.deepEqual(euro, { currency: 'EUR', players: 2000, staked: '6000.00', won: '1980.00' });
});

test('the cost of a bulk award is limited by the campaign cap', () => {
  const config = { bonus_limit: 10, bonus_limit_per_user: null, min_coefficient: null, max_coefficient: '2.00' };
  const left = { config, counts: { issued: 9, cancelled: 2 } } as Parameters<typeof costOfList>[0]['campaign'];
  const terms = { bet_amounts: campaign().bet_amounts, quantity: 1, config, campaign: left ?? null };
  assert.deepEqual(costOfList(terms, [{ currency: 'EUR', players: 5 }], true), [
    { currency: 'EUR', players: 3, staked: '3.00', won: '6.00' },
  ]);
});

test('a bulk award promises what the caps of its campaign allow', async () => {
  const lines = ['ann,EUR', 'ann,EUR', 'ann,USD', 'bob,EUR', 'bob,USD', 'eve,USD'];
  const list = await checked(`player_id,currency\n${lines.join('\n')}\n`);
  const promised = (bonus_limit: number | null, bonus_limit_per_user: number | null) => {
    const config = { bonus_limit, bonus_limit_per_user, min_coefficient: null, max_coefficient: '2.00' };
    const counts = { issued: 9, cancelled: 2 };
    const limited = { config, counts } as NonNullable<Parameters<typeof promisedOf>[0]>;
    const { freeBets, beyondPlayers, beyondCampaign, alike } = promisedOf(limited, list);
    const bet_amounts = ['EUR', 'USD'].map((currency) => ({ currency, amount: '1.00' }));
    const costs = costOfList({ bet_amounts, quantity: 1, config, campaign: limited }, alike, true);
    return [freeBets, beyondPlayers, beyondCampaign, costs.map(({ currency, won }) => `${won} ${currency}`).join()];
  };
  assert.deepEqual(promised(null, null), [6, 0, 0, '6.00 EUR,6.00 USD']);
  assert.deepEqual(promised(11, null), [4, 0, 2, '6.00 EUR,6.00 USD'], 'any three of the four can be in EUR');
  assert.deepEqual(promised(9, null), [2, 0, 4, '4.00 EUR,4.00 USD']);
  assert.deepEqual(promised(7, null), [0, 0, 6, '0.00 EUR,0.00 USD']);
  assert.deepEqual(promised(null, 1), [3, 3, 0, '4.00 EUR,6.00 USD']);
  assert.deepEqual(promised(null, 2), [5, 1, 0, '6.00 EUR,6.00 USD']);
  assert.deepEqual(promised(9, 1), [2, 3, 1, '4.00 EUR,4.00 USD']);
  assert.equal(promisedOf(null, list).freeBets, 6, 'a list with its own terms has no campaign');
});

test('a list with its own terms can set stake and quantity per player', async () => {
  const list =
    'player_id,currency,bet_amount,quantity\na,EUR,"2,5",2\nb,EUR,,\nc,EUR,0,1\nd,EUR,1.00,1001\ne,EUR,1.00,1e2\n';
  const { items, wrong, alike } = await checked(list, { isOwn: true });
  assert.deepEqual(items, [
    { player_id: 'a', currency: 'EUR', bet_amount: '2.50', quantity: 2 },
    { player_id: 'b', currency: 'EUR' },
  ]);
  assert.deepEqual(
    wrong.map(({ line }) => line),
    [4, 5, 6],
  );
  const terms = {
    bet_amounts: [{ currency: 'EUR', amount: '10.00' }],
    quantity: 3,
    config: { max_coefficient: '2.00' },
  };
  assert.deepEqual(costOfList(terms, alike.values(), false), [
    { currency: 'EUR', players: 2, staked: '35.00', won: '35.00' },
  ]);
  assert.deepEqual((await checked(list)).wrong, [], 'a campaign sets both');
});

test('higher caps cost what they add; without a cap the cost is unlimited', () => {
  const config = { bonus_limit: 10, bonus_limit_per_user: 1, max_coefficient: '3.00' };
  const terms = { ...campaign({ quantity: 2 }), config, stake_returned: true } as unknown as Parameters<
    typeof costOfLimits
  >[0];
  const inEuro = (bonus_limit: number | null) =>
    costOfLimits(terms, { bonus_limit, bonus_limit_per_user: 2 }).find(({ currency }) => currency === 'EUR');
  assert.equal(inEuro(12)?.amount, '12.00');
  assert.equal(inEuro(10)?.amount, '0.00');
  assert.equal(inEuro(null)?.amount, null);
});

test('long text is cut between characters', () => {
  assert.deepEqual(
    [2, 3, 4].map((most) => cut('ab🎁c', most)),
    ['ab', 'ab', 'ab🎁'],
  );
});
