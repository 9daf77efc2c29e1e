import assert from 'node:assert/strict';
import { beforeEach, mock, test } from 'node:test';
import fc from 'fast-check';
import { openUnrecorded, type Unrecorded } from '../../../../packages/server/src/events/webhooks/reading.ts';
import type { DeliveryResult, Progress } from '../../../../packages/server/src/events/webhooks/sql/courier.ts';

const patience = { patienceMs: 500, setAsideMs: 25_000 };
let clock = 0;
mock.method(performance, 'now', () => clock);
beforeEach(() => {
  clock = 0;
});

const received = (sequence: number, attempts = 1): DeliveryResult => ({
  sequence,
  state: 'received',
  attempts,
  resent: 0,
  delayMs: 0,
  outcome: 'answered 200',
});
const failed = (sequence: number, attempts = 1): DeliveryResult => ({
  ...received(sequence, attempts),
  state: 'waiting',
  delayMs: 5000,
  outcome: 'answered 500',
});
const aside = (sequence: number): DeliveryResult => ({
  sequence,
  state: 'waiting',
  attempts: 0,
  resent: 0,
  delayMs: patience.setAsideMs,
  outcome: 'under way',
});
const receive = (unrecorded: Unrecorded, sequence: number) => unrecorded.end(sequence, true, received(sequence));
const fail = (unrecorded: Unrecorded, sequence: number) => unrecorded.end(sequence, false, failed(sequence));

const outcomeOf = (unrecorded: Unrecorded) => {
  const { attemptedFrom: from, attemptedThrough: through, results } = unrecorded.collect();
  return { from, through, results };
};

/** After event 10, with these under way. */
function begun(...sequences: number[]): Unrecorded {
  const unrecorded = openUnrecorded(10, patience);
  for (const sequence of sequences) unrecorded.begin(sequence);
  return unrecorded;
}

test('receipts at the first attempt need no rows', () => {
  const unrecorded = begun(11, 12, 13);
  for (const sequence of [11, 12, 13]) receive(unrecorded, sequence);
  assert.equal(unrecorded.isEmpty(), false);
  assert.deepEqual(outcomeOf(unrecorded), { from: 11, through: 13, results: [] });
  assert.equal(unrecorded.isEmpty(), true);
  assert.deepEqual(outcomeOf(unrecorded), { from: 14, through: 13, results: [] });
});

test('an event that ends before the one in front of it waits for it, with its row', () => {
  const unrecorded = begun(11, 12, 13);
  fail(unrecorded, 12);
  receive(unrecorded, 13);
  assert.deepEqual(outcomeOf(unrecorded), { from: 11, through: 10, results: [] });
  receive(unrecorded, 11);
  assert.deepEqual(outcomeOf(unrecorded), { from: 11, through: 13, results: [failed(12)] });
});

test('an attempt that takes long is set aside, and written over when it ends', () => {
  const unrecorded = begun(11, 12);
  receive(unrecorded, 12);
  clock = patience.patienceMs - 1;
  assert.equal(outcomeOf(unrecorded).through, 10);
  clock = patience.patienceMs;
  assert.equal(unrecorded.isEmpty(), false);
  assert.deepEqual(outcomeOf(unrecorded), { from: 11, through: 12, results: [aside(11)] });
  receive(unrecorded, 11);
  assert.deepEqual(outcomeOf(unrecorded), { from: 13, through: 12, results: [received(11)] });
});

test('one that is set aside and ends before it is written down has one row', () => {
  const unrecorded = begun(11);
  clock = patience.patienceMs;
  assert.equal(unrecorded.isEmpty(), false);
  fail(unrecorded, 11);
  assert.deepEqual(outcomeOf(unrecorded), { from: 11, through: 11, results: [failed(11)] });
});

test('a later failure is not ready to be recorded while an earlier attempt is under way', () => {
  const unrecorded = begun(11, 12);
  fail(unrecorded, 12);
  assert.deepEqual([unrecorded.isEmpty(), unrecorded.hasReady()], [false, false]);
  receive(unrecorded, 11);
  assert.equal(unrecorded.hasReady(), true);
  unrecorded.collect();
  assert.deepEqual([unrecorded.isEmpty(), unrecorded.hasReady()], [true, false]);
});

test('events that are not kept any more are passed over', () => {
  const unrecorded = begun(15, 16);
  receive(unrecorded, 15);
  assert.deepEqual(outcomeOf(unrecorded), { from: 11, through: 15, results: [] });
});

