import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { groupsByNode, type NodePools, oneNodeAtATime } from '../../../packages/server/src/engine/connection.ts';
import { findEventsAfter } from '../../../packages/server/src/events/feed/sql/events.ts';
import { readConfig } from '../../../packages/server/src/ops/config.ts';
import { openPools } from '../../../packages/server/src/ops/pools.ts';
import type { Command } from '../../../packages/server/src/promo/batch/command.ts';
import { cacheCampaignDefinitions } from '../../../packages/server/src/promo/campaigns/sql/definitions.ts';
import { testDatabase } from '../../support/database.ts';
import { longIssues, terms } from '../../support/plain-commands.ts';
import { openPlainLanes } from '../../support/plain-lanes.ts';
import { until } from '../../support/waiting.ts';

// What a server does where partners are on several nodes, which here are one: the statements are the same.

const { env, sql } = await testDatabase();
const config = readConfig(env);
const connection = { connectionString: config.DATABASE_URL };
/** Three nodes, each with connections of its own, that all lead to one. */
const opened = [0, 1, 2].map(() => openPools(config, connection));
after(() => Promise.all(opened.flatMap((pools) => Object.values(pools).map((pool) => pool.end()))));

const nodeOf = (clientId: number) => clientId % 3;
const pools: NodePools = {
  nodes: () => ({
    of: nodeOf,
    addressOf: () => undefined,
    dueKeys: new Map([0, 1, 2].map((node) => [node, [0]])),
  }),
  usual: sql,
  of: (node) => (opened[node] as (typeof opened)[number]).lanes,
  isUnresponsive: () => false,
};

const partners = [101, 102, 103, 104, 105, 106, 107];
const contentHash = '0'.repeat(32);
const campaign: Command = {
  kind: 'create_campaign',
  campaignId: 'c',
  terms,
  betAmounts: new Map([['EUR', 100]]),
  bonusLimit: 20,
  bonusLimitPerUser: 9,
  contentHash,
};
const issue = (playerId: string): Command => ({
  ...{ kind: 'issue_by_campaign', issueId: randomUUID(), campaignId: 'c', playerId, currency: 'EUR', contentHash },
});

const lanesOn = (pools: NodePools) => openPlainLanes({ pools, settings: { batchSize: 10, transactions: 3 } });

test('partners are asked about by node, and each node in its turn', () => {
  const shown = [...groupsByNode(pools, partners, 2)].map(({ node, clientIds }) => [node, clientIds]);
  assert.deepEqual(shown, [
    [2, [101, 104]],
    [2, [107]],
    [0, [102, 105]],
    [1, [103, 106]],
  ]);
  assert.ok(groupsByNode(pools, partners).every(({ pool, node }) => pool === pools.of(node)));
  const next = oneNodeAtATime(pools);
  const turns = [1, 2, 3, 4].map(() => [...next(partners)].flatMap(({ clientIds }) => clientIds));
  assert.deepEqual(turns, [
    [102, 105],
    [103, 106],
    [101, 104, 107],
    [102, 105],
  ]);
});

test('batches go to the node of their partners, keep the limit, and number the events without a gap', async () => {
  const used = new Set<string>();
  const watched: NodePools = {
    ...pools,
    of(node) {
      used.add(String(node));
      return pools.of(node);
    },
  };
  const lanes = lanesOn(watched);
  await Promise.all(partners.map((clientId) => lanes.submit(clientId, [campaign])));
  const outcomes = await Promise.all(
    partners.flatMap((clientId) =>
      Array.from({ length: 25 }, (_, i) => lanes.submit(clientId, [issue(`p${i % 5}`)]).then(([one]) => one?.ok)),
    ),
  );
  // Their events are too long for one row.
  const [first = 0] = partners;
  assert.ok((await lanes.submit(first, longIssues(8))).every(({ ok }) => ok));
  await lanes.drain();
  assert.equal(outcomes.filter(Boolean).length, 20 * partners.length);
  assert.deepEqual([...used].toSorted(), ['0', '1', '2']);
  for (const clientId of partners) {
    const { events } = await findEventsAfter(pools.of(0), cacheCampaignDefinitions(1000), clientId, 0, 100);
    assert.deepEqual(
      events.map(({ sequence }) => sequence),
      Array.from({ length: events.length }, (_, i) => i + 1),
    );
    const issued = events.filter(({ emitted }) => emitted.type === 'freebet.issued').length;
    assert.equal(issued, clientId === first ? 28 : 20);
    const { rows } = await sql.query('SELECT last_sequence FROM event_heads WHERE client_id = $1', [clientId]);
    assert.equal(Number(rows[0].last_sequence), events.length);
  }
  const { rows } = await sql.query('SELECT FROM event_batches WHERE client_id = $1 AND last_sequence > $2', [
    first,
    22,
  ]);
  assert.ok(rows.length > 1, 'in several rows');
});

test('while one node hangs, the commands of partners on the others are carried out', async () => {
  const lanes = lanesOn(pools);
  const hanging = pools.of(1);
  const held = await Promise.all(Array.from({ length: hanging.options.max }, () => hanging.connect()));
  const submit = (clientId: number, command: Command) => lanes.submit(clientId, [command]);
  const there = [202, 205, 208, 211].map((clientId) => submit(clientId, campaign));
  try {
    await until('they wait for it', 5000, () => hanging.waitingCount === 2);
    there.push(submit(202, issue('p')));
    const [elsewhere] = await submit(204, campaign);
    assert.ok(elsewhere?.ok);
    assert.ok(lanes.isBusy() && lanes.depth() === 1 && lanes.oldestMs() > 0);
  } finally {
    for (const connection of held) connection.release();
  }
  assert.ok((await Promise.all(there)).every(([outcome]) => outcome?.ok));
  await lanes.drain();
});
