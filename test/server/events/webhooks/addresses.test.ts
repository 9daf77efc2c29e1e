import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import {
  type NameService,
  type Resolve,
  resolveWith,
} from '../../../../packages/server/src/events/webhooks/connections.ts';
import { isPublicAddress } from '../../../../packages/server/src/events/webhooks/request.ts';
import { httpEndpoint, json, rawEndpoint, testSender } from './endpoint.ts';

const refusedIpv4 = [
  ...['0.0.0.0', '0.255.255.255', '10.0.0.0', '10.255.255.255', '100.64.0.0', '100.127.255.255'],
  ...[
    '127.0.0.0',
    '127.0.0.1',
    '127.255.255.255',
    '168.63.129.16',
    '169.254.0.0',
    '169.254.169.254',
    '169.254.255.255',
  ],
  ...['172.16.0.0', '172.31.255.255', '192.0.0.0', '192.0.0.255', '192.0.2.0', '192.0.2.255'],
  ...['192.88.99.0', '192.88.99.255', '192.168.0.0', '192.168.255.255', '198.18.0.0', '198.19.255.255'],
  ...['198.51.100.0', '198.51.100.255', '203.0.113.0', '203.0.113.255', '224.0.0.0', '239.255.255.255'],
  ...['240.0.0.0', '255.255.255.255'],
];
/** The neighbours of the blocks above, and a few others. */
const acceptedIpv4 = [
  ...['1.0.0.0', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255', '128.0.0.0'],
  ...[
    '168.63.129.15',
    '168.63.129.17',
    '169.253.255.255',
    '169.255.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '191.255.255.255',
    '192.0.1.0',
    '192.0.3.0',
  ],
  ...['192.88.98.255', '192.88.100.0', '192.167.255.255', '192.169.0.0', '198.17.255.255', '198.20.0.0'],
  ...['198.51.99.255', '198.51.101.0', '203.0.112.255', '203.0.114.0', '223.255.255.255', '8.8.8.8'],
];
const hex = (ipv4: string) => {
  const [a = 0, b = 0, c = 0, d = 0] = ipv4.split('.').map(Number);
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
};
/** Every notation of an IPv6 address that maps to this IPv4 address. */
const standingFor = (ipv4: string) => [
  ...[`::ffff:${ipv4}`, `::ffff:${hex(ipv4)}`, `0:0:0:0:0:FFFF:${hex(ipv4)}`],
  ...[`64:ff9b::${ipv4}`, `64:ff9b::${hex(ipv4)}`, `0064:FF9B:0:0:0:0:${ipv4}`],
];

test('IPv4 addresses outside the special blocks are public, also within IPv6', () => {
  const accepted = (ipv4: string) => [ipv4, ...standingFor(ipv4)].filter(isPublicAddress);
  for (const ipv4 of refusedIpv4) assert.deepEqual(accepted(ipv4), [], ipv4);
  for (const ipv4 of acceptedIpv4) assert.deepEqual(accepted(ipv4), [ipv4, ...standingFor(ipv4)], ipv4);
});

test('IPv6 addresses are public in 2000::/3 only, less its special blocks', () => {
  const refused = [
    ...['::', '::1', '0:0:0:0:0:0:0:1', '::8.8.8.8', '::808:808', '::fffe:8.8.8.8', '::ffff:0:8.8.8.8', '1fff::1'],
    ...['64:ff9b:1::1', '64:ff9b::1:0:0', '64:ff9a::8.8.8.8', '100::1', '100:0:0:1::1', '4000::', '5f00::1', '8000::1'],
    ...['2001::1', '2001:1ff:ffff::1', '2001:db8::1', '2001:DB8:ffff::1', '2002::1', '2002:808:808::1', '3fff::1'],
    ...[
      '3fff:fff:ffff::1',
      'fc00::1',
      'fd00::2',
      'fdff::1',
      'fe80::1',
      'fe80::1%eth0',
      'febf::1',
      'fec0::1',
      'ff02::1',
    ],
    ...['ff0e::1', '2606:4700::1%eth0', '::ffff:8.8.8.8%eth0'],
  ];
  const accepted = ['2000::1', '2001:200::1', '2001:4860:4860::8888', '2001:db7::1', '2001:db9::1', '2003::1'];
  const more = ['2606:4700::1111', '2A00:1450:4001::200e', '3ffe::1', '3fff:1000::1'];
  assert.deepEqual(refused.filter(isPublicAddress), []);
  assert.deepEqual([...accepted, ...more].filter(isPublicAddress), [...accepted, ...more]);
});

test('an invalid address is refused', () => {
  const odd = [
    '',
    ' ',
    'localhost',
    'example.com',
    '8.8.8',
    '8.8.8.8.8',
    '8.8.8.8 ',
    ' 8.8.8.8',
    '08.8.8.8',
    '8.8.8.256',
  ];
  const odder = [
    '0x8.8.8.8',
    '134744072',
    '8.8.8.8:80',
    '[2606:4700::1]',
    '2606:4700::1/64',
    '::ffff:8.8.8',
    '2606:4700',
  ];
  assert.deepEqual([...odd, ...odder].filter(isPublicAddress), []);
});

const loopbackHosts = ['127.0.0.1', '127.1', '0x7f.1', '0x7F000001', '2130706433', '017700000001', '0', '0.0.0.0'];
const mappedHosts = ['[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[0:0:0:0:0:ffff:127.0.0.1]'];
const otherHosts = ['[::1]', '[::]', '[fe80::1]', '[fd00::2]', '[::127.0.0.1]', '[64:ff9b::7f00:1]', '[2002:7f00:1::]'];
const farHosts = [
  '169.254.169.254',
  '10.0.0.7',
  '192.168.1.1',
  '172.16.0.1',
  '100.64.0.1',
  '%31%30.0.0.7',
  '１０.0.0.7',
];

/** An endpoint on this machine that takes everything, and the URL by which it is reached at this host. */
async function anyEndpoint(t: TestContext) {
  const endpoint = await httpEndpoint(t, (_, response) => response.end());
  return { ...endpoint, at: (host: string) => `http://${host}:${endpoint.port}/` };
}

const always =
  (...addresses: string[]): Resolve =>
  async () =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

test('a URL that leads into the network is refused however it is spelled, and nothing is connected to', async (t) => {
  const { at, sockets } = await anyEndpoint(t);
  const sender = testSender(t, { allowPrivate: false });
  for (const host of [...loopbackHosts, ...mappedHosts, ...otherHosts, ...farHosts]) {
    const attempt = await sender.post(at(host), json, '{}');
    assert.equal(attempt.result, 'failed');
    assert.match(attempt.reason, /^[\d.:a-f]+ is not a public address$/, host);
  }
  assert.deepEqual(await sender.post('http://10.0.0.7/', json, '{}'), {
    result: 'failed',
    reason: '10.0.0.7 is not a public address',
  });
  assert.equal(sockets.length, 0);
});

test('where private addresses are allowed, the same URLs work', async (t) => {
  const { at, requests } = await anyEndpoint(t);
  const sender = testSender(t, { resolve: always('127.0.0.1') });
  const hosts = [...loopbackHosts, 'localhost', 'localhost.', 'partner.test'];
  for (const host of hosts)
    assert.deepEqual(await sender.post(at(host), json, '{}'), { result: 'received', status: 200 });
  assert.equal(requests.length, hosts.length);
});

test('a name is refused when any of its addresses is not public', async (t) => {
  const { at, sockets } = await anyEndpoint(t);
  const mixtures = [
    ['127.0.0.1'],
    ['::1'],
    ['8.8.8.8', '127.0.0.1'],
    ['127.0.0.1', '8.8.8.8'],
    ['2606:4700::1', '::1'],
  ];
  for (const addresses of mixtures) {
    for (const host of ['partner.test', 'localhost', 'localhost.', 'a.localhost']) {
      const sender = testSender(t, { allowPrivate: false, resolve: always(...addresses) });
      const attempt = await sender.post(at(host), json, '{}');
      assert.equal(attempt.result, 'failed');
      assert.match(attempt.reason, /^(127\.0\.0\.1|::1) is not a public address$/);
    }
  }
  const fromHostsFile = await testSender(t, { allowPrivate: false }).post(at('localhost'), json, '{}');
  assert.deepEqual(fromHostsFile, { result: 'failed', reason: 'unknown host name' });
  assert.equal(sockets.length, 0);
});

test('a name is resolved once for a connection, and checked again for the next', async (t) => {
  const { at, sockets } = await anyEndpoint(t);
  let asked = 0;
  // An unused address in the public range.
  const rebinding: Resolve = () => always(asked++ === 0 ? '3ffe::1' : '127.0.0.1')('');
  const sender = testSender(t, { allowPrivate: false, timeoutMs: 200, resolve: rebinding });
  const first = await sender.post(at('partner.test'), json, '{}');
  assert.equal(first.result, 'failed');
  assert.doesNotMatch(first.reason, /public/);
  assert.equal(asked, 1);
  assert.deepEqual(await sender.post(at('partner.test'), json, '{}'), {
    result: 'failed',
    reason: '127.0.0.1 is not a public address',
  });
  assert.equal(sockets.length, 0);
});

test('a connection that led elsewhere than was checked is given up before anything is written', async (t) => {
  let bytes = 0;
  const endpoint = await rawEndpoint(t, (socket) => socket.on('data', (chunk) => (bytes += chunk.length)));
  let reads = 0;
  const changing = {
    get address() {
      return reads++ === 0 ? '8.8.8.8' : '127.0.0.1';
    },
    family: 4,
  };
  const sender = testSender(t, { allowPrivate: false, resolve: async () => [changing] });
  const attempt = await sender.post(`http://partner.test:${endpoint.port}/`, json, '{}');
  assert.deepEqual(attempt, { result: 'failed', reason: '127.0.0.1 is not a public address' });
  const [socket] = endpoint.sockets;
  assert(socket);
  if (!socket.closed) await once(socket, 'close');
  assert.equal(bytes, 0);
});

test('a redirect into the network is not followed', async (t) => {
  const { url: target, sockets } = await anyEndpoint(t);
  for (const status of [301, 302, 303, 307, 308]) {
    const { url } = await httpEndpoint(t, (_, response) => response.writeHead(status, { location: target }).end());
    const reason = `answered ${status} (a redirect is not followed)`;
    assert.deepEqual(await testSender(t).post(url, json, '{}'), { result: 'failed', reason });
  }
  assert.equal(sockets.length, 0);
});

const fails = (code: string) => async () => {
  throw Object.assign(new Error(code), { code });
};
const names = (service: Partial<NameService>, allowPrivate = true) =>
  resolveWith(
    { resolve4: fails('ENODATA'), resolve6: fails('ENODATA'), lookup: fails('ELOOKUP'), ...service },
    allowPrivate,
  );

test('DNS is asked for both families, and one is enough', async () => {
  const four = { address: '8.8.8.8', family: 4 };
  const six = { address: '2606:4700::1', family: 6 };
  const resolve4 = async () => [four.address];
  const resolve6 = async () => [six.address];
  assert.deepEqual(await names({ resolve4, resolve6 })('partner.test'), [four, six]);
  assert.deepEqual(await names({ resolve4 })('partner.test'), [four]);
  assert.deepEqual(await names({ resolve4, resolve6: fails('ETIMEOUT') })('partner.test'), [four]);
  assert.deepEqual(await names({ resolve4: fails('ESERVFAIL'), resolve6 })('partner.test'), [six]);
});

test('the system resolver is used for local names and names that are not in DNS, and not if DNS does not respond', async () => {
  const local = [{ address: '127.0.0.1', family: 4 }];
  const lookup = async () => local;
  const unasked = { resolve4: fails('EASKED'), resolve6: fails('EASKED'), lookup };
  for (const name of ['partner', 'localhost', 'localhost.', 'a.localhost']) {
    assert.deepEqual(await names(unasked)(name), local);
  }
  assert.deepEqual(await names({ lookup })('partner.test'), local);
  assert.deepEqual(await names({ lookup, resolve4: fails('ENOTFOUND') })('partner.test'), local);
  for (const code of ['ETIMEOUT', 'ESERVFAIL', 'EREFUSED']) {
    await assert.rejects(names({ lookup, resolve4: fails(code) })('partner.test'), { code });
    await assert.rejects(names({ lookup, resolve6: fails(code) })('partner.test'), { code });
  }
  await assert.rejects(names(unasked)('notlocalhost.test'), { code: 'EASKED' });
});

test('the system is not asked where private addresses are refused: its threads are for everybody', async () => {
  const unasked = { lookup: fails('EASKED') };
  for (const name of ['partner', 'localhost', 'a.localhost', 'partner.test']) {
    await assert.rejects(names(unasked, false)(name), { code: 'ENOTFOUND' });
  }
  const refused = fails('ECONNREFUSED');
  await assert.rejects(names({ ...unasked, resolve4: refused, resolve6: refused }, false)('partner.test'), {
    code: 'EREFUSED',
  });
});
