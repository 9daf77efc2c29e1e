import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { assertActivityHolds } from '../support/activity.ts';
import { testDatabase } from '../support/database.ts';
import { times } from '../support/long.ts';
import { assertRoundsHold } from '../support/round-invariants.ts';
import { testServer } from '../support/server.ts';
import { carryOutPlan, type Service, sweep } from './rounds-run.ts';
import { plan } from './rounds-steps.ts';

// Random sequences of rounds, at random moments, over HTTP, held against a small model of the contract: with no sweeper at
// all, and with two that hurry. A failure prints the seed and the shortest sequence that fast-check could find.

const runs = times(8, 12);
const start = Date.parse('2031-03-30T00:59:00.000Z');

/** The servers of a new database. */
async function service(pauses: string[], sweeps: boolean): Promise<Service> {
  const { env, sql } = await testDatabase();
  const servers = await Promise.all(pauses.map((pause) => testServer({ ...env, SWEEP_PAUSE_MS: pause })));
  return { urls: servers.map(({ url }) => url), sql, sweeps, seen: new Map() };
}

const timeLimitMs = times(60_000, 300_000);
let number = 0;

async function holdAgainstModel(t: TestContext, service: Service): Promise<void> {
  const endsAt = performance.now() + timeLimitMs;
  const property = fc.asyncProperty(plan, async (wanted) => {
    // On a slow day there are fewer runs; fast-check's own limit would leave the last one unfinished behind.
    if (performance.now() > endsAt) return;
    number += 1;
    await carryOutPlan(service, number, start, wanted);
    await assertRoundsHold(service.sql);
  });
  await fc.assert(property, { numRuns: runs });
  await sweep(service);
  await assertRoundsHold(service.sql);
  await assertActivityHolds(service.sql);
  const seen = [...service.seen].sort(([a], [b]) => (a < b ? -1 : 1));
  t.diagnostic(seen.map(([kind, count]) => `${kind}: ${count}`).join(', '));
}

test('rounds get the responses of the model, without a sweeper', async (t) =>
  holdAgainstModel(t, await service(['3600000'], false)));

test('two servers that sweep all the time answer just the same', async (t) =>
  holdAgainstModel(t, await service(['10', '10'], true)));
