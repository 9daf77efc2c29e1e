import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { checkChain, type Link } from '../../../packages/server/src/audit/chain-check.ts';

// A chain in memory, so long that a check whose every break costs as much as all before it would take the better part of an hour.

const length = 50_000;

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

const isChanged = ({ sequence }: Link) => sequence > 3 && sequence <= 40_003;

test('a long chain that is whole', () => {
  assert.equal(check(newChain()).break_count, 0);
});

test('of many hashes that were changed, just these are reported', () => {
  const links = newChain().map((link) => (isChanged(link) ? { ...link, hash: Buffer.alloc(32) } : link));
  const { break_count, breaks } = check(links);
  assert.deepEqual([break_count, breaks[0]?.sequence, breaks.length], [40_000, 4, 100]);
});

test('so are many records that were changed, and a hash among them', () => {
  const links = newChain().map((link) => (isChanged(link) ? { ...link, record: '{}' } : link));
  links[20_000] = { ...(links[20_000] as Link), hash: Buffer.alloc(32) };
  assert.equal(check(links).break_count, 40_000);
});
