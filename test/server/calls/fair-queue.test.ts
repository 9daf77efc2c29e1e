import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { type FairQueueSettings, openFairQueue } from '../../../packages/server/src/calls/fair-queue.ts';

const settings: FairQueueSettings = { turns: 4, queueSize: 3, deadlineMs: 60_000 };
const soon = () => new Promise((resolve) => setImmediate(resolve));

/** Reads that last until the test ends them, and the order in which they began. */
function stage(changes: Partial<FairQueueSettings> = {}) {
  const turns = openFairQueue({ ...settings, ...changes });
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const take = (caller: string, name: string) =>
    turns.take(caller, async () => {
      begun.push(name);
      await new Promise<void>((resolve) => ends.set(name, resolve));
      return name;
    });
  const end = async (name: string) => {
    ends.get(name)?.();
    await soon();
  };
  // Waiting reads would keep the process until the deadline.
  after(async () => {
    for (const name of begun) await end(name);
  });
  return { take, end, begun, turns };
}

describe('turns of reads', () => {
  it('give one caller half of them, so that another always finds one', async () => {
    const { take, begun } = stage();
    for (const name of ['a1', 'a2', 'a3']) void take('a', name);
    await soon();
    assert.deepEqual(begun, ['a1', 'a2']);
    void take('b', 'b1');
    await soon();
    assert.deepEqual(begun, ['a1', 'a2', 'b1']);
  });

  it('come back from a read that throws before it has begun', async () => {
    const { turns, take, begun } = stage({ turns: 1 });
    const throwing = () => {
      throw new Error('at once');
    };
    await assert.rejects(turns.take('a', throwing), /at once/);
    void take('a', 'a1');
    await soon();
    assert.deepEqual(begun, ['a1']);
  });

  it('go round: who waits is not behind all that another has waiting', async () => {
    const { take, end, begun } = stage({ turns: 2, queueSize: 10 });
    for (const name of ['a1', 'a2', 'a3', 'a4']) void take('a', name);
    void take('b', 'b1');
    void take('c', 'c1');
    await soon();
    assert.deepEqual(begun, ['a1', 'b1']);
    await end('a1');
    assert.deepEqual(begun, ['a1', 'b1', 'a2'], 'it has waited the longest');
    await end('a2');
    assert.deepEqual(begun, ['a1', 'b1', 'a2', 'c1'], 'and now another has');
    await end('b1');
    assert.deepEqual(begun.at(-1), 'a3');
    await end('a3');
    assert.deepEqual(begun.at(-1), 'a4');
  });

  it('refuse a caller with too many waiting reads, and no other', async () => {
    const { take, end, begun } = stage();
    const taken = ['a1', 'a2', 'a3', 'a4', 'a5'].map((name) => take('a', name));
    assert.equal(await take('a', 'a6'), undefined);
    void take('b', 'b1');
    await soon();
    assert.deepEqual(begun, ['a1', 'a2', 'b1']);
    for (const name of ['a1', 'a2', 'a3', 'a4', 'a5']) await end(name);
    assert.deepEqual(await Promise.all(taken), ['a1', 'a2', 'a3', 'a4', 'a5']);
    assert.ok(!begun.includes('a6'));
  });

  it('refuse what has waited past its deadline, and go on', async () => {
    const { take, end, begun } = stage({ turns: 1, deadlineMs: 5 });
    const [first, late] = [take('a', 'a1'), take('b', 'b1')];
    await new Promise((resolve) => setTimeout(resolve, 10));
    await end('a1');
    assert.deepEqual([await first, await late], ['a1', undefined]);
    const next = take('b', 'b2');
    await soon();
    await end('b2');
    assert.equal(await next, 'b2');
    assert.deepEqual(begun, ['a1', 'b2']);
  });

  it('have a bound for all who wait: beyond it, one of the caller with most waiting is put out', async () => {
    const { take, end, begun } = stage({ turns: 1, waitingInAll: 4 });
    void take('a', 'a1');
    const [a2, a3] = [take('a', 'a2'), take('a', 'a3')];
    const [b1, c1] = [take('b', 'b1'), take('c', 'c1')];
    const d1 = take('d', 'd1');
    assert.equal(await a3, undefined, 'the last of the one with most');
    assert.equal(await take('d', 'd2'), undefined, 'who has most is put out itself');
    for (const name of ['a1', 'a2', 'b1', 'c1', 'd1']) await end(name);
    assert.deepEqual(await Promise.all([a2, b1, c1, d1]), ['a2', 'b1', 'c1', 'd1']);
    assert.equal(begun.length, 5);
    const again = take('a', 'a4');
    await soon();
    await end('a4');
    assert.equal(await again, 'a4');
  });

  it('refuse at the deadline, however long the reads under way last', async () => {
    const { take, end, begun } = stage({ turns: 1, queueSize: 1, deadlineMs: 5 });
    const first = take('a', 'a1');
    assert.equal(await take('b', 'b1'), undefined);
    const again = take('b', 'b2');
    await end('a1');
    await end('b2');
    assert.deepEqual([await first, await again, begun], ['a1', 'b2', ['a1', 'b2']]);
  });

  it('are given back by a read that fails', async () => {
    const { turns } = stage({ turns: 1 });
    for (let i = 0; i < 3; i++) {
      await assert.rejects(
        turns.take('a', () => Promise.reject(new Error('lost'))),
        /lost/,
      );
    }
    assert.equal(await turns.take('a', async () => 'fine'), 'fine');
  });
});
