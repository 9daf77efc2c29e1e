import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { accepted } from '../../support/answers.ts';
import { call } from '../../support/caller.ts';
import { testDatabase } from '../../support/database.ts';
import { folder } from '../../support/files.ts';
import { campaign, games, inDays } from '../../support/requests.ts';
import { runCommand, testServer } from '../../support/server.ts';
import { listFile } from './job-lists.ts';
import { assertClear } from './terminal.ts';

// Reading lists, and the messages for invalid ones, of which nothing may be sent.

const { env, sql } = await testDatabase();
const { url } = await testServer({ ...env, WORKER: 'off' });
accepted('CampaignCreate', await call(url, 'CampaignCreate', campaign({ campaign_id: 'weekend' })));

const byCampaign = ['--campaign', 'weekend'];
const direct = ['--bet-amount', '1.00', '--quantity', '3', '--games', games.one, '--valid-until', inDays(30)];

const issue = (file: string, ...args: string[]) =>
  runCommand(env, 'job', 'issue', '--url', url, '--file', file, ...args);

const jobs = async () => (await sql.query('SELECT count(*)::int AS jobs FROM jobs')).rows[0].jobs;

/** The items that the service holds of a list: player, currency, issue_id, cents, quantity. */
async function sent(content: string | Buffer, args: string[] = byCampaign, ending = 'csv'): Promise<unknown[]> {
  const jobId = randomUUID();
  const { code, stderr } = await issue(listFile(content, ending), ...args, '--job-id', jobId);
  assert.deepEqual([code, stderr], [0, '']);
  const { rows } = await sql.query('SELECT list FROM job_parts WHERE job_id = $1 ORDER BY part', [jobId]);
  return rows.flatMap(({ list }) => list);
}

/** The message for an invalid list, without its path. */
async function refusedWith(content: string | Buffer, args: string[] = byCampaign, ending = 'csv'): Promise<string[]> {
  const before = await jobs();
  const path = listFile(content, ending);
  const { code, stdout, stderr } = await issue(path, ...args);
  assert.deepEqual([code, stdout], [1, ''], stderr);
  assert.equal(await jobs(), before, 'nothing was sent');
  const lines = stderr.trimEnd().replaceAll(path, 'FILE').split('\n');
  for (const line of lines) assertClear(`${line}\n`);
  return lines;
}

const id = '7d444840-9dc0-41d1-b245-5ffdce74fad2';

test('a list is read in every form that spreadsheets write', async () => {
  const two = [
    ['ann', 'EUR', null, null, null],
    ['bob', 'USD', null, null, null],
  ];
  const lists = {
    plain: 'player_id,currency\nann,EUR\nbob,USD\n',
    'without a last line end': 'player_id,currency\nann,EUR\nbob,USD',
    'in another order': 'currency,player_id\nEUR,ann\nUSD,bob\n',
    'with a byte-order mark': '\ufeffplayer_id,currency\nann,EUR\nbob,USD\n',
    'with Windows line ends': 'player_id,currency\r\nann,EUR\r\nbob,USD\r\n',
    'with both line ends': 'player_id,currency\nann,EUR\r\nbob,USD\n',
    'with semicolons': 'player_id;currency\nann;EUR\nbob;USD\n',
    'with tabs': 'player_id\tcurrency\nann\tEUR\nbob\tUSD\n',
    'with quotes': '"player_id","currency"\n"ann","EUR"\n"bob",USD\n',
    'with blank lines': 'player_id,currency\n\nann,EUR\n,\nbob,USD\n\n\r\n\n',
    'with capitals and blanks in its head': ' Player_ID , Currency\nann,EUR\nbob,USD\n',
    'with blanks around its cells': 'player_id, currency\n ann , EUR\t\n  \n"bob" ,\u00a0"USD" \n',
    'with blanks in quotes around a currency': 'player_id,currency\nann," EUR"\nbob,"USD "\n',
    'with tabs, and blanks around its cells': 'player_id\tcurrency\n ann\t EUR \nbob \t"USD"\n',
    'with empty columns': 'player_id,currency,issue_id\nann,EUR,\nbob,USD,""\n',
  };
  for (const [how, list] of Object.entries(lists)) assert.deepEqual(await sent(list), two, how);
  assert.deepEqual(await sent('player_id\nann\nbob\n', [...byCampaign, '--currency', 'EUR']), [
    ['ann', 'EUR', null, null, null],
    ['bob', 'EUR', null, null, null],
  ]);
  assert.deepEqual(await sent('player_id,nick,currency\nann,"a,\n""x""",EUR\n', [...byCampaign, '--ignore-columns']), [
    ['ann', 'EUR', null, null, null],
  ]);
});

