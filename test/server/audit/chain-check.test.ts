import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { checkChain, type Link } from '../../../packages/server/src/audit/chain-check.ts';

// A chain in memory, so long that whatever grows with the number of its breaks would not come to an end.

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

test('a long chain that is whole', () => {
  assert.equal(check(newChain()).break_count, 0);
});

test('of many hashes that were changed, just these are reported', () => {
  const isChanged = ({ sequence }: Link) => sequence > 3 && sequence <= 4003;
  const links = newChain().map((link) => (isChanged(link) ? { ...link, hash: Buffer.alloc(32) } : link));
  const { break_count, breaks } = check(links);
  assert.deepEqual([break_count, breaks[0]?.sequence, breaks.length], [4000, 4, 100]);
});

test('so are many records that were changed, and a hash among them', () => {
  const isChanged = ({ sequence }: Link) => sequence > 3 && sequence <= 4003;
  const links = newChain().map((link) => (isChanged(link) ? { ...link, record: '{}' } : link));
  links[2000] = { ...(links[2000] as Link), hash: Buffer.alloc(32) };
  assert.equal(check(links).break_count, 4000);
});
