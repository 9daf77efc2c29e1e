import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { test } from 'node:test';
import { migrations, readSchema } from '../../packages/server/src/ops/schema/migrations.ts';
import { accepted } from '../support/answers.ts';
import { call, demo, type Partner, rival } from '../support/caller.ts';
import { testDatabase } from '../support/database.ts';
import { readFeed } from '../support/feed.ts';
import { assertCountsHold } from '../support/invariants.ts';
import { assertEveryItemOnce, assertToldOnce, jobOver, startJob } from '../support/jobs.ts';
import { assertAcknowledgedAreThere, inParallel, issuesFor, type Load, startLoad } from '../support/load.ts';
import { callAs, lantern } from '../support/provider.ts';
import { campaign, games, job, jobItems } from '../support/requests.ts';
import { assertRoundsHold } from '../support/round-invariants.ts';
import { type Ran, runCommand, serverProcess, spawnProgram } from '../support/server.ts';
import { until } from '../support/waiting.ts';

// Servers of an earlier version together with new ones, on one database that is migrated under load, as
// docs/operate/upgrade.md describes for migrations
// that are compatible. The earlier version is a checkout with its dependencies, which FREEBETS_VERSION_BEFORE names.

const before = process.env.FREEBETS_VERSION_BEFORE;
const old = join(before ?? '', 'packages/server/bin/freebets.js');
const skip = before === undefined && 'FREEBETS_VERSION_BEFORE names no checkout of an earlier version';

const [limit, players] = [600, 250];

const succeeded = (ran: Promise<Ran>) => ran.then(({ code, stdout, stderr }) => assert.equal(code, 0, stdout + stderr));

/** Issued, or refused because the campaign or the player has all there is. */
const refusedOtherwise = ({ sent }: Load) =>
  sent
    .filter(({ answer }) => answer?.status !== 200 && ![635, 636].includes(answer?.body?.code))
    .map(({ answer }) => answer?.text ?? 'no answer');

async function newCampaign(url: string, changes: object = {}): Promise<string> {
  const campaign_id = randomUUID();
  accepted('CampaignCreate', await call(url, 'CampaignCreate', campaign({ campaign_id, ...changes })));
  return campaign_id;
}

/** Free bets issued at one server are used at another, and settled at the first. */
async function playAcross([first = '', second = '']: string[], campaignId: string): Promise<void> {
  await inParallel(Array.from({ length: 20 }).keys(), 4, async (i) => {
    const issue_id = randomUUID();
    const player_id = `across-${i}`;
    const issue = { issue_id, campaign_id: campaignId, player_id, currency: 'EUR' };
    accepted('Issue', await call(first, 'Issue', issue));
    const bet = { bet_id: randomUUID(), issue_id, player_id, game_id: games.one };
    accepted('RoundsBet', await callAs(lantern, second, 'RoundsBet', bet));
    const { bet_id } = bet;
    accepted(
      'RoundsSettle',
      await callAs(lantern, first, 'RoundsSettle', { bet_id, result: 'won', coefficient: '2.5' }),
    );
    if (i % 4 === 0)
      accepted('RoundsRollback', await callAs(lantern, second, 'RoundsRollback', { bet_id: randomUUID() }));
    assert.equal(accepted('Issue', await call(second, 'Issue', issue)).issue_id, issue_id, 'the same again');
  });
}

const secretOf = (stdout: string): Partner => {
  const { client_id, secret } = JSON.parse(stdout);
  return { clientId: client_id, secret };
};

test('the earlier version works together with this one, and either may stop', { skip, timeout: 500_000 }, async (t) => {
  const { env, sql } = await testDatabase('empty');
  await succeeded(spawnProgram(old, env, 'migrate'));
  await succeeded(spawnProgram(old, env, 'demo'));
  const { state, names } = await readSchema(sql);
  assert.equal(state, 'older', 'it lacks some of the migrations');
  const pending = migrations.filter(({ name }) => names.includes(name));
  assert.deepEqual(
    pending.filter((each) => !each.sql.startsWith('-- compatible')),
    [],
    'it is before one that is not compatible',
  );

  const [a, b] = [await serverProcess(env, old), await serverProcess(env, old)];
  const hot = await newCampaign(a.url, { config: { bonus_limit: limit, bonus_limit_per_user: 3 } });
  const open = await newCampaign(b.url);
  const urls = [a.url, b.url];
  const loads = [
    startLoad(a.url, issuesFor(hot, players), 4, demo, 150),
    startLoad(b.url, issuesFor(open, players), 4, demo, 20),
  ];
  const ofHot = () => [loads[0], loads[2]].reduce((sum, load) => sum + (load?.acknowledged() ?? 0), 0);
  const list = job(open);
  const parts = [0, 1, 2].map((part) => jobItems(100, `of-job-${part}`));
  await until('acknowledged issues', 60_000, () => loads.every((load) => load.acknowledged() >= 30));

  const migrated = await runCommand(env, 'migrate', '--json');
  assert.deepEqual(JSON.parse(migrated.stdout).ran, names, migrated.stderr);
  await startJob(a.url, list, parts);
  const c = await serverProcess(env);
  urls.push(c.url);
  loads.push(
    startLoad(c.url, issuesFor(hot, players), 4, demo, 20),
    startLoad(c.url, issuesFor(open, players), 4, demo, 20),
  );
  await playAcross([a.url, c.url], open);
  await playAcross([c.url, b.url], open);

  // Servers of both versions see the changes of commands of both.
  const made = [
    secretOf(
      (await spawnProgram(old, env, 'client', 'create', '--name', 'By the old', '--offer', 'all', '--json')).stdout,
    ),
    secretOf((await runCommand(env, 'client', 'create', '--name', 'By the new', '--offer', 'all', '--json')).stdout),
  ];
  for (const partner of made) {
    for (const url of urls) {
      await until('it is known', 10_000, async () => (await call(url, 'CampaignList', {}, partner)).status === 200);
    }
  }
  await succeeded(runCommand(env, 'client', 'disable', String(rival.clientId)));
  await until('it is refused', 10_000, async () => (await call(a.url, 'CampaignList', {}, rival)).status === 403);
  await succeeded(spawnProgram(old, env, 'client', 'enable', String(rival.clientId)));
  await until('it is taken', 10_000, async () => (await call(c.url, 'CampaignList', {}, rival)).status === 200);

  // Each sees all that happened, in one order.
  for (const url of urls) assert.ok((await readFeed(url)).length > 0);
  // One of the old goes and comes back, as it would where an upgrade is taken back.
  await loads[1]?.stop();
  assert.equal(await b.end('SIGTERM'), 0);
  const again = await serverProcess(env, old);
  await playAcross([again.url, c.url], open);
  urls.splice(1, 1, again.url);

  await until('the limit is reached', 120_000, () => ofHot() >= limit);
  await jobOver(c.url, list, 60_000);
  await Promise.all(loads.map((load) => load.stop()));
  for (const load of loads) assert.deepEqual(refusedOtherwise(load), []);
  for (const server of [a, again]) assert.equal(await server.end('SIGTERM'), 0);
  for (const load of loads) await assertAcknowledgedAreThere(c.url, load);
  assert.equal(ofHot(), limit);
  await assertEveryItemOnce(sql, c.url, list, parts);
  await assertToldOnce(sql, c.url, list);
  await assertCountsHold(sql);
  await assertRoundsHold(sql);
  await until('the activity agrees', 60_000, async () => (await runCommand(env, 'report', 'verify')).code === 0);
  t.diagnostic(
    `${names.length} migrations; ${loads.map((load) => load.acknowledged()).join(', ')} issues acknowledged`,
  );
});
