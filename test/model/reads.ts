import assert from 'node:assert/strict';
import { type Answer, call, type Partner } from '../support/caller.ts';
import { jobBody } from './jobs-model.ts';
import {
  type Campaign,
  comparable,
  type Fields,
  type FreeBet,
  freeBetBody,
  freeBetsOf,
  isFull,
  iso,
  isoOrNull,
  statusOf,
  type World,
} from './model.ts';

// Reads of many things at once, held against the world. They are made while nothing else is under way.

export interface Reader {
  url: string;
  partner: Partner;
  world: World;
  now: number;
}

export function campaignStatuses({ world, now }: Pick<Reader, 'world' | 'now'>, campaign: Campaign): string[] {
  if (campaign.stoppedAt !== null) return ['stopped'];
  if (now >= campaign.terms.validUntil) return ['ended'];
  if (campaign.pausedAt !== null) return ['paused'];
  if (isFull(world, campaign)) return ['exhausted'];
  return [now < campaign.terms.validFrom ? 'scheduled' : 'active'];
}

export const campaignBody = (campaign: Campaign): Fields => ({
  campaign_id: campaign.id,
  name: campaign.name,
  quantity: campaign.terms.quantity,
  valid_from: iso(campaign.terms.validFrom),
  valid_until: iso(campaign.terms.validUntil),
  games: campaign.terms.games,
  bet_amounts: campaign.amounts,
  duration_min: campaign.terms.durationMin,
  stake_returned: false,
  config: {
    bonus_limit: campaign.bonusLimit,
    bonus_limit_per_user: campaign.bonusLimitPerUser,
    min_coefficient: campaign.terms.min,
    max_coefficient: campaign.terms.max,
  },
  created_at: iso(campaign.createdAt),
  stopped_at: isoOrNull(campaign.stoppedAt),
  paused_at: isoOrNull(campaign.pausedAt),
  limits_changed_at: isoOrNull(campaign.limitsChangedAt),
});

function assertCampaign(reader: Reader, campaign: Campaign, body: Fields): void {
  const { status, counts: _, winnings: __, exposure: ___, ...rest } = comparable(body);
  assert.deepEqual(rest, campaignBody(campaign));
  assert.ok(campaignStatuses(reader, campaign).includes(status), `${campaign.id} is not ${status}`);
  assertTotals(reader, campaign, body);
}

/** For every bet still open: the stake times the highest odds, less the stake, rounded down to the cent. */
function openExposure({ world, now }: Reader, { id, terms, amounts }: Campaign, currency: string): string | null {
  const isOpen = (freeBet: FreeBet) => ['issued', 'active'].includes(statusOf(freeBet, now));
  const open = freeBetsOf(world, id).filter((freeBet) => freeBet.currency === currency && isOpen(freeBet));
  if (terms.max === null) return open.length === 0 ? '0.00' : null;
  const cents = BigInt(amounts.find((each) => each.currency === currency)?.amount.replace('.', '') ?? 0);
  const perBet = (cents * BigInt(terms.max)) / 10_000n - cents;
  const total = perBet * BigInt(open.length * terms.quantity);
  return `${total / 100n}.${String(total % 100n).padStart(2, '0')}`;
}

export async function checkCampaign(reader: Reader, campaignId: string): Promise<void> {
  const { world } = reader;
  const answer = await call(reader.url, 'CampaignGet', { campaign_id: campaignId }, reader.partner);
  const campaign = world.campaigns.get(campaignId);
  if (campaign === undefined) return assert.deepEqual([answer.status, answer.body.code], [404, 630], answer.text);
  assert.equal(answer.status, 200, answer.text);
  assertCampaign(reader, campaign, answer.body);
}

