import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call } from '../support/caller.ts';
import { testDatabase } from '../support/database.ts';
import { databaseProxy } from '../support/database-proxy.ts';
import { directIssue } from '../support/requests.ts';
import { serverProcess } from '../support/server.ts';
import { until } from '../support/waiting.ts';

// A database whose name has two addresses, as `localhost` has on most machines. When both are refused, Node reports that
// in an error of another shape, which must be known for what it is.

const { env } = await testDatabase();
const proxy = await databaseProxy(env);

/** What the hosts file of such a machine would say, for the server's process alone. */
const hosts = `
  import dns from 'node:dns';
  const { lookup } = dns;
  const addresses = [{ address: '127.0.0.1', family: 4 }, { address: '::1', family: 6 }];
  dns.lookup = (name, options, callback) =>
    name === 'database.test' ? callback(null, addresses) : lookup(name, options, callback);`;

const { url } = await serverProcess({
  ...proxy.env,
  DATABASE_URL: (proxy.env.DATABASE_URL ?? '').replace('127.0.0.1', 'database.test'),
  NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(hosts)}`,
});

const works = async () => (await call(url, 'Issue', directIssue())).status === 200;

test('a database with two addresses that refuses on both is answered 503, and never 500', async () => {
  assert.ok(await works());
  for (let round = 0; round < 5; round++) {
    await proxy.refuse();
    // At once, before the server has had time to notice by itself.
    const answers = await Promise.all([
      call(url, 'FreeBetList', {}),
      call(url, 'CampaignList', {}),
      call(url, 'EventsList', {}),
      call(url, 'Issue', directIssue()),
      call(url, 'IssueBatch', { items: [directIssue(), directIssue()] }),
    ]);
    for (const { status, text } of answers) assert.equal(status, 503, text);
    await proxy.back();
    await until('issues again', 2000, works);
  }
});
