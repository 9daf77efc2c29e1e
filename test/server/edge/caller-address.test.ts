import assert from 'node:assert/strict';
import { type IncomingMessage, request } from 'node:http';
import { test } from 'node:test';
import { sign } from '@freebets/contract';
import { callerAddress } from '../../../packages/server/src/edge/authentication.ts';
import { type Networks, networksOf } from '../../../packages/server/src/primitives/networks.ts';
import { demo, json, type Partner, rival } from '../../support/caller.ts';
import { testDatabase } from '../../support/database.ts';
import { lantern } from '../../support/provider.ts';
import { testServer } from '../../support/server.ts';
import { until } from '../../support/waiting.ts';
import { succeeds } from '../admin/terminal.ts';

// From where a caller may call. The address is that of the connection, unless a proxy that is trusted says otherwise.

const proxies = networksOf(['10.0.0.0/8', 'fd00::/8']);

const addressOf = (remoteAddress: string | undefined, forwarded?: string, trusted: Networks | undefined = proxies) => {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
  return callerAddress({ socket: { remoteAddress } as IncomingMessage['socket'], headers }, trusted);
};

test('without trusted proxies only the address of the connection counts', () => {
  const noProxies = networksOf([]);
  for (const forwarded of [undefined, '', 'x', '198.51.100.1', '10.0.0.1, 10.0.0.2']) {
    assert.equal(addressOf('10.1.1.1', forwarded, noProxies), '10.1.1.1');
    assert.equal(addressOf('203.0.113.7', forwarded), '203.0.113.7', 'a sender that is no proxy is not trusted');
  }
  assert.equal(addressOf(undefined, '198.51.100.1'), undefined, 'the connection is closed');
});

test('behind trusted proxies the nearest untrusted address counts', () => {
  assert.equal(addressOf('10.1.1.1', '198.51.100.1'), '198.51.100.1');
  assert.equal(addressOf('::ffff:10.1.1.1', '198.51.100.1'), '198.51.100.1');
  assert.equal(addressOf('fd00::1', '2001:db8::1'), '2001:db8::1');
  assert.equal(addressOf('10.1.1.1', '198.51.100.1, 10.2.2.2'), '198.51.100.1');
  assert.equal(addressOf('10.1.1.1', '198.51.100.1,::ffff:10.3.3.3 , fd00::2,10.2.2.2'), '198.51.100.1');
  assert.equal(
    addressOf('10.1.1.1', '203.0.113.7, 198.51.100.1'),
    '198.51.100.1',
    'the left one is the caller’s own claim',
  );
  assert.equal(addressOf('10.1.1.1', 'garbage, 198.51.100.1'), '198.51.100.1', 'and is not even looked at');
  assert.equal(addressOf('10.1.1.1', '203.0.113.7, 198.51.100.1, 10.2.2.2'), '198.51.100.1');
});

test('if all addresses are trusted proxies, the farthest counts', () => {
  assert.equal(addressOf('10.1.1.1'), '10.1.1.1');
  assert.equal(addressOf('10.1.1.1', '10.3.3.3, 10.2.2.2'), '10.3.3.3');
});

test('an entry that is not an address makes the caller unknown', () => {
  for (const entry of [
    '',
    'unknown',
    'x',
    '198.51.100.1:443',
    '[2001:db8::1]',
    '198.51.100.1/32',
    '_hidden',
    '198.51.100',
  ]) {
    assert.equal(addressOf('10.1.1.1', entry), undefined, entry);
    assert.equal(addressOf('10.1.1.1', `203.0.113.7, ${entry}`), undefined, entry);
    assert.equal(addressOf('10.1.1.1', `203.0.113.7, ${entry}, 10.2.2.2`), undefined, entry);
  }
});

const { env } = await testDatabase();
await succeeds(env, 'client', 'update', '1', '--allow-from', '127.0.0.2,198.51.100.0/24,2001:db8::/32');
await succeeds(env, 'provider', 'update', lantern.providerId, '--allow-from', '127.0.0.2/32');
// Both families on one port: an IPv4 address comes as ::ffff:127.0.0.1.
const direct = await testServer({ ...env, HOST: '::' });
const behind = await testServer({ ...env, TRUSTED_PROXIES: '127.0.0.8/29' });

