import assert from 'node:assert/strict';
import type { OperationName } from '@freebets/contract';
import type pg from 'pg';
import { type Answer, call, type Partner } from '../support/caller.ts';
import { setClock } from '../support/clock.ts';
import { readFeed } from '../support/feed.ts';
import { jobOver, refusalsOf } from '../support/jobs.ts';
import type { Asked, ReadDraft, Step } from './drafts.ts';
import { assertExpiries, isExpiry } from './events.ts';
import { itemsAsIssues } from './jobs-model.ts';
import { type Judged, judgeTogether } from './judge.ts';
import { emptyWorld, type Fields, iso, type Offer, type Seen, type World } from './model.ts';
import { checkCampaign, checkCampaigns, checkFreeBets, checkJobs, type Reader } from './reads.ts';
import { campaignId, jobRequests, type Request, requestOf } from './requests.ts';

// Carries out the steps of one run against the service, and holds every answer against the model.

export interface Service {
  urls: string[];
  sql: pg.Pool;
  partners: { partner: Partner; offer: Offer }[];
}

interface Side {
  partner: Partner;
  offer: Offer;
  world: World;
  sent: Request[];
  /** The number of the last event read, and the events caused by time. */
  read: number;
  expiries: Fields[];
}

interface Run {
  service: Service;
  number: number;
  start: number;
  /** What it is for the partners, which are sandboxes, and what it is in the world. */
  now: number;
  worldNow: number;
  sides: Side[];
  /** How many there were. */
  jobs: number;
}

/** Status and code of the errors that these requests can bring about, from section 4 of the contract. */
const errorTable: Record<string, [status: number, code: number]> = {
  currency_not_allowed: [400, 154],
  game_without_free_bets: [400, 601],
  invalid_validity: [400, 603],
  game_not_available: [400, 608],
  free_bet_not_found: [404, 610],
  campaign_not_found: [404, 630],
  id_reused: [409, 409],
  free_bet_expired: [409, 611],
  campaign_ended: [409, 632],
  campaign_stopped: [409, 633],
  campaign_paused: [409, 634],
  bonus_limit_reached: [409, 635],
  bonus_limit_per_user_reached: [409, 636],
};

const fieldsOf = (details: { field: string }[] | undefined): string[] => (details ?? []).map(({ field }) => field);

function seenIn({ status, body, headers, text }: Answer): Seen {
  if (status === 200) return { ok: true, body };
  assert.deepEqual([status, body?.code], errorTable[body?.error], text);
  assert.equal(body.request_id, headers['x-request-id']);
  return { ok: false, error: body.error, fields: fieldsOf(body.details) };
}

function seenInItem(item: Fields, asked: Fields): Seen {
  if (item.error === undefined) return { ok: true, body: item };
  assert.equal(item.error.code, errorTable[item.error.error]?.[1], JSON.stringify(item));
  assert.equal(item.issue_id, asked.issue_id?.toLowerCase() ?? null);
  return { ok: false, error: item.error.error, fields: fieldsOf(item.error.details) };
}

/**
 * The items of a batch are requests of their own, which keep their order. But together with other requests an item is refused as
 * things stood when the batch was loaded, and what the batch writes is numbered when it commits: another server may have
 * been there in between, so refused items have no fixed place in the order.
 */
function threadsOf({ operation, body }: Request, answer: Answer, isAlone: boolean): Judged[][] {
  if (operation !== 'IssueBatch' && operation !== 'CancelBatch') return [[{ operation, body, seen: seenIn(answer) }]];
  assert.equal(answer.status, 200, answer.text);
  const asked: Fields[] = body.items ?? body.issue_ids.map((issue_id: string) => ({ issue_id }));
  assert.equal(answer.body.results.length, asked.length);
  const items = asked.map((item, i): Judged => {
    const seen = seenInItem(answer.body.results[i], item);
    if (operation === 'IssueBatch') return { operation: 'Issue', body: item, seen, isItem: true };
    if (seen.ok) assert.deepEqual(seen.body, { issue_id: item.issue_id.toLowerCase() });
    return { operation: 'Cancel', body: item, seen: seen.ok ? { ok: true, body: {} } : seen };
  });
  if (isAlone) return [items];
  return [items.filter(({ seen }) => seen.ok), ...items.filter(({ seen }) => !seen.ok).map((item) => [item])];
}

const sideOf = (run: Run, partner: number): Side => run.sides[partner % run.sides.length] as Side;
const urlOf = ({ service }: Run, server: number): string => service.urls[server % service.urls.length] as string;

/** The partner's events since the last read, except events caused by time. */
async function readEvents(run: Run, side: Side): Promise<Fields[]> {
  const feed = await readFeed(urlOf(run, side.read), side.partner, side.read);
  side.read += feed.length;
  side.expiries.push(...feed.filter(isExpiry));
  return feed.filter((event) => !isExpiry(event));
}

