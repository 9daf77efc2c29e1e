import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runCli } from '../../../packages/server/src/admin/program.ts';
import { ownerOf, sealSecret } from '../../../packages/server/src/primitives/sealing.ts';
import { faultyServer, page } from '../../client/faulty-server.ts';
import { accepted } from '../../support/answers.ts';
import { call, demo, rival } from '../../support/caller.ts';
import { later } from '../../support/clock.ts';
import { testDatabase } from '../../support/database.ts';
import { refusingUrl } from '../../support/receiver.ts';
import { testServer, textTerminal } from '../../support/server.ts';
import { stopwatch, until } from '../../support/waiting.ts';
import { startCommand } from './running.ts';
import { fails, succeeds } from './terminal.ts';

const { env, sql } = await testDatabase();
const { url } = await testServer(env);

const acts = ['campaign', 'issued', 'bet', 'won', 'lost', 'rolled_back', 'cancelled'];

/** Runs it until the test stops it, and returns its output. */
async function simulateUntil(isEnough: (out: string) => boolean, ...args: string[]): Promise<string> {
  const { terminal, out, err, stop } = textTerminal(env);
  const ended = runCli(['simulate', '--url', url, ...args], terminal);
  await until('enough has happened', 60_000, () => isEnough(out()));
  stop();
  assert.equal(await ended, 0, err());
  assert.equal(err(), '');
  return out();
}

test('simulate makes campaigns, free bets, rounds and cancellations for both partners', async () => {
  const hasAll = (out: string) => acts.every((did) => out.includes(`"did":"${did}"`));
  const printed = await simulateUntil(hasAll, '--rate', '400', '--players', '20', '--json');
  const lines = printed
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const summary = lines.pop();
  const count = (did: string) => lines.filter((line) => line.did === did).length;
  assert.deepEqual(summary, {
    seconds: summary.seconds,
    acts: lines.length - count('refused'),
    refused: count('refused'),
    campaigns: count('campaign'),
    issued: count('issued'),
    bets: count('bet'),
    won: count('won'),
    lost: count('lost'),
    rolled_back: count('rolled_back'),
    cancelled: count('cancelled'),
  });
  assert.equal(count('bet'), count('won') + count('lost') + count('rolled_back'), 'every round has ended');
  assert.ok(count('refused') < lines.length / 20, `${count('refused')} of ${lines.length} were refused`);
  assert.deepEqual(new Set(lines.map(({ client_id }) => client_id).filter(Boolean)), new Set([1, 2]));
  const players = new Set(lines.map(({ player_id }) => player_id).filter(Boolean));
  assert.ok(players.size > 5 && players.size <= 20, `${players.size} players`);

  const { rows } = await sql.query(
    `SELECT (SELECT count(*) FROM free_bets)::int AS issued, (SELECT count(*) FROM bets WHERE state = 'won')::int AS won,
       (SELECT count(*) FROM bets WHERE state = 'lost')::int AS lost,
       (SELECT count(*) FROM bets WHERE state = 'rolled_back')::int AS rolled_back, (SELECT count(*) FROM campaigns)::int AS campaigns`,
  );
  const { issued, won, lost, rolled_back, campaigns } = summary;
  assert.deepEqual(rows[0], { issued, won, lost, rolled_back, campaigns }, 'what it says is what there is');
});

test('simulate prints one line per act and a summary', async () => {
  const printed = await simulateUntil((out) => /wins/.test(out) && /loses/.test(out), '--rate', '400');
  const [head, empty, ...lines] = printed.trimEnd().split('\n');
  assert.equal(head, `200 players of partner 1 and 2 at ${url}. Press Ctrl-C to stop.`);
  assert.equal(empty, '');
  const summary = lines.pop() ?? '';
  assert.match(
    summary,
    /^\d+ acts in \d+ s: \d+ campaigns, \d+ free bets, \d+ cancelled; \d+ bets, \d+ won, \d+ lost, \d+ rolled back\. Refused: \d+\.$/,
  );
  assert.equal(lines.pop(), '');
  const forms = [
    /^partner [12] {16}starts the campaign [A-Z][a-z ]+$/,
    /^partner [12] {2}[a-z]+-\d+ +gets [1-5] × \d\.\d\d [A-Z]{3} for [\w -]+$/,
    /^partner [12] {2}[a-z]+-\d+ +bets \d\.\d\d [A-Z]{3} in [a-z-]+$/,
    /^partner [12] {2}[a-z]+-\d+ +wins \d+\.\d\d [A-Z]{3} at \d+\.\d\d$/,
    /^partner [12] {2}[a-z]+-\d+ +loses \d\.\d\d [A-Z]{3}$/,
    /^partner [12] {2}[a-z]+-\d+ +gets \d\.\d\d [A-Z]{3} back: the round was rolled back$/,
    /^partner [12] {2}[a-z]+-\d+ +loses [1-5] × \d\.\d\d [A-Z]{3}: the free bet was cancelled$/,
    /^refused: .+\.$/,
  ];
  for (const line of lines) {
    const [, what = ''] = /^\d\d:\d\d:\d\d {2}(.*)$/.exec(line) ?? [];
    assert.ok(
      forms.some((form) => form.test(what)),
      line,
    );
  }
});