function assertTotals(reader: Reader, campaign: Campaign, body: Fields): void {
  const { world, now } = reader;
  const freeBets = freeBetsOf(world, campaign.id);
  assert.deepEqual(body.counts, {
    issued: freeBets.length,
    cancelled: freeBets.filter(({ cancelled }) => cancelled).length,
    expired: freeBets.filter((freeBet) => statusOf(freeBet, now) === 'expired').length,
    finished: 0,
    bets_placed: 0,
  });
  const currencies = campaign.amounts.map(({ currency }) => currency);
  assert.deepEqual(
    body.winnings,
    currencies.map((currency) => ({ currency, amount: '0.00' })),
  );
  assert.deepEqual(
    body.exposure,
    currencies.map((currency) => ({ currency, amount: openExposure(reader, campaign, currency) })),
  );
}

/** Turns the pages to the end; none is larger than asked for, and none repeats anything. */
async function allPages(ask: (cursor: object) => Promise<Answer>, list: string, limit: number): Promise<Fields[]> {
  const found: Fields[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const { status, body, text } = await ask(cursor === undefined ? {} : { cursor });
    assert.equal(status, 200, text);
    assert.ok(body[list].length <= limit, `a page of ${body[list].length}, where ${limit} were asked for`);
    found.push(...body[list]);
    assert.ok(found.length < 5000, 'the pages have no end');
    cursor = body.next_cursor;
  }
  return found;
}

function assertNewestFirst(instants: string[]): void {
  assert.deepEqual(instants, instants.toSorted().toReversed(), 'newest first');
}

export interface FreeBetFilter {
  player_id?: string;
  campaign_id?: string;
  status?: string;
}

export async function checkFreeBets(reader: Reader, filter: FreeBetFilter, limit: number): Promise<void> {
  const { world, now } = reader;
  const ask = (cursor: object) => call(reader.url, 'FreeBetList', { ...filter, limit, ...cursor }, reader.partner);
  const found = await allPages(ask, 'free_bets', limit);
  assertNewestFirst(found.map(({ issued_at }) => issued_at));
  const expected = [...world.freeBets.values()].filter(
    (freeBet) =>
      (filter.player_id === undefined || freeBet.playerId === filter.player_id) &&
      (filter.campaign_id === undefined || freeBet.campaignId === filter.campaign_id) &&
      (filter.status === undefined || statusOf(freeBet, now) === filter.status),
  );
  const byId = (a: Fields, b: Fields) => (a.issue_id < b.issue_id ? -1 : 1);
  assert.deepEqual(
    found.map(comparable).sort(byId),
    expected.map((freeBet) => freeBetBody(freeBet, statusOf(freeBet, now))).sort(byId),
  );
}

export async function checkJobs({ url, partner, world, now }: Reader): Promise<void> {
  const limit = 1;
  const ask = (cursor: object) => call(url, 'JobList', { limit, ...cursor }, partner);
  const found = await allPages(ask, 'jobs', limit);
  assertNewestFirst(found.map(({ created_at }) => created_at));
  const byId = (a: Fields, b: Fields) => (a.job_id < b.job_id ? -1 : 1);
  const expected = [...world.jobs.values()].map((job) => jobBody(job, now));
  assert.deepEqual(found.map(comparable).sort(byId), expected.sort(byId));
}

export async function checkCampaigns(reader: Reader, status: string | undefined, limit: number): Promise<void> {
  const filter = status === undefined ? {} : { status };
  const ask = (cursor: object) => call(reader.url, 'CampaignList', { ...filter, limit, ...cursor }, reader.partner);
  const found = await allPages(ask, 'campaigns', limit);
  assertNewestFirst(found.map(({ created_at }) => created_at));
  assert.equal(new Set(found.map(({ campaign_id }) => campaign_id)).size, found.length, 'none twice');
  for (const body of found) {
    const campaign = reader.world.campaigns.get(body.campaign_id);
    assert.ok(campaign !== undefined, `${body.campaign_id} was never created`);
    assertCampaign(reader, campaign, body);
    if (status !== undefined) assert.equal(body.status, status);
  }
  for (const campaign of reader.world.campaigns.values()) {
    const statuses = campaignStatuses(reader, campaign);
    const isWanted = status === undefined || (statuses.length === 1 && statuses[0] === status);
    const isListed = found.some((body) => body.campaign_id === campaign.id);
    assert.ok(isListed || !isWanted, `${campaign.id} is missing`);
  }
}
