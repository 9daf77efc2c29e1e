import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { checkedItems, checkList } from '../../../packages/server/src/admin/job-list-check.ts';
import { runCli } from '../../../packages/server/src/admin/program.ts';
import { faultyServer, page } from '../../client/faulty-server.ts';
import { call, demo, rival } from '../../support/caller.ts';
import { testDatabase } from '../../support/database.ts';
import { folder } from '../../support/files.ts';
import { refusingUrl } from '../../support/receiver.ts';
import { games, inDays } from '../../support/requests.ts';
import { runCommand, testServer, textTerminal } from '../../support/server.ts';
import { assertIssued, jobIdIn, listFile, listOf, newCampaign, players } from './job-lists.ts';
import { fails, succeeds, succeedsWith } from './terminal.ts';

const { env } = await testDatabase();
const { url } = await testServer(env);

const jobCommand = (...args: string[]) => runCommand(env, 'job', ...args, '--url', url);
const issue = (file: string, ...args: string[]) => jobCommand('issue', '--file', file, ...args);

test('issue checks and sends a list, waits for the job and reports it', async () => {
  const campaignId = await newCampaign(url);
  const file = listOf(...players(3));
  const { stdout, stderr, code } = await issue(file, '--campaign', campaignId, '--wait');
  const jobId = jobIdIn(stdout);
  assert.deepEqual([code, stderr], [0, '']);
  const said = stdout.trimEnd().split('\n');
  assert.deepEqual(said, [
    `${file}: all lines are valid (3 players, one part).`,
    `Sending the list as job ${jobId}.`,
    'Sent 3 of 3.',
    'Done 3 of 3.',
    `Job ${jobId} is finished: 3 issued.`,
  ]);
  await assertIssued(url, campaignId, 3);
});

test('refused items give exit code 3 and are written with their lines in the list', async () => {
  const campaignId = await newCampaign(url, { bonus_limit_per_user: 1 });
  const [ann = '', bob = ''] = players(2);
  const list = `player_id;currency;nick\r\n\r\n${ann};EUR;"a\r\nb"\r\n${bob};EUR;\r\n\r\n"${ann}";EUR;\r\n${bob};XXX;\r\n`;
  const path = listFile(list);
  const refusals = join(folder, 'refused.csv');
  const args = ['--campaign', campaignId, '--ignore-columns', '--refusals', refusals];
  const { stdout, stderr, code } = await issue(path, ...args);
  assert.deepEqual([code, stderr], [3, '']);
  assert.match(
    stdout,
    /is finished: 2 issued, 2 refused \(.*bonus_limit_per_user_reached 1.*\)\.\nRefused items are in .*refused\.csv\.\n$/,
  );
  assert.match(stdout, /currency_not_allowed 1/);
  const rows = readFileSync(refusals, 'utf8').trimEnd().split('\n');
  assert.equal(rows[0], 'line,part,item,player_id,issue_id,code,error,message,details,currency,bet_amount,quantity');
  assert.match(
    rows[1] ?? '',
    new RegExp(`^7,1,2,${ann},[0-9a-f-]{36},636,bonus_limit_per_user_reached,The player has all.*,,EUR,,$`),
  );
  assert.match(rows[2] ?? '', new RegExp(`^8,1,3,${bob},[0-9a-f-]{36},154,currency_not_allowed,`));
  assert.equal(rows.length, 3);

  const again = await issue(path, ...args.slice(0, -1), `${refusals}.ndjson`);
  assert.equal(again.code, 3, 'a job that is found finished ends as it did');
  assert.match(again.stdout, /This list was sent before, as job .*use another --job-id\.\n/);
  const values = readFileSync(`${refusals}.ndjson`, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    values.map(({ line, part, item, player_id, currency, error }) => [
      line,
      part,
      item,
      player_id,
      currency,
      error.error,
    ]),
    [
      [7, 1, 2, ann, 'EUR', 'bonus_limit_per_user_reached'],
      [8, 1, 3, bob, 'XXX', 'currency_not_allowed'],
    ],
  );
  await assertIssued(url, campaignId, 2);
});

