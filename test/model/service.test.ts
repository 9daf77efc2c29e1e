import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { replaceOffers } from '../../packages/server/src/partners/callers/sql/partners.ts';
import { call, demo, type Partner, rival } from '../support/caller.ts';
import { setClock } from '../support/clock.ts';
import { testDatabase } from '../support/database.ts';
import { assertCountsHold } from '../support/invariants.ts';
import { times } from '../support/long.ts';
import { lantern } from '../support/provider.ts';
import { campaign, directIssue } from '../support/requests.ts';
import { testServer } from '../support/server.ts';
import { createPartners } from '../support/webhooks.ts';
import { steps } from './drafts.ts';
import type { Offer } from './model.ts';
import { carryOutSteps, type Service } from './run.ts';

// Random sequences of requests, at random moments, to the real service, held against a small model of the contract. A
// failure prints the seed and the shortest sequence that fast-check could find.

const runs = times(10, 12);
const start = Date.parse('2031-03-30T00:59:00.000Z');

const database = await testDatabase();
const { env, sql } = database;
// The rival is offered less, so that the two partners may not do the same.
await replaceOffers(sql, rival.clientId, [lantern.providerId]);
const [bystander] = (await createPartners(database, 1)) as [Partner];

const one = await testServer(env);
// Small batches, so that one moment's requests are spread over several transactions.
const other = await testServer({ ...env, LANE_BATCH: '2' });

async function offerOf(partner: Partner): Promise<Offer> {
  const { body } = await call(one.url, 'GameList', {}, partner);
  return new Map(
    body.providers.flatMap((provider: { currencies: string[]; games: { id: string; promoTypes: string[] }[] }) =>
      provider.games.map(({ id, promoTypes }) => [
        id,
        { freeBets: promoTypes.includes('FreeBet'), currencies: new Set(provider.currencies) },
      ]),
    ),
  );
}

const partners = [
  { partner: demo, offer: await offerOf(demo) },
  { partner: rival, offer: await offerOf(rival) },
];

/** Every row of a partner that took no part. */
async function rowsOfBystander(): Promise<unknown> {
  const tables = ['campaigns', 'campaign_states', 'campaign_players', 'free_bets'];
  const results = await Promise.all(
    tables.map((table) =>
      sql.query(`SELECT t::text AS row FROM ${table} t WHERE client_id = $1 ORDER BY 1`, [bystander.clientId]),
    ),
  );
  return results.map(({ rows }) => rows);
}

/** What one run left behind must not be listed in the next. */
async function sweep(): Promise<void> {
  const tables = ['bets', 'free_bets', 'campaign_players', 'campaign_totals', 'campaign_states', 'campaigns'];
  for (const table of ['job_refusals', 'job_parts', 'jobs', ...tables, 'event_batches']) {
    await sql.query(`DELETE FROM ${table} WHERE client_id <> $1`, [bystander.clientId]);
  }
}

const timeLimitMs = times(60_000, 300_000);
let number = 0;

async function holdAgainstModel(service: Service): Promise<void> {
  await setClock(sql, new Date(start).toISOString());
  const dates = { valid_from: new Date(start).toISOString(), valid_until: new Date(start + 1e9).toISOString() };
  const campaign_id = 'run 1, campaign 0';
  await call(one.url, 'CampaignCreate', campaign({ ...dates, campaign_id }), bystander);
  await call(one.url, 'Issue', directIssue({ ...dates, issue_id: '00000001-abcd-4000-8000-000000000000' }), bystander);
  await call(one.url, 'Issue', { campaign_id, player_id: 'ann', currency: 'EUR' }, bystander);
  const before = await rowsOfBystander();
  const endsAt = performance.now() + timeLimitMs;
  const property = fc.asyncProperty(steps, async (wanted) => {
    // On a slow day there are fewer runs; fast-check's own limit would leave the last one unfinished behind.
    if (performance.now() > endsAt) return;
    number += 1;
    await sweep();
    await carryOutSteps(service, number, start, wanted);
    await assertCountsHold(sql);
    assert.deepEqual(await rowsOfBystander(), before, 'a partner that took no part was touched');
  });
  await fc.assert(property, { numRuns: runs });
}

test('one server answers as the model does', () => holdAgainstModel({ urls: [one.url], sql, partners }));

test('two servers on one database answer as the model does', () =>
  holdAgainstModel({ urls: [one.url, other.url], sql, partners }));
