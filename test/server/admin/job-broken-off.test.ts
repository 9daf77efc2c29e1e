import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { runCli } from '../../../packages/server/src/admin/program.ts';
import { drop, faultyServer, ok, type Received, type Reply, refusal, stall } from '../../client/faulty-server.ts';
import { accepted } from '../../support/answers.ts';
import { call } from '../../support/caller.ts';
import { testDatabase } from '../../support/database.ts';
import { folder } from '../../support/files.ts';
import { games, inDays } from '../../support/requests.ts';
import { runCommand, testServer, textTerminal } from '../../support/server.ts';
import { assertIssued, jobIdIn, listFile, listOf, newCampaign, players } from './job-lists.ts';
import { fails, succeeds } from './terminal.ts';

// Jobs that are interrupted, stopped or waiting.

const { env } = await testDatabase();
const { url } = await testServer(env);
/** Where nothing is carried out. */
const { url: idleUrl } = await testServer({ ...env, WORKER: 'off' });

const issue = (file: string, ...args: string[]) =>
  runCommand(env, 'job', 'issue', '--file', file, ...args, '--url', url);

const nevertheless = 'To issue this list again, use another --job-id.';

/** Runs a command, and ends it as soon as it has printed this. */
async function stoppedAfter(said: RegExp, ...args: string[]) {
  const { terminal, out, err, stop } = textTerminal(env);
  const write = (text: string) => {
    terminal.stdout.write(text);
    if (said.test(out())) stop();
  };
  const code = await runCli(['job', ...args], { ...terminal, stdout: { write } });
  return { code, out: out(), err: err() };
}

test('an interrupted job resumes, and refuses parts of another list', async () => {
  const campaignId = await newCampaign(url);
  const [jobId, items] = [randomUUID(), players(3).map((player_id) => ({ player_id, currency: 'EUR' }))];
  const file = listOf(...items.map(({ player_id }) => player_id));
  const args = ['--campaign', campaignId, '--job-id', jobId, '--name', 'Broken off'];
  accepted('JobCreate', await call(url, 'JobCreate', { job_id: jobId, name: 'Broken off', campaign_id: campaignId }));
  accepted('JobAdd', await call(url, 'JobAdd', { job_id: jobId, part: 1, items }));

  const another = await issue(listOf(...players(3)), ...args);
  assert.equal(another.code, 1);
  assert.equal(
    another.stderr,
    `Job ${jobId} exists with another list, name or start time: use the original ones, or another --job-id.\n`,
  );
  const renamed = await issue(file, ...args.slice(0, -1), 'Renamed');
  assert.equal(renamed.stderr, another.stderr);

  assert.equal((await issue(file, ...args, '--wait')).code, 0);
  await assertIssued(url, campaignId, 3);
  const longer = await issue(listOf(...players(4)), ...args);
  assert.equal(longer.stderr, `Job ${jobId} exists with another list: use another --job-id.\n`);
});

test('a started job refuses another list with its ID and name, and does not claim to send the same one', async () => {
  const own = ['--campaign', await newCampaign(url), '--job-id', randomUUID(), '--name', 'Own', '--wait'];
  const [, campaignId = '', , jobId] = own;
  const [file, ids] = [listOf(...players(3)), players(3).map((player) => `${player},EUR,${randomUUID()}`)];
  assert.equal((await issue(file, ...own)).code, 0);
  const again = await issue(file, ...own);
  assert.deepEqual([again.code, again.stderr], [0, '']);
  assert.match(
    again.stdout,
    /\nJob .* was started before with the same number of players, so nothing was sent\. To issue/,
  );
  const refused = `Job ${jobId} exists with another list: use another --job-id.\n`;
  const withIds = listFile(`player_id,currency,issue_id\n${ids.join('\n')}\n`);
  for (const other of [listOf(...players(3)), listOf(...players(2)), withIds]) {
    const { code, stderr, stdout } = await issue(other, ...own);
    assert.deepEqual([code, stderr], [1, refused]);
    assert.equal((await issue(other, ...own, '--dry-run')).code, 1);
    assert.doesNotMatch(stdout, /before|issued/);
  }
  await assertIssued(url, campaignId, 3);
  // One that the job has refused, since another free bet has its id, is no sign of another list.
  const taken = listFile(`player_id,currency,issue_id\nwho-else,EUR,${ids[0]?.split(',').at(-1)}\nplain,EUR,\n`);
  assert.equal((await issue(withIds, '--campaign', campaignId, '--wait')).code, 0);
  const mixed = ['--campaign', campaignId, '--job-id', randomUUID(), '--name', 'Mixed', '--wait'];
  for (const run of [1, 2]) assert.equal((await issue(taken, ...mixed)).code, 3, `run ${run}`);
  const terms = ['--bet-amount', '1.00', '--quantity', '3', '--games', games.one, '--valid-until', inDays(30)];
  const direct = [...terms, '--job-id', randomUUID(), '--name', 'Own', '--wait'];
  const codes: unknown[] = [];
  for (const list of [file, file, listOf(...players(3))]) codes.push((await issue(list, ...direct)).code);
  assert.deepEqual(codes, [0, 0, 1]);
});