test('--json prints every step as a line of JSON', async () => {
  const campaignId = await newCampaign(url, { bonus_limit: 1 });
  const { stdout, code } = await issue(listOf(...players(2)), '--campaign', campaignId, '--wait', '--json');
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const stages = lines.map(({ stage }) => stage).filter((stage, i, all) => stage !== all[i - 1]);
  assert.deepEqual(stages, ['checked', 'created', 'sending', 'running', 'finished']);
  assert.deepEqual([lines[0].items, lines[0].parts], [2, 1]);
  assert.deepEqual(lines.at(-1).job.refused, { bonus_limit_reached: 1 });
  assert.equal(code, 3);
});

test('the same list is the same job under any file name; another list, campaign or partner is not', async () => {
  const [one, two] = [await newCampaign(url), await newCampaign(url)];
  const ids = players(2);
  const idOf = async (file: string, ...args: string[]) => {
    const { stdout, code } = await jobCommand('issue', '--file', file, ...args, '--dry-run', '--json');
    assert.ok(code === 0, stdout);
    return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '').job_id;
  };
  const first = await idOf(listOf(...ids), '--campaign', one);
  assert.equal(await idOf(listOf(...ids), '--campaign', one), first);
  assert.equal(await idOf(listOf(...ids), '--campaign', one, '--name', 'Named', '--start-at', inDays(1)), first);
  const direct = ['--bet-amount', '1.00', '--quantity', '3', '--games', games.one, '--valid-until', inDays(30)];
  const others = [
    await idOf(listOf(...ids, 'one-more'), '--campaign', one),
    await idOf(listOf(...ids), '--campaign', two),
    await idOf(listOf(...ids), ...direct),
    await idOf(listOf(...ids), ...direct, '--min-coefficient', '1.5'),
    await idOf(listFile(`player_id\n${ids[0]}\n`), '--campaign', one, '--currency', 'EUR'),
    await idOf(listFile(`player_id\n${ids[0]}\n`), '--campaign', one, '--currency', 'USD'),
  ];
  assert.equal(new Set([first, ...others]).size, 7);
});

test('a terminal shows one redrawn progress line', async () => {
  const args = ['--file', listOf(...players(3)), '--campaign', await newCampaign(url), '--url', url, '--wait'];
  const { terminal, out } = textTerminal(env);
  const stdout = { write: (text: string) => terminal.stdout.write(text), isTTY: true };
  assert.equal(await runCli(['job', 'issue', ...args], { ...terminal, stdout }), 0);
  assert.ok(out().includes(`\r\x1b[2K[${'#'.repeat(24)}] Sent 3 of 3\n`), out());
  assert.ok(out().includes(`] Done 3 of 3\nJob `), out());
  assert.match(out(), /\nJob .* is finished: 3 issued\.\n$/);
});

