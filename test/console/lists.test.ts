import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { compileSchema, JobItem } from '@freebets/contract';
import fc from 'fast-check';
import { costOfLimits, costOfList } from '../../packages/console/src/features/campaigns/cost.ts';
import { checkList, whatIsWrong } from '../../packages/console/src/features/lists/check-list.ts';
import {
  columnsNotUsed,
  fileChunks,
  type ListTable,
  onlyCurrency,
  readTable,
  textChunks,
  withHeader,
} from '../../packages/console/src/features/lists/list-table.ts';
import { localText } from '../../packages/console/src/ui/local-time.ts';
import { accepted } from '../support/answers.ts';
import { call } from '../support/caller.ts';
import { consoleOf, inBrowser } from '../support/console.ts';
import { testDatabase } from '../support/database.ts';
import { campaign } from '../support/requests.ts';
import { testServer } from '../support/server.ts';
import { acceptedStaffCall, signedIn } from '../support/staff.ts';

const { env, sql } = await testDatabase();
const { url } = await testServer({ ...env, STAFF_MFA: 'off', APPROVAL_LIMITS: 'EUR:100' });
const { deskOf } = await consoleOf(url, sql);

const how = { currencies: ['EUR', 'USD'], currency: null, isOwn: false };
const unending = new AbortController().signal;
const checked = async (text: string, other: { currency?: string; isOwn?: boolean } = {}) =>
  checkList(await readTable('a list', textChunks(text)), { ...how, ...other }, unending);

test('what is wrong has its line, duplicates are kept and said', async () => {
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
    ['3 player_id begins or ends with a blank', '5 the campaign has no amount in GBP', '6 it has 2 cells instead of 3'],
  );
});

test('blanks around a cell are no part of it; those in quotes are part of a player', async () => {
  const list = 'player_id, currency ,issue_id\n p-1, EUR ,\n\tp 2 ,"USD" , \n  \n "p-3"\u00a0," EUR", \n"p-4 ",EUR,\n';
  const { items, wrong } = await checked(list);
  assert.deepEqual(items, [
    { player_id: 'p-1', currency: 'EUR' },
    { player_id: 'p 2', currency: 'USD' },
    { player_id: 'p-3', currency: 'EUR' },
  ]);
  assert.deepEqual(
    wrong.map(({ line, problem }) => `${line} ${problem}`),
    ['6 player_id begins or ends with a blank'],
  );
  assert.deepEqual((await checked('p-1, EUR\np-2,\tUSD\n')).items, [
    { player_id: 'p-1', currency: 'EUR' },
    { player_id: 'p-2', currency: 'USD' },
  ]);
  assert.deepEqual((await checked('p-1\t EUR\n p-2\tUSD\n')).items.length, 2);
});

test('a quote out of place makes no other player of the lines behind it', async () => {
  const players = Array.from({ length: 20_000 }, (_, i) => `player-${i},EUR\n`).join('');
  await assert.rejects(checked(`player_id,currency\nann,EUR\n"${players}`), {
    message: 'Line 3: it is longer than 64 KiB, or a quote is opened and not closed.',
  });
  await assert.rejects(checked('player_id,currency\n"ann,EUR\nbob,EUR\n'), {
    message: 'Line 2: a quote is opened and never closed.',
  });
});

test('a list of ids alone has one currency, and a file in another encoding is refused', async () => {
  assert.deepEqual((await checked('a\nb\n', { currency: 'USD' })).items, [
    { player_id: 'a', currency: 'USD' },
    { player_id: 'b', currency: 'USD' },
  ]);
  const latin = new Blob([new Uint8Array([0x61, 0xe9, 0x0a])]);
  await assert.rejects(readTable('latin.csv', fileChunks(latin)), /not text in UTF-8/);
});

test('what a list says of currencies is never replaced by another', async () => {
  const read = (text: string) => readTable('a list', textChunks(text));
  const { items, wrong } = await checked('a,usd\nb,EUR\nc,\n', { currency: 'EUR' });
  assert.deepEqual(items, [{ player_id: 'b', currency: 'EUR' }]);
  assert.deepEqual(
    wrong.map(({ line, problem }) => `${line} ${problem}`),
    ['1 the campaign has no amount in usd', '3 there is no currency'],
  );
  assert.equal(onlyCurrency(await read('a\nb\n'), ['EUR']), 'EUR');
  assert.equal(onlyCurrency(await read('a\nb\n'), ['EUR', 'USD']), null);
  const passedOver = await read('player_id;Währung;amount\na;USD;1\n');
  assert.equal(onlyCurrency(passedOver, ['EUR']), null, 'one that is passed over may be the currency');
  assert.deepEqual(columnsNotUsed(passedOver, false), ['Währung', 'amount']);
  assert.deepEqual(columnsNotUsed(await read('a,EUR,1.00\n'), true), ['Column 3']);
});

