import assert from 'node:assert/strict';
import { test } from 'node:test';
import { networksOf, readNetworks } from '../../../packages/server/src/primitives/networks.ts';

const read = (text: string): string[] => {
  const result = readNetworks(text);
  return 'networks' in result ? result.networks : assert.fail(result.wrong);
};
const wrong = (text: string): string => {
  const result = readNetworks(text);
  return 'wrong' in result ? result.wrong : assert.fail(`${text} was taken`);
};

test('networks and addresses are read, with blanks and commas between', () => {
  assert.deepEqual(read('203.0.113.0/24, 2001:db8::/32'), ['203.0.113.0/24', '2001:db8::/32']);
  const taken = ['0.0.0.0/0', '::/0', '203.0.113.7', '203.0.113.7/32', '2001:DB8::1', '::1.2.3.0/120', '128.0.0.0/1'];
  for (const text of [...taken, '2001:db8:0:0:1::/80']) assert.deepEqual(read(text), [text]);
  assert.equal(read(Array(100).fill('10.0.0.0/8').join()).length, 100);
});

test('an invalid network is refused with a message that quotes it', () => {
  const others = [
    '',
    'any',
    '10.0.0',
    '10.0.0.256',
    '10.0.0.0/33',
    '::/129',
    '10.0.0.0/',
    '10.0.0.0/08',
    '10.0.0.0/-1',
  ];
  const odd = [
    '10.0.0.0/8/8',
    '10.0.0.0-10.0.0.9',
    '10.0.0.*',
    'example.com',
    'fe80::1%eth0',
    '1::2::3',
    '[::1]',
    '010.0.0.0/8',
  ];
  for (const text of [...others, ...odd]) {
    assert.equal(wrong(text), `"${text}" is not a network such as 203.0.113.0/24 or 2001:db8::/32`);
    assert.equal(wrong(`10.0.0.0/8,${text}`), wrong(text));
  }
  assert.equal(wrong(Array(101).fill('10.0.0.0/8').join()), 'at most 100 networks can be given');
});

test('an address within a network does not stand for the network', () => {
  for (const [text, prefix] of [
    ['203.0.113.7/24', 24],
    ['203.0.113.0/23', 23],
    ['255.255.255.255/0', 0],
    ['2001:db8::1/32', 32],
    ['2001:db8:0:0:1::/79', 79],
    ['::1.2.3.4/120', 120],
  ] as const) {
    assert.match(wrong(text), new RegExp(`has bits set behind the first ${prefix}: `));
  }
});

test('an IPv4 address is written as one', () => {
  for (const text of ['::ffff:203.0.113.7', '::ffff:0:0/96', '0:0:0:0:0:FFFF:cb00:7100/120']) {
    assert.match(wrong(text), /must be written as IPv4$/);
  }
});

test('an address is in a network or not, however it is written', () => {
  const networks = networksOf(['203.0.113.0/24', '198.51.100.7', '2001:db8::/32', '::1']);
  const within = [
    '203.0.113.0',
    '203.0.113.255',
    '198.51.100.7',
    '2001:db8::',
    '2001:DB8:ffff::1',
    '::1',
    '0:0:0:0:0:0:0:1',
  ];
  const mapped = ['::ffff:203.0.113.7', '::ffff:cb00:7107', '0:0:0:0:0:ffff:203.0.113.7', '::FFFF:198.51.100.7'];
  for (const address of [...within, ...mapped]) assert.equal(networks.has(address), true, address);
  const outside = [
    '203.0.112.255',
    '203.0.114.0',
    '198.51.100.8',
    '2001:db9::',
    '::2',
    '::ffff:198.51.100.8',
    '::203.0.113.7',
  ];
  for (const address of [...outside, '', 'x', '203.0.113', '203.0.113.7 ', '203.0.113.7/32', '203.0.113.7:80']) {
    assert.equal(networks.has(address), false, address);
  }
});

test('all of IPv6 is not all of IPv4, nor the other way round', () => {
  assert.deepEqual(
    ['203.0.113.7', '::ffff:203.0.113.7', '2001:db8::1'].map((address) => networksOf(['::/0']).has(address)),
    [false, false, true],
  );
  assert.deepEqual(
    ['203.0.113.7', '::ffff:203.0.113.7', '2001:db8::1'].map((address) => networksOf(['0.0.0.0/0']).has(address)),
    [true, true, false],
  );
});