test('the commands list jobs, show a job, and print its refusals', async () => {
  const campaignId = await newCampaign(url, { bonus_limit: 2 });
  const [quoted = '', ...others] = players(3).map((player) => `a,"${player}`);
  const file = listFile(
    [quoted, ...others].map((player_id) => JSON.stringify({ player_id, currency: 'EUR' })).join('\n'),
    'ndjson',
  );
  const { stdout } = await issue(file, '--campaign', campaignId, '--name', 'Listed', '--wait');
  const jobId = jobIdIn(stdout);
  const on = ['--url', url];

  const list = (await succeeds(env, 'job', 'list', ...on)).split('\n');
  assert.match(list[0] ?? '', /^JOB_ID +NAME +STATUS +CREATED +ITEMS +ISSUED +REFUSED +LEFT$/);
  assert.match(
    list[1] ?? '',
    new RegExp(`^${jobId}  Listed +finished +\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d +3 +2 +1 +0$`),
  );
  assert.equal((await succeedsWith(env, 'job', 'list', ...on, '--limit', '2')).length, 2);
  const open = await succeedsWith(env, 'job', 'list', ...on, '--status', 'finished');
  assert.ok(open.length > 2 && open.every(({ status }: { status: string }) => status === 'finished'));
  assert.deepEqual(await succeedsWith(env, 'job', 'list', ...on, '--client', '2'), []);
  assert.match(
    await fails(env, 'job', 'list', ...on, '--limit', '0'),
    /^--limit must be a whole number from 1 to 1000\.$/,
  );

  const shown = (await succeeds(env, 'job', 'show', jobId, ...on)).split('\n');
  assert.deepEqual(shown.slice(0, 2), [
    'Listed:',
    `Job ${jobId} is finished: 2 issued, 1 refused (bonus_limit_reached 1).`,
  ]);
  assert.match(shown[2] ?? '', /^Created: \d{4}-.*Z$/);
  assert.equal((await succeedsWith(env, 'job', 'show', jobId.toUpperCase(), ...on)).job_id, jobId);

  const printed = (await succeeds(env, 'job', 'refusals', jobId, ...on)).trimEnd().split('\n');
  assert.equal(printed[0], 'part,item,player_id,issue_id,code,error,message,details,currency,bet_amount,quantity');
  assert.ok(printed[1]?.startsWith(`1,2,"${String(others[1]).replaceAll('"', '""')}",`), String(printed[1]));
  assert.equal(printed.length, 2);
  assert.equal((await succeedsWith(env, 'job', 'refusals', jobId, ...on)).error.error, 'bonus_limit_reached');
  const out = join(folder, 'out.csv');
  assert.equal(
    await succeeds(env, 'job', 'refusals', jobId, ...on, '--file', out),
    `Refused items written to ${out}: 1.\n`,
  );
  assert.deepEqual(readFileSync(out, 'utf8').trimEnd().split('\n'), printed);
  assert.match(await fails(env, 'job', 'refusals', jobId, ...on, '--file', folder), /cannot be written: /);
});

test('an unknown job and an invalid ID are reported', async () => {
  const jobId = randomUUID();
  for (const word of ['show', 'stop', 'refusals']) {
    assert.equal(await fails(env, 'job', word, jobId, '--url', url), `Partner 1 has no job ${jobId}.`);
    assert.equal(await fails(env, 'job', word, 'x', '--url', url), 'JOB_ID must be a UUID: see "freebets job list".');
  }
});

test('invalid options are reported before the list is read', async () => {
  const file = join(folder, 'is-never-read.csv');
  const wrong = async (...args: string[]) => {
    const { code, stdout, stderr } = await runCommand(env, 'job', 'issue', '--file', file, ...args);
    assert.deepEqual([code, stdout], [1, ''], stderr);
    return stderr.trimEnd();
  };
  const byCampaign = ['--campaign', await newCampaign(url)];
  assert.equal(
    await wrong(...byCampaign, '--url', refusingUrl),
    `No server responds at ${refusingUrl}: start one with "npm start", or set its URL with --url.`,
  );
  const direct = ['--bet-amount', '1.00', '--quantity', '3', '--games', games.one, '--valid-until', inDays(30)];
  assert.match(await wrong(...direct, '--url', refusingUrl), /^No server responds at /);
  const { url: other } = await faultyServer(page(404));
  assert.match(await wrong(...byCampaign, '--url', other), /is not Freebets: set the right URL with --url\.$/);
  assert.equal(await wrong('--campaign', 'nowhere', '--url', url), 'Partner 1 has no campaign nowhere.');
  assert.match(await wrong('--url', url), /^Choose what to issue: use --campaign, or --bet-amount, /);
  assert.match(
    await wrong(...byCampaign, '--quantity', '3', '--url', url),
    /^--quantity can't be combined with --campaign: the campaign sets it/,
  );
  assert.equal(
    await wrong(
      '--url',
      url,
      '--bet-amount',
      '1',
      '--quantity',
      'x',
      '--valid-until',
      'soon',
      '--duration-min',
      '0',
    ).then((text) =>
      text
        .split('. ')
        .map((sentence) => sentence.split(' ')[0])
        .join(' '),
    ),
    '--games --bet-amount --quantity --valid-until --duration-min',
  );
  assert.match(await wrong(...byCampaign, '--job-id', 'x', '--url', url), /^--job-id must be a UUID/);
  assert.match(await wrong(...byCampaign, '--start-at', 'x', '--url', url), /^--start-at must be a time/);
  assert.match(
    await wrong(...byCampaign, '--refusals', join(folder, 'no', 'x.csv'), '--url', url),
    /x\.csv cannot be written: /,
  );
});