test('a direct list may have its own amounts and quantities, and keeps its IDs', async () => {
  const list = `quantity;bet_amount;issue_id;player_id;currency\n7;2.50;${id.toUpperCase()};Jürgen;EUR\n;;;"😀;x";EUR\n`;
  assert.deepEqual(await sent(list, direct), [
    ['Jürgen', 'EUR', id, 250, 7],
    ['😀;x', 'EUR', null, null, null],
  ]);
});

test('NDJSON is recognized by its file extension or by --format', async () => {
  const list = `\ufeff{"player_id":"ann","currency":"EUR"}\r\n\n{"currency":"USD","player_id":"bob ","issue_id":"${id}"}`;
  const items = [
    ['ann', 'EUR', null, null, null],
    ['bob ', 'USD', id, null, null],
  ];
  assert.deepEqual(await sent(list, byCampaign, 'ndjson'), items);
  assert.deepEqual(await sent(list, byCampaign, 'jsonl'), items);
  assert.deepEqual(await sent(list, [...byCampaign, '--format', 'ndjson'], 'csv'), items);
  const more = '{"player_id":"ann","nick":1,"quantity":2}\n{"player_id":"bob","currency":"USD"}\n';
  assert.deepEqual(await sent(more, [...byCampaign, '--currency', 'EUR', '--ignore-columns'], 'ndjson'), [
    ['ann', 'EUR', null, null, null],
    ['bob', 'USD', null, null, null],
  ]);
  assert.match(
    (await refusedWith(list, byCampaign, 'xlsx'))[0] ?? '',
    /^The format of FILE is unknown: use --format csv or --format ndjson\.$/,
  );
});

test('a list longer than a chunk is read across chunk borders', async () => {
  const rows = Array.from({ length: 4000 }, (_, i) => [`Jürgen "${i}" 😀`, 'EUR', null, null, null]);
  const list = `player_id,currency\r\n${rows.map((row) => `"${String(row[0]).replaceAll('"', '""')}",EUR\r\n`).join('')}`;
  assert.ok(Buffer.byteLength(list) > 100_000);
  assert.deepEqual(await sent(list), rows);
});

const csv = (...lines: string[]) => ['player_id,currency,issue_id', ...lines].join('\n');

test('up to twenty invalid lines are listed with number and reason', async () => {
  const text =
    "player_id must be 1 to 128 printable characters, none of Unicode's format characters, such as a zero-width space";
  const list = csv(
    'ann,EUR,',
    '',
    '"b\r\nb",EUR,',
    ',EUR,',
    'dora,eur,7',
    'emil,EUR',
    '"frank ",EUR,',
    'gus,EUR,,',
    'hal,EUR,',
    '  ',
    ' , EUR, ',
  );
  assert.deepEqual(await refusedWith(list), [
    'FILE was not sent: 7 lines are invalid:',
    `line 4: ${text}.`,
    'line 6: player_id is missing.',
    'line 7: currency must be 3 to 10 capitals and digits, such as EUR or USDT; issue_id must be a UUID, such as 7d444840-9dc0-41d1-b245-5ffdce74fad2.',
    'line 8: it has 2 fields where the first line has 3.',
    'line 9: player_id begins or ends with a space.',
    'line 10: it has 4 fields where the first line has 3.',
    'line 13: player_id is missing.',
  ]);
  const many = await refusedWith(csv('ann,EUR,', ...Array.from({ length: 30 }, () => ',EUR,')));
  assert.equal(many[0], 'FILE was not sent: 30 lines are invalid; the first 20:');
  assert.equal(many.length, 21);
  assert.equal(many[20], 'line 22: player_id is missing.');
  const [, amount, quantity] = await refusedWith(
    'player_id,currency,bet_amount,quantity\nann,EUR,1,1\nbob,EUR,1.00,1.5\n',
    direct,
  );
  assert.match(amount ?? '', /^line 2: bet_amount must be an amount with exactly two decimals/);
  assert.match(quantity ?? '', /^line 3: quantity must be a whole number/);
});

test('a duplicate issue_id is reported with both lines', async () => {
  const other = randomUUID();
  assert.deepEqual(await refusedWith(csv(`ann,EUR,${id}`, `bob,EUR,${other}`, `carl,EUR,${id.toUpperCase()}`)), [
    'FILE was not sent: one line is invalid:',
    'line 4: issue_id repeats line 2.',
  ]);
  const ids = Array.from({ length: 20_000 }, () => randomUUID());
  const list = csv(...ids.map((one, i) => `player-${i},EUR,${one}`), `last,EUR,${ids[12_345]}`);
  assert.deepEqual((await refusedWith(list)).slice(1), ['line 20002: issue_id repeats line 12347.']);
});

