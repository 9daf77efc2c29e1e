import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type FairWork,
  type FairWorkSettings,
  openFairWork,
  type Slice,
} from '../../../packages/server/src/calls/fair-work.ts';

// A slice of no length, so that work pauses as often as possible.
const settings: FairWorkSettings = { sliceMs: 0, queueSize: 10, waitingBytes: 1000 };

const never = Number.POSITIVE_INFINITY;

/** Work that takes this many slices, and notes each. */
const inSlices = (name: string, slices: number, noted: string[]) => async (slice: Slice) => {
  for (let i = 1; i <= slices; i++) {
    if (i > 1 && slice.isOver()) await slice.pause();
    noted.push(`${name}.${i}`);
  }
  return name;
};

function stage(changes: Partial<FairWorkSettings> = {}) {
  const work: FairWork = openFairWork({ ...settings, ...changes });
  const noted: string[] = [];
  const run = (caller: string, name: string, { slices = 1, bytes = 1, deadline = never } = {}) =>
    work.run(caller, { bytes, deadline }, inSlices(name, slices, noted));
  return { work, noted, run };
}

describe('fair work', () => {
  it('runs one piece of a caller at a time, and callers in turn', async () => {
    const { run, noted } = stage();
    const all = [
      run('a', 'a1', { slices: 3 }),
      run('a', 'a2', { slices: 2 }),
      run('b', 'b1', { slices: 2 }),
      run('c', 'c1'),
    ];
    assert.deepEqual(await Promise.all(all), ['a1', 'a2', 'b1', 'c1']);
    assert.deepEqual(noted, ['a1.1', 'b1.1', 'c1.1', 'a1.2', 'b1.2', 'a1.3', 'a2.1', 'a2.2']);
  });

  it('lets the event loop turn between two slices', async () => {
    const { run, noted } = stage();
    const note = () => {
      noted.push('turn');
      if (!noted.includes('a1.3')) setImmediate(note);
    };
    setImmediate(note);
    await run('a', 'a1', { slices: 3 });
    assert.match(noted.join(' '), /a1\.1 turn .*a1\.2 turn .*a1\.3/);
  });

  it('begins the next piece of a caller once the first has ended its slices', async () => {
    const { work, run } = stage();
    const first = Promise.withResolvers<string>();
    const waiting = work.run('a', { bytes: 1, deadline: never }, async (slice) => {
      slice.end();
      await slice.pause();
      return first.promise;
    });
    assert.equal(await run('a', 'a2'), 'a2');
    first.resolve('a1');
    assert.equal(await waiting, 'a1');
  });

  it('continues after work that fails', async () => {
    const { work, run } = stage();
    const failing = work.run('a', { bytes: 1, deadline: never }, async () => {
      throw new Error('broken');
    });
    const next = run('a', 'a2');
    await assert.rejects(failing, /broken/);
    assert.equal(await next, 'a2');
  });

  it('refuses a caller with too many waiting, and no other caller', async () => {
    const { run } = stage({ queueSize: 2 });
    const taken = [run('a', 'a1'), run('a', 'a2'), run('a', 'a3')];
    assert.equal(await run('a', 'a4'), undefined);
    assert.equal(await run('b', 'b1'), 'b1');
    assert.deepEqual(await Promise.all(taken), ['a1', 'a2', 'a3']);
  });

  it('drops the last body of the caller with the most bytes when too many bytes wait', async () => {
    const { run } = stage({ waitingBytes: 200 });
    const all = [
      run('b', 'b1', { bytes: 40 }),
      run('b', 'b2', { bytes: 40 }),
      run('a', 'a1', { bytes: 60 }),
      run('a', 'a2', { bytes: 30 }),
      run('a', 'a3', { bytes: 31 }),
    ];
    assert.deepEqual(await Promise.all(all), ['b1', 'b2', 'a1', 'a2', undefined]);
    assert.equal(await run('a', 'a4', { bytes: 200 }), 'a4', 'all bytes are given back');
  });

  it('counts the bytes of every body whose turn has not come, however many callers there are', async () => {
    const { run } = stage({ waitingBytes: 100 });
    const all = Array.from({ length: 50 }, (_, i) => run(`caller ${i}`, `${i}`, { bytes: 10 }));
    const done = (await Promise.all(all)).filter((name) => name !== undefined);
    assert.equal(done.length, 10);
    assert.equal(await run('a', 'a1', { bytes: 100 }), 'a1', 'all bytes are given back');
  });

  it('drops what has waited past its deadline', async () => {
    const { run, noted } = stage();
    const late = { deadline: performance.now() };
    const all = [run('a', 'a1', late), run('a', 'a2', late), run('b', 'b1', late), run('a', 'a3')];
    assert.deepEqual(await Promise.all(all), [undefined, undefined, undefined, 'a3']);
    assert.deepEqual(noted, ['a3.1']);
  });
});
