import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  type Campaign,
  campaignStatus,
  newCampaignState,
} from '../../../packages/server/src/promo/campaigns/campaign.ts';
import { type FreeBet, freeBetStatus } from '../../../packages/server/src/promo/free-bets/free-bet.ts';
import { type Job, jobStatus } from '../../../packages/server/src/promo/jobs/job.ts';
import { jobStatusOf } from '../../../packages/server/src/promo/jobs/sql/jobs.ts';
import { testDatabase } from '../../support/database.ts';

// Lists filter by status in SQL; everything else asks the rules in the code. On any facts the two agree.

const { sql } = await testDatabase();

// Few instants and small numbers, so that facts fall on each other often: the boundaries are what matters.
const instant = fc.integer({ min: 1_800_000_000_000, max: 1_800_000_000_004 });
/** Null half of the time, so that a status that needs several nulls is seen in every run. */
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null, freq: 2 });
const iso = (at: number | null) => (at === null ? null : new Date(at).toISOString());
const manyOf = <T>(facts: fc.Arbitrary<T>) => fc.array(facts, { minLength: 200, maxLength: 200 });

test('free_bet_status and freeBetStatus agree', async () => {
  const facts = fc.record({
    quantity: fc.integer({ min: 1, max: 2 }),
    betsPlaced: fc.integer({ min: 0, max: 2 }),
    betsSettled: fc.integer({ min: 0, max: 2 }),
    swept: fc.boolean(),
    validFrom: instant,
    expiresAt: instant,
    cancelledAt: maybe(instant),
    now: instant,
  });
  const seen = new Set<string>();
  const agree = fc.asyncProperty(manyOf(facts), async (many) => {
    const { rows } = await sql.query(
      `SELECT free_bet_status(a, b, c, d, e, f, g, h) AS status
       FROM unnest($1::int[], $2::int[], $3::int[], $4::bool[], $5::timestamptz[], $6::timestamptz[], $7::timestamptz[],
         $8::timestamptz[]) WITH ORDINALITY AS n(a, b, c, d, e, f, g, h, place) ORDER BY place`,
      [
        many.map((f) => f.quantity),
        many.map((f) => f.betsPlaced),
        many.map((f) => f.betsSettled),
        many.map((f) => f.swept),
        many.map((f) => iso(f.validFrom)),
        many.map((f) => iso(f.expiresAt)),
        many.map((f) => iso(f.cancelledAt)),
        many.map((f) => iso(f.now)),
      ],
    );
    const byRules = many.map(({ validFrom, quantity, now, ...facts }) =>
      freeBetStatus({ ...facts, terms: { validFrom, quantity } } as FreeBet, now),
    );
    assert.deepEqual(
      rows.map(({ status }) => status),
      byRules,
    );
    for (const status of byRules) seen.add(status);
  });
  await fc.assert(agree, { numRuns: 30 });
  assert.deepEqual([...seen].sort(), ['active', 'cancelled', 'expired', 'finished', 'in_use', 'issued']);
});

test('campaign_status and campaignStatus agree', async () => {
  const facts = fc.record({
    validFrom: instant,
    validUntil: instant,
    stoppedAt: maybe(instant),
    pausedAt: maybe(instant),
    issued: fc.integer({ min: 3, max: 6 }),
    cancelled: fc.integer({ min: 0, max: 3 }),
    bonusLimit: maybe(fc.integer({ min: 1, max: 4 })),
    now: instant,
  });
  const seen = new Set<string>();
  const agree = fc.asyncProperty(manyOf(facts), async (many) => {
    const { rows } = await sql.query(
      `SELECT campaign_status(a, b, c, d, e, f, g) AS status
       FROM unnest($1::timestamptz[], $2::timestamptz[], $3::timestamptz[], $4::timestamptz[], $5::bigint[], $6::int[],
         $7::timestamptz[]) WITH ORDINALITY AS n(a, b, c, d, e, f, g, place) ORDER BY place`,
      [
        many.map((f) => iso(f.validFrom)),
        many.map((f) => iso(f.validUntil)),
        many.map((f) => iso(f.stoppedAt)),
        many.map((f) => iso(f.pausedAt)),
        many.map((f) => f.issued - f.cancelled),
        many.map((f) => f.bonusLimit),
        many.map((f) => iso(f.now)),
      ],
    );
    const byRules = many.map(({ validFrom, validUntil, bonusLimit, now, ...state }) => {
      const campaign = { terms: { validFrom, validUntil }, bonusLimit } as Campaign;
      return campaignStatus(campaign, { ...newCampaignState(), ...state }, now);
    });
    assert.deepEqual(
      rows.map(({ status }) => status),
      byRules,
    );
    for (const status of byRules) seen.add(status);
  });
  await fc.assert(agree, { numRuns: 30 });
  assert.deepEqual([...seen].sort(), ['active', 'ended', 'exhausted', 'paused', 'scheduled', 'stopped']);
});

test('the status of a job in SQL and jobStatus agree', async () => {
  const facts = fc.record({
    startAt: maybe(instant),
    startedAt: maybe(instant),
    finishedAt: maybe(instant),
    stoppedAt: maybe(instant),
    now: instant,
    failure: maybe(fc.constant({ reason: 'x', part: 1, item: 0 })),
  });
  const seen = new Set<string>();
  const agree = fc.asyncProperty(manyOf(facts), async (many) => {
    const { rows } = await sql.query(
      `SELECT ${jobStatusOf('j', 'j.now')} AS status
       FROM (SELECT CASE WHEN b IS NOT NULL THEN greatest(a, b) END AS begins_at, c AS finished_at, d AS stopped_at, e AS now, f AS failure, place
         FROM unnest($1::timestamptz[], $2::timestamptz[], $3::timestamptz[], $4::timestamptz[], $5::timestamptz[], $6::text[])
           WITH ORDINALITY AS n(a, b, c, d, e, f, place)) j ORDER BY place`,
      [
        ...(['startAt', 'startedAt', 'finishedAt', 'stoppedAt', 'now'] as const).map((name) =>
          many.map((f) => iso(f[name])),
        ),
        many.map(({ failure }) => failure && JSON.stringify(failure)),
      ],
    );
    const byRules = many.map(({ now, ...job }) => jobStatus(job as Job, now));
    assert.deepEqual(
      rows.map(({ status }) => status),
      byRules,
    );
    for (const status of byRules) seen.add(status);
  });
  await fc.assert(agree, { numRuns: 30 });
  assert.deepEqual([...seen].sort(), ['failed', 'finished', 'open', 'running', 'scheduled', 'stopped']);
});