test('a misplaced quote is reported with the line where its row begins', async () => {
  const wrong = (...lines: string[]) =>
    refusedWith(csv('ann,EUR,', '"b', 'b",EUR,', ...lines)).then((all) => all.at(-1));
  assert.equal(await wrong('"carl,EUR,', 'dora,EUR,'), 'line 5: a quote is opened and never closed.');
  assert.match((await wrong('ca"rl,EUR,')) ?? '', /^line 5: a quote is in the middle of a cell;/);
  assert.match((await wrong('"ca"rl,EUR,')) ?? '', /^line 5: something follows the closing quote of a cell;/);
  assert.match((await wrong('"ca" rl,EUR,')) ?? '', /^line 5: something follows the closing quote of a cell;/);
  const endless = `"carl,EUR,\n${'dora,EUR,\n'.repeat(20_000)}`;
  assert.equal(await wrong(endless), 'line 5: it is longer than 64 KiB, or a quote is opened and not closed.');
  assert.equal(
    await wrong(`${'x'.repeat(70_000)},EUR,`),
    'line 5: it is longer than 64 KiB, or a quote is opened and not closed.',
  );
});

test('text that is not UTF-8 is refused with its line', async () => {
  const wrong = async (content: Buffer) => (await refusedWith(content))[0];
  const latin = Buffer.from('player_id,currency\nann,EUR\nJürgen,EUR\n', 'latin1');
  assert.equal(await wrong(latin), 'FILE, line 3: this is not UTF-8. Save the file as UTF-8 and try again.');
  const long = Buffer.concat([Buffer.from(`player_id,currency\n${'ann,EUR\n'.repeat(20_000)}`), Buffer.from([0xc3])]);
  assert.match((await wrong(long)) ?? '', /^FILE, line 20002: this is not UTF-8\./);
  const wide = Buffer.from('\ufeffplayer_id,currency\nann,EUR\n', 'utf16le');
  assert.match((await wrong(wide)) ?? '', /^FILE, line 1: this is not UTF-8\./);
});

test('missing, unknown, repeated and useless columns are reported with those found', async () => {
  const head = async (line: string, args = byCampaign) => (await refusedWith(`${line}\nann,EUR\n`, args))[0];
  assert.equal(
    await head('ann,EUR'),
    'FILE: the first line must name the columns; player_id and currency are missing (or use --currency for all players). Its first line has: ann, EUR.',
  );
  assert.match(
    (await head('player,currency')) ?? '',
    /; player_id is missing\. Its first line has: player, currency\.$/,
  );
  assert.equal(
    await head('player_id,currency,nick'),
    'FILE: it has unknown columns: nick. The columns of this job are player_id, currency, issue_id; --ignore-columns skips others. Its first line has: player_id, currency, nick.',
  );
  assert.match((await head('player_id,currency,bet_amount')) ?? '', /unknown columns: bet_amount\./);
  assert.match((await head('player_id,currency,player_id')) ?? '', /it has the column player_id twice\./);
  assert.match(
    (await head('player_id,currency', [...byCampaign, '--currency', 'EUR'])) ?? '',
    /it has a currency column, so you can't use --currency\./,
  );
});

test('an empty list and a file that is not a list are refused', async () => {
  assert.deepEqual(await refusedWith(''), ['FILE is empty.']);
  assert.deepEqual(await refusedWith('\n\n'), ['FILE is empty.']);
  assert.deepEqual(await refusedWith('player_id,currency\n'), ['FILE has no players.']);
  assert.deepEqual(await refusedWith('', byCampaign, 'ndjson'), ['FILE has no players.']);
  assert.deepEqual(
    await refusedWith('x\n[]\n"a"\n{"player_id":"ann","currency":"EUR","nick":1,"quantity":1}', byCampaign, 'ndjson'),
    [
      'FILE was not sent: 4 lines are invalid:',
      'line 1: it is not a JSON object.',
      'line 2: it is not a JSON object.',
      'line 3: it is not a JSON object.',
      'line 4: nick is not a field of a player; quantity is set by the campaign.',
    ],
  );
  const twice = [
    '{"player_id":"ann","currency":"EUR","player_id":"bob"}',
    String.raw`{"player_id":"\",\"player_id","currency":"EUR","p\u006cayer_id":"bob"}`,
  ];
  assert.deepEqual(await refusedWith(twice.join('\n'), byCampaign, 'ndjson'), [
    'FILE was not sent: 2 lines are invalid:',
    'line 1: it has "player_id" twice.',
    'line 2: it has "player_id" twice.',
  ]);
  assert.deepEqual(
    await refusedWith(`${'x'.repeat(200_000)}\n{"player_id":"ann","currency":"EUR"}`, byCampaign, 'ndjson'),
    ['FILE was not sent: one line is invalid:', 'line 1: it is longer than 64 KiB.'],
  );
  const nowhere = await issue(`${folder}/nowhere.csv`, ...byCampaign);
  assert.match(nowhere.stderr, /nowhere\.csv cannot be read: there is no such file\.\n$/);
  const place = await issue(folder, ...byCampaign, '--format', 'csv');
  assert.match(place.stderr, /is not a file\.\n$/);
});
