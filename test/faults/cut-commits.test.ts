import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call } from '../support/caller.ts';
import { testDatabase } from '../support/database.ts';
import { type AtCommit, databaseProxy } from '../support/database-proxy.ts';
import { assertCountsHold } from '../support/invariants.ts';
import { assertAcknowledgedAreThere, inParallel, issuedAmong, issuesFor, startLoad } from '../support/load.ts';
import { campaign } from '../support/requests.ts';
import { testServer } from '../support/server.ts';
import { until } from '../support/waiting.ts';

// The connection breaks at the worst moment: the COMMIT is on its way. Cut just before the database sees it, nothing has
// happened; cut just after, everything has, and only the answer is lost. The server cannot tell the two apart, so it
// answers 503, and the ids of the caller make the retry safe.

const players = 300;
const limitPerPlayer = 4;

const { env, sql } = await testDatabase();
const proxy = await databaseProxy(env);
const { url } = await testServer(proxy.env);

const everyThird = (fate: AtCommit): (() => AtCommit) => {
  let commits = 0;
  return () => (++commits % 3 === 0 ? fate : 'pass');
};

for (const fate of ['cut before', 'cut after'] as const) {
  test(`connections ${fate} their COMMIT lose nothing acknowledged, and can be retried`, async (t) => {
    const campaignId = fate.replace(' ', '-');
    const config = { bonus_limit: players * limitPerPlayer, bonus_limit_per_user: limitPerPlayer };
    const created = await call(url, 'CampaignCreate', campaign({ campaign_id: campaignId, config }));
    assert.equal(created.status, 200, created.text);

    let cuts = 0;
    const decide = everyThird(fate);
    proxy.atCommit = () => {
      const decided = decide();
      if (decided !== 'pass') cuts += 1;
      return decided;
    };
    const load = startLoad(url, issuesFor(campaignId, players), 32);
    await until('connections cut', 30_000, () => cuts >= 8 && load.acknowledged() > 100);
    proxy.atCommit = () => 'pass';
    await load.stop();

    for (const { answer } of load.sent) {
      assert.ok(answer !== undefined, 'the server itself closes no connection');
      assert.ok(answer.status === 200 || answer.status === 503 || answer.body.code === 636, answer.text);
      if (answer.status === 503) assert.match(String(answer.headers['retry-after']), /^[1-9]\d*$/);
    }
    await assertAcknowledgedAreThere(url, load);
    await assertCountsHold(sql);

    const unsure = load.sent.filter(({ answer }) => answer?.status === 503).map(({ issue }) => issue);
    const happened = await issuedAmong(
      sql,
      unsure.map(({ issue_id }) => issue_id),
    );
    t.diagnostic(
      `${cuts} cuts: ${load.acknowledged()} acknowledged, ${unsure.length} not, ${happened.size} had happened`,
    );
    assert.ok(unsure.length > 0);
    if (fate === 'cut before') assert.equal(happened.size, 0);
    else assert.ok(happened.size > 0, 'the database had seen some of the commits');
    await inParallel(unsure, 16, async (issue) => {
      const again = await call(url, 'Issue', issue);
      const expected = happened.has(issue.issue_id) ? [200] : [200, 409];
      assert.ok(expected.includes(again.status), again.text);
      if (again.status === 409) assert.equal(again.body.code, 636);
    });
    await assertCountsHold(sql);
  });
}