test('a signal while sending reports what is known, and the same command resumes', async () => {
  const campaignId = await newCampaign(url);
  const args = ['--file', listOf(...players(3)), '--campaign', campaignId, '--url', url];
  const before = await stoppedAfter(/all lines are valid/, 'issue', ...args);
  const { code, err, out } = await stoppedAfter(/Sent 3 of 3/, 'issue', ...args);
  const jobId = jobIdIn(out);
  const mayBe = (when: string) =>
    `Stopped. The job may have been started${when}: check it with "freebets job show ${jobId}". To continue, run the same command again.\n`;
  assert.deepEqual([before.code, before.err], [1, mayBe(' before')], 'nothing was heard of it yet');
  assert.deepEqual([code, err], [1, mayBe('')]);
  const job = accepted('JobGet', await call(url, 'JobGet', { job_id: jobId }));
  assert.deepEqual([job.status, job.parts, job.items], ['open', 1, 3]);
  assert.match(
    await succeeds(env, 'job', 'show', jobId, '--url', url),
    /is open: 3 items were added, but it was not started\./,
  );
  assert.equal((await runCommand(env, 'job', 'issue', ...args, '--wait')).code, 0);
  await assertIssued(url, campaignId, 3);
  assert.equal((await stoppedAfter(/all lines are valid/, 'issue', ...args)).err, mayBe(' before'));
});

const unavailable = refusal({ error: 'internal_error' }, { 'retry-after': '600' });

const job = { job_id: randomUUID(), name: 'A job', status: 'open' };

/** A server that has an open job and takes one part of it; what comes then is answered as is said. */
const openJobServer = (...replies: Reply[]) => {
  const campaign = { campaign_id: 'x', name: 'A campaign', status: 'active' };
  return faultyServer(ok(campaign), ok(job), ok(job), ok({ ...job, part: 1 }), ...replies);
};

test('a signal in the middle of the list does not deny what the same command elsewhere has issued', async () => {
  const passedOn: Reply = async (response) => {
    const { path, headers, body } = received.at(-1) as Received;
    const answer = await fetch(`${url}${path}`, { method: 'POST', headers: headers as Record<string, string>, body });
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
  };
  // One of the two parts does not arrive.
  const { url: slow, received } = await faultyServer(passedOn, passedOn, passedOn, passedOn, stall);
  const campaignId = await newCampaign(url);
  const [file, ...args] = [listOf(...players(5001)), '--campaign', campaignId];
  const { terminal, out, err, stop } = textTerminal(env);
  const write = async (text: string) => {
    terminal.stdout.write(text);
    if (!text.startsWith('Sending the list')) return;
    await issue(file, ...args, '--wait');
    stop();
  };
  const code = await runCli(['job', 'issue', '--file', file, ...args, '--url', slow], {
    ...terminal,
    stdout: { write },
  });
  await assertIssued(url, campaignId, 5001);
  const see = `check it with "freebets job show ${jobIdIn(out())}"`;
  assert.deepEqual(
    [code, err()],
    [
      1,
      `Stopped before the whole list was sent. Nothing is issued, unless another process has started the job: ${see}. To continue, run the same command again.\n`,
    ],
  );
});