test('whether the first line names the columns is guessed, and said by who knows it', async () => {
  const read = (text: string) => readTable('a list', textChunks(text));
  const playersIn = async (table: ListTable) =>
    (await checkList(table, { ...how, currency: 'EUR' }, unending)).items.map(({ player_id }) => player_id);
  for (const header of ['Username', 'Account ID', 'sep=;\r\nplayer_id', 'sep=,']) {
    assert.deepEqual(await playersIn(await read(`${header}\r\nann\r\nbob\r\n`)), ['ann', 'bob'], header);
  }
  const unknown = await read('Spieler|Währung\nann|EUR\n');
  assert.deepEqual(await playersIn(unknown), ['Spieler', 'ann'], 'nobody has said what it is');
  const named = withHeader(unknown, true);
  assert.deepEqual(await playersIn(named), ['ann']);
  assert.deepEqual(columnsNotUsed(named, true), ['Währung']);
  assert.deepEqual(withHeader(named, true), named);
  assert.deepEqual(withHeader(named, false), unknown);
});

test('of columns that could be the player, the one with the clearest name is', async () => {
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

test('a player is right here exactly where the contract says so', () => {
  const validate = compileSchema(JobItem);
  const character = fc.oneof(fc.constantFrom('\u200b', '\u0000', '\u2028', '\ud800', 'é', '😀', 'a'), fc.string());
  fc.assert(
    fc.property(fc.array(character, { maxLength: 140 }), (parts) => {
      const player_id = parts.join('');
      if (player_id !== player_id.trim()) return;
      const item = { player_id, currency: 'EUR' };
      assert.equal(whatIsWrong(item, how) === undefined, validate(item).length === 0, JSON.stringify(player_id));
    }),
  );
});

test('what it costs is counted to the cent, and rounded down bet by bet as the service does', () => {
  const terms = { ...campaign({ quantity: 3 }), config: { max_coefficient: '1.3333' } };
  const [euro] = costOfList(
    terms as unknown as Parameters<typeof costOfList>[0],
    [{ currency: 'EUR', players: 2000 }],
    false,
  );
  assert.deepEqual(euro, { currency: 'EUR', players: 2000, staked: '6000.00', won: '1980.00' });
});

test('a list with terms of its own may say for each player what they get', async () => {
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
  assert.deepEqual((await checked(list)).wrong, [], 'where there is a campaign, it says both');
});

test('what higher limits cost is what they allow more, and without an end nothing bounds it', () => {
  const config = { bonus_limit: 10, bonus_limit_per_user: 1, max_coefficient: '3.00' };
  const terms = { ...campaign({ quantity: 2 }), config } as unknown as Parameters<typeof costOfLimits>[0];
  const inEuro = (bonus_limit: number | null) =>
    costOfLimits(terms, { bonus_limit, bonus_limit_per_user: 2 }, true).find(({ currency }) => currency === 'EUR');
  assert.equal(inEuro(12)?.amount, '12.00');
  assert.equal(inEuro(10)?.amount, '0.00');
  assert.equal(inEuro(null)?.amount, null);
});

const campaignId = 'friday';
accepted(
  'CampaignCreate',
  await call(
    url,
    'CampaignCreate',
    campaign({ campaign_id: campaignId, name: 'Friday', config: { bonus_limit_per_user: 1 } }),
  ),
);

const hourMs = 60 * 60_000;
const ahead = { now: new Date(Date.now() + 2 * hourMs).toISOString() };
accepted('SandboxClockSet', await call(url, 'SandboxClockSet', ahead));

// One that a spreadsheet would take for a formula.
const lines = Array.from({ length: 200 }, (_, i) => `${i === 1 ? '=' : ''}player-${i};${i % 2 === 0 ? 'EUR' : 'USD'}`);
const csv = `player_id;currency\r\n${[...lines, 'player-0;EUR', '=player-1;USD', ';EUR', 'player-x;GBP'].join('\r\n')}\r\n`;

inBrowser(
  'a manager gives free bets to the players of a list, but for wrong lines and duplicates',
  async () => {
    const { page, open, assertAccessible } = await deskOf('manager');
    await open(`/p/1/lists/new?campaign=${campaignId}`);
    const file = { name: 'friday.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) };
    const input = page.locator('input[type=file]');
    await input.setInputFiles({ ...file, buffer: Buffer.from('"') });
    await page.getByText('Line 1: a quote is opened and never closed.').waitFor();
    assert.equal(await input.inputValue(), '', 'mended, it can be chosen again');
    await input.setInputFiles(file);
    await page.getByText('202 players to give to, 2 duplicates among them; 2 wrong lines.').waitFor();
    await page.getByText('line 204: there is no player_id').waitFor();
    await page.getByText('line 205: the campaign has no amount in GBP').waitFor();
    await page.getByText('line 202: player-0 is on line 2 too').waitFor();
    await page.getByText('duplicates beyond that would be refused').waitFor();
    await page.getByRole('cell', { name: '303.00 EUR' }).waitFor();
    await assertAccessible();
    const give = page.getByRole('button', { name: 'Give the free bets…' });
    assert.equal(await give.isDisabled(), true, 'nobody has said that wrong lines are left out');
    const [hasNames, goesOn] = [page.getByLabel('The first line names the columns'), page.getByLabel('Go on without')];
    await goesOn.check();
    await hasNames.uncheck();
    await page.getByText('line 1: the campaign has no amount in currency').waitFor();
    await page.getByText('It is taken as a player: player_id, currency').waitFor();
    assert.equal(await goesOn.isChecked(), false, 'other lines are wrong now');
    await hasNames.check();
    await page.getByText('2 wrong lines.').waitFor();
    await goesOn.check();
    await give.click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason').fill('The Friday promotion');
    const confirm = dialog.getByRole('button', { name: 'Give the free bets' });
    const beginAt = (ms: number) => dialog.getByLabel('Begin later').fill(localText(ms));
    await beginAt(Date.now() + hourMs);
    await dialog.getByText('This time has passed').waitFor();
    await dialog.getByText('This partner is a sandbox: for it, it is').waitFor();
    assert.equal(await confirm.isDisabled(), true, 'it has not in the world, and has for the sandbox');
    await beginAt(Date.now() + 3 * hourMs);
    await dialog.getByText('This time has passed').waitFor({ state: 'detached' });
    assert.equal(await confirm.isDisabled(), false);
    await dialog.getByLabel('Begin later').fill('');
    await confirm.click();
    await page.getByRole('heading', { name: 'Friday: friday.csv' }).waitFor();
    await page.getByText('finished', { exact: true }).waitFor();
    await page.getByText('200 of 202').waitFor();
    await page.getByText('2 × bonus limit per user reached').waitFor();
    await assertAccessible();

    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download as CSV' }).click();
    const text = await readFile(await (await saved).path(), 'utf8');
    const { columns, rows: readBack } = await readTable('refused.csv', textChunks(text));
    assert.deepEqual(columns.slice(0, 2), ['player_id', 'issue_id']);
    assert.deepEqual(
      readBack.map(({ cells }) => cells[0]),
      ['player-0', '=player-1'],
    );
    const { rows } = await sql.query(`SELECT count(*)::int AS n FROM free_bets WHERE campaign_id = $1`, [campaignId]);
    assert.equal(rows[0].n, 200);
  },
  { refusals: ['404 /FreeBets/Jobs/Get'] },
);

inBrowser('a list that was broken off goes on with the same file, and is stopped with a reason', async () => {
  const { page, open, assertAccessible } = await deskOf('manager');
  const job_id = crypto.randomUUID();
  const started = { job_id, name: 'Broken off', campaign_id: campaignId };
  accepted('JobCreate', await call(url, 'JobCreate', started));
  await open(`/p/1/lists/${job_id}`);
  await page.getByRole('link', { name: 'Go on with the same file' }).click();
  await page.getByText('“Broken off” was begun, and is not started').waitFor();
  await page.getByLabel('Paste players').fill('next-1\nnext-2');
  await page.getByRole('button', { name: 'Read what is pasted' }).click();
  await page.getByRole('combobox', { name: 'Currency of all players' }).click();
  await page.getByRole('option', { name: 'USD' }).click();
  await page.getByText('2 players to give to').waitFor();
  await page.getByRole('button', { name: 'Go on…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Reason').fill('Again after a break');
  await dialog.getByRole('button', { name: 'Give the free bets' }).click();
  await page.getByText('2 of 2', { exact: true }).waitFor();
  assert.match(page.url(), new RegExp(`/lists/${job_id}$`));

  const later = { job_id: crypto.randomUUID(), name: 'Later', campaign_id: campaignId };
  accepted('JobCreate', await call(url, 'JobCreate', later));
  await open(`/p/1/lists/${later.job_id}`);
  await page.getByRole('button', { name: 'Stop…' }).click();
  await dialog.getByLabel('Reason').fill('Not needed');
  await dialog.getByRole('button', { name: 'Stop the list' }).click();
  await page.getByText('stopped', { exact: true }).waitFor();
  await open('/p/1/lists');
  await page.getByRole('link', { name: 'Later' }).waitFor();
  await assertAccessible();
});

inBrowser(
  'a list with terms of its own starts within the limit, and else by approval; what was refused begins anew',
  async () => {
    const { page, open, assertAccessible } = await deskOf('manager');
    const send = async (players: string, cost: string, action = 'Give the free bets…') => {
      await page.getByLabel('Paste players').fill(players);
      await page.getByRole('button', { name: 'Read what is pasted' }).click();
      await page.getByText('they would get it').waitFor();
      await page.getByRole('button', { name: action }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText(cost).waitFor();
      await dialog.getByLabel('Reason').fill('For the tournament');
      await dialog.getByRole('button', { name: 'Send and submit' }).click();
    };
    await open('/p/1/lists/new');
    await page.getByText('Terms of its own').click();
    await page.getByLabel('Find games').fill('sky');
    await page.getByRole('button', { name: 'Skyline Ascent', exact: true }).click();
    await page.getByLabel('Amount of a bet').fill('5');
    await page.getByLabel('Can be used from').fill('2026-01-01T12:00');
    await page.getByLabel('Can be used until').fill('2098-01-01T12:00');
    await page.getByLabel('Highest coefficient').fill('3');
    await send('player_id,currency,quantity\nown-1,EUR,\nown-2,EUR,20', '210.00 EUR');
    await page.getByText('Waits for approval').waitFor();
    await page.getByRole('region', { name: 'What each player gets' }).getByText('Skyline Ascent').first().waitFor();
    await assertAccessible();
    const draft_id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    const refusal = { client_id: 1, draft_id, revision: 1, reason: 'Too much for two' };
    await acceptedStaffCall(url, '/Draft/Refuse', refusal, await signedIn(sql, 'manager'));
    await page.getByText('“Too much for two”').first().waitFor();
    await page.getByRole('link', { name: 'New list with its terms' }).click();
    await page.waitForURL(/like=/);
    assert.equal(await page.getByLabel('Amount of a bet').inputValue(), '5.00');
    assert.equal(await page.getByLabel('Can be used from').inputValue(), '2026-01-01T12:00');

    // Its terms are changed, and it is broken off when it is sent: from there on they are its own.
    await page.getByLabel('Amount of a bet').fill('4');
    const broken = { status: 409, json: { error: 'draft_changed', message: 'Broken off' } };
    await page.route('**/Draft/Save', (route) => route.fulfill(broken), { times: 1 });
    await send('player_id,currency\nown-1,EUR\nown-2,EUR', '16.00 EUR');
    await page.getByRole('dialog').getByText('Broken off').waitFor();
    await page.reload();
    const terms = page.getByRole('region', { name: 'What each player gets' });
    await terms.getByText('4.00, in the currency of the player').waitFor();
    await assertAccessible();
    await send('player_id,currency\nown-1,EUR\nown-2,EUR', '16.00 EUR', 'Go on…');
    await page.getByText('Carried out').waitFor();
    await page.getByRole('link', { name: 'Go to the list' }).click();
    await page.getByText('2 of 2', { exact: true }).waitFor();
    await page.getByText('finished', { exact: true }).waitFor();
    const failed = { status: 500, json: { error: 'internal_error', message: 'Something failed' } };
    await page.route('**/Draft/List', (route) => route.fulfill(failed), { times: 1 });
    await open(`/p/1/lists/${draft_id}`);
    await page.getByRole('alert').getByText('Something failed').waitFor();
    assert.equal(await page.getByText('was not sent to its end').count(), 0, 'nobody knows');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('Its start is a draft that is refused').waitFor();
  },
  { refusals: ['404 /FreeBets/Jobs/Get', '409 /Draft/Save', '500 /Draft/List'] },
);

inBrowser('support sees lists, and is offered no new one', async () => {
  const { page, open } = await deskOf('support');
  await open('/p/1/lists');
  await page.getByRole('table', { name: 'Lists' }).waitFor();
  assert.equal(await page.getByRole('link', { name: 'New list' }).count(), 0);
  await open(`/p/1/lists/new?campaign=${campaignId}`);
  await page.getByText('Your role does not allow this').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Give the free bets…' }).count(), 0);
});
