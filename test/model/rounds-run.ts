import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import type { ErrorName } from '@freebets/contract';
import type pg from 'pg';
import { accepted, refused } from '../support/answers.ts';
import { type Answer, call, demo, type Partner, rival } from '../support/caller.ts';
import { setClock } from '../support/clock.ts';
import { readFeed } from '../support/feed.ts';
import { returnStake } from '../support/payout.ts';
import { callAs, heron, lantern, type Provider } from '../support/provider.ts';
import { until } from '../support/waiting.ts';
import { assertEmitted, type EmittedEvent, emittedSince, snapshotOf } from './rounds-events.ts';
import * as model from './rounds-model.ts';
import { campaignBody, type Request, requestOf } from './rounds-requests.ts';
import { gameIds, type Plan, type Step } from './rounds-steps.ts';

// Carries out one run against the service, and holds every answer against the model.

export interface Service {
  urls: string[];
  sql: pg.Pool;
  /** Whether a sweeper is at work; no answer may depend on it. */
  sweeps: boolean;
  seen: Map<string, number>;
}

interface Run {
  service: Service;
  number: number;
  start: number;
  world: model.World;
  sent: Request[];
  /** The events that the partners must have, and the number of each one's previous event. */
  emitted: EmittedEvent[];
  emittedBefore: Map<number, number>;
}

const partners: Partner[] = [demo, rival];
const providers: Provider[] = [lantern, heron];
const providerOf = new Map([
  ...gameIds.lantern.map((id) => [id, lantern.providerId] as const),
  ...gameIds.heron.map((id) => [id, heron.providerId] as const),
]);

const partnerOf = (clientId: number): Partner => partners.find((partner) => partner.clientId === clientId) ?? demo;
const providerNamed = (id: string): Provider => providers.find(({ providerId }) => providerId === id) ?? lantern;

function send(url: string, { operation, provider, clientId, body }: Request): Promise<Answer> {
  if (provider === null) return call(url, operation, body, partnerOf(clientId));
  return callAs(providerNamed(provider), url, operation, body);
}

function expectedOf(world: model.World, { operation, clientId, body }: Request): model.Expected {
  switch (operation) {
    case 'Issue':
      return model.issue(world, clientId, body);
    case 'Cancel':
      return model.cancel(world, clientId, body);
    case 'FreeBetGet':
      return model.getFreeBet(world, clientId, body);
    case 'RoundsAvailable':
      return model.available(world, body);
    case 'RoundsBet':
      return model.bet(world, body);
    case 'RoundsSettle':
      return model.settle(world, body);
    case 'RoundsRollback':
      return model.rollback(world, body);
    default:
      throw new Error(`the model does not know ${operation}`);
  }
}

/** By what sets each item apart: two providers may give a bet the same id, but none has a game of the other. */
const orders: Record<string, (item: model.Fields) => string> = {
  bets: ({ bet_id, game_id }) => `${bet_id} ${game_id}`,
  free_bets: ({ issue_id }) => issue_id,
};

/** Coefficients as numbers, because 1.2 and 1.20 say the same; lists without an order of their own sorted. */
function comparable(value: model.Fields, name = ''): model.Fields {
  if (name.endsWith('coefficient') && typeof value === 'string') return model.e4(value);
  if (Array.isArray(value)) {
    const keyOf = orders[name];
    const items = value.map((item) => comparable(item));
    return keyOf === undefined ? items : items.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  }
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([each, field]) => [each, comparable(field, each)]));
}

const show = (value: unknown) => JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? `${each}` : each));

function hold(run: Run, request: Request, answer: Answer): void {
  const context = `at ${model.iso(run.world.now)}: ${request.operation} ${show(request.body)}\nwas answered ${answer.text}`;
  const before = snapshotOf(run.world);
  const expected = expectedOf(run.world, request);
  run.emitted.push(...emittedSince(run.world, before));
  const kind = `${request.operation} ${answer.status === 200 ? 200 : answer.body?.error}`;
  run.service.seen.set(kind, (run.service.seen.get(kind) ?? 0) + 1);
  if ('errors' in expected) {
    const error = answer.body?.error as ErrorName;
    assert.ok(expected.errors.includes(error), `${context}\nexpected ${expected.errors.join(' or ')}`);
    refused(error, answer);
    return;
  }
  assert.equal(answer.status, 200, `${context}\nexpected ${show(expected.body)}`);
  const got = comparable(accepted(request.operation, answer));
  const wanted = comparable(expected.body);
  assert.ok(isDeepStrictEqual(got, wanted), `${context}\nexpected ${show(wanted)}`);
  if (request.operation === 'RoundsAvailable') {
    const ends: string[] = answer.body.free_bets.map(({ expires_at }: { expires_at: string }) => expires_at);
    assert.deepEqual(ends, ends.toSorted(), `${context}\nexpected the soonest to expire first`);
  }
}