test('a server that fails while sending is reported, with what to do', async () => {
  const issueAt = async (...replies: Reply[]) => {
    const { url: failing } = await openJobServer(...replies);
    return runCommand(env, 'job', 'issue', '--file', listOf('ann'), '--campaign', 'x', '--url', failing);
  };
  const mayBeStarted =
    /\nSent 1 of 1\.\nInterrupted\. The job may have been started: check it with "freebets job show [\w-]{36}"\. To continue, run the same command again\.\n$/;
  const { code, stdout, stderr } = await issueAt(unavailable);
  assert.deepEqual([code, stderr], [1, 'Something went wrong on our side.\n']);
  assert.match(stdout, mayBeStarted);
  const refused = await issueAt(drop, refusal({ error: 'campaign_stopped' }));
  assert.deepEqual([refused.code, refused.stderr], [1, 'The campaign was stopped.\n']);
  assert.match(refused.stdout, mayBeStarted, 'what was refused is the second attempt');
  const onlyRefused = await issueAt(refusal({ error: 'campaign_stopped' }));
  assert.match(onlyRefused.stdout, /\nSent 1 of 1\.\n$/);
});

test("a stop is reported and a file stays unchanged, even if the job can't be read afterwards", async () => {
  const jobId = randomUUID();
  const { url: failing } = await faultyServer(ok({}), unavailable);
  assert.equal(
    await fails(env, 'job', 'stop', jobId, '--url', failing),
    `Job ${jobId} was stopped or had already finished, so it issues nothing more. Its result could not be read: see "freebets job show ${jobId}".`,
  );
  const file = listFile('what was refused before\n');
  const { url: lost, received } = await faultyServer(ok(job), unavailable);
  const said = await fails(env, 'job', 'refusals', jobId, '--url', lost, '--file', file);
  assert.equal(said, 'Something went wrong on our side.');
  assert.equal(received.length, 2);
  assert.equal(readFileSync(file, 'utf8'), 'what was refused before\n');
});

test('a signal while waiting leaves the job unchanged', async () => {
  const args = ['--file', listOf(...players(3)), '--campaign', await newCampaign(url), '--start-at', inDays(1)];
  const { code, err, out } = await stoppedAfter(/The job begins at /, 'issue', ...args, '--url', url, '--wait');
  const jobId = jobIdIn(out);
  assert.deepEqual(
    [code, err],
    [
      1,
      `The job continues on the server: check it with "freebets job show ${jobId}", or end it with "freebets job stop ${jobId}".\n`,
    ],
  );
  assert.match(await succeeds(env, 'job', 'show', jobId, '--url', url), /with 3 items begins at /);
  assert.match(
    await succeeds(env, 'job', 'stop', jobId, '--url', url),
    /was stopped: 0 issued, 3 never processed\.\n$/,
  );
  const again = await issue(args[1] ?? '', ...args.slice(2), '--wait');
  assert.match(again.stderr, /^Job .* was stopped: 0 issued, 3 never processed\.\n$/);
  assert.equal(again.code, 1);
});

test('a signal while no process reads the refusals reports the state of the job', async () => {
  const pipe = join(folder, 'refused.fifo');
  execFileSync('mkfifo', [pipe]);
  const args = ['--file', listOf(...players(3)), '--campaign', await newCampaign(url), '--refusals', pipe];
  const { code, err, out } = await stoppedAfter(/Done 3 of 3/, 'issue', ...args, '--url', url);
  const sentence = `Job ${jobIdIn(out)} is finished: 3 issued.`;
  assert.deepEqual([code, err], [1, `Stopped before ${pipe} was written. ${sentence}\n`]);
});