const triable: OperationName[] = ['CampaignCreate', 'Issue', 'IssueBatch', 'Cancel'];

/** As a dry run first, at either server. That it changes and tells nothing shows in everything that follows. */
async function tryOut(run: Run, { request, side }: { request: Request; side: Side }): Promise<Answer | undefined> {
  const { operation, body } = request;
  if (!triable.includes(operation)) return undefined;
  return call(urlOf(run, side.sent.length), operation, { ...body, dry_run: true }, side.partner);
}

/** The dry run returns the same as the real request, except generated ids. */
function assertTried(tried: Answer, real: Answer): void {
  const isRefused = real.status !== 200;
  if (!isRefused) assert.equal(tried.body.dry_run, true, tried.text);
  assert.deepEqual([tried.status, withoutIds(tried.body, isRefused)], [real.status, withoutIds(real.body, isRefused)]);
}

/** Each server has its own `doc_url`. */
function withoutIds(fields: Fields, isRefused: boolean): Fields {
  const { request_id: _, doc_url: __, dry_run: ___, max_exposure: ____, ...body } = fields;
  if (isRefused) return body;
  const results = body.results?.map((item: Fields) => ({ ...item, issue_id: null }));
  return { ...body, issue_id: null, campaign_id: null, ...(results && { results }) };
}

function holdAgainst({ now }: Run, side: Side, threads: Judged[][], events: Fields[]): void {
  const verdict = judgeTogether(side.world, side.offer, threads, events, now);
  if ('wrong' in verdict) assert.fail(`at ${iso(now)}, no order of these fits:\n${verdict.wrong}`);
  side.world = verdict.world;
}

async function askAll(run: Run, all: Asked[]): Promise<void> {
  const asked = all.flatMap(({ draft, partner, server }) => {
    const side = sideOf(run, partner);
    const { number, start, now } = run;
    const request = requestOf({ run: number, start, now, sent: side.sent, world: side.world }, draft);
    return request === undefined ? [] : [{ request, side, url: urlOf(run, server) }];
  });
  const [alone] = asked;
  const tried = asked.length === 1 && alone !== undefined && (await tryOut(run, alone));
  const answers = await Promise.all(
    asked.map(({ request, side, url }) => call(url, request.operation, request.body, side.partner)),
  );
  if (tried) assertTried(tried, answers[0] as Answer);
  // No order of anything fits these, and there may be very many orders.
  for (const { status, text } of answers) assert.ok(status < 500, text);
  const judged = asked.flatMap(({ request, side }, i) =>
    threadsOf(request, answers[i] as Answer, asked.length === 1).map((thread) => ({ side, thread })),
  );
  for (const [side, threads] of Map.groupBy(judged, (each) => each.side)) {
    const events = await readEvents(run, side);
    holdAgainst(
      run,
      side,
      threads.map(({ thread }) => thread),
      events,
    );
  }
  for (const { request, side } of asked) if (request.operation !== 'FreeBetGet') side.sent.push(request);
}

type JobStep = Extract<Step, { kind: 'job' }>;

async function carryOutJob(run: Run, { job: draft, partner, server, which }: JobStep): Promise<void> {
  const side = sideOf(run, partner);
  const campaign = side.world.campaigns.get(campaignId(run.number, draft.campaign ?? -1));
  // It would wait for as long as the campaign is paused.
  if (campaign !== undefined && campaign.pausedAt !== null) return;
  run.jobs += 1;
  const { number, start, now } = run;
  const requests = jobRequests({ run: number, start, now, sent: [], world: side.world }, draft, run.jobs);
  const asked: Judged[] = [];
  for (const [i, { operation, body }] of requests.entries()) {
    const seen = seenIn(await call(urlOf(run, server + i), operation, body, side.partner));
    asked.push({ operation, body, seen });
    if (!seen.ok) break;
  }
  holdAgainst(run, side, [asked], []);
  if (!asked.at(-1)?.seen.ok) return;
  const startsAt = now + (draft.startsInMs ?? 0);
  if (startsAt > now) await moveTo(run, startsAt, which);
  const carriedOut = await jobSeen(run, side, requests, urlOf(run, server));
  holdAgainst(run, side, [carriedOut], await readEvents(run, side));
}