test('collect reports once whether an event was received, and whether one failed', () => {
  const unrecorded = begun(11, 12);
  const flags = () => {
    const { hasReceived, hasFailed } = unrecorded.collect();
    return { hasReceived, hasFailed };
  };
  fail(unrecorded, 12);
  assert.deepEqual(flags(), { hasReceived: false, hasFailed: true });
  receive(unrecorded, 11);
  assert.deepEqual(flags(), { hasReceived: true, hasFailed: false });
  assert.deepEqual(flags(), { hasReceived: false, hasFailed: false });
});

type Step =
  | { do: 'begin'; count: number }
  | { do: 'end'; which: number; isReceipt: boolean }
  | { do: 'again'; which: number }
  | { do: 'wait'; ms: number }
  | { do: 'look' | 'collect' };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ do: fc.constant('begin' as const), count: fc.integer({ min: 1, max: 5 }) }) },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('end' as const), which: fc.nat(), isReceipt: fc.boolean() }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('again' as const), which: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(100, 499, 500, 2000) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom('look' as const, 'collect' as const) }) },
);

/** A courier, the real delivery results, and the recorded ones. */
interface World {
  unrecorded: Unrecorded;
  begun: number;
  through: number;
  underWay: number[];
  /** The latest result of an event; undefined while its first attempt has not ended. */
  truth: Map<number, DeliveryResult>;
  rows: Map<number, DeliveryResult>;
}

const newWorld = (): World => ({
  unrecorded: openUnrecorded(0, patience),
  begun: 0,
  through: 0,
  underWay: [],
  truth: new Map(),
  rows: new Map(),
});

function take(world: World, step: Step): void {
  if (step.do === 'begin') for (let i = 0; i < step.count; i++) begin(world);
  if (step.do === 'end' && world.underWay.length > 0) end(world, step.which % world.underWay.length, step.isReceipt);
  if (step.do === 'again') beginAgain(world, step.which);
  if (step.do === 'wait') clock += step.ms;
  if (step.do === 'look') world.unrecorded.isEmpty();
  if (step.do === 'collect') write(world, world.unrecorded.collect());
}

function begin(world: World): void {
  world.begun += 1;
  world.unrecorded.begin(world.begun);
  world.underWay.push(world.begun);
}

function end({ underWay, truth, unrecorded }: World, index: number, isReceipt: boolean): void {
  const [sequence] = underWay.splice(index, 1) as [number];
  const attempts = (truth.get(sequence)?.attempts ?? 0) + 1;
  const result = isReceipt ? received(sequence, attempts) : failed(sequence, attempts);
  truth.set(sequence, result);
  unrecorded.end(sequence, isReceipt, result);
}

/** Like the due events: only recorded as waiting, and not in progress. */
function beginAgain({ rows, underWay }: World, which: number): void {
  const waiting = [...rows.values()].filter(
    ({ sequence, state }) => state === 'waiting' && !underWay.includes(sequence),
  );
  const chosen = waiting[which % waiting.length];
  if (chosen !== undefined) underWay.push(chosen.sequence);
}

function write(world: World, { attemptedFrom, attemptedThrough, results }: Progress): void {
  assert.equal(attemptedFrom, world.through + 1, 'nothing is passed over');
  assert.ok(attemptedThrough >= world.through && attemptedThrough <= world.begun);
  world.through = attemptedThrough;
  const sequences = results.map(({ sequence }) => sequence);
  const inOrder = [...new Set(sequences)].sort((a, b) => a - b);
  assert.deepEqual(sequences, inOrder, 'each row is written once, and in order');
  assert.ok(Math.max(0, ...sequences) <= world.through, 'only what counts as attempted has a row');
  for (const result of results) world.rows.set(result.sequence, result);
  assertKnown(world);
}

/** If the courier died now, the rows alone would show the events still to be sent. */
function assertKnown({ through, truth, rows }: World): void {
  for (let sequence = 1; sequence <= through; sequence++) {
    const [really, row] = [truth.get(sequence), rows.get(sequence)];
    if (really === undefined) assert.deepEqual(row, aside(sequence));
    else if (row === undefined) assert.deepEqual(really, received(sequence));
    else assert.deepEqual(row, really);
  }
}

test('attempts may end in any order: none counts as attempted too early, and none is lost', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      clock = 0;
      const world = newWorld();
      for (const step of steps) take(world, step);
      while (world.underWay.length > 0) end(world, 0, false);
      write(world, world.unrecorded.collect());
      assert.equal(world.through, world.begun);
      assert.ok(world.unrecorded.isEmpty());
    }),
    { numRuns: 1000 },
  );
});
