import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testDatabase } from '../support/database.ts';
import { databaseProxy } from '../support/database-proxy.ts';
import { times } from '../support/long.ts';
import { otherServer } from '../support/server.ts';
import { until } from '../support/waiting.ts';
import { assertAllReceived, attemptsAt, impatience, issueAll, startMoodyReceivers } from '../support/webhook-load.ts';
import { createPartners } from '../support/webhooks.ts';

// Receivers that fail in every way, and servers that lose their database meanwhile. Every event is received, and a received event is not
// sent again, because a server remembers its attempts until they are recorded.

const database = await testDatabase();
const { env, sql } = database;
const partners = await createPartners(database, 4);
const proxies = await Promise.all([databaseProxy(env), databaseProxy(env)]);
const servers = await Promise.all([{ env }, ...proxies].map(({ env }) => otherServer({ ...env, ...impatience })));

test('receivers that fail get every event, and no attempt is made that is not written down', async (t) => {
  const watched = await startMoodyReceivers(sql, partners);
  await issueAll(servers, partners, times(40, 60));
  const { unknown } = await assertAllReceived(sql, watched, t);
  assert.equal(unknown, 0);
});

test('connections to the database that are cut lose no event, and repeat none', async (t) => {
  const watched = await startMoodyReceivers(sql, partners);
  let isIssued = false;
  const issuing = issueAll(servers, partners, times(80, 110)).finally(() => {
    isIssued = true;
  });
  let cuts = 0;
  const cutting = async () => {
    for (; !isIssued; cuts++) {
      const before = attemptsAt(watched);
      await until('more attempts', 30_000, () => isIssued || attemptsAt(watched) > before + 100);
      proxies[cuts % proxies.length]?.cut();
    }
  };
  await Promise.all([issuing, cutting()]);
  t.diagnostic(`${cuts} cuts`);
  const { unknown } = await assertAllReceived(sql, watched, t);
  assert.equal(unknown, 0);
});
