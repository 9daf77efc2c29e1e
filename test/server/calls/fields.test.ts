import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accepted, refused } from '../../support/answers.ts';
import { call } from '../../support/caller.ts';
import { testDatabase } from '../../support/database.ts';
import { campaign, directIssue, games } from '../../support/requests.ts';
import { testServer } from '../../support/server.ts';

const { env } = await testDatabase();
const { url } = await testServer(env);

const create = (changes: object) => call(url, 'CampaignCreate', campaign(changes));
const issue = (changes: object) => call(url, 'Issue', directIssue(changes));

async function assertField(field: string, wrong: unknown[], right: unknown[], request = create): Promise<void> {
  for (const value of wrong) refused('invalid_request', await request({ [field]: value }), [field]);
  for (const value of right) {
    const answer = await request({ [field]: value });
    assert.equal(answer.status, 200, `${JSON.stringify(value)}: ${answer.text}`);
  }
}

test('every wrong field is named at once, by its path', async () => {
  const wrong = {
    name: '',
    quantity: '10',
    valid_from: '2027-02-30T00:00:00Z',
    games: [games.one, 7, ''],
    bet_amounts: [
      { currency: 'EUR', amount: '1.00' },
      { currency: 'usd', amount: 1.2 },
      { amount: '1.0', tax: 1 },
    ],
    duration_min: 0,
    config: { bonus_limit: 1.5, bonus_limits: 1, min_coefficient: '0.5', max_coefficient: 2 },
    bonus_limit: 5,
  };
  const answer = await call(url, 'CampaignCreate', { ...wrong, campaign_id: 'x'.repeat(65) });
  const body = refused('invalid_request', answer, [
    'campaign_id',
    'name',
    'quantity',
    'valid_from',
    'valid_until',
    'games[1]',
    'games[2]',
    'bet_amounts[1].currency',
    'bet_amounts[1].amount',
    'bet_amounts[2].currency',
    'bet_amounts[2].amount',
    'bet_amounts[2].tax',
    'duration_min',
    'config.bonus_limit',
    'config.bonus_limits',
    'config.min_coefficient',
    'config.max_coefficient',
    'bonus_limit',
  ]);
  for (const { reason } of body.details) {
    assert.match(reason, /^(must|is) [a-z].{4,}/);
    assert.doesNotMatch(reason, /NOT|fewer|pattern|properties|integer|string|array/);
  }
});

test('an unknown field is named, also one whose name is a number', async () => {
  refused('invalid_request', await create({ bonus_limit: 1 }), ['bonus_limit']);
  refused('invalid_request', await create({ 'a.b/c~d': 1, '': 1 }), ['', 'a.b/c~d']);
  refused('invalid_request', await create({ 42: 1 }), ['42']);
});

test('the reason describes the expected value', async () => {
  const wrong = directIssue({ bet_amount: '1', currency: 'eur', valid_until: '2027-02-30T00:00:00Z', quantity: 0 });
  const { details } = refused('invalid_request', await call(url, 'Issue', wrong));
  const reasons = new Map(details.map(({ field, reason }: { field: string; reason: string }) => [field, reason]));
  assert.match(String(reasons.get('bet_amount')), /exactly two decimals, greater than zero/);
  assert.match(String(reasons.get('currency')), /EUR/);
  assert.match(String(reasons.get('valid_until')), /exists/);
  assert.match(String(reasons.get('quantity')), /1/);
  const twice = { currency: 'EUR', amount: '1.00' };
  const repeated = refused('invalid_request', await create({ bet_amounts: [twice, twice] }), ['bet_amounts']);
  assert.match(repeated.details[0].reason, /the same currency twice/);
});

test('nothing is made into what it is not', async () => {
  await assertField('quantity', ['10', 10.5, null, true, [3], {}], [10]);
  await assertField('duration_min', ['60', null, false], [60]);
  await assertField('name', [1, null, ['x'], {}], ['1']);
  await assertField('games', [games.one, null, { 0: games.one }], [[games.one]]);
  await assertField('config', [null, [], '{}', 1], [{}]);
  await assertField('bet_amounts', [{ currency: 'EUR', amount: '1.00' }, null], []);
});