/** The visible state of an ended job: its items in order, each refused or not, and the job. */
async function jobSeen(run: Run, side: Side, [create, ...rest]: Request[], url: string): Promise<Judged[]> {
  const asked = create?.body;
  const over = await jobOver(url, asked, 20_000, side.partner);
  const refusals = await refusalsOf(urlOf(run, run.jobs), asked, 2, side.partner);
  const parts = rest.filter(({ operation }) => operation === 'JobAdd').map(({ body }) => body.items);
  const items = itemsAsIssues(asked, parts).map(({ part, item, body }): Judged => {
    const refusal = refusals.find((each) => each.part === part && each.item === item);
    if (refusal !== undefined) assert.equal(refusal.player_id, body.player_id);
    const seen = seenInItem(refusal ?? { issue_id: body.issue_id }, body);
    return { operation: 'Issue', body, seen, jobId: asked.job_id };
  });
  const places = refusals.map(({ part, item }) => part * 1000 + item);
  assert.deepEqual(
    places,
    [...new Set(places)].sort((a, b) => a - b),
    'in their order, none twice',
  );
  assert.equal(refusals.length, items.filter(({ seen }) => !seen.ok).length, 'each at a place of the job');
  return [...items, { operation: 'JobGet', body: asked, seen: { ok: true, body: over } }];
}

async function read(run: Run, draft: ReadDraft, side: Side, url: string): Promise<void> {
  const reader: Reader = { url, partner: side.partner, world: side.world, now: run.now };
  const idOf = (index: number) => campaignId(run.number, index);
  if (draft.kind === 'campaign') return checkCampaign(reader, idOf(draft.campaign));
  if (draft.kind === 'campaigns') return checkCampaigns(reader, draft.status ?? undefined, draft.limit);
  const filter = {
    ...(draft.player !== null && { player_id: draft.player }),
    ...(draft.campaign !== null && { campaign_id: idOf(draft.campaign) }),
    ...(draft.status !== null && { status: draft.status }),
  };
  return checkFreeBets(reader, filter, draft.limit);
}

/** The instants to come at which time decides something. */
function boundaries({ sides, now }: Run): number[] {
  const all = sides.flatMap(({ world }) => [
    ...[...world.campaigns.values()].flatMap(({ terms }) => [terms.validFrom, terms.validUntil]),
    ...[...world.freeBets.values()].flatMap(({ terms, expiresAt }) => [terms.validFrom, expiresAt]),
  ]);
  return [...new Set(all)].filter((instant) => instant > now).sort((a, b) => a - b);
}

async function moveTime(run: Run, which: number, shiftMs: number): Promise<void> {
  const ahead = boundaries(run);
  // The nearest ones mostly, or a few jumps would leave everything behind.
  const next = ahead[which % Math.max(1, Math.min(4, ahead.length))] ?? run.now + 60_000;
  await moveTo(run, Math.max(run.now, next + shiftMs), which);
}

async function moveTo(run: Run, now: number, which: number): Promise<void> {
  // Either the real time moves on, or the clocks of the partners are set. The effects are the same.
  if (which % 3 === 0) await setClocks(run, now, which);
  else {
    run.worldNow += now - run.now;
    await setClock(run.service.sql, iso(run.worldNow));
  }
  run.now = now;
}

async function setClocks(run: Run, now: number, server: number): Promise<void> {
  for (const { partner } of run.sides) {
    const answer = await call(urlOf(run, server), 'SandboxClockSet', { now: iso(now) }, partner);
    const offset_s = Math.round((now - run.worldNow) / 1000);
    assert.deepEqual(answer.body, { now: iso(now), offset_s }, answer.text);
  }
}

/** After any run, everything can be read back as in the model. */
async function readAll(run: Run): Promise<void> {
  for (const side of run.sides) {
    const reader: Reader = { url: urlOf(run, 0), partner: side.partner, world: side.world, now: run.now };
    await checkFreeBets(reader, {}, 200);
    await checkCampaigns(reader, undefined, 200);
    await checkJobs(reader);
    for (const id of side.world.campaigns.keys()) await checkCampaign(reader, id);
    assert.deepEqual(await readEvents(run, side), [], 'no event is left over');
    assertExpiries(side.world, side.expiries, run.now);
  }
}

export async function carryOutSteps(service: Service, number: number, start: number, steps: Step[]): Promise<void> {
  const { rows } = await service.sql.query('SELECT client_id, last_sequence::int FROM event_heads');
  const heads = new Map(rows.map(({ client_id, last_sequence }) => [client_id, last_sequence]));
  const sides = service.partners.map(({ partner, offer }) => {
    const read: number = heads.get(partner.clientId) ?? 0;
    return { partner, offer, world: emptyWorld, sent: [], read, expiries: [] };
  });
  const run: Run = { service, number, start, now: start, worldNow: start, sides, jobs: 0 };
  await service.sql.query(`UPDATE sandbox_clocks SET ahead = '0', set_to = NULL`);
  await setClock(service.sql, iso(run.now));
  for (const step of steps) {
    if (step.kind === 'alone') await askAll(run, [step.asked]);
    if (step.kind === 'together') await askAll(run, step.asked);
    if (step.kind === 'read') await read(run, step.read, sideOf(run, step.partner), urlOf(run, step.server));
    if (step.kind === 'job') await carryOutJob(run, step);
    if (step.kind === 'time') await moveTime(run, step.which, step.shiftMs);
  }
  await readAll(run);
}