test('simulate continues while sandbox clocks are set forward, and without sandbox clocks', async () => {
  const { env, sql } = await testDatabase();
  const { url } = await testServer(env);
  const forward = { now: later(new Date().toISOString(), 600 * 24 * 3_600_000) };
  accepted('SandboxClockSet', await call(url, 'SandboxClockSet', forward, demo));
  await sql.query('DELETE FROM sandbox_clocks WHERE client_id = $1', [rival.clientId]);
  const printed = await succeeds(env, 'simulate', '--url', url, '--rate', '200', '--minutes', '0.03', '--json');
  const { campaigns, issued, refused } = JSON.parse(printed.trim().split('\n').at(-1) ?? '');
  assert.ok(campaigns > 0 && issued > 0, printed);
  assert.equal(refused, 0, printed);
});

test('simulate keeps its rate and ends after --minutes', async () => {
  const [began, countedMs] = [performance.now(), stopwatch()];
  const printed = await succeeds(env, 'simulate', '--url', url, '--rate', '5', '--minutes', '0.05', '--json');
  assert.ok(performance.now() - began >= 3000 && countedMs() < 15_000, `${countedMs()} ms`);
  const { acts, bets } = JSON.parse(printed.trim().split('\n').at(-1) ?? '');
  assert.ok(acts - bets < 60, `${acts} acts in three seconds, at five a second`);
});

test('a signal ends simulate during a pause, with its summary', async () => {
  const running = startCommand(env, 'simulate', '--url', url, '--rate', '0.1');
  await running.line(/starts the campaign/);
  const tookMs = stopwatch();
  assert.equal(await running.end('SIGINT'), 0);
  assert.ok(tookMs() < 5000, `${tookMs()} ms`);
  assert.match(running.out(), /\n\d+ acts in \d+ s: /);
  assert.equal(running.err(), '');
});

test('invalid options are refused in one sentence', async () => {
  const refusals: [string[], RegExp][] = [
    [['--players', '0'], /^--players must be a whole number from 1 to 100000\.$/],
    [['--players', '1.5'], /^--players must be a whole number/],
    [['--rate', '0'], /^--rate must be a number above 0 and at most 1000\.$/],
    [['--rate', 'fast'], /^--rate must be a number/],
    [['--minutes', '1e3'], /^--minutes must be a number above 0 and at most 100000\.$/],
    [['--url', 'nowhere'], /^nowhere is not a URL/],
    [['--url', refusingUrl], /^No server responds at .*: start one with "npm start", or set its URL with --url\.$/],
    [['--url', (await faultyServer(page(404))).url], /is not Freebets: set the right URL with --url\.$/],
  ];
  for (const [args, form] of refusals) assert.match(await fails(env, 'simulate', '--url', url, ...args), form);
});

test('simulate runs without the second partner, and reports a missing first one', async () => {
  const { env, sql } = await testDatabase();
  const sealed = (clientId: number) =>
    sealSecret([Buffer.from(env.SECRETS_KEY ?? '', 'base64')], ownerOf('partner', clientId), 'a-real-secret');
  const replace = (clientId: number) =>
    sql.query('UPDATE partners SET secret = $2 WHERE client_id = $1', [clientId, sealed(clientId)]);
  await replace(rival.clientId);
  const first = await testServer(env);
  const printed = await succeeds(env, 'simulate', '--url', first.url, '--rate', '100', '--minutes', '0.01');
  assert.match(printed, /^200 players of partner 1 at .* It ends after 0\.01 min, or with Ctrl-C\.$/m);
  assert.doesNotMatch(printed, /partner 2/);
  assert.deepEqual(
    accepted('CampaignList', await call(first.url, 'CampaignList', {}, demo)).campaigns.length > 0,
    true,
  );
  await sql.query('DELETE FROM offers');
  const second = await testServer(env);
  assert.equal(
    await fails(env, 'simulate', '--url', second.url),
    'The demo partners are not offered any demo game: simulate works on the demo data only.',
  );
  await replace(demo.clientId);
  const third = await testServer(env);
  assert.equal(
    await fails(env, 'simulate', '--url', third.url),
    `The server at ${third.url} does not accept the public secrets of the demo: simulate works on the demo data only. Other possible causes: the networks of the partner do not include this machine (FROM in "freebets client list"), or the clock of this machine is wrong by more than five minutes.`,
  );
});