test('the refusals file is never the list, and is written only after the job ends', async () => {
  const byCampaign = ['--campaign', await newCampaign(url)];
  const file = listOf(...players(2));
  const list = readFileSync(file, 'utf8');
  const linked = `${file}.link.csv`;
  symlinkSync(file, linked);
  for (const path of [file, linked, `${folder}/./${basename(file)}`]) {
    const { code, stdout, stderr } = await issue(file, ...byCampaign, '--refusals', path);
    assert.deepEqual(
      [code, stdout, stderr],
      [1, '', `${path} is the list itself: use another file for the refused items.\n`],
    );
  }
  assert.equal(readFileSync(file, 'utf8'), list);
  const refusals = join(folder, 'not-yet.csv');
  assert.equal((await issue(file, ...byCampaign, '--dry-run', '--refusals', refusals)).code, 0);
  assert.equal((await issue(listFile('player_id\n'), ...byCampaign, '--refusals', refusals)).code, 1);
  assert.equal((await issue(file, '--campaign', 'no-such', '--refusals', refusals)).code, 1);
  assert.equal(existsSync(refusals), false);
  for (const path of [folder, `${file}/x.csv`]) {
    const { code, stderr } = await issue(file, ...byCampaign, '--refusals', path);
    assert.equal(code, 1);
    assert.match(stderr, /cannot be written: .+\.\n$/);
  }
  assert.equal((await issue(file, ...byCampaign, '--refusals', refusals)).code, 0);
  assert.equal(readFileSync(refusals, 'utf8').split('\n').length, 2, 'the names of the columns');
});

test('an ended campaign refuses new jobs, but earlier jobs are found again', async () => {
  const campaignId = await newCampaign(url);
  const file = listOf(...players(2));
  assert.equal((await issue(file, '--campaign', campaignId, '--wait')).code, 0);
  await call(url, 'CampaignStop', { campaign_id: campaignId });
  const again = await issue(file, '--campaign', campaignId, '--wait');
  assert.deepEqual([again.code, again.stderr], [0, '']);
  assert.match(again.stdout, /This list was sent before.*\n.*is finished: 2 issued\.\n$/s);
  const other = await issue(listOf(...players(2)), '--campaign', campaignId);
  assert.deepEqual([other.code, other.stderr], [1, `Campaign ${campaignId} has ended: it can't issue free bets.\n`]);
  assert.equal((await succeedsWith(env, 'job', 'list', '--url', url, '--limit', '1'))[0].status, 'finished');
});