test('numbers keep to their bounds', async () => {
  await assertField('quantity', [0, -1, 1001], [1, 1000]);
  await assertField('duration_min', [0, 525_601], [1, 525_600]);
  await assertField('quantity', [0, 1001], [1, 1000], issue);
  for (const limit of ['bonus_limit', 'bonus_limit_per_user']) {
    for (const value of [0, -1, 2_147_483_648, 1.5, '1']) {
      refused('invalid_request', await create({ config: { [limit]: value } }), [`config.${limit}`]);
    }
    for (const value of [1, 2_147_483_647]) accepted('CampaignCreate', await create({ config: { [limit]: value } }));
  }
});

test('strings keep to their lengths, counted in characters', async () => {
  await assertField('name', ['', 'x'.repeat(256)], ['x', '💥'.repeat(255)]);
  await assertField('campaign_id', ['', 'x'.repeat(65)], ['x', '字'.repeat(64)]);
  await assertField('player_id', ['', 'x'.repeat(129)], ['x', '💥'.repeat(128)], issue);
  await assertField('name', ['', 'x'.repeat(256)], ['x'.repeat(255)], issue);
  refused('invalid_request', await create({ games: ['x'.repeat(129)] }), ['games[0]']);
  refused('game_not_available', await create({ games: ['x'.repeat(128)] }), ['games[0]']);
});

test('what cannot be printed is refused: control characters, NUL, line separators, halves of surrogate pairs', async () => {
  const unprintable = ['\0', 'a\0b', '\n', '\t', '\x7f', '\x85', '\u2028', '\u2029', '\ud83d', '\udca5x', 'a\udfff'];
  await assertField('campaign_id', unprintable, []);
  await assertField('name', unprintable, []);
  await assertField('player_id', unprintable, [' ', 'é', 'e\u0301', '\ufffd', '\uffff'], issue);
  refused(
    'invalid_request',
    await create({ games: unprintable }),
    unprintable.map((_, i) => `games[${i}]`),
  );
  for (const player_id of unprintable) {
    refused('invalid_request', await call(url, 'FreeBetList', { player_id }), ['player_id']);
  }
});

test('ids refuse invisible characters, and names refuse characters that change the direction of writing', async () => {
  const invisible = ['player\u200b', 'pla\u200dyer', '\ufeffplayer', 'player\u2060', 'play\u00ader', '\u200fplayer'];
  const turning = ['\u202eplayer', 'player\u2066', 'a\u202ab\u202c'];
  await assertField('player_id', [...invisible, ...turning], [], issue);
  await assertField('campaign_id', [...invisible, ...turning], []);
  await assertField('name', turning, ['👩\u200d🚀', 'שבוע\u200f']);
  for (const player_id of invisible) {
    const { details } = refused('invalid_request', await call(url, 'FreeBetList', { player_id }), ['player_id']);
    assert.match(details[0].reason, /zero-width/);
  }
});

test('an issue id is a UUID in its usual form', async () => {
  const uuid = '7d444840-9dc0-41d1-b245-5ffdce74fad2';
  const wrong = [
    '',
    'x',
    uuid.replaceAll('-', ''),
    `{${uuid}}`,
    `urn:uuid:${uuid}`,
    ` ${uuid}`,
    `${uuid}\n`,
    uuid.slice(1),
  ];
  for (const issue_id of [...wrong, uuid.replace('7', 'g'), null, 7]) {
    refused('invalid_request', await issue({ issue_id }), ['issue_id']);
    refused('invalid_request', await call(url, 'Cancel', { issue_id }), ['issue_id']);
    refused('invalid_request', await call(url, 'FreeBetGet', { issue_id }), ['issue_id']);
  }
});

