import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { runInNewContext } from 'node:vm';
import { json, post } from '../support/caller.ts';
import { testDatabase } from '../support/database.ts';
import { testServer } from '../support/server.ts';

// Runs the requests of the collection as Postman and Bruno do, with the signing script in a context of its own.

const { env } = await testDatabase();
const { url } = await testServer({ ...env, RATE_LIMIT: '1000', RATE_BURST: '2000' });

interface Item {
  name: string;
  request: { method: string; url: string; body: { raw: string } };
}

interface Collection {
  variable: { key: string; value: string }[];
  event: { listen: string; script: { exec: string[] } }[];
  item: { name: string; item: Item[] }[];
}

const collection: Collection = (await post(`${url}/docs/collection.json`, '', {}, 'GET')).body;
const script = collection.event[0]?.script.exec.join('\n') ?? '';
const variables = new Map(collection.variable.map(({ key, value }) => [key, value]));
const replaceIn = (text: string) => text.replaceAll(/\{\{(\w+)\}\}/g, (_, name) => variables.get(name) ?? '');

/** Of crypto-js, as both programs provide it. */
const HmacSHA256 = (text: string, key: string) => createHmac('sha256', key).update(text).digest('hex');

async function send({ request }: Item, body: unknown = request.body) {
  assert.equal(request.method, 'POST');
  const headers: Record<string, string> = { ...json };
  const pm = {
    variables: { replaceIn },
    request: {
      body,
      url: request.url,
      headers: { upsert: ({ key, value }: { key: string; value: string }) => Object.assign(headers, { [key]: value }) },
    },
  };
  // CryptoJS is a global of Postman, which the script must not declare again.
  runInNewContext(script, { pm, require: () => ({ HmacSHA256 }), CryptoJS: {} });
  return post(replaceIn(request.url), replaceIn(request.body.raw), headers);
}

const all = collection.item.flatMap(({ item }) => item);
const named = (name: string) => all.find((item) => item.name === name) as Item;

test('a first call of a partner and of a game provider succeeds', async () => {
  assert.ok((await send(named('List the games'))).body.providers.length > 0);
  const { status, body } = await send(named('Find the free bets a player can use'));
  assert.equal(status, 200, JSON.stringify(body));
});

test('the script signs the body that Bruno has as a string', async () => {
  const item = named('List campaigns');
  assert.equal((await send(item, item.request.body.raw)).status, 200);
});

test('every request of the collection is signed and valid', async () => {
  assert.ok(all.length > 30);
  for (const item of all) {
    const { status, body } = await send(item);
    assert.ok([200, 404, 409].includes(status), `${item.name}: ${JSON.stringify(body)}`);
  }
});