test('a partner signs with the secret in its file or in the database of the server', async () => {
  const campaignId = await newCampaign(url);
  const secretFile = join(folder, 'secret');
  const asPartner = (client: string, ...args: string[]) =>
    runCommand({ ...env, PUBLIC_URL: url }, 'job', 'list', '--client', client, ...args);
  writeFileSync(secretFile, `${demo.secret}\n`);
  assert.equal((await asPartner('1', '--secret-file', secretFile, '--url', url)).code, 0);
  assert.equal((await asPartner('1')).code, 0, 'the secret that the database holds');
  const wrong = await asPartner('2', '--secret-file', secretFile, '--url', url);
  assert.equal(
    wrong.stderr,
    `The server at ${url} does not accept the signature of partner 2. Set the partner with --client and the file of its secret with --secret-file. Other possible causes: the networks of the partner do not include this machine (FROM in "freebets client list"), or the clock of this machine is wrong by more than five minutes.\n`,
  );
  const unknown = await asPartner('3', '--url', url);
  assert.equal(
    unknown.stderr,
    'The secret of partner 3 is not known here: set the file that holds it with --secret-file, because --url does not use the database.\n',
  );
  assert.equal((await asPartner('3')).stderr, 'There is no partner 3.\n');
  writeFileSync(secretFile, '\n');
  assert.match(
    (await asPartner('1', '--secret-file', secretFile)).stderr,
    /^There is no secret in .*: the file is empty\.\n$/,
  );
  assert.match((await asPartner('1', '--secret-file', join(folder, 'none'))).stderr, /^The secret can't be read from /);
  const foreign = await issue(listOf('ann'), '--campaign', campaignId, '--client', String(rival.clientId));
  assert.equal(foreign.stderr, `Partner 2 has no campaign ${campaignId}.\n`);
});

test('a dry run sends nothing', async () => {
  const campaignId = await newCampaign(url, { bonus_limit: 1 });
  const [ann = '', bob = ''] = players(2);
  const { stdout, stderr, code } = await issue(listOf(ann, bob), '--campaign', campaignId, '--dry-run');
  assert.deepEqual([code, stderr], [3, '']);
  assert.match(stdout, /\nNothing was sent\. The list would become job [0-9a-f-]{36} with 2 items in one part\.\n/);
  assert.match(
    stdout,
    new RegExp(`\\nOf the first 2 items, 1 would be refused now\\.\\nline 3, ${bob}: bonus_limit_reached\\. .*\\n$`),
  );
  await assertIssued(url, campaignId, 0);
  await fails(env, 'job', 'show', jobIdIn(stdout), '--url', url);
});

test('a start time after the end is reported before anything is sent, in a dry run too', async () => {
  const campaignId = await newCampaign(url);
  const direct = ['--bet-amount', '1.00', '--quantity', '3', '--games', games.one, '--valid-until', inDays(30)];
  const file = listOf(...players(1));
  const cases = [
    [['--campaign', campaignId], 'the end of the campaign'],
    [direct, '--valid-until'],
  ] as const;
  for (const [what, end] of cases) {
    for (const how of [['--dry-run'], []]) {
      const late = await issue(file, ...what, '--start-at', inDays(31), ...how);
      assert.deepEqual([late.code, late.stdout], [1, '']);
      assert.match(
        late.stderr,
        new RegExp(`^--start-at must be before ${end}, \\S+Z: otherwise nothing can be issued\\.\\n$`),
      );
    }
    assert.equal((await issue(file, ...what, '--start-at', inDays(29), '--dry-run')).code, 0);
  }
});

test('a dry run of a started job says that nothing would be sent; another job has other IDs', async () => {
  const direct = ['--bet-amount', '1.00', '--quantity', '3', '--games', games.one, '--valid-until', inDays(30)];
  for (const what of [['--campaign', await newCampaign(url, { bonus_limit: 2 })], direct]) {
    const file = listOf(...players(2));
    assert.equal((await issue(file, ...what, '--wait')).code, 0);
    const { stdout, code } = await issue(file, ...what, '--dry-run');
    assert.match(stdout, /\nNothing was sent or would be sent: job .* was started .*\n.* is finished: 2 issued\.\n$/);
    assert.equal(code, 0);
    const asOther = await issue(file, ...what, '--dry-run', '--job-id', randomUUID());
    assert.equal(asOther.code, what === direct ? 0 : 3, 'another job has ids of its own');
  }
});

test('a dry run tries as many as one request can hold', async () => {
  const long = Array.from({ length: 500 }, (_, i) => String(i).padStart(128, 'g'));
  const direct = ['--bet-amount', '1.00', '--quantity', '3', '--games', long.join(), '--valid-until', inDays(30)];
  const { stdout, stderr } = await issue(listOf(...players(40)), ...direct, '--dry-run', '--json');
  assert.equal(stderr, '');
  const { items, tried, refused } = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '');
  assert.deepEqual([items, tried, refused.length], [40, 15, 15], '15 items of 64 KiB and a little make a MiB');
});

test('a list that changes between its two readings is not sent completely', async () => {
  const path = listOf('ann', 'bob');
  const options = { path, format: 'csv' as const, currency: undefined, ignoresColumns: false, isDirect: false };
  const checked = await checkList(options, new AbortController().signal);
  assert.equal((await Array.fromAsync(checkedItems(options, checked))).length, 2);
  for (const content of [
    'player_id,currency\nann,EUR\ncarl,EUR\n',
    'player_id,currency\nann,EUR\n',
    'player_id,currency\nann\n',
  ]) {
    writeFileSync(path, content);
    await assert.rejects(
      Array.fromAsync(checkedItems(options, checked)),
      /changed while it was being read, so nothing was started/,
    );
  }
});
