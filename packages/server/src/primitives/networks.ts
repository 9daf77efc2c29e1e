import { BlockList, isIP, SocketAddress } from 'node:net';

// Networks of addresses, such as `203.0.113.0/24` or `2001:db8::/32`. A single address is a network of one. An
// IPv4-mapped IPv6 address (`::ffff:203.0.113.7`, as a dual-stack socket reports it) counts as IPv4.

export interface Networks {
  has(address: string): boolean;
}

const maxNetworks = 100;

/** Parses networks separated by commas, or returns a sentence with the reason. */
export function readNetworks(text: string): { networks: string[] } | { wrong: string } {
  const networks = text.split(',').map((network) => network.trim());
  const wrong = networksError(networks);
  return wrong === undefined ? { networks } : { wrong };
}

/** A sentence about the first invalid network; undefined if all are valid. */
export function networksError(networks: readonly string[]): string | undefined {
  if (networks.length > maxNetworks) return `at most ${maxNetworks} networks can be given`;
  return networks.map(networkError).find((wrong) => wrong !== undefined);
}

function networkError(network: string): string | undefined {
  const { address, family, prefix } = partsOf(network);
  const isWhole = /^[0-9a-fA-F.:]+(\/(0|[1-9]\d{0,2}))?$/.test(network) && isIP(address) !== 0;
  const bits = family === 'ipv4' ? 32 : 128;
  if (!isWhole || prefix > bits) return `"${network}" is not a network such as 203.0.113.0/24 or 2001:db8::/32`;
  if (family === 'ipv6' && plainAddress(address).family === 'ipv4') return `${network} must be written as IPv4`;
  // The address may have been meant alone and not its network.
  return bitsOf(address, family).slice(prefix).includes('1')
    ? `${network} has bits set behind the first ${prefix}: give the address alone, or the network that it begins`
    : undefined;
}

function partsOf(network: string) {
  const [address = '', prefix] = network.split('/');
  const isIpv4 = isIP(address) === 4;
  const family = isIpv4 ? ('ipv4' as const) : ('ipv6' as const);
  return { address, family, prefix: prefix === undefined ? (isIpv4 ? 32 : 128) : Number(prefix) };
}

function bitsOf(address: string, family: 'ipv4' | 'ipv6'): string {
  if (family === 'ipv4')
    return address
      .split('.')
      .map((byte) => binary(Number(byte), 8))
      .join('');
  const [head = '', tail = ''] = address
    .split('::')
    .map((half) => half.split(':').filter(Boolean).map(groupBits).join(''));
  return head.padEnd(128 - tail.length, '0') + tail;
}

const groupBits = (group: string): string =>
  group.includes('.') ? bitsOf(group, 'ipv4') : binary(Number.parseInt(group, 16), 16);

const binary = (number: number, digits: number): string => number.toString(2).padStart(digits, '0');

/** Expects networks that `readNetworks` has accepted. */
export function networksOf(networks: readonly string[]): Networks {
  // In a single list, IPv4 addresses would match IPv6 networks: all of them match ::/0.
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const network of networks) {
    const { address, prefix, family } = partsOf(network);
    lists[family].addSubnet(address, prefix, family);
  }
  return {
    has(text) {
      if (isIP(text) === 0) return false;
      const { address, family } = plainAddress(text);
      return lists[family].check(address, family);
    },
  };
}

const mapped = '::ffff:';

function plainAddress(address: string): { address: string; family: 'ipv4' | 'ipv6' } {
  if (isIP(address) === 4) return { address, family: 'ipv4' };
  // Normalises the notation.
  const { address: written } = new SocketAddress({ address, family: 'ipv6' });
  const isIpv4 = written.startsWith(mapped) && written.includes('.');
  return isIpv4 ? { address: written.slice(mapped.length), family: 'ipv4' } : { address: written, family: 'ipv6' };
}

/** Callers from one address share a subject. An IPv6 address counts as its /64, because one network has all of it. */
export function subjectOfAddress(address: string | null): string {
  if (address === null || isIP(address) === 0) return 'address unknown';
  if (isIP(address) === 4) return `address ${address}`;
  const written = new SocketAddress({ address: address.replace(/%.*/, ''), family: 'ipv6' }).address;
  if (written.includes('.')) return `address ${written.slice(written.lastIndexOf(':') + 1)}`;
  const [head = [], tail] = written.split('::').map((half) => half.split(':').filter(Boolean));
  const groups = tail === undefined ? head : [...head, ...Array(8 - head.length - tail.length).fill('0'), ...tail];
  return `address ${groups.slice(0, 4).join(':')}::/64`;
}
