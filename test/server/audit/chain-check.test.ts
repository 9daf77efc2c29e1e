import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { checkChain, type Link } from '../../../packages/server/src/audit/chain-check.ts';

// A chain in memory, so long that a check whose every break costs as much as all before it would take hundreds of times as long.

const length = 5000;

function newChain(): Link[] {
  let previous = Buffer.alloc(0);
  return Array.from({ length }, (_, i) => {
    const link = { sequence: i + 1, at: 1_700_000_000_000 + i, record: `{"action":"${i}"}` };
    previous = createHash('sha256').update(previous).update(`${link.sequence} ${link.at} ${link.record}`).digest();
    return { ...link, hash: previous };
  });
}

function check(links: Link[]) {
  const { add, end } = checkChain({ chain: 1, length, hasGaps: false });
  for (const link of links) add(link);
  return end();
}

function processorMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

const isChanged = ({ sequence }: Link) => sequence > 3 && sequence <= 4003;

test('a long chain that is whole', () => {
  assert.equal(check(newChain()).break_count, 0);
});

test('of many hashes that were changed, just these are reported', () => {
  const links = newChain().map((link) => (isChanged(link) ? { ...link, hash: Buffer.alloc(32) } : link));
  const whole = newChain();
  check(whole);
  const wholeMs = processorMs(() => check(whole));
  let found = check([]);
  const brokenMs = processorMs(() => {
    found = check(links);
  });
  const { break_count, breaks } = found;
  assert.ok(brokenMs < 50 * wholeMs, `${brokenMs} ms, and ${wholeMs} ms where it is whole`);
  assert.deepEqual([break_count, breaks[0]?.sequence, breaks.length], [4000, 4, 100]);
});

test('so are many records that were changed, and a hash among them', () => {
  const links = newChain().map((link) => (isChanged(link) ? { ...link, record: '{}' } : link));
  links[2000] = { ...(links[2000] as Link), hash: Buffer.alloc(32) };
  assert.equal(check(links).break_count, 4000);
});