async function ask(run: Run, { draft, partner, server }: Extract<Step, { kind: 'ask' }>): Promise<void> {
  const { service, number, start, world, sent } = run;
  const clientId = partners[partner]?.clientId ?? 0;
  const otherClientId = partners[1 - partner]?.clientId ?? 0;
  const made = requestOf({ run: number, start, world, clientId, otherClientId, sent }, draft);
  if (made === undefined) return;
  // As it will be read from the wire: plain values, with nothing of fast-check's about them.
  const request: Request = { ...made, body: JSON.parse(JSON.stringify(made.body)) };
  const answer = await send(service.urls[server % service.urls.length] as string, request);
  hold(run, request, answer);
  sent.push(request);
}

async function readCampaign(run: Run, campaign: model.Campaign, server: number): Promise<void> {
  const url = run.service.urls[server % run.service.urls.length] as string;
  const answer = await call(url, 'CampaignGet', { campaign_id: campaign.id }, partnerOf(campaign.clientId));
  const { counts, winnings, exposure } = accepted('CampaignGet', answer);
  assert.deepEqual({ counts, winnings, exposure }, model.sumsOf(run.world, campaign), `at ${model.iso(run.world.now)}`);
}

/** Everything the run made, read back from every server. */
async function readAll(run: Run): Promise<void> {
  for (const server of run.service.urls.keys()) {
    for (const campaign of run.world.campaigns) await readCampaign(run, campaign, server);
  }
  for (const [i, { clientId, issueId }] of run.world.freeBets.entries()) {
    const request: Request = { operation: 'FreeBetGet', provider: null, clientId, body: { issue_id: issueId } };
    hold(run, request, await send(run.service.urls[i % run.service.urls.length] as string, request));
  }
}

/** Every event of the run, in its order, once. */
async function readEvents({ service, world, emitted, emittedBefore }: Run): Promise<void> {
  await sweep(service);
  for (const partner of partners) {
    const feed = await readFeed(service.urls[0] as string, partner, emittedBefore.get(partner.clientId) ?? 0);
    const events = feed.map((event) => comparable(event));
    assertEmitted(world, partner.clientId, emitted, events, service.sweeps);
  }
}

const heads = 'SELECT client_id, last_sequence::int FROM event_heads';

async function moveTime(run: Run, which: number, shiftMs: number): Promise<void> {
  const { world } = run;
  const all = world.freeBets.flatMap(({ terms, expiresAt }) => [terms.from, terms.until, expiresAt]);
  const ahead = [...new Set(all)].filter((instant) => instant > world.now).sort((a, b) => a - b);
  // The nearest ones mostly, or a few jumps would leave everything behind.
  const next = ahead[which % Math.max(1, Math.min(3, ahead.length))] ?? world.now + 60_000;
  world.now = Math.max(world.now, next + shiftMs);
  await setClock(run.service.sql, model.iso(world.now));
}

const overdue = 'SELECT count(*)::int AS n FROM free_bets WHERE NOT swept AND expires_at <= world_now()';

export async function sweep({ sql, sweeps }: Service): Promise<void> {
  if (sweeps) await until('all is swept', 60_000, async () => (await sql.query(overdue)).rows[0].n === 0);
}

/** Affects campaigns, jobs and direct free bets created from then on. */
async function changePayout({ service, world }: Run, which: number, stakeReturned: boolean): Promise<void> {
  const { clientId } = partners[which] as Partner;
  await returnStake(service.sql, service.urls, clientId, stakeReturned);
  if (stakeReturned) world.stakeReturned.add(clientId);
  else world.stakeReturned.delete(clientId);
}

async function begin(service: Service, number: number, start: number, plan: Plan): Promise<Run> {
  await returnStake(service.sql, service.urls, demo.clientId, false);
  await returnStake(service.sql, service.urls, rival.clientId, true);
  const stakeReturned = new Set([rival.clientId]);
  const known = new Set(partners.map(({ clientId }) => clientId));
  const world = { now: start, providerOf, partners: known, stakeReturned, campaigns: [], freeBets: [], bets: [] };
  const run: Run = { service, number, start, world, sent: [], emitted: [], emittedBefore: new Map() };
  await setClock(service.sql, model.iso(start));
  for (const [i, draft] of plan.campaigns.entries()) {
    const partner = partners[i === 2 ? 1 : 0] as Partner;
    const body = JSON.parse(JSON.stringify(campaignBody(number, start, i, draft)));
    accepted('CampaignCreate', await call(service.urls[0] as string, 'CampaignCreate', body, partner));
    run.world.campaigns.push(model.campaignOf(run.world, partner.clientId, body));
  }
  const { rows } = await service.sql.query(heads);
  for (const { client_id, last_sequence } of rows) run.emittedBefore.set(client_id, last_sequence);
  return run;
}

export async function carryOutPlan(service: Service, number: number, start: number, plan: Plan): Promise<void> {
  const run = await begin(service, number, start, plan);
  for (const step of plan.steps) {
    if (step.kind === 'ask') await ask(run, step);
    if (step.kind === 'campaign')
      await readCampaign(run, run.world.campaigns[step.which] as model.Campaign, step.server);
    if (step.kind === 'time') await moveTime(run, step.which, step.shiftMs);
    if (step.kind === 'payout') await changePayout(run, step.partner, step.stakeReturned);
    if (step.kind === 'sweep') await sweep(service);
  }
  // With the other setting everything reads the same.
  await changePayout(run, 0, !run.world.stakeReturned.has(demo.clientId));
  await readAll(run);
  await readEvents(run);
}