test('money is a decimal with exactly two places, greater than zero', async () => {
  const wrong = [
    '',
    '0.00',
    '000.00',
    '1',
    '1.0',
    '1.000',
    '.50',
    '-1.00',
    '+1.00',
    '1,00',
    '1e2',
    ' 1.00',
    '1.00 ',
    '1.00\n',
  ];
  const rest = ['12345678901234.00', 'NaN', 'Infinity', '٣.٠٠', 1, 1.5, null];
  await assertField('bet_amount', [...wrong, ...rest], ['0.01', '1.00', '0001.00', '9999999999999.99'], issue);
  for (const amount of wrong) {
    refused('invalid_request', await create({ bet_amounts: [{ currency: 'EUR', amount }] }), ['bet_amounts[0].amount']);
  }
});

test('a currency is three to ten capitals and digits', async () => {
  const wrong = ['', 'EU', 'eur', 'EUR ', 'E R', 'ABCDEFGHIJK', 'ÉUR', 'EUR\n', null, 978];
  await assertField('currency', wrong, ['EUR', 'USDT'], issue);
  refused('currency_not_allowed', await issue({ currency: 'ABCDEFGHI9' }), ['currency']);
});

test('a coefficient is at least 1, with up to four decimals', async () => {
  const wrong = ['', '0', '0.9999', '00.5', '1.', '.5', '1.00001', '1000000', '1e1', '-2', '1,5', ' 2', '2\n', 2, null];
  for (const value of wrong) {
    for (const limit of ['min_coefficient', 'max_coefficient']) {
      refused('invalid_request', await create({ config: { [limit]: value } }), [`config.${limit}`]);
      refused('invalid_request', await issue({ config: { [limit]: value } }), [`config.${limit}`]);
    }
  }
  for (const value of ['1', '1.0', '1.0000', '01.5', '999999.9999', '000001']) {
    accepted('Issue', await issue({ config: { min_coefficient: value, max_coefficient: value } }));
  }
});

test('the lowest coefficient must not be above the highest', async () => {
  for (const [min_coefficient, max_coefficient] of [
    ['1.0001', '1'],
    ['10', '9.9999'],
    ['2.5', '02.49'],
  ]) {
    const config = { min_coefficient, max_coefficient };
    refused('invalid_request', await create({ config }), ['config.min_coefficient']);
    refused('invalid_request', await issue({ config }), ['config.min_coefficient']);
  }
  const config = { min_coefficient: '9.9999', max_coefficient: '10' };
  accepted('CampaignCreate', await create({ config }));
});

test('objects that cannot be converted to a number are invalid, not an internal error', async () => {
  const hostile = { valueOf: 1, toString: 1 };
  for (const value of [hostile, [hostile], {}, []]) {
    const config = { min_coefficient: value, max_coefficient: '2' };
    refused('invalid_request', await create({ config }));
    refused('invalid_request', await issue({ config }));
    refused('invalid_request', await create({ bet_amounts: [{ currency: value, amount: value }, value] }));
    refused(
      'invalid_request',
      await create({ games: [value, value], name: value, quantity: value, valid_from: value }),
    );
  }
});

test('games and currencies have a minimum and maximum number, without duplicates', async () => {
  refused('invalid_request', await create({ games: [] }), ['games']);
  refused('invalid_request', await create({ games: [games.one, games.one] }), ['games']);
  refused('invalid_request', await create({ games: Array.from({ length: 501 }, (_, i) => `g${i}`) }), ['games']);
  refused('game_not_available', await create({ games: Array.from({ length: 500 }, (_, i) => `g${i}`) }));
  refused('invalid_request', await issue({ games: [games.one, 'x', games.one] }), ['games']);
  const amount = (currency: string, cents = '1.00') => ({ currency, amount: cents });
  refused('invalid_request', await create({ bet_amounts: [] }), ['bet_amounts']);
  refused('invalid_request', await create({ bet_amounts: [amount('EUR'), amount('EUR', '2.00')] }), ['bet_amounts']);
  const hundred = Array.from({ length: 101 }, (_, i) => amount(`C${String(i).padStart(3, '0')}`));
  refused('invalid_request', await create({ bet_amounts: hundred }), ['bet_amounts']);
  refused('currency_not_allowed', await create({ bet_amounts: hundred.slice(1) }));
});
