import assert from 'node:assert/strict';
import { type IncomingHttpHeaders, request } from 'node:http';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { gunzipSync } from 'node:zlib';
import { operations, sign } from '@freebets/contract';
import { loadCatalogue } from '../../../../packages/server/src/partners/catalogue/catalogue.ts';
import { accepted, assertMatches, refused } from '../../../support/answers.ts';
import { call, demo, json, rival } from '../../../support/caller.ts';
import { demoCatalogue } from '../../../support/catalogue.ts';
import { testDatabase } from '../../../support/database.ts';
import { setSecret } from '../../../support/secrets.ts';
import { testServer } from '../../../support/server.ts';

const { env, sql } = await testDatabase();
const withoutOffers = { clientId: 3, secret: 'offered-nothing' };
await setSecret(sql, env, withoutOffers.clientId, withoutOffers.secret);
await sql.query(`DELETE FROM offers WHERE client_id = 2 AND provider_id <> 'copper-heron'`);
const { url } = await testServer(env);

const body = JSON.stringify({ client_id: demo.clientId });

interface RawAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  bytes: Buffer;
}

/** Nothing is decoded on the way. */
function listWith(headers: Record<string, string>, to = url): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const signed = { ...json, 'x-request-sign': sign(body, demo.secret), ...headers };
    const outgoing = request(`${to}/v3/Game/List`, { method: 'POST', headers: signed }, async (incoming) => {
      const chunks: Buffer[] = [];
      for await (const chunk of incoming) chunks.push(chunk);
      resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, bytes: Buffer.concat(chunks) });
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

test('the list has the shape of the specification, and holds the whole catalogue', async () => {
  const list = accepted('GameList', await call(url, 'GameList', {}));
  const catalogue = demoCatalogue();
  assert.deepEqual(list.providers, catalogue.providers);
  assert.deepEqual(list.image_assets, { ...catalogue.image_assets, base_url: `${url}/assets` });
  for (const { width, height } of Object.values<Record<string, string>>(list.image_assets.presets.game)) {
    assert.equal(typeof width, 'string');
    assert.equal(typeof height, 'string');
  }
});

test('a partner sees the providers it is offered, and no others', async () => {
  const list = accepted('GameList', await call(url, 'GameList', {}, rival));
  assert.deepEqual(list.providers, demoCatalogue().providers.slice(1, 2));
  const empty = accepted('GameList', await call(url, 'GameList', {}, withoutOffers));
  assert.deepEqual(empty.providers, []);
  assert.equal(empty.image_assets.base_url, `${url}/assets`);
});

test('nothing but the id of the caller may be asked', async () => {
  refused('invalid_request', await call(url, 'GameList', { provider: 'x', limit: 1 }), ['limit', 'provider']);
});

test('the game list is compressed for clients that accept gzip, with the same content', async () => {
  const plain = await listWith({});
  assert.equal(plain.headers['content-encoding'], undefined);
  for (const accept of ['gzip', 'deflate, gzip;q=0.5', 'GZIP', '*', 'gzip;q=1.0, identity;q=0', 'br, x-gzip']) {
    const packed = await listWith({ 'accept-encoding': accept });
    assert.equal(packed.headers['content-encoding'], 'gzip', accept);
    assert.deepEqual(gunzipSync(packed.bytes), plain.bytes);
    assert.ok(packed.bytes.length < plain.bytes.length / 4);
    assert.equal(packed.headers['content-type'], 'application/json; charset=utf-8');
    assert.match(String(packed.headers.vary), /accept-encoding/i);
  }
  assertMatches(operations.GameList.response, JSON.parse(plain.bytes.toString()));
  assert.match(String(plain.headers.vary), /accept-encoding/i);
});

test('the game list is not compressed for clients that do not accept gzip', async () => {
  for (const accept of ['identity', 'br', 'gzip;q=0', 'gzip;q=0.000', 'deflate, br', 'gzipped', '*;q=0']) {
    assert.equal((await listWith({ 'accept-encoding': accept })).headers['content-encoding'], undefined, accept);
  }
});

test('who refuses gzip by name does not get it by the star', async () => {
  for (const accept of ['gzip;q=0, *', '*, gzip;q=0']) {
    assert.equal((await listWith({ 'accept-encoding': accept })).headers['content-encoding'], undefined, accept);
  }
});

test('a list that has not changed is answered with 304 and no body', async () => {
  const { etag = '' } = (await listWith({})).headers;
  assert.match(etag, /^(W\/)?"[^"]+"$/);
  const strong = etag.replace(/^W\//, '');
  for (const tags of [etag, strong, `W/${strong}`, '*', `"other", ${etag}`, `${strong},"other"`, ` ${etag} `]) {
    for (const accept of ['identity', 'gzip']) {
      const answer = await listWith({ 'if-none-match': tags, 'accept-encoding': accept });
      assert.equal(answer.status, 304, tags);
      assert.equal(answer.bytes.length, 0);
      assert.equal(answer.headers.etag, etag);
      assert.equal(answer.headers['content-encoding'], undefined);
      assert.ok(answer.headers['x-request-id']);
    }
  }
});

test('any other tag gets the list', async () => {
  const { etag = '' } = (await listWith({})).headers;
  for (const tags of ['"other"', '', etag.replaceAll('"', ''), `${etag.slice(0, -2)}"`, 'W/""', '"*"']) {
    const answer = await listWith({ 'if-none-match': tags });
    assert.equal(answer.status, 200, tags);
    assert.equal(answer.headers.etag, etag);
  }
});

test('the ETag depends on the listed games: partners with other offers get another', async () => {
  const tagOf = async (partner: typeof demo) => (await call(url, 'GameList', {}, partner)).headers.etag;
  assert.equal(await tagOf(demo), await tagOf(demo));
  assert.equal(new Set([await tagOf(demo), await tagOf(rival), await tagOf(withoutOffers)]).size, 3);
});

test('pictures are addressed under PUBLIC_URL, where one is set', async () => {
  const { url: behind } = await testServer({ ...env, PUBLIC_URL: 'https://bets.example.com/base//' });
  const { image_assets } = accepted('GameList', await call(behind, 'GameList', {}));
  assert.equal(image_assets.base_url, 'https://bets.example.com/base/assets');
});

test('partners with the same offer share one list, which is not kept when none has that offer any more', async () => {
  const offering = (...offers: string[]) => ({ offers, stakeReturned: false, isSandbox: false });
  const partners = new Map([1, 2].map((clientId) => [clientId, offering('copper-heron')]));
  const { gameList, profileOf } = await loadCatalogue(sql, () => url, partners);
  assert.equal(gameList(1), gameList(2));
  assert.equal(profileOf(1).offer, profileOf(2).offer);
  const kept = [new WeakRef(gameList(1)), new WeakRef(profileOf(1).offer)];
  setFlagsFromString('--expose-gc');
  const collectGarbage: () => void = runInNewContext('gc');
  const stillKept = async () => {
    await delay(50);
    collectGarbage();
    return kept.filter((each) => each.deref() !== undefined).length;
  };
  partners.set(1, offering('lantern-quay'));
  assert.equal(await stillKept(), 2);
  partners.set(2, offering('lantern-quay'));
  assert.equal(gameList(1), gameList(2));
  assert.equal(await stillKept(), 0);
});
