import { BlockList, isIP } from 'node:net';

/** The IPv4 blocks in IANA's registry of special-purpose addresses that are not globally reachable, and one of Azure's. */
const specialIpv4: readonly [string, number][] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // The host of every machine in Azure, which tells it settings and secrets.
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

/** IPv6 addresses that stand for an IPv4 address: mapped ones, and those of NAT64, which networks with DNS64 hand out. */
const ipv4Prefixes = ['::ffff:', '64:ff9b::'];

const accepted = new BlockList();
accepted.addSubnet('0.0.0.0', 0, 'ipv4');
accepted.addSubnet('2000::', 3, 'ipv6');
for (const prefix of ipv4Prefixes) accepted.addSubnet(`${prefix}0.0.0.0`, 96, 'ipv6');

const refused = new BlockList();
refused.addSubnet('2001::', 23, 'ipv6');
refused.addSubnet('2001:db8::', 32, 'ipv6');
refused.addSubnet('2002::', 16, 'ipv6');
refused.addSubnet('3fff::', 20, 'ipv6');
for (const [network, bits] of specialIpv4) {
  refused.addSubnet(network, bits, 'ipv4');
  for (const prefix of ipv4Prefixes) refused.addSubnet(prefix + network, 96 + bits, 'ipv6');
}

export function isPublicAddress(address: string): boolean {
  const version = isIP(address);
  // A zone, as in fe80::1%eth0, is of no use but on the local network.
  if (version === 0 || address.includes('%')) return false;
  const family = version === 4 ? 'ipv4' : 'ipv6';
  return accepted.check(address, family) && !refused.check(address, family);
}