interface From {
  localAddress: string;
  forwarded?: string | string[];
}

/** The status for a request that is signed as it should be. */
function statusFrom(
  server: string,
  { localAddress, forwarded }: From,
  { clientId, secret }: Partner = demo,
): Promise<number> {
  const body = JSON.stringify({ client_id: clientId });
  return statusOf(`${server}/v3/Game/List`, body, secret, localAddress, forwarded);
}

function statusOf(url: string, body: string, secret: string, localAddress: string, forwarded?: string | string[]) {
  const headers = { ...json, 'x-request-sign': sign(body, secret), ...(forwarded && { 'x-forwarded-for': forwarded }) };
  const to = url.replace('localhost', localAddress.includes(':') ? '[::1]' : '127.0.0.1');
  return new Promise<number>((resolve, reject) => {
    const outgoing = request(to, { method: 'POST', localAddress, headers }, (answer) => {
      answer.resume().once('end', () => resolve(answer.statusCode ?? 0));
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

test('a partner with allowed networks is served only from them', async () => {
  assert.equal(await statusFrom(direct.url, { localAddress: '127.0.0.2' }), 200);
  assert.equal(await statusFrom(direct.url, { localAddress: '127.0.0.3' }), 403);
  assert.equal(await statusFrom(direct.url, { localAddress: '::1' }), 403);
  for (const localAddress of ['127.0.0.2', '127.0.0.3', '::1']) {
    assert.equal(await statusFrom(direct.url, { localAddress }, rival), 200);
  }
});

test('a game provider has its own allowed networks', async () => {
  const body = JSON.stringify({ provider_id: lantern.providerId, client_id: 1, bet_id: crypto.randomUUID() });
  const path = `${direct.url}/v3/Rounds/Rollback`;
  assert.equal(await statusOf(path, body, lantern.secret, '127.0.0.2'), 200);
  assert.equal(await statusOf(path, body, lantern.secret, '127.0.0.3'), 403);
});

test('without trusted proxies X-Forwarded-For is ignored', async () => {
  for (const forwarded of ['127.0.0.2', '198.51.100.1', ['127.0.0.2', '198.51.100.1'], 'garbage']) {
    assert.equal(await statusFrom(direct.url, { localAddress: '127.0.0.3', forwarded }), 403);
    assert.equal(await statusFrom(direct.url, { localAddress: '127.0.0.2', forwarded }), 200);
  }
});

test('behind one proxy, or two, the caller’s address counts, and not what it says of itself', async () => {
  const through = (forwarded: string | string[], localAddress = '127.0.0.9') =>
    statusFrom(behind.url, { localAddress, forwarded });
  assert.equal(await through('198.51.100.1'), 200);
  assert.equal(await through('2001:db8::7'), 200);
  assert.equal(await through('203.0.113.7'), 403);
  assert.equal(await through('198.51.100.1, 203.0.113.7'), 403, 'the left one is a claim');
  assert.equal(await through('198.51.100.1, 127.0.0.10'), 200);
  assert.equal(await through('203.0.113.7, 127.0.0.10'), 403);
  assert.equal(await through(['203.0.113.7', '198.51.100.1']), 200, 'several headers are one list');
  assert.equal(await through(['198.51.100.1', '203.0.113.7']), 403);
  assert.equal(await through('198.51.100.1, garbage, 127.0.0.10'), 403);
  assert.equal(await through('198.51.100.1', '127.0.0.3'), 403, 'who is no proxy is not believed');
});

test('a change of the allowed networks applies within two seconds', async () => {
  await succeeds(env, 'client', 'update', '1', '--allow-from', 'any');
  await until('it is served', 2000, async () => (await statusFrom(direct.url, { localAddress: '127.0.0.3' })) === 200);
  await succeeds(env, 'client', 'update', '1', '--allow-from', '127.0.0.3');
  await until('it is refused', 2000, async () => (await statusFrom(direct.url, { localAddress: '127.0.0.2' })) === 403);
});