test('a job that is stopped while sending or waiting is a failure', async () => {
  const [campaign_id, job_id] = [await newCampaign(url), randomUUID()];
  accepted('JobCreate', await call(url, 'JobCreate', { job_id, name: 'Stopped', campaign_id }));
  await call(url, 'JobStop', { job_id });
  const stopped = await issue(listOf('ann'), '--campaign', campaign_id, '--job-id', job_id, '--name', 'Stopped');
  assert.equal(stopped.stderr, `Job ${job_id} was stopped: 0 issued, 0 never processed.\n`);
  assert.equal(stopped.code, 1);

  const args = ['--file', listOf(...players(3)), '--campaign', await newCampaign(url), '--url', idleUrl, '--wait'];
  const { terminal, out, err } = textTerminal(env);
  const write = async (text: string) => {
    terminal.stdout.write(text);
    if (text.startsWith('The job begins')) await call(url, 'JobStop', { job_id: jobIdIn(out()) });
  };
  const code = await runCli(['job', 'issue', ...args, '--start-at', inDays(1)], { ...terminal, stdout: { write } });
  assert.equal(code, 1);
  assert.match(err(), /^Job .* was stopped: 0 issued, 3 never processed\.\n$/);
});

test('a job waits while its campaign is paused, and dry runs and commands say so', async () => {
  const campaignId = await newCampaign(url);
  const file = listOf(...players(3));
  const args = ['--campaign', campaignId];
  accepted('CampaignPause', await call(url, 'CampaignPause', { campaign_id: campaignId }));
  const dry = await issue(file, ...args, '--dry-run');
  assert.deepEqual([dry.code, dry.stderr], [0, '']);
  assert.match(
    dry.stdout,
    / with 3 items in one part\.\nThe campaign is paused: the job would wait until the campaign resumes, and might then refuse other items\.\n$/,
  );
  const sent = await issue(file, ...args);
  assert.deepEqual([sent.code, sent.stderr], [0, '']);
  assert.match(sent.stdout, /\nCampaign .* is paused: the remaining items wait until it resumes\.\nSending /);
  const jobId = jobIdIn(sent.stdout);
  const waits = `Job ${jobId} is running: 0 issued, 3 left. The job waits, because its campaign is paused.\n`;
  assert.ok((await succeeds(env, 'job', 'show', jobId, '--url', url)).includes(waits));
  assert.ok((await issue(file, ...args, '--dry-run')).stdout.endsWith(`was started before. ${nevertheless}\n${waits}`));
  const listed = await succeeds(env, 'job', 'list', '--url', url);
  assert.match(listed, new RegExp(`^${jobId} .* running \\(campaign paused\\) .* 3 +0 +0 +3$`, 'm'));
  accepted('CampaignResume', await call(url, 'CampaignResume', { campaign_id: campaignId }));
  assert.equal((await issue(file, ...args, '--wait')).code, 0);
  await assertIssued(url, campaignId, 3);
});

test('a dry run fails where the command would: for a stopped or a different job', async () => {
  const campaignId = await newCampaign(url);
  const [file, jobId] = [listOf(...players(2)), randomUUID()];
  const args = ['--campaign', campaignId, '--job-id', jobId, '--name', 'Stopped'];
  const at = ['--start-at', inDays(1)];
  assert.equal((await issue(file, ...args, ...at)).code, 0);
  const failure = async (list: string, ...options: string[]) => {
    const { code, stderr } = await issue(list, ...options, '--dry-run');
    assert.equal(code, 1);
    assert.equal((await issue(list, ...options)).code, 1, 'so does the command');
    return stderr;
  };
  const other = `Nothing would be sent: job ${jobId} exists with another list, name or start time. Use the original ones, or another --job-id.\n`;
  assert.equal(await failure(file, ...args), other, 'another time to start');
  assert.equal(await failure(file, ...args.slice(0, -1), 'Renamed', ...at), other);
  assert.equal(await failure(listOf(...players(3)), ...args, ...at), other);
  const dry = await issue(file, ...args, ...at, '--dry-run');
  assert.deepEqual([dry.code, dry.stderr], [0, '']);
  assert.match(dry.stdout, / with 2 items begins at .*\.\n$/);
  await succeeds(env, 'job', 'stop', jobId, '--url', url);
  assert.equal(
    await failure(file, ...args, ...at),
    `Nothing would be sent. Job ${jobId} was stopped: 0 issued, 2 never processed. ${nevertheless}\n`,
  );
});
